//! Results of a run: the table of mutants on disk and the summary per crate.

use std::collections::{BTreeMap, HashMap};
use std::fs::{File, OpenOptions};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::MutationError;
use crate::mutant::Mutant;

/// Outcome of a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// A test failed.
    Killed,
    /// A test took far longer than without the mutant.
    Timeout,
    /// Every test passed.
    Survived,
    /// Every test passed, and a proof says that none can fail.
    Equivalent,
    /// The mutant does not compile.
    Unviable,
}

/// A line of the table of results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// See [`Mutant::id`].
    pub id: String,
    /// Package of the mutant.
    #[serde(rename = "crate")]
    pub package: String,
    /// Path of the source.
    pub file: String,
    /// Line of the changed code.
    pub line: usize,
    /// Column of the changed code.
    pub column: usize,
    /// Mutation operator.
    pub operator: String,
    /// Code before the change.
    pub original: String,
    /// Code after the change.
    pub mutated: String,
    /// Text of the line.
    pub line_text: String,
    /// Outcome of the mutant.
    pub outcome: Outcome,
    /// The test that killed it.
    pub killing_test: String,
    /// Number of tests that reach it; all documentation tests of a crate are one.
    pub tests: usize,
    /// True once the documentation tests have had their turn.
    pub doctests: bool,
    /// Seconds of test runs.
    pub seconds: f64,
}

impl Row {
    /// A row of a mutant that has not been run.
    pub fn new(mutant: &Mutant, outcome: Outcome) -> Self {
        Self {
            id: mutant.id(),
            package: mutant.package.clone(),
            file: mutant.file.clone(),
            line: mutant.line,
            column: mutant.column,
            operator: mutant.operator.to_owned(),
            original: mutant.original.clone(),
            mutated: mutant.mutated.clone(),
            line_text: mutant.line_text.clone(),
            outcome,
            killing_test: String::new(),
            tests: 0,
            doctests: false,
            seconds: 0.0,
        }
    }
}

/// Reads the rows of earlier runs; later rows of the same mutant replace earlier ones.
pub fn read(path: &Path) -> Result<HashMap<String, Row>, MutationError> {
    if !path.is_file() {
        return Ok(HashMap::new());
    }
    let mut reader = csv::Reader::from_path(path).map_err(MutationError::csv(path))?;
    let rows = reader.deserialize().collect::<Result<Vec<Row>, _>>().map_err(MutationError::csv(path))?;
    Ok(rows.into_iter().map(|row| (row.id.clone(), row)).collect())
}

/// Opens the table for rows to be appended.
pub fn append(path: &Path) -> Result<csv::Writer<File>, MutationError> {
    let file = OpenOptions::new().create(true).append(true).open(path).map_err(MutationError::io(path))?;
    let is_empty = file.metadata().map_err(MutationError::io(path))?.len() == 0;
    Ok(csv::WriterBuilder::new().has_headers(is_empty).from_writer(file))
}

/// Replaces the table by the given rows.
pub fn write(path: &Path, rows: &[Row]) -> Result<(), MutationError> {
    let mut writer = csv::Writer::from_path(path).map_err(MutationError::csv(path))?;
    for row in rows {
        writer.serialize(row).map_err(MutationError::csv(path))?;
    }
    writer.flush().map_err(MutationError::io(path))
}

/// Counts of outcomes.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    killed: usize,
    timeout: usize,
    equivalent: usize,
    survived: usize,
    unreached: usize,
    unviable: usize,
}

impl Counts {
    fn add(&mut self, row: &Row) {
        let count = match row.outcome {
            Outcome::Killed => &mut self.killed,
            Outcome::Timeout => &mut self.timeout,
            Outcome::Equivalent => &mut self.equivalent,
            Outcome::Survived if row.tests == 0 => &mut self.unreached,
            Outcome::Survived => &mut self.survived,
            Outcome::Unviable => &mut self.unviable,
        };
        *count += 1;
    }

    fn detected(&self) -> usize {
        self.killed + self.timeout + self.equivalent
    }

    fn viable(&self) -> usize {
        self.detected() + self.survived + self.unreached
    }

    fn percentage(&self) -> f64 {
        100.0 * self.detected() as f64 / self.viable().max(1) as f64
    }

    fn line(&self, name: &str) -> String {
        format!(
            "{name:<22}{:>8}{:>8}{:>8}{:>11}{:>9}{:>10}{:>9}{:>8.1}%\n",
            self.viable(),
            self.killed,
            self.timeout,
            self.equivalent,
            self.survived,
            self.unreached,
            self.unviable,
            self.percentage()
        )
    }
}

/// The survivors, then a table with a line per crate; the last line sums up.
pub fn summary(rows: &[Row]) -> String {
    let mut crates: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut total = Counts::default();
    let mut text = String::new();
    for row in rows {
        crates.entry(&row.package).or_default().add(row);
        total.add(row);
        if row.outcome == Outcome::Survived {
            text += &format!(
                "survived {}:{}:{} [{}, {} tests] `{}` -> `{}`\n",
                row.file, row.line, row.column, row.operator, row.tests, row.original, row.mutated
            );
        }
    }
    text += &format!(
        "\n{:<22}{:>8}{:>8}{:>8}{:>11}{:>9}{:>10}{:>9}{:>9}\n",
        "crate", "mutants", "killed", "timeout", "equivalent", "survived", "unreached", "unviable", "score"
    );
    crates.iter().for_each(|(name, counts)| text += &counts.line(name));
    text += &total.line("all");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equivalent_mutants_count_as_killed_and_unviable_ones_not_at_all() {
        let mut counts = Counts { killed: 6, timeout: 1, equivalent: 1, unviable: 5, ..Counts::default() };
        counts.survived = 1;
        counts.unreached = 1;
        assert_eq!((counts.detected(), counts.viable()), (8, 10));
        assert_eq!(counts.percentage(), 80.0);
    }
}
