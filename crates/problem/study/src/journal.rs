//! Journal of a study: a file with one line per event.

use std::fs::OpenOptions;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use thrifty_sampling::Seed;

use crate::contents::{Contents, First};
use crate::disk::Disk;
use crate::event::{Event, Header};
use crate::line;
use crate::locked_file::LockedFile;
use crate::{Durability, Fingerprint, History, JournalError, Query, Schedule};

/// Properties of a study that may change on resume.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Sitting {
    schedule: Option<Schedule>,
    budget: Option<u64>,
}

/// An open journal, to which lines are appended, with one call per batch.
///
/// The file is locked while the journal exists, so that two studies cannot write it at once. A failed write leaves the file as it was.
#[derive(Debug)]
pub(crate) struct Journal {
    /// Absolute path: the program may change its directory.
    path: PathBuf,
    file: LockedFile,
    durability: Durability,
    disk: Disk,
    /// True if this sitting has made the name of the file durable.
    is_named: bool,
    /// Number of bytes written and read so far, which the file must contain.
    length: u64,
    /// Number of lines in these bytes.
    lines: usize,
    /// The header, until it is written.
    header: Option<Header>,
    /// Schedule and budget according to the lines.
    noted: Sitting,
    /// Current budget.
    budget: Option<u64>,
    /// True if the next line marks a resumed study, after opening.
    resumes: bool,
    /// Reason why the journal accepts no more lines.
    broken: Option<String>,
}

/// A journal that was opened.
pub(crate) struct Opened<Q> {
    pub(crate) journal: Journal,
    /// Trials of the journal.
    pub(crate) history: History<Q>,
    /// Time of the study at the last line, in seconds.
    pub(crate) seconds: f64,
    /// Schedule recorded in the journal.
    pub(crate) schedule: Option<Schedule>,
    /// Budget recorded in the journal.
    pub(crate) budget: Option<u64>,
    /// Warnings about dropped lines and differences.
    pub(crate) warnings: Vec<String>,
}

impl Journal {
    /// Opens or creates the journal of a study. A truncated last line is removed.
    pub(crate) fn open<Q: Query>(
        path: &Path,
        seed: Seed,
        fingerprint: Fingerprint,
        durability: Durability,
    ) -> Result<Opened<Q>, JournalError> {
        let io = |source| JournalError::Io { path: path.into(), source };
        let file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(io)?;
        let file = LockedFile::new(file).ok_or_else(|| JournalError::InUse { path: path.into() })?;
        let header = Header::new(seed, fingerprint);
        let mut contents = Contents::begin(path, BufReader::new(&*file))?;
        let mut warnings = Vec::new();
        let mut noted = Sitting::default();
        match &contents.first {
            None => check_torn_header(path, contents.head(), &header)?,
            Some(First::One(one)) => {
                check_seed(path, one.seed, seed)?;
                check_settings(path, header.fingerprint.differences_to_text(&one.fingerprint, seed))?;
                // Without a chosen schedule, format 1 evaluated one trial after the other.
                noted.schedule = Some(Schedule::Window(1));
            }
            Some(First::Two(found)) => {
                check_seed(path, found.seed, seed)?;
                check_settings(path, found.fingerprint.differences_under(&header.fingerprint, seed))?;
                noted = Sitting { schedule: found.schedule, budget: found.fingerprint.budget };
                warnings.extend(header.machine.warning(&found.machine));
            }
        }
        let mut history = History::new(seed);
        let note = |event: &Event<Q>| {
            if let Event::Resumed { schedule, budget, .. } = event {
                noted.schedule = schedule.or(noted.schedule);
                noted.budget = budget.or(noted.budget);
            }
        };
        let seconds = history.replay_all(&mut contents, note)?;
        if let Some(torn) = contents.torn {
            warnings.insert(0, format!("journal {}: {torn} and is dropped", path.display()));
        }
        let (lines, length, is_ended) = (contents.lines, contents.kept, contents.is_ended);
        let mut journal = Self {
            path: std::path::absolute(path).map_err(io)?,
            durability,
            disk: Disk::default(),
            is_named: false,
            length,
            lines,
            budget: header.fingerprint.budget,
            header: contents.first.is_none().then_some(header),
            noted,
            resumes: lines > 1,
            broken: None,
            file,
        };
        journal.trim(is_ended).map_err(io)?;
        let Sitting { schedule, budget } = noted;
        Ok(Opened { journal, history, seconds, schedule, budget, warnings })
    }

    /// Removes a truncated line, and adds a missing end of the last line.
    fn trim(&mut self, is_ended: bool) -> std::io::Result<()> {
        if self.length < self.file.metadata()?.len() {
            self.file.set_len(self.length)?;
        }
        if !is_ended {
            self.file.write_all(b"\n")?;
            self.length += 1;
        }
        Ok(())
    }

    /// Sets another budget, which the next lines record.
    pub(crate) fn plan(&mut self, budget: Option<u64>) {
        self.budget = budget;
        if let Some(header) = &mut self.header {
            header.fingerprint.budget = budget;
        }
    }

    /// True if the journal contains no event.
    pub(crate) fn is_new(&self) -> bool {
        self.lines <= 1
    }

    /// Appends events, after the header of a new journal or a record of what changed since the last sitting.
    pub(crate) fn write<Q: Query>(
        &mut self,
        schedule: Option<Schedule>,
        events: &[Event<Q>],
    ) -> Result<(), JournalError> {
        self.check_place()?;
        let now = Sitting { schedule, budget: self.budget };
        let mut text = String::new();
        let mut lines = self.lines;
        let mut add = |object: serde_json::Result<String>| -> Result<(), JournalError> {
            let object =
                object.map_err(|error| JournalError::Io { path: self.path.clone(), source: error.into() })?;
            text.push_str(&line::seal(lines, &object));
            lines += 1;
            Ok(())
        };
        if let Some(header) = &self.header {
            add(serde_json::to_string(&Header { schedule, ..header.clone() }))?;
        } else if self.resumes || now != self.noted {
            let schedule = schedule.filter(|_| now.schedule != self.noted.schedule);
            let budget = now.budget.filter(|_| now.budget != self.noted.budget);
            add(serde_json::to_string(&Event::<Q>::Resumed { schedule, budget, keeps_reports: true }))?;
        }
        for event in events {
            add(serde_json::to_string(event))?;
        }
        let told = events.iter().any(|event| matches!(event, Event::Told { .. }));
        self.append(text.as_bytes(), told)?;
        (self.lines, self.header, self.noted, self.resumes) = (lines, None, now, false);
        Ok(())
    }

    fn append(&mut self, bytes: &[u8], told: bool) -> Result<(), JournalError> {
        let sync = match self.durability {
            Durability::Process => false,
            Durability::Outcomes => told,
            Durability::Everything => true,
        };
        let written = self.file.write_all(bytes).and_then(|()| {
            if !sync {
                return Ok(());
            }
            if !self.is_named {
                self.disk.sync_name(&self.path)?;
                self.is_named = true;
            }
            (self.disk.sync_file)(&self.file)
        });
        if let Err(source) = written {
            // A partial line must not remain, since the next line would be appended to it.
            if let Err(error) = self.file.set_len(self.length) {
                self.broken = Some(format!("a line was written in part and cannot be removed: {error}"));
            }
            return Err(JournalError::Io { path: self.path.clone(), source });
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Checks that the file is still the one that was opened, with exactly the expected content.
    fn check_place(&self) -> Result<(), JournalError> {
        let changed = |message: String| Err(JournalError::Changed { path: self.path.clone(), message });
        if let Some(message) = &self.broken {
            return changed(message.clone());
        }
        let io = |source| JournalError::Io { path: self.path.clone(), source };
        let ours = self.file.metadata().map_err(io)?;
        let Ok(there) = std::fs::metadata(&self.path) else {
            return changed("the file is gone".into());
        };
        if !is_same_file(&ours, &there) {
            return changed("another file has taken its place".into());
        }
        if ours.len() != self.length {
            return changed(format!("the file has {} bytes, {} were written", ours.len(), self.length));
        }
        Ok(())
    }
}

fn check_seed(path: &Path, found: Seed, expected: Seed) -> Result<(), JournalError> {
    mismatch(path, "seed", &found.0, &expected.0)
}

pub(crate) fn mismatch<T: PartialEq + std::fmt::Display>(
    path: &Path,
    what: &'static str,
    found: &T,
    expected: &T,
) -> Result<(), JournalError> {
    if found == expected {
        return Ok(());
    }
    let (found, expected) = (found.to_string(), expected.to_string());
    Err(JournalError::Mismatch { path: path.into(), what, found, expected })
}

fn check_settings(path: &Path, differences: Vec<crate::Difference>) -> Result<(), JournalError> {
    if differences.is_empty() {
        Ok(())
    } else {
        Err(JournalError::Settings { path: path.into(), differences })
    }
}

/// A file without a complete line is accepted as a journal only if it is empty or matches the start of the header.
fn check_torn_header(path: &Path, bytes: &[u8], header: &Header) -> Result<(), JournalError> {
    let io = |error: serde_json::Error| JournalError::Io { path: path.into(), source: error.into() };
    let object = serde_json::to_string(header).map_err(io)?;
    let expected = line::seal(0, &object);
    // Up to the schedule, which is not known yet, and the seal.
    let expected = &expected.as_bytes()[..expected.len() - ",\"crc\":\"00000000\"}\n".len()];
    let common = bytes.len().min(expected.len());
    if bytes[..common] == expected[..common] && bytes.len() < expected.len() + LONGEST_SCHEDULE {
        return Ok(());
    }
    Err(JournalError::NotAJournal { path: path.into() })
}

/// Bytes of `,"schedule":{"window":18446744073709551615},"crc":"00000000"}`, rounded up.
const LONGEST_SCHEDULE: usize = 64;

#[cfg(unix)]
fn is_same_file(a: &std::fs::Metadata, b: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same_file(a: &std::fs::Metadata, b: &std::fs::Metadata) -> bool {
    a.len() == b.len()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::{Outcome, TrialId};

    thread_local! {
        static SYNCS: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
    }

    fn count(name: &'static str) {
        SYNCS.with_borrow_mut(|syncs| syncs.push(name));
    }

    /// Syncs of a sitting that writes an ask and two outcomes, per write.
    fn syncs(path: &Path, durability: Durability) -> [Vec<&'static str>; 3] {
        let opened = Journal::open::<u64>(path, Seed(1), Fingerprint::new("any"), durability).unwrap();
        let mut journal = opened.journal;
        journal.disk = Disk {
            sync_file: |_| {
                count("file");
                Ok(())
            },
            sync_folder: |_| {
                count("folder");
                Ok(())
            },
        };
        let first = opened.history.len() as u64;
        let asked = |id| Event::Asked {
            id: TrialId(id),
            query: id,
            diagnostics: std::collections::BTreeMap::new(),
            memo: crate::Memo::default(),
            queued: false,
            known: false,
            seen: None,
            seconds: 0.0,
            elapsed: None,
        };
        let told =
            |id| Event::Told { id: TrialId(id), outcome: Outcome::from(1.0), seconds: 0.0, elapsed: None };
        let writes = [vec![asked(first), asked(first + 1)], vec![told(first)], vec![told(first + 1)]];
        writes.map(|events| {
            journal.write(None, &events).unwrap();
            SYNCS.take()
        })
    }

    /// A folder that cannot be synced is no error, unlike a disk that fails and a file that cannot be synced.
    #[test]
    fn a_folder_that_cannot_be_synced_is_left_to_the_system() {
        use std::io::ErrorKind;
        let folder = tempfile::tempdir().unwrap();
        let written = |name: &str, disk: Disk| {
            let path = folder.path().join(name);
            let opened =
                Journal::open::<u64>(&path, Seed(1), Fingerprint::new("any"), Durability::Everything);
            let mut journal = opened.unwrap().journal;
            journal.disk = disk;
            journal.write(None, &[Event::enqueued(1_u64)])
        };
        let fine = Disk { sync_file: |_| Ok(()), sync_folder: |_| Ok(()) };
        let refuse: [fn(&Path) -> std::io::Result<()>; 3] = [
            |_| Err(ErrorKind::PermissionDenied.into()),
            |_| Err(ErrorKind::InvalidInput.into()),
            |_| Err(ErrorKind::Unsupported.into()),
        ];
        for (at, sync_folder) in refuse.into_iter().enumerate() {
            written(&format!("{at}.jsonl"), Disk { sync_folder, ..fine }).unwrap();
        }
        assert!(
            written("full.jsonl", Disk { sync_folder: |_| Err(ErrorKind::StorageFull.into()), ..fine })
                .is_err()
        );
        let sync_file = |_: &std::fs::File| Err(ErrorKind::PermissionDenied.into());
        assert!(written("file.jsonl", Disk { sync_file, ..fine }).is_err());
    }

    /// The folder is synced with the first lines that are, in a new journal and in one that was written without syncs.
    #[test]
    fn each_level_syncs_the_file_and_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study.jsonl");
        let outcomes = [vec![], vec!["folder", "file"], vec!["file"]];
        assert_eq!(syncs(&path, Durability::Outcomes), outcomes);
        assert!(syncs(&path, Durability::Process).concat().is_empty());
        assert_eq!(syncs(&path, Durability::Outcomes), outcomes);
        std::fs::remove_file(&path).unwrap();
        let everything = [vec!["folder", "file"], vec!["file"], vec!["file"]];
        assert_eq!(syncs(&path, Durability::Everything), everything);
    }
}
