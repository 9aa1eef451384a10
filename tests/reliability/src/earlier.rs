//! Journals of earlier versions: they are read, and resumed with the same suggestions or refused by name.

use std::path::{Path, PathBuf};

use thrifty::prelude::*;
use thrifty::study::{Context, JournalError, StudyError};

use crate::ReliabilityError;
use crate::damage::Read;
use crate::roster::{self, Evaluate, Job, NAMES, Place};
use crate::tally::Tally;
use crate::trace::trace;

/// Trials of the studies in `tests/journals`.
const TRIALS: usize = 20;

/// Windows of their schedules.
pub const WINDOWS: [usize; 2] = [1, 4];

/// A study of `tests/journals`, run to its end.
struct Finish<'a> {
    journal: &'a Path,
    seed: u64,
    window: usize,
}

impl Job for Finish<'_> {
    type Output = Result<Vec<String>, StudyError>;

    fn run<O>(self, optimizer: O, evaluate: Evaluate<O::Query>) -> Self::Output
    where
        O: Optimizer<Query: std::fmt::Debug + PartialEq> + Send,
    {
        let seed = Seed(self.seed);
        let mut study = Study::new(optimizer, seed)
            .with_stop(MaxTrials(TRIALS))
            .with_schedule(Schedule::Window(self.window))
            .with_journal(self.journal)?;
        study.run(|query: &O::Query, context: &mut Context<'_>| {
            let id = context.id.0;
            // A report that nobody takes is of a study that failed, which the run returns.
            let report = &mut |step, value| {
                let _ = context.report(step, value);
            };
            evaluate(query, &mut Place { seed, id, report })
        })?;
        Ok(trace(study.history()))
    }
}

fn seed(name: &str) -> u64 {
    100 + NAMES.iter().position(|known| *known == name).unwrap_or(0) as u64
}

fn with<J: Job>(name: &str, job: J) -> Result<J::Output, ReliabilityError> {
    roster::with(name, job).ok_or_else(|| ReliabilityError::Subject(name.into()))
}

fn file(folder: &Path, name: &str, window: usize, state: &str) -> PathBuf {
    folder.join(format!("{name}-w{window}-{state}.jsonl"))
}

/// Result of resuming an interrupted journal.
pub enum Fate {
    /// It went on with the suggestions of the uninterrupted study.
    Resumed,
    /// It was refused: what differs.
    Refused(String),
}

/// Reads and resumes the journals of one optimiser.
pub fn journals(folder: &Path, name: &str, window: usize) -> Result<(Tally, Option<Fate>), ReliabilityError> {
    let mut tally = Tally { count: 2, ..Tally::default() };
    let finished = file(folder, name, window, "finished");
    let scratch = tempfile::tempdir()?;
    let copy = scratch.path().join("study.jsonl");
    std::fs::copy(file(folder, name, window, "interrupted"), &copy)?;
    let expected = match with(name, Read(&finished))? {
        Ok(expected) => expected,
        Err(error) => {
            tally.lost += 1;
            tally.remark(|| format!("{name}: {error}"));
            return Ok((tally, None));
        }
    };
    tally.acknowledged += expected.len() as u64;
    let before = std::fs::read(&copy)?;
    let fate = match with(name, Finish { journal: &copy, seed: seed(name), window })? {
        Ok(seen) if seen == expected => Fate::Resumed,
        Ok(seen) => {
            tally.differing += 1;
            let at = seen.iter().zip(&expected).position(|(a, b)| a != b);
            tally.remark(|| format!("{name}, window {window}: goes on otherwise at trial {at:?}"));
            Fate::Resumed
        }
        Err(StudyError::Journal(JournalError::Settings { differences, .. })) => {
            tally.lost += u64::from(std::fs::read(&copy)? != before);
            Fate::Refused(differences.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        }
        Err(other) => {
            tally.silent += 1;
            tally.remark(|| format!("{name}: {other}"));
            return Ok((tally, None));
        }
    };
    Ok((tally, Some(fate)))
}

/// Writes the journals of this version.
pub fn write(folder: &Path) -> Result<(), ReliabilityError> {
    std::fs::create_dir_all(folder)?;
    for name in NAMES {
        for window in WINDOWS {
            let path = file(folder, name, window, "finished");
            with(name, Finish { journal: &path, seed: seed(name), window })??;
            let bytes = std::fs::read(&path)?;
            let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
            let ends: Vec<usize> = ends.collect();
            let end = ends[ends.len() * 2 / 3];
            // One is cut inside a line, the other leaves trials running.
            let cut = if window == 1 { end + 11 } else { end };
            std::fs::write(file(folder, name, window, "interrupted"), &bytes[..cut.min(bytes.len())])?;
        }
    }
    Ok(())
}
