//! Fetches, converts and checks the files of a set.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::DataError;
use super::set::{Conversion, DataFile, DataSet, Origin};
use super::sum::sha256;
use super::transfer::{self, Transfer};
use super::{accepted, convert, layout};

/// Description of a set of `OpenML`, in JSON; the number of the set follows.
pub const OPENML: &str = "https://www.openml.org/api/v1/json/data/";

/// Receiver of progress: file, bytes that are there, and bytes of the whole.
pub type Progress<'a> = dyn Fn(&str, u64, Option<u64>) + 'a;

/// Outcome for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Got {
    /// It was there, with the right sum.
    Present,
    /// It is there now.
    Installed,
}

/// Puts files into the data folder.
pub struct Getter<'a> {
    pub folder: &'a Path,
    pub transfer: Transfer<'a>,
    /// Sums that the user accepts for files of which the catalog has none.
    pub accept: &'a [String],
    /// Address of descriptions of `OpenML`.
    pub openml: &'a str,
    pub progress: &'a Progress<'a>,
}

impl Getter<'_> {
    /// Gets the files of a set, by download or recipe, or from a file or folder on this machine.
    ///
    /// A file appears in the data folder only when it is whole and has its sum: by renaming.
    ///
    /// # Errors
    /// Those of the transfer and the conversion; [`DataError::WrongSum`]; [`DataError::Unaccepted`] with the sum to be accepted;
    /// [`DataError::NotFetched`] where only a person or another program can get the file.
    pub fn get(&self, set: &DataSet, from: Option<&Path>) -> Result<Vec<(&'static str, Got)>, DataError> {
        set.files.iter().map(|file| Ok((file.path, self.file(set, file, from)?))).collect()
    }

    fn file(&self, set: &DataSet, file: &DataFile, from: Option<&Path>) -> Result<Got, DataError> {
        let target = self.folder.join(file.path);
        if target.is_file() {
            let known = match file.sha256 {
                Some(sum) => Some(sum.to_owned()),
                None => accepted::read(self.folder)?.remove(file.path),
            };
            if known.is_some() && known == Some(sha256(&target).map_err(DataError::io(&target))?) {
                return Ok(Got::Present);
            }
        }
        let parent = target.parent().unwrap_or(self.folder);
        fs::create_dir_all(parent).map_err(DataError::io(parent))?;
        let done = self.bring(set, file, from, &target);
        if done.is_err() {
            let _ = fs::remove_dir(parent); // where nothing is in it
        }
        done.map(|()| Got::Installed)
    }

    /// Brings a file from where it is to its place in an existing folder.
    fn bring(
        &self,
        set: &DataSet,
        file: &DataFile,
        from: Option<&Path>,
        target: &Path,
    ) -> Result<(), DataError> {
        if let Some(from) = from {
            return self.install(set, file, &source(from, file)?, target);
        }
        let by_hand = |how: String| DataError::NotFetched { name: set.name, how };
        match &file.origin {
            Origin::Address { address, .. } => self.download(set, file, address.url, target),
            Origin::OpenMl { id } => self.download(set, file, &self.openml_address(*id)?, target),
            Origin::Made(recipe) => self.make(file, *recipe, target),
            Origin::ByHand { page, .. } => Err(by_hand(format!("download it from {page} by hand"))),
            Origin::Elsewhere { how } => Err(by_hand((*how).to_owned())),
        }
    }

    /// Address of the file of a set of `OpenML`, from its description.
    fn openml_address(&self, id: u32) -> Result<String, DataError> {
        let address = format!("{}{id}", self.openml);
        let text = self.transfer.text(&address)?;
        let description: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let url = description["data_set_description"]["url"].as_str();
        url.map(str::to_owned).ok_or_else(|| DataError::Malformed {
            path: address.into(),
            message: "the description names no url".into(),
        })
    }

    fn download(&self, set: &DataSet, file: &DataFile, url: &str, target: &Path) -> Result<(), DataError> {
        let part = target.with_added_extension("part");
        self.transfer.fetch(url, &part, &|have, total| (self.progress)(file.path, have, total))?;
        match self.install(set, file, &part, target) {
            // The download is kept until the user has decided, or there is room again.
            Err(error @ (DataError::Unaccepted { .. } | DataError::Io { .. })) => Err(error),
            done => transfer::remove(&part).and(done),
        }
    }

    fn make(&self, file: &DataFile, recipe: Recipe, target: &Path) -> Result<(), DataError> {
        Self::finish(file, target, |new| {
            let out = self.transfer.disk().open(new, false).map_err(DataError::io(new))?;
            let mut out = std::io::BufWriter::new(out);
            recipe(&mut out).and_then(|()| std::io::Write::flush(&mut out)).map_err(DataError::io(new))
        })
    }

    /// Installs a download, or a file as experiments read it.
    fn install(&self, set: &DataSet, file: &DataFile, raw: &Path, target: &Path) -> Result<(), DataError> {
        let found = if raw.is_dir() { None } else { Some(sha256(raw).map_err(DataError::io(raw))?) };
        let is_converted = found.as_deref().is_some_and(|found| file.sha256 == Some(found));
        let conversion = if is_converted { Conversion::AsIs } else { file.origin.conversion() };
        match (file.sha256, found) {
            (Some(expected), Some(found)) if conversion == Conversion::AsIs && found != expected => {
                return Err(DataError::WrongSum { path: raw.to_owned(), expected: expected.into(), found });
            }
            (None, Some(found)) if !self.accept.contains(&found) => {
                return Err(DataError::Unaccepted { name: set.name, path: raw.to_owned(), found });
            }
            _ => {}
        }
        Self::finish(file, target, |new| convert::convert(conversion, raw, new, self.transfer.disk()))?;
        if file.sha256.is_none() {
            let sum = sha256(target).map_err(DataError::io(target))?;
            accepted::add(self.folder, file.path, &sum)?;
        }
        Ok(())
    }

    /// Writes a file beside the target, checks it, and puts it in the place of the target; leaves nothing where that fails.
    fn finish(
        file: &DataFile,
        target: &Path,
        write: impl FnOnce(&Path) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let new = target.with_added_extension("new");
        let done = write(&new).and_then(|()| verify(file, &new)).and_then(|()| {
            let written = fs::File::open(&new).and_then(|written| written.sync_all());
            written.and_then(|()| fs::rename(&new, target)).map_err(DataError::io(target))
        });
        if done.is_err() {
            let _ = fs::remove_file(&new); // it may never have been made; the first error is the one to show
        }
        done
    }
}

type Recipe = fn(&mut dyn std::io::Write) -> std::io::Result<()>;

/// Holds a file against the catalog: its sum, else its form.
fn verify(file: &DataFile, path: &Path) -> Result<(), DataError> {
    if let Some(expected) = file.sha256 {
        let found = sha256(path).map_err(DataError::io(path))?;
        if found != expected {
            return Err(DataError::WrongSum { path: path.to_owned(), expected: expected.into(), found });
        }
        return Ok(());
    }
    let faults = layout::faults(path, &file.layout).map_err(DataError::io(path))?;
    if faults.is_empty() { Ok(()) } else { Err(DataError::malformed(path, faults.join("; "))) }
}

/// A file on this machine for a file of the catalog: itself, or the one of its path or name in a folder.
fn source(from: &Path, file: &DataFile) -> Result<PathBuf, DataError> {
    if from.is_file() {
        return Ok(from.to_owned());
    }
    let path = Path::new(file.path);
    let named = [Some(path.as_os_str()), path.file_name()];
    if let Some(found) = named.into_iter().flatten().map(|name| from.join(name)).find(|path| path.is_file()) {
        return Ok(found);
    }
    if file.origin.conversion() == Conversion::Designs && from.is_dir() {
        return Ok(from.to_owned());
    }
    Err(DataError::malformed(from, format!("neither {} nor a folder that has it", file.path)))
}

#[cfg(test)]
mod tests;
