//! Sums that the user of a data folder accepted.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::error::DataError;

/// Name of the list in the data folder, in the form of `sha256sum`.
const NAME: &str = "SHA256SUMS";

/// Accepted sums by the path of the file below the data folder.
pub fn read(folder: &Path) -> Result<BTreeMap<String, String>, DataError> {
    let path = folder.join(NAME);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(DataError::io(&path)(error)),
    };
    let line = |(at, line): (usize, &str)| {
        let pair = line.split_once("  ").filter(|(sum, _)| super::sum::is_sum(sum));
        let (sum, file) =
            pair.ok_or_else(|| DataError::malformed(&path, format!("line {} is no sum and path", at + 1)))?;
        Ok((file.to_owned(), sum.to_owned()))
    };
    text.lines().enumerate().map(line).collect()
}

/// Adds the sum of a file; the list is replaced in one piece.
pub fn add(folder: &Path, file: &str, sum: &str) -> Result<(), DataError> {
    let mut sums = read(folder)?;
    sums.insert(file.to_owned(), sum.to_owned());
    let mut text = String::new();
    sums.iter().for_each(|(file, sum)| text += &format!("{sum}  {file}\n"));
    let (path, new) = (folder.join(NAME), folder.join(format!("{NAME}.new")));
    fs::write(&new, text).map_err(DataError::io(&new))?;
    fs::rename(&new, &path).map_err(DataError::io(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_added_and_damage_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(folder.path()).unwrap().is_empty());
        let (one, two) = ("1".repeat(64), "2".repeat(64));
        for (file, sum) in [("b/c.csv", &one), ("a.csv", &one), ("b/c.csv", &two)] {
            add(folder.path(), file, sum).unwrap();
        }
        let text = fs::read_to_string(folder.path().join(NAME)).unwrap();
        assert_eq!(text, format!("{one}  a.csv\n{two}  b/c.csv\n"));
        fs::write(folder.path().join(NAME), format!("{one}  a.csv\nnonsense\n")).unwrap();
        let error = read(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("line 2 is no sum and path"), "{error}");
    }
}
