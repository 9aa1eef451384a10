//! Reading a journal of any format, line by line.

use std::io::BufRead;
use std::path::Path;

use serde::Deserialize;
use thrifty_sampling::Seed;

use crate::event::{Event, FORMAT, Header};
use crate::journal::mismatch;
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

pub(crate) enum First {
    One(HeaderOne),
    Two(Box<Header>),
}

impl First {
    pub(crate) fn seed(&self) -> Seed {
        match self {
            Self::One(header) => header.seed,
            Self::Two(header) => header.seed,
        }
    }
}

/// A journal that is read line by line, with one line in memory at a time.
pub(crate) struct Contents<'a, R> {
    path: &'a Path,
    reader: R,
    /// Bytes of the last line that was read, including its line end.
    line: Vec<u8>,
    /// `None` for an empty file, or one without a complete line.
    pub(crate) first: Option<First>,
    /// Number of valid lines.
    pub(crate) lines: usize,
    /// Number of bytes of these lines.
    pub(crate) kept: u64,
    /// False if the last valid line has no line end.
    pub(crate) is_ended: bool,
    /// Description of a truncated last line.
    pub(crate) torn: Option<String>,
    /// True once a line had a sequence number; all later lines must have one.
    sealed: bool,
}

impl<'a, R: BufRead> Contents<'a, R> {
    /// Reads the first line; errors name `path`.
    ///
    /// # Errors
    /// [`JournalError`]: unreadable, not a journal, or damaged.
    pub(crate) fn begin(path: &'a Path, reader: R) -> Result<Self, JournalError> {
        let mut contents = Self {
            path,
            reader,
            line: Vec::new(),
            first: None,
            lines: 0,
            kept: 0,
            is_ended: true,
            torn: None,
            sealed: false,
        };
        if let Some((text, is_whole)) = contents.next_line()? {
            match first_line(path, &contents.line[..text]) {
                Ok(first) => {
                    contents.sealed |= matches!(first, First::Two(_));
                    contents.first = Some(first);
                    contents.keep();
                }
                Err(error) if is_whole => return Err(error),
                Err(_) => contents.torn = Some(format!("line 1 was cut off after {text} bytes")),
            }
        }
        Ok(contents)
    }

    /// The next event; `None` at the end, or at a truncated last line.
    ///
    /// # Errors
    /// [`JournalError`]: unreadable, damaged, with the line, or with another type of query.
    pub(crate) fn next_event<Q: Query>(&mut self) -> Result<Option<Event<Q>>, JournalError> {
        if self.torn.is_some() {
            return Ok(None);
        }
        let Some((end, is_whole)) = self.next_line()? else { return Ok(None) };
        let (text, number) = (&self.line[..end], self.lines + 1);
        self.sealed |= text.starts_with(b"{\"seq\":");
        match event(text, self.sealed, self.lines) {
            Ok(event) => {
                self.keep();
                Ok(Some(event))
            }
            Err(message) if is_whole || (self.sealed && !line::is_torn(text, self.lines)) => {
                match event::<serde_json::Value>(text, self.sealed, self.lines) {
                    Ok(_) => Err(JournalError::OtherQueries { path: self.path.into() }),
                    Err(_) => Err(self.corrupt(message)),
                }
            }
            Err(_) => {
                self.torn = Some(format!("line {number} was cut off after {end} bytes"));
                Ok(None)
            }
        }
    }

    /// Error for the line after the valid ones.
    fn corrupt(&self, message: String) -> JournalError {
        JournalError::Corrupt { path: self.path.into(), line: self.lines + 1, message }
    }

    /// Error for the last event, which contradicts earlier ones.
    pub(crate) fn contradiction(&self, message: String) -> JournalError {
        JournalError::Corrupt { path: self.path.into(), line: self.lines, message }
    }

    /// Bytes of a file without a complete line.
    pub(crate) fn head(&self) -> &[u8] {
        &self.line
    }

    /// Reads a line; returns the length of its text, and true if it has a line end.
    fn next_line(&mut self) -> Result<Option<(usize, bool)>, JournalError> {
        self.line.clear();
        let read = self.reader.read_until(b'\n', &mut self.line);
        read.map_err(|source| JournalError::Io { path: self.path.into(), source })?;
        Ok(match self.line.strip_suffix(b"\n") {
            Some(text) => Some((text.len(), true)),
            None if self.line.is_empty() => None,
            None => Some((self.line.len(), false)),
        })
    }

    /// Counts the last line as valid.
    fn keep(&mut self) {
        self.lines += 1;
        self.kept += self.line.len() as u64;
        self.is_ended = self.line.ends_with(b"\n");
    }
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
            return Ok(Event::Resumed { schedule: None, budget: None, keeps_reports: false });
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
