use std::path::{Path, PathBuf};

use crate::error::ExperimentError;

/// A file below the data folder, if there is a folder and the file is in it.
pub fn file(folder: Option<&Path>, name: &str) -> Option<PathBuf> {
    Some(folder?.join(name)).filter(|path| path.is_file())
}

/// The text of a file.
pub fn read(path: &Path) -> Result<String, ExperimentError> {
    std::fs::read_to_string(path).map_err(ExperimentError::io(path))
}
