//! Files of value maps that are being built.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thrifty_study::LockedFile;

use super::file::Key;
use super::{Learnt, MapSettings, ValueMap};
use crate::{AutoBctError, Decision};

/// Version of the format.
const VERSION: u32 = 1;

/// A line of the file: its checksum in hexadecimal digits, a space, and this as JSON.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum Record<K, S, L> {
    /// The first line: all inputs.
    UnfinishedMap { version: u32, key: K, settings: S },
    /// Values of some beliefs of a level.
    Values { level: usize, from: usize, values: Vec<f64> },
    /// A level whose trees are grown.
    Level { level: usize, learnt: L },
}

/// The file of a map that is being built: lines are appended, and each is on the disk before the build goes on.
pub(super) struct Unfinished {
    path: PathBuf,
    file: LockedFile,
    /// Bytes of whole lines: the next one begins there.
    end: u64,
    /// Bytes of a last line that was cut off.
    pub(super) dropped: u64,
}

impl Unfinished {
    /// Opens or starts the file of a map that has its exact levels alone. Adds the levels of the file to it; values of the
    /// level after these, as far as there are any, are returned.
    pub(super) fn open(
        path: &Path,
        map: &mut ValueMap,
        decision: &Decision,
        beliefs: usize,
    ) -> Result<(Self, Vec<f64>), AutoBctError> {
        let failed = |error: std::io::Error| broken(path, &error.to_string());
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = LockedFile::new(options.map_err(failed)?)
            .ok_or_else(|| broken(path, "another build writes to it"))?;
        let mut own = Self { path: path.to_owned(), file, end: 0, dropped: 0 };
        let length = own.file.metadata().map_err(failed)?.len();
        let mut lines = Lines { path, number: 0, end: 0, beliefs, targets: Vec::new() };
        lines.read(BufReader::new(&*own.file), length, map, decision)?;
        let Lines { end, targets, .. } = lines;
        (own.end, own.dropped) = (end, length - end);
        own.file.set_len(end).map_err(failed)?;
        if end == 0 {
            own.write(&Record::<_, _, ()>::UnfinishedMap {
                version: VERSION,
                key: &map.key,
                settings: &map.settings,
            })?;
        }
        Ok((own, targets))
    }

    pub(super) fn add_targets(
        &mut self,
        level: usize,
        from: usize,
        values: &[f64],
    ) -> Result<(), AutoBctError> {
        self.write(&Record::<(), (), ()>::Values { level, from, values: values.to_vec() })
    }

    pub(super) fn add_level(&mut self, level: usize, learnt: &Learnt) -> Result<(), AutoBctError> {
        self.write(&Record::<(), (), _>::Level { level, learnt })
    }

    /// A level of a large map is a line of a gigabyte: it is made twice, for its checksum and for the file, and never in memory.
    fn write(&mut self, record: &impl serde::Serialize) -> Result<(), AutoBctError> {
        let failed = |reason: String| broken(&self.path, &reason);
        let mut sum = Checksum(crc32fast::Hasher::new());
        serde_json::to_writer(&mut sum, record).map_err(|error| failed(error.to_string()))?;
        let sum = sum.0.finalize();
        let written = || -> std::io::Result<u64> {
            let mut file = &*self.file;
            // A write that failed may have left a part of its line.
            file.set_len(self.end)?;
            file.seek(SeekFrom::Start(self.end))?;
            let mut line = BufWriter::new(file);
            write!(line, "{sum:08x} ")?;
            serde_json::to_writer(&mut line, record)?;
            line.write_all(b"\n")?;
            line.flush()?;
            file.sync_data()?;
            file.stream_position()
        };
        self.end = written().map_err(|error| failed(error.to_string()))?;
        Ok(())
    }
}

/// A writer that keeps the checksum alone.
struct Checksum(crc32fast::Hasher);

impl Write for Checksum {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The lines of a file as they are read.
struct Lines<'a> {
    path: &'a Path,
    /// Number of the line, from 1.
    number: usize,
    /// Bytes of whole lines so far.
    end: u64,
    /// Number of beliefs.
    beliefs: usize,
    /// Values of the level that follows those of the map.
    targets: Vec<f64>,
}

impl Lines<'_> {
    /// Adds the levels of a file of `length` bytes to a map. A last line that was cut off is left out.
    fn read(
        &mut self,
        mut reader: impl BufRead,
        length: u64,
        map: &mut ValueMap,
        decision: &Decision,
    ) -> Result<(), AutoBctError> {
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = reader.read_until(b'\n', &mut line);
            let read = read.map_err(|error| broken(self.path, &error.to_string()))? as u64;
            self.number += 1;
            if read == 0 {
                break;
            }
            let Some(text) = checked(&line) else {
                // What a crash cut off is the end of the file. Anything else must not be guessed at.
                if self.end + read == length && self.number > 1 {
                    break;
                }
                return Err(broken(self.path, &format!("line {} is damaged", self.number)));
            };
            self.take(text, map, decision)?;
            self.end += read;
        }
        if self.targets.len() > self.beliefs || self.targets.iter().any(|value| !value.is_finite()) {
            let reason = "it has values of more beliefs than there are, or such that are not finite";
            return Err(broken(self.path, reason));
        }
        Ok(())
    }

    /// Takes the record of a line.
    fn take(&mut self, text: &[u8], map: &mut ValueMap, decision: &Decision) -> Result<(), AutoBctError> {
        let (path, number) = (self.path, self.number);
        let record =
            serde_json::from_slice(text).map_err(|error| broken(path, &format!("line {number}: {error}")))?;
        let next = map.levels.len() + 1;
        match record {
            Record::UnfinishedMap { version, key, settings } if number == 1 => {
                check(version, &key, &settings, map, decision, path)?;
            }
            Record::Values { level, from, values }
                if number > 1 && level == next && from == self.targets.len() =>
            {
                self.targets.extend(values);
            }
            Record::Level { level, learnt }
                if number > 1 && level == next && self.targets.len() == self.beliefs =>
            {
                // A shallower map is a part of a deeper one.
                if level > map.settings.depth {
                    let (found, expected) = (level.to_string(), map.settings.depth.to_string());
                    return Err(AutoBctError::Map { what: "the number of levels", found, expected });
                }
                map.levels.push(Some(learnt));
                self.targets.clear();
            }
            _ => return Err(broken(path, &format!("line {number} is not what follows there"))),
        }
        Ok(())
    }
}

fn broken(path: &Path, reason: &str) -> AutoBctError {
    AutoBctError::File { reason: format!("{}: {reason}", path.display()) }
}

/// The text of a whole line whose checksum is right.
fn checked(line: &[u8]) -> Option<&[u8]> {
    let (sum, text) = line.strip_suffix(b"\n")?.split_at_checked(8)?;
    let text = text.strip_prefix(b" ")?;
    let sum = u32::from_str_radix(str::from_utf8(sum).ok()?, 16).ok()?;
    (sum == crc32fast::hash(text)).then_some(text)
}

/// Checks that a file is one of the same build; it may have fewer levels.
fn check(
    version: u32,
    key: &Key,
    settings: &MapSettings,
    map: &ValueMap,
    decision: &Decision,
    path: &Path,
) -> Result<(), AutoBctError> {
    if version != VERSION {
        return Err(broken(path, &format!("its version is {version}, expected {VERSION}")));
    }
    key.check(decision)?;
    let differ = |what: &'static str, found: String, expected: String| {
        Err(AutoBctError::Map { what, found, expected })
    };
    let own = &map.key;
    if key.prior != own.prior {
        return differ("the prior", format!("{:?}", key.prior), format!("{:?}", own.prior));
    }
    if key.cloud != own.cloud {
        return differ("the choice of beliefs", format!("{:?}", key.cloud), format!("{:?}", own.cloud));
    }
    if key.cloud_seed != own.cloud_seed {
        return differ("the seed", key.cloud_seed.0.to_string(), own.cloud_seed.0.to_string());
    }
    let deeper = MapSettings { depth: map.settings.depth, ..settings.clone() };
    if deeper != map.settings {
        return differ("a setting", format!("{settings:?}"), format!("{:?}", map.settings));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use serde::ser::{Error, SerializeSeq, Serializer};

    use super::*;

    /// A list that is written once, for its checksum, and breaks off the second time.
    struct BreaksOff(Cell<bool>);

    impl serde::Serialize for BreaksOff {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut list = serializer.serialize_seq(Some(2))?;
            list.serialize_element(&1.5)?;
            if self.0.replace(true) { Err(S::Error::custom("no space left")) } else { list.end() }
        }
    }

    /// A line that follows on one that could not be written takes its place.
    #[test]
    fn a_write_after_one_that_failed_leaves_whole_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.partial");
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path).unwrap();
        let file = LockedFile::new(file).unwrap();
        let mut own = Unfinished { path: path.clone(), file, end: 0, dropped: 0 };
        own.add_targets(1, 0, &[0.25; 2]).unwrap();
        let whole = own.end;
        let error = own.write(&BreaksOff(Cell::new(false))).unwrap_err().to_string();
        assert!(error.contains("no space left"), "{error}");
        assert!(std::fs::metadata(&path).unwrap().len() > whole, "a part of the line is there");
        own.add_targets(1, 2, &[0.5; 3]).unwrap();
        let end = own.end;
        drop(own);
        let bytes = std::fs::read(&path).unwrap();
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        assert!(lines.len() == 2 && lines.iter().all(|line| checked(line).is_some()), "{bytes:?}");
        assert_eq!(end, bytes.len() as u64);
    }
}
