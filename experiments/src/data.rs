use std::path::{Path, PathBuf};

use crate::error::ExperimentError;

/// A file below the data folder, if there is a folder and the file is in it.
pub fn file(folder: Option<&Path>, name: &str) -> Option<PathBuf> {
    Some(folder?.join(name)).filter(|path| path.is_file())
}

/// A file that must be below the data folder where there is a folder.
pub fn required(folder: Option<&Path>, name: &str) -> Result<Option<PathBuf>, ExperimentError> {
    let missing = |folder: &Path| ExperimentError::data(folder.join(name), "is not there");
    folder.map(|folder| file(Some(folder), name).ok_or_else(|| missing(folder))).transpose()
}

/// The text of a file.
pub fn read(path: &Path) -> Result<String, ExperimentError> {
    std::fs::read_to_string(path).map_err(ExperimentError::io(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_required_file_is_missed_only_where_there_is_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        assert!(required(None, "a.csv").unwrap().is_none());
        let error = required(Some(folder.path()), "a.csv").unwrap_err().to_string();
        assert!(error.ends_with("a.csv: is not there"), "{error}");
        std::fs::write(folder.path().join("a.csv"), "").unwrap();
        assert_eq!(required(Some(folder.path()), "a.csv").unwrap(), Some(folder.path().join("a.csv")));
    }
}
