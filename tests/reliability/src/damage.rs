//! Journals that were cut, changed, or have lines dropped, doubled or swapped.

use std::path::Path;

use thrifty::prelude::*;
use thrifty::sampling::Stream;
use thrifty::study::StudyError;

use crate::roster::{self, Evaluate, Job};
use crate::sitting::{Mode, Sitting};
use crate::tally::Tally;
use crate::trace::trace;
use crate::{ReliabilityError, SEED, TRIALS};

/// Result of opening a damaged journal.
struct Seen {
    /// Trials with an outcome.
    told: usize,
    warned: bool,
}

/// Opens a journal without running the study.
struct Open<'a>(&'a Path);

impl Job for Open<'_> {
    type Output = Result<Seen, StudyError>;

    fn run<O>(self, optimizer: O, _: Evaluate<O::Query>) -> Self::Output
    where
        O: Optimizer<Query: std::fmt::Debug + PartialEq> + Send,
    {
        let study = Study::new(optimizer, Seed(SEED)).with_journal(self.0)?;
        let told = study.history().trials().iter().filter(|trial| trial.outcome.is_some()).count();
        Ok(Seen { told, warned: !study.warnings().is_empty() })
    }
}

/// Reads a journal without a study, as its trace.
pub struct Read<'a>(pub &'a Path);

impl Job for Read<'_> {
    type Output = Result<Vec<String>, thrifty::study::JournalError>;

    fn run<O>(self, _: O, _: Evaluate<O::Query>) -> Self::Output
    where
        O: Optimizer<Query: std::fmt::Debug + PartialEq> + Send,
    {
        Ok(trace(&thrifty::study::History::<O::Query>::read(self.0)?))
    }
}

fn with<J: Job>(subject: &str, job: J) -> Result<J::Output, ReliabilityError> {
    roster::with(subject, job).ok_or_else(|| ReliabilityError::Subject(subject.into()))
}

/// A whole journal of a subject, with its trace.
fn whole(subject: &str, path: &Path) -> Result<(Vec<u8>, Vec<String>), ReliabilityError> {
    let trace = with(subject, Sitting::new(Some(path), SEED, TRIALS, Mode::Threads))??;
    Ok((std::fs::read(path)?, trace))
}

/// Cuts a journal at every `stride`-th byte: whole lines are kept, the rest is dropped with a warning; every
/// `resume`-th time the study is also run to its end.
pub fn truncation(subject: &str, stride: usize, resume: usize) -> Result<Tally, ReliabilityError> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("study.jsonl");
    let (bytes, expected) = whole(subject, &path)?;
    let mut tally = Tally::default();
    for (which, end) in (0..bytes.len()).step_by(stride).enumerate() {
        std::fs::write(&path, &bytes[..end])?;
        tally.count += 1;
        let told = bytes[..=end].split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
        let told = told.filter(|line| String::from_utf8_lossy(line).contains(",\"told\":")).count();
        tally.acknowledged += told as u64;
        let torn = end > 0 && bytes[end] != b'\n' && bytes[end - 1] != b'\n';
        match with(subject, Open(&path))? {
            Ok(seen) => {
                tally.lost += told.abs_diff(seen.told) as u64;
                tally.silent += u64::from(torn != seen.warned);
            }
            Err(error) => {
                tally.lost += 1;
                tally.remark(|| format!("{subject}, cut at byte {end}: {error}"));
            }
        }
        if which % resume == 0 {
            let again = with(subject, Sitting::new(Some(&path), SEED, TRIALS, Mode::Threads))??;
            if again != expected {
                tally.differing += 1;
                tally.remark(|| format!("{subject}, cut at byte {end}: the study goes on otherwise"));
            }
        }
    }
    Ok(tally)
}

/// Changes one byte at random, `count` times: each must be refused, with the file left as it is.
pub fn flips(subject: &str, count: u64, rng: &mut Stream) -> Result<Tally, ReliabilityError> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("study.jsonl");
    let (bytes, _) = whole(subject, &path)?;
    let mut tally = Tally::default();
    for _ in 0..count {
        let at = rng.index(bytes.len());
        let mut changed = bytes.clone();
        changed[at] ^= 1 + rng.index(255) as u8;
        refused(&mut tally, subject, &path, &changed, || format!("byte {at} changed"))?;
    }
    Ok(tally)
}

/// Drops, doubles and swaps lines, each in turn. The last line cannot be missed: dropping it is a cut.
pub fn lines(subject: &str) -> Result<Tally, ReliabilityError> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("study.jsonl");
    let (bytes, _) = whole(subject, &path)?;
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let mut tally = Tally::default();
    for at in 0..lines.len() {
        let mut doubled = lines.clone();
        doubled.insert(at, lines[at]);
        refused(&mut tally, subject, &path, &doubled.concat(), || format!("line {} doubled", at + 1))?;
        if at + 1 < lines.len() {
            let mut dropped = lines.clone();
            dropped.remove(at);
            refused(&mut tally, subject, &path, &dropped.concat(), || format!("line {} dropped", at + 1))?;
            let mut swapped = lines.clone();
            swapped.swap(at, at + 1);
            refused(&mut tally, subject, &path, &swapped.concat(), || format!("line {} swapped", at + 1))?;
        }
    }
    Ok(tally)
}

/// A damaged file must be refused with an error, and stay as it is.
fn refused(
    tally: &mut Tally,
    subject: &str,
    path: &Path,
    damaged: &[u8],
    what: impl Fn() -> String,
) -> Result<(), ReliabilityError> {
    std::fs::write(path, damaged)?;
    tally.count += 1;
    if with(subject, Open(path))?.is_ok() {
        tally.silent += 1;
        tally.remark(|| format!("{subject}: {} and accepted", what()));
    }
    if std::fs::read(path)? != damaged {
        tally.lost += 1;
        tally.remark(|| format!("{subject}: {} and the file was written to", what()));
    }
    Ok(())
}
