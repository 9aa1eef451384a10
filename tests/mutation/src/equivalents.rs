//! The list of mutants that no test can kill, each with a proof.

use std::path::Path;

use serde::Deserialize;

use crate::error::MutationError;
use crate::report::Row;

/// A mutant proved equivalent to the original code.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Equivalent {
    /// Path of the source, relative to the workspace.
    pub file: String,
    /// Text of the line, without the spaces at its ends.
    pub line: String,
    /// The changed code, as the table of results shows it.
    pub mutated: String,
    /// Why the change makes no difference.
    pub proof: String,
}

#[derive(Debug, Default, Deserialize)]
struct List {
    #[serde(default)]
    equivalent: Vec<Equivalent>,
}

impl Equivalent {
    /// True for the rows of this mutant.
    pub fn matches(&self, row: &Row) -> bool {
        self.file == row.file && self.line == row.line_text && self.mutated == row.mutated
    }
}

/// Reads the list; a file that is not there is an empty list.
pub fn read(path: &Path) -> Result<Vec<Equivalent>, MutationError> {
    if !path.is_file() {
        return Ok(vec![]);
    }
    let text = std::fs::read_to_string(path).map_err(MutationError::io(path))?;
    let list: List = toml::from_str(&text)
        .map_err(|source| MutationError::Equivalents { path: path.to_owned(), source })?;
    Ok(list.equivalent)
}
