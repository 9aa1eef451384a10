use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thrifty_sampling::Seed;

use crate::{JournalError, Memo, Outcome, Query, TrialId};

/// The format written here.
const FORMAT: u32 = 1;

/// The first line of a journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Header {
    thrifty_journal: u32,
    seed: Seed,
    fingerprint: String,
}

/// A line after the first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Event<Q> {
    /// Written before the evaluation starts.
    Asked {
        id: TrialId,
        query: Q,
        #[serde(with = "crate::numbers::map", default)]
        diagnostics: BTreeMap<String, f64>,
        #[serde(default)]
        memo: Memo,
        seconds: f64,
    },
    /// An intermediate value.
    Reported {
        id: TrialId,
        step: u64,
        #[serde(with = "crate::numbers::one")]
        value: f64,
    },
    /// The study was opened again: reports of unfinished trials will be made again.
    Resumed,
    /// Written before anyone learns from it.
    Told { id: TrialId, outcome: Outcome, seconds: f64 },
}

/// Lines of JSON in a file, one an event, each written with one call.
///
/// What is written survives the end of the process; it is not forced through the disk's cache. The file is
/// locked while the journal lives, so that two studies cannot write it at once.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
}

/// What a journal held when it was opened.
pub(crate) struct Opened<Q> {
    pub(crate) journal: Journal,
    pub(crate) events: Vec<Event<Q>>,
    /// What was dropped, in words.
    pub(crate) warning: Option<String>,
}

impl Journal {
    /// Opens the journal of a study, or begins it. A last line that was cut off is removed; writing goes on
    /// after it.
    pub(crate) fn open<Q: Query>(
        path: &Path,
        seed: Seed,
        fingerprint: &str,
    ) -> Result<Opened<Q>, JournalError> {
        let io = |source| JournalError::Io { path: path.into(), source };
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(io)?;
        // A file system without locks is used without one.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(JournalError::InUse { path: path.into() });
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let header = Header { thrifty_journal: FORMAT, seed, fingerprint: fingerprint.into() };
        let mut lines = Vec::new();
        let mut start = 0;
        while let Some(length) = bytes[start..].iter().position(|&byte| byte == b'\n') {
            lines.push(&bytes[start..start + length]);
            start += length + 1;
        }
        let mut warning = None;
        let mut kept = start;
        if start < bytes.len() {
            // A whole event without its line end is still a whole event.
            let whole = !lines.is_empty() && serde_json::from_slice::<Event<Q>>(&bytes[start..]).is_ok();
            if whole {
                lines.push(&bytes[start..]);
                kept = bytes.len();
            } else {
                warning = Some(format!(
                    "journal {}: line {} was cut off after {} bytes and is dropped",
                    path.display(),
                    lines.len() + 1,
                    bytes.len() - start
                ));
            }
        }
        let corrupt =
            |line: usize, message: String| JournalError::Corrupt { path: path.into(), line, message };
        let mut events = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            if at == 0 {
                let found: Header =
                    serde_json::from_slice(line).map_err(|error| corrupt(1, error.to_string()))?;
                check(path, &found, &header)?;
            } else {
                events
                    .push(serde_json::from_slice(line).map_err(|error| corrupt(at + 1, error.to_string()))?);
            }
        }
        file.set_len(kept as u64).map_err(io)?;
        file.seek(SeekFrom::End(0)).map_err(io)?;
        let mut journal = Self { path: path.into(), file };
        if lines.is_empty() {
            journal.write(&header)?;
        } else if kept > start {
            journal.file.write_all(b"\n").map_err(io)?;
        }
        Ok(Opened { journal, events, warning })
    }

    /// Appends one line.
    pub(crate) fn write(&mut self, line: &impl Serialize) -> Result<(), JournalError> {
        let io = |source| JournalError::Io { path: self.path.clone(), source };
        let mut text = serde_json::to_vec(line).map_err(|error| io(error.into()))?;
        text.push(b'\n');
        self.file.write_all(&text).map_err(io)
    }

    /// The error for an event that contradicts those before it.
    pub(crate) fn contradiction(&self, event: usize, message: String) -> JournalError {
        JournalError::Corrupt { path: self.path.clone(), line: event + 2, message }
    }
}

fn check(path: &Path, found: &Header, expected: &Header) -> Result<(), JournalError> {
    let differs = |what, found: String, expected: String| {
        Err(JournalError::Mismatch { path: path.into(), what, found, expected })
    };
    if found.thrifty_journal != expected.thrifty_journal {
        return differs("format", found.thrifty_journal.to_string(), expected.thrifty_journal.to_string());
    }
    if found.seed != expected.seed {
        return differs("seed", found.seed.0.to_string(), expected.seed.0.to_string());
    }
    if found.fingerprint != expected.fingerprint {
        return differs("settings", found.fingerprint.clone(), expected.fingerprint.clone());
    }
    Ok(())
}
