//! The tables of a run taken into the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::claims::{Claims, Line};
use super::error::ResultsError;
use super::files::{Root, Sheet, write_whole};
use super::marker::Marker;
use super::selection::select;

/// Files that a run brings.
#[derive(Debug)]
pub struct Accepted {
    pub line: Line,
    /// Path below `experiments/runs`, and content.
    files: Vec<(String, Vec<u8>)>,
    /// Tables of the same experiment that a page has from a file put together by hand.
    pub by_hand: Vec<String>,
}

impl Accepted {
    /// Paths below `experiments/runs`.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(file, _)| file.as_str())
    }
}

/// Copies the tables that pages print, and the line of claims, of each experiment. Nothing is written unless every run is usable.
///
/// # Errors
/// [`ResultsError`] when a file is missing or broken, or, without `replace`, of another design, with fewer replications or with other columns.
pub fn accept(
    root: &Root,
    out: &Path,
    ids: &[&'static str],
    replace: bool,
) -> Result<Vec<Accepted>, ResultsError> {
    let mut claims = Claims::read(root)?;
    let uses = uses(root)?;
    let mut accepted = Vec::new();
    for id in ids {
        let line = line(&out.join(id), id, claims.find(id))?;
        let book = claims.find(id).map(|line| line.design.as_str()).filter(|design| !design.is_empty());
        let book = book.unwrap_or("full");
        if !replace && line.design != book {
            return Err(ResultsError::Design { id: (*id).into(), run: line.design, book: book.into() });
        }
        if let (false, Some(book)) = (replace, claims.find(id))
            && (line.least_n() < book.least_n() || line.most_n() < book.most_n())
        {
            return Err(ResultsError::Fewer { id: (*id).into(), run: line.n, book: book.n.clone() });
        }
        let (files, by_hand) = tables(root, out, id, &uses, replace)?;
        claims.set(line.clone());
        accepted.push(Accepted { line, files, by_hand });
    }
    let csv = claims.csv().map_err(|error| ResultsError::Claims { line: 1, message: error.to_string() })?;
    for (file, bytes) in accepted.iter().flat_map(|accepted| &accepted.files) {
        write_whole(&root.runs().join(file), bytes)?;
    }
    write_whole(&root.claims(), &csv)?;
    Ok(accepted)
}

/// Place of a marker, and the columns that it asks for.
type Use = (String, usize, Vec<String>);

/// Uses of each CSV file.
fn uses(root: &Root) -> Result<BTreeMap<String, Vec<Use>>, ResultsError> {
    let mut found: BTreeMap<String, Vec<Use>> = BTreeMap::new();
    for (page, text) in root.read_pages()? {
        for (at, line) in text.lines().enumerate() {
            let fault =
                |fault| ResultsError::Marker { page: page.clone(), line: at + 1, marker: line.into(), fault };
            if let Some(Marker::Table { file, columns }) = Marker::parse(line).map_err(fault)? {
                found.entry(file).or_default().push((page.clone(), at + 1, columns));
            }
        }
    }
    Ok(found)
}

type Tables = (Vec<(String, Vec<u8>)>, Vec<String>);

/// Tables of the run that pages print, and those that were put together by hand.
fn tables(
    root: &Root,
    out: &Path,
    id: &str,
    uses: &BTreeMap<String, Vec<Use>>,
    replace: bool,
) -> Result<Tables, ResultsError> {
    let (mut files, mut by_hand) = (Vec::new(), Vec::new());
    let own =
        uses.iter().filter_map(|(file, uses)| Some((file, file.strip_prefix(id)?.strip_prefix('/')?, uses)));
    for (file, name, uses) in own {
        if name.contains('/') {
            by_hand.push(file.clone());
            continue;
        }
        let path = out.join(file);
        let bad = |fault: &dyn std::fmt::Display| ResultsError::Run {
            path: path.clone(),
            message: fault.to_string(),
        };
        let sheet = Sheet::read(&path).map_err(|fault| bad(&fault))?;
        for (page, line, columns) in uses {
            select(&sheet, columns)
                .map_err(|fault| bad(&format!("{fault}, as {page}:{line} asks for it")))?;
        }
        if let (false, Ok(book)) = (replace, Sheet::read(&root.runs().join(file)))
            && book.header != sheet.header
        {
            let (id, file) = (id.into(), name.into());
            return Err(ResultsError::Columns { id, file, run: sheet.header, book: book.header });
        }
        files.push((file.clone(), fs::read(&path).map_err(ResultsError::io(&path))?));
    }
    Ok((files, by_hand))
}

/// The line of a run by its summary. The command is that of the book where the run does not say it.
fn line(folder: &Path, id: &str, book: Option<&Line>) -> Result<Line, ResultsError> {
    let path = folder.join("summary.json");
    let bad = |message: String| ResultsError::Run { path: path.clone(), message };
    if !path.is_file() {
        return Err(bad(format!("is not there: no run of {id}")));
    }
    let text = fs::read_to_string(&path).map_err(ResultsError::io(&path))?;
    let summary: Value =
        serde_json::from_str(&text).map_err(|error| bad(format!("cannot be read: {error}")))?;
    let word = |pointer: &str| {
        let found = summary.pointer(pointer).and_then(Value::as_str);
        found.map(str::to_owned).ok_or_else(|| bad(format!("has no text {pointer}")))
    };
    let found = word("/id")?;
    if found != id {
        return Err(bad(format!("is of {found}, expected {id}")));
    }
    let claims =
        summary.pointer("/claims").and_then(Value::as_array).ok_or_else(|| bad("has no claims".into()))?;
    let seed = summary.pointer("/seed").and_then(Value::as_u64).ok_or_else(|| bad("has no seed".into()))?;
    Ok(Line {
        experiment: id.into(),
        tests: tests(claims),
        n: replications(claims),
        verdict: word("/verdict")?,
        design: word("/design").or_else(|_| word("/effort"))?,
        seed: seed.to_string(),
        commit: word("/versions/commit")?,
        command: word("/command")
            .unwrap_or_else(|_| book.map(|line| line.command.clone()).unwrap_or_default()),
    })
}

/// Tests with the kinds of their claims, each once. More than three kinds that differ in their numbers alone are counted.
pub(super) fn tests(claims: &[Value]) -> String {
    let mut kinds: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for claim in claims {
        let word = |name: &str| claim[name].as_str().unwrap_or_default().to_owned();
        let kind = word("kind");
        let stem = kind
            .find(|c: char| c.is_ascii_digit())
            .map_or(kind.as_str(), |at| &kind[..at])
            .trim_end_matches('-');
        kinds.entry((word("test"), stem.trim().to_owned())).or_default().insert(kind);
    }
    let text = |((test, stem), kinds): (&(String, String), &BTreeSet<String>)| {
        if kinds.len() > 3 {
            return format!("{test}: {stem} … ({} numbers)", kinds.len());
        }
        format!("{test}: {}", kinds.iter().cloned().collect::<Vec<_>>().join(", "))
    };
    kinds.iter().map(text).collect::<Vec<_>>().join("; ")
}

/// Replications per claim: one number, or the least and the largest.
fn replications(claims: &[Value]) -> String {
    let counts: BTreeSet<u64> = claims.iter().filter_map(|claim| claim["n"].as_u64()).collect();
    match (counts.first(), counts.last()) {
        (Some(least), Some(most)) if least < most => format!("{least} to {most}"),
        (Some(count), _) => count.to_string(),
        _ => String::new(),
    }
}
