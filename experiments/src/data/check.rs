//! Compares a data folder with the catalog.

use std::collections::BTreeMap;
use std::path::Path;

use super::error::DataError;
use super::set::{DataFile, DataSet};
use super::sum::sha256;
use super::{accepted, layout, of_experiment};

/// State of a file of the catalog in a data folder.
#[derive(Debug, PartialEq)]
pub enum State {
    /// It has the sum of the catalog.
    Right,
    /// It has the sum that the user accepted; the catalog has none.
    Accepted,
    /// Neither the catalog nor the user has a sum; faults of its form, if any.
    Unknown { found: String, faults: Vec<String> },
    /// It has another sum; what that changes in its form, if anything.
    Wrong { found: String, faults: Vec<String> },
    /// It is not there.
    Missing,
    /// Only a part of it is there.
    Part { bytes: u64 },
}

impl State {
    /// State of a file, given the accepted sums.
    pub fn of(folder: &Path, file: &DataFile, sums: &BTreeMap<String, String>) -> Result<Self, DataError> {
        let path = folder.join(file.path);
        if !path.is_file() {
            let part = std::fs::metadata(path.with_added_extension("part"));
            return Ok(part.map_or(Self::Missing, |about| Self::Part { bytes: about.len() }));
        }
        let found = sha256(&path).map_err(DataError::io(&path))?;
        let faults = || layout::faults(&path, &file.layout).map_err(DataError::io(&path));
        match (file.sha256, sums.get(file.path)) {
            (Some(sum), _) if sum == found => Ok(Self::Right),
            (None, Some(sum)) if *sum == found => Ok(Self::Accepted),
            (None, None) => Ok(Self::Unknown { faults: faults()?, found }),
            _ => Ok(Self::Wrong { faults: faults()?, found }),
        }
    }

    /// True for a file that is there and not to be used as it is.
    fn is_bad(&self) -> bool {
        match self {
            Self::Wrong { .. } | Self::Part { .. } => true,
            Self::Unknown { faults, .. } => !faults.is_empty(),
            _ => false,
        }
    }
}

impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |faults: &[String]| match faults {
            [] => String::new(),
            faults => format!(": {}", faults.join("; ")),
        };
        match self {
            Self::Right => write!(f, "right"),
            Self::Accepted => write!(f, "as accepted"),
            Self::Unknown { found, faults } => {
                write!(f, "of unknown sum, found {found}{}", list(faults))
            }
            Self::Wrong { found, faults } if faults.is_empty() => {
                write!(f, "ANOTHER VERSION, of the same form, found {found}")
            }
            Self::Wrong { found, faults } => write!(f, "ANOTHER VERSION, found {found}{}", list(faults)),
            Self::Missing => write!(f, "not there"),
            Self::Part { bytes } => write!(f, "INCOMPLETE, {bytes} bytes; `data get` goes on"),
        }
    }
}

/// A line for each file of the sets, and whether all is well. Files that are not there are named, and are a fault if `needed`.
pub fn report(folder: &Path, sets: &[&DataSet], needed: bool) -> Result<(String, bool), DataError> {
    let sums = accepted::read(folder)?;
    let (mut text, mut well) = (String::new(), true);
    for set in sets {
        for file in set.files {
            let state = State::of(folder, file, &sums)?;
            well &= !state.is_bad() && (!needed || state != State::Missing);
            text += &format!("{:<22} {:<44} {state}\n", set.name, file.path);
        }
    }
    Ok((text, well))
}

/// Warnings about files that an experiment reads from a folder and that are not the ones of the catalog.
pub fn warnings(folder: &Path, experiment: &str) -> Result<Vec<String>, DataError> {
    let sums = accepted::read(folder)?;
    let mut warnings = Vec::new();
    for set in of_experiment(experiment) {
        for file in set.files {
            let state = State::of(folder, file, &sums)?;
            if state.is_bad() {
                warnings.push(format!("{} ({}) is {state}", folder.join(file.path).display(), set.name));
            }
        }
    }
    Ok(warnings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::find;

    fn folder_with(path: &str, text: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        folder
    }

    #[test]
    fn another_version_missing_columns_and_other_classes_are_named() {
        let row = |class: &str| format!("b,30.83,0,u,g,w,v,1.25,t,t,01,f,g,00202,0,{class}\n");
        let whole = (0..690).map(|i| row(if i % 2 == 0 { "+" } else { "-" })).collect::<String>();
        let says = |text: &str| {
            let folder = folder_with("uci/crx.data", text);
            let (report, well) = report(folder.path(), &[find("crx").unwrap()], false).unwrap();
            assert!(!well);
            let warnings = warnings(folder.path(), "hybrid/credit").unwrap();
            assert!(warnings.len() == 1 && warnings[0].contains("uci/crx.data (crx) is ANOTHER VERSION"));
            report
        };
        assert!(says(&whole).contains("ANOTHER VERSION, of the same form"));
        assert!(says(&whole.replacen("b,30.83,", "b,", 1)).contains("line 1: 15 columns, expected 16"));
        assert!(
            says(&whole.replace(",-\n", ",0\n"))
                .contains("the class \"0\" is none of +, -; classes missing: -")
        );
        assert!(says(&whole[..whole.len() / 2]).contains("345 rows, expected 690"));
    }

    #[test]
    fn what_is_not_there_is_a_fault_only_where_it_is_needed() {
        let folder = tempfile::tempdir().unwrap();
        let crx = [find("crx").unwrap()];
        let (text, well) = report(folder.path(), &crx, false).unwrap();
        assert!(well && text.ends_with("not there\n"), "{text}");
        assert!(!report(folder.path(), &crx, true).unwrap().1);
        assert!(warnings(folder.path(), "hybrid/credit").unwrap().is_empty());
        let folder = folder_with("uci/crx.data.part", "b,3");
        let (text, well) = report(folder.path(), &crx, false).unwrap();
        assert!(!well && text.contains("INCOMPLETE, 3 bytes"), "{text}");
    }

    #[test]
    fn a_file_of_unknown_sum_is_held_against_its_form_and_what_was_accepted() {
        let folder = folder_with("openml/gina-1038.csv", "a,b\n1,2\n");
        let gina = [find("openml-gina").unwrap()];
        let (text, well) = report(folder.path(), &gina, false).unwrap();
        assert!(well && text.contains("of unknown sum, found "), "{text}");
        let path = folder.path().join("openml/gina-1038.csv");
        accepted::add(folder.path(), "openml/gina-1038.csv", &sha256(&path).unwrap()).unwrap();
        assert!(report(folder.path(), &gina, false).unwrap().0.contains("as accepted"));
        std::fs::write(&path, "a,b\n1\n").unwrap();
        let (text, well) = report(folder.path(), &gina, false).unwrap();
        assert!(!well && text.contains("line 2: 1 columns, expected 2"), "{text}");
    }
}
