//! Understanding the bytes of a journal of any format.

use std::path::Path;

use serde::Deserialize;
use thrifty_sampling::Seed;

use crate::journal::{Event, FORMAT, Header, mismatch};
use crate::line;
use crate::{JournalError, Query};

/// First line of a journal of format 1.
#[derive(Deserialize)]
pub(crate) struct HeaderOne {
    pub(crate) seed: Seed,
    pub(crate) fingerprint: String,
}

/// First line of a journal of any format.
#[derive(Deserialize)]
struct AnyHeader {
    thrifty_journal: u32,
}

/// Seed and events of a journal; `path` is named in errors.
pub(crate) fn parse<Q: Query>(path: &Path, bytes: &[u8]) -> Result<(Seed, Vec<Event<Q>>), JournalError> {
    let found = contents(path, bytes)?;
    if found.first.is_none() && !bytes.is_empty() {
        return Err(JournalError::NotAJournal { path: path.into() });
    }
    let seed = match &found.first {
        Some(First::One(header)) => header.seed,
        Some(First::Two(header)) => header.seed,
        None => Seed(0),
    };
    Ok((seed, found.events))
}

pub(crate) enum First {
    One(HeaderOne),
    Two(Header),
}

/// A journal's lines, understood.
pub(crate) struct Contents<Q> {
    /// Nothing for an empty file, or one without a whole line.
    pub(crate) first: Option<First>,
    pub(crate) events: Vec<Event<Q>>,
    pub(crate) lines: usize,
    /// Bytes that hold them.
    pub(crate) kept: usize,
    /// A last line that was cut off, in words.
    pub(crate) torn: Option<String>,
}

pub(crate) fn contents<Q: Query>(path: &Path, bytes: &[u8]) -> Result<Contents<Q>, JournalError> {
    let corrupt = |line: usize, message: String| JournalError::Corrupt { path: path.into(), line, message };
    let mut found = Contents { first: None, events: Vec::new(), lines: 0, kept: 0, torn: None };
    let mut sealed = false;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let (text, whole) = line.strip_suffix(b"\n").map_or((line, false), |text| (text, true));
        let number = found.lines + 1;
        sealed |= text.starts_with(b"{\"seq\":");
        if number == 1 {
            match first_line(path, text) {
                Ok(first) => found.first = Some(first),
                Err(error) if whole => return Err(error),
                Err(_) => {
                    found.torn = Some(format!("line 1 was cut off after {} bytes", text.len()));
                    break;
                }
            }
        } else {
            match event(text, sealed, found.lines) {
                Ok(event) => found.events.push(event),
                Err(message) if whole => return Err(corrupt(number, message)),
                Err(message) => {
                    if sealed && !line::is_torn(text, found.lines) {
                        return Err(corrupt(number, message));
                    }
                    found.torn = Some(format!("line {number} was cut off after {} bytes", text.len()));
                    break;
                }
            }
        }
        sealed |= matches!(found.first, Some(First::Two(_)));
        found.lines = number;
        found.kept += line.len();
    }
    Ok(found)
}

fn first_line(path: &Path, text: &[u8]) -> Result<First, JournalError> {
    let damaged = |message: String| JournalError::Corrupt { path: path.into(), line: 1, message };
    if !text.starts_with(b"{\"seq\":") {
        let any: AnyHeader =
            serde_json::from_slice(text).map_err(|_| JournalError::NotAJournal { path: path.into() })?;
        check_format(path, any.thrifty_journal, 1)?;
        return Ok(First::One(serde_json::from_slice(text).map_err(|error| damaged(error.to_string()))?));
    }
    let (seq, object) = line::open(text).map_err(damaged)?;
    let any: AnyHeader =
        serde_json::from_str(&object).map_err(|_| JournalError::NotAJournal { path: path.into() })?;
    check_format(path, any.thrifty_journal, FORMAT)?;
    if seq != 0 {
        return Err(damaged(format!("the sequence number is {seq}, expected 0")));
    }
    Ok(First::Two(serde_json::from_str(&object).map_err(|error| damaged(error.to_string()))?))
}

/// Reads a line after the first; `seq` is the number of lines before it.
fn event<Q: Query>(text: &[u8], sealed: bool, seq: usize) -> Result<Event<Q>, String> {
    if !sealed {
        if text == b"\"resumed\"" {
            return Ok(Event::Resumed { schedule: None, budget: None });
        }
        return serde_json::from_slice(text).map_err(|error| error.to_string());
    }
    let (found, object) = line::open(text)?;
    if found != seq {
        return Err(format!("the sequence number is {found}, expected {seq}"));
    }
    serde_json::from_str(&object).map_err(|error| error.to_string())
}

fn check_format(path: &Path, found: u32, expected: u32) -> Result<(), JournalError> {
    mismatch(path, "format", &found, &expected)
}
