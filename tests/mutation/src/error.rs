//! Failures of a mutation run.

use std::path::{Path, PathBuf};

/// Reason why a mutation run stopped.
#[derive(Debug, thiserror::Error)]
pub enum MutationError {
    /// A file or folder could not be read or written.
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    /// A library source is not valid Rust.
    #[error("{path}: {source}")]
    Syntax { path: PathBuf, source: syn::Error },
    /// A module declared in `path` has no file.
    #[error("{path}: no file for module `{module}`")]
    MissingModule { path: PathBuf, module: String },
    /// A cargo command failed for a reason that is no mutant's.
    #[error("`cargo {command}` failed:\n{output}")]
    Cargo { command: String, output: String },
    /// The output of cargo is not what was expected.
    #[error("unexpected output of `cargo {command}`: {reason}")]
    CargoOutput { command: String, reason: String },
    /// Tests fail although no mutant is on.
    #[error("{} tests fail without a mutant: {}", tests.len(), tests.join(", "))]
    Baseline { tests: Vec<String> },
    /// A table of results could not be read or written.
    #[error("{path}: {source}")]
    Csv { path: PathBuf, source: csv::Error },
    /// The list of equivalent mutants could not be read.
    #[error("{path}: {source}")]
    Equivalents { path: PathBuf, source: toml::de::Error },
    /// Entries of the list of equivalent mutants match no mutant of the sources.
    #[error("{} entries of equivalents.toml match no mutant:\n{}", entries.len(), entries.join("\n"))]
    StaleEquivalents { entries: Vec<String> },
    /// An option has a value outside its range.
    #[error("--{option} {value}: {reason}")]
    Option { option: &'static str, value: String, reason: &'static str },
}

impl MutationError {
    /// Attaches a path to an input or output error.
    pub fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    /// Attaches a path to an error of a table.
    pub fn csv(path: &Path) -> impl FnOnce(csv::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Csv { path, source }
    }
}
