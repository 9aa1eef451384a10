//! Files of the data folder as experiments read them.

use std::path::{Path, PathBuf};

use crate::error::ExperimentError;

/// A file below the data folder, if there is a folder and the file is in it.
pub fn file(folder: Option<&Path>, name: &str) -> Option<PathBuf> {
    Some(folder?.join(name)).filter(|path| path.is_file())
}

/// A file that must be below a data folder that the user named. In the folder of the platform it may be missing.
pub fn required(folder: Option<&Path>, found: bool, name: &str) -> Result<Option<PathBuf>, ExperimentError> {
    if found {
        return Ok(file(folder, name));
    }
    let missing = |folder: &Path| ExperimentError::data(folder.join(name), "is not there");
    folder.map(|folder| file(Some(folder), name).ok_or_else(|| missing(folder))).transpose()
}

/// Identification of a data file by name and checksum; "own" without one.
pub fn identity(path: Option<&Path>) -> Result<String, ExperimentError> {
    let Some(path) = path else { return Ok("own".into()) };
    let bytes = std::fs::read(path).map_err(ExperimentError::io(path))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(format!("{name} {:08x}", crc32fast::hash(&bytes)))
}

/// Identification of those of several files below the data folder that are there; "own" where none is.
pub fn identity_of(folder: Option<&Path>, names: &[String]) -> Result<String, ExperimentError> {
    let there: Vec<PathBuf> = names.iter().filter_map(|name| file(folder, name)).collect();
    let each: Vec<String> = there.iter().map(|path| identity(Some(path))).collect::<Result<_, _>>()?;
    Ok(if each.is_empty() { "own".into() } else { each.join(", ") })
}

/// The text of a file.
pub fn read(path: &Path) -> Result<String, ExperimentError> {
    std::fs::read_to_string(path).map_err(ExperimentError::io(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_required_file_is_missed_only_in_a_named_folder() {
        let folder = tempfile::tempdir().unwrap();
        assert!(required(None, false, "a.csv").unwrap().is_none());
        assert!(required(Some(folder.path()), true, "a.csv").unwrap().is_none());
        let error = required(Some(folder.path()), false, "a.csv").unwrap_err().to_string();
        assert!(error.ends_with("a.csv: is not there"), "{error}");
        std::fs::write(folder.path().join("a.csv"), "123456789").unwrap();
        assert_eq!(identity(Some(&folder.path().join("a.csv"))).unwrap(), "a.csv cbf43926");
        assert_eq!(identity(None).unwrap(), "own");
        let names = ["b.csv".to_owned(), "a.csv".to_owned()];
        assert_eq!(identity_of(Some(folder.path()), &names).unwrap(), "a.csv cbf43926");
        assert_eq!(identity_of(Some(folder.path()), &names[..1]).unwrap(), "own");
        for found in [false, true] {
            let path = required(Some(folder.path()), found, "a.csv").unwrap();
            assert_eq!(path, Some(folder.path().join("a.csv")));
        }
    }
}
