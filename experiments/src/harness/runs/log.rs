//! The file of finished jobs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::commit::MergedCommit;
use super::job::JobName;
use super::record;
use crate::error::ExperimentError;

/// Columns before those of the result.
const KEYS: [&str; 7] = ["commit", "seed", "data", "design", "task", "method", "replication"];

/// Identity that lines have in common that are reported together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Identity {
    pub commit: String,
    pub seed: u64,
    pub data: String,
    /// Effort, and the number of evaluations where it was asked for.
    pub design: String,
}

/// A line: whose it is, and the columns of the result.
pub(super) struct Line {
    pub identity: Identity,
    pub name: JobName,
    pub cells: Vec<(String, String)>,
}

impl Line {
    /// Key that identifies a line.
    pub(super) fn key(&self) -> (Identity, JobName) {
        (self.identity.clone(), self.name.clone())
    }
}

/// Finished jobs of one identity, in memory and in a file to which lines are only appended.
pub(super) struct RunLog {
    path: Option<PathBuf>,
    identity: Identity,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    done: BTreeMap<JobName, Vec<(String, String)>>,
    /// Open once something was written; with the header of the file.
    file: Option<File>,
    columns: Option<Vec<String>>,
}

impl RunLog {
    /// Reads what is there; lines of another identity are left alone. With `merged` lines of one other commit are taken, which it
    /// notes.
    pub(super) fn open(
        path: Option<PathBuf>,
        identity: Identity,
        merged: Option<&MergedCommit>,
    ) -> Result<Self, ExperimentError> {
        let (mut state, mut identity) = (State::default(), identity);
        if let Some(path) = path.as_deref().filter(|path| path.is_file()) {
            drop_torn_line(path)?;
            let (columns, lines) = read(path)?;
            if let Some(merged) = merged
                && let Some(commit) = the_commit(path, &lines, &identity)?
            {
                merged.note(path, &commit)?;
                identity.commit = commit;
            }
            state.columns = Some(columns);
            state.done = lines
                .into_iter()
                .filter(|line| line.identity == identity)
                .map(|line| (line.name, line.cells))
                .collect();
        }
        Ok(Self { path, identity, state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn has(&self, name: &JobName) -> bool {
        self.state().done.contains_key(name)
    }

    /// Writes the line of a finished job in one piece.
    pub(super) fn append<T: Serialize>(&self, name: &JobName, result: &T) -> Result<(), ExperimentError> {
        let bad = |error| ExperimentError::failed(format!("{name}: {error}"));
        let cells = record::cells(result).map_err(bad)?;
        let mut state = self.state();
        if let Some(path) = &self.path {
            write(
                path,
                &mut state,
                &Line { identity: self.identity.clone(), name: name.clone(), cells: cells.clone() },
            )?;
        }
        state.done.insert(name.clone(), cells);
        Ok(())
    }

    /// The result of a finished job, as its line says it.
    pub(super) fn read<T: DeserializeOwned>(&self, name: &JobName) -> Result<T, ExperimentError> {
        let state = self.state();
        let bad = |error: String| match &self.path {
            Some(path) => ExperimentError::data(path, format!("{name}: {error}")),
            None => ExperimentError::failed(format!("{name}: {error}")),
        };
        let cells = state.done.get(name).ok_or_else(|| bad("has no line".into()))?;
        record::result(cells).map_err(|error| bad(error.to_string()))
    }
}

/// The commit of all lines of this seed, data and design; none without lines.
fn the_commit(path: &Path, lines: &[Line], identity: &Identity) -> Result<Option<String>, ExperimentError> {
    let same =
        |line: &&Line| Identity { commit: identity.commit.clone(), ..line.identity.clone() } == *identity;
    let commits: BTreeSet<&str> = lines.iter().filter(same).map(|l| l.identity.commit.as_str()).collect();
    match commits.len() {
        0 | 1 => Ok(commits.first().map(|commit| (*commit).to_owned())),
        _ => {
            let names: Vec<&str> = commits.into_iter().collect();
            let message = format!("has runs of several commits, expected one: {}", names.join(", "));
            Err(ExperimentError::data(path, message))
        }
    }
}

/// Length of the whole lines: what follows the last line end was being written when a run was killed.
fn whole_lines(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
}

/// Cuts what follows the last line end.
fn drop_torn_line(path: &Path) -> Result<(), ExperimentError> {
    let bytes = fs::read(path).map_err(ExperimentError::io(path))?;
    let whole = whole_lines(&bytes);
    if whole < bytes.len() {
        eprintln!("{}: the last line is torn and is dropped", path.display());
        let file = OpenOptions::new().write(true).open(path).map_err(ExperimentError::io(path))?;
        file.set_len(whole as u64).map_err(ExperimentError::io(path))?;
    }
    Ok(())
}

/// Header and lines of a file; a torn last line is none.
pub(super) fn read(path: &Path) -> Result<(Vec<String>, Vec<Line>), ExperimentError> {
    let bad = |message: String| ExperimentError::data(path, message);
    let mut bytes = fs::read(path).map_err(ExperimentError::io(path))?;
    bytes.truncate(whole_lines(&bytes));
    let mut reader = csv::Reader::from_reader(&bytes[..]);
    let header: Vec<String> =
        reader.headers().map_err(|error| bad(error.to_string()))?.iter().map(String::from).collect();
    if header.is_empty() {
        return Ok((header, Vec::new()));
    }
    if !header.iter().map(String::as_str).take(KEYS.len()).eq(KEYS) {
        return Err(bad(format!("begins with columns {}, expected {}", header.join(", "), KEYS.join(", "))));
    }
    let mut lines = Vec::new();
    for (at, cells) in reader.records().enumerate() {
        let cells = cells.map_err(|error| bad(error.to_string()))?;
        let number = |column: usize| {
            let found = cells[column].parse::<u64>();
            found.map_err(|_| {
                bad(format!(
                    "line {}: {} is {}, expected a whole number",
                    at + 2,
                    KEYS[column],
                    &cells[column]
                ))
            })
        };
        let identity = Identity {
            commit: cells[0].into(),
            seed: number(1)?,
            data: cells[2].into(),
            design: cells[3].into(),
        };
        let name = JobName::new(&cells[4], &cells[5], number(6)? as usize);
        let result = header.iter().zip(&cells).skip(KEYS.len());
        lines.push(Line { identity, name, cells: result.map(|(h, c)| (h.clone(), c.into())).collect() });
    }
    Ok((header, lines))
}

/// Appends lines to a file; used by merging, too.
pub(super) fn append_to(path: &Path, lines: &[Line]) -> Result<(), ExperimentError> {
    let mut state = State::default();
    if path.is_file() {
        drop_torn_line(path)?;
        state.columns = Some(read(path)?.0);
    }
    lines.iter().try_for_each(|line| write(path, &mut state, line))
}

fn write(path: &Path, state: &mut State, line: &Line) -> Result<(), ExperimentError> {
    let columns: Vec<String> = KEYS
        .iter()
        .map(|key| (*key).to_owned())
        .chain(line.cells.iter().map(|cell| cell.0.clone()))
        .collect();
    let mut rows = Vec::new();
    if state.columns.as_ref().is_none_or(Vec::is_empty) {
        rows.push(columns.clone());
    } else if state.columns.as_ref() != Some(&columns) {
        // Results have other columns than they had: the old ones are kept beside.
        let mut number = 1;
        while path.with_extension(format!("{number}.csv")).exists() {
            number += 1;
        }
        let aside = path.with_extension(format!("{number}.csv"));
        fs::rename(path, &aside).map_err(ExperimentError::io(path))?;
        eprintln!("{}: has other columns and is kept as {}", path.display(), aside.display());
        state.file = None;
        rows.push(columns.clone());
    }
    state.columns = Some(columns);
    let Identity { commit, seed, data, design } = &line.identity;
    let keys = [commit.clone(), seed.to_string(), data.clone(), design.clone()];
    let name = [line.name.task.clone(), line.name.method.clone(), line.name.replication.to_string()];
    rows.push(keys.into_iter().chain(name).chain(line.cells.iter().map(|cell| cell.1.clone())).collect());
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in &rows {
        writer.write_record(row).map_err(|error| ExperimentError::data(path, error))?;
    }
    let text = writer.into_inner().map_err(|error| ExperimentError::data(path, error))?;
    if state.file.is_none() {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(ExperimentError::io(folder))?;
        }
        let opened = OpenOptions::new().append(true).create(true).open(path);
        state.file = Some(opened.map_err(ExperimentError::io(path))?);
    }
    match &mut state.file {
        Some(file) => file.write_all(&text).and_then(|()| file.flush()).map_err(ExperimentError::io(path)),
        None => Ok(()),
    }
}
