//! A file that is being downloaded, with what is known about it.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::data::error::DataError;

/// A partial download. Its state lies beside it in `PATH.json`, so that a later process can go on.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Part {
    #[serde(skip)]
    pub path: PathBuf,
    pub address: String,
    /// Strong `ETag` or date of the version that was begun; nothing is appended without one.
    pub validator: Option<String>,
    /// Length of the whole file.
    pub total: Option<u64>,
    pub complete: bool,
}

impl Part {
    /// The part of an earlier attempt at this address, else an empty one.
    pub fn load(path: &Path, address: &str) -> Self {
        let state = fs::read_to_string(state_of(path)).ok();
        let earlier = state.and_then(|text| serde_json::from_str::<Self>(&text).ok());
        let mut part = match earlier.filter(|earlier| earlier.address == address && path.is_file()) {
            Some(earlier) => Self { path: path.to_owned(), ..earlier },
            None => Self { path: path.to_owned(), address: address.to_owned(), ..Self::default() },
        };
        let whole = part.total.is_none_or(|total| part.length().is_ok_and(|have| have == total));
        part.complete &= whole;
        part
    }

    /// Bytes that are there.
    pub fn length(&self) -> Result<u64, DataError> {
        match fs::metadata(&self.path) {
            Ok(about) => Ok(about.len()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(0),
            Err(error) => Err(DataError::io(&self.path)(error)),
        }
    }

    /// Begins anew with a version of the file.
    pub fn begin(&mut self, validator: Option<String>, total: Option<u64>) -> Result<(), DataError> {
        self.discard()?;
        (self.validator, self.total) = (validator, total);
        self.save()
    }

    /// Notes that all bytes are there.
    pub fn finish(&mut self) -> Result<(), DataError> {
        self.complete = true;
        self.save()
    }

    /// Removes the bytes and the state.
    pub fn discard(&mut self) -> Result<(), DataError> {
        remove(&self.path)?;
        (self.validator, self.total, self.complete) = (None, None, false);
        Ok(())
    }

    fn save(&self) -> Result<(), DataError> {
        let path = state_of(&self.path);
        let text = serde_json::to_string(self).map_err(|error| DataError::malformed(&path, error))?;
        fs::write(&path, text).map_err(DataError::io(&path))
    }
}

fn state_of(path: &Path) -> PathBuf {
    path.with_added_extension("json")
}

/// Removes a part and its state, where they are.
pub fn remove(path: &Path) -> Result<(), DataError> {
    for path in [path.to_owned(), state_of(path)] {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(DataError::io(&path)(error));
            }
            _ => {}
        }
    }
    Ok(())
}
