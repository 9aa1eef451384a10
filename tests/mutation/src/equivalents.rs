//! The list of mutants that no test can kill, each with a proof.

use std::collections::HashSet;
use std::path::Path;

use serde::Deserialize;

use crate::error::MutationError;
use crate::mutant::Mutant;
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
    /// Reason why the change makes no difference.
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

/// Refuses entries that name no mutant of the sources: the code has moved or changed, and the proof with it.
pub fn check<'m>(
    proofs: &[Equivalent],
    mutants: impl Iterator<Item = &'m Mutant>,
) -> Result<(), MutationError> {
    let known: HashSet<(&str, &str, &str)> =
        mutants.map(|mutant| (&*mutant.file, &*mutant.line_text, &*mutant.mutated)).collect();
    let is_stale = |proof: &&Equivalent| !known.contains(&(&*proof.file, &*proof.line, &*proof.mutated));
    let name = |proof: &Equivalent| format!("{}: `{}` with `{}`", proof.file, proof.line, proof.mutated);
    let entries: Vec<String> = proofs.iter().filter(is_stale).map(name).collect();
    if entries.is_empty() { Ok(()) } else { Err(MutationError::StaleEquivalents { entries }) }
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::enumerate::mutants;

    /// The code of an entry moves with its proof.
    #[test]
    fn every_entry_of_the_repository_names_a_mutant() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let proofs = read(&root.join("tests/mutation/equivalents.toml")).unwrap();
        let files: BTreeSet<&str> = proofs.iter().map(|proof| &*proof.file).collect();
        let of = |file: &str| {
            let source = std::fs::read_to_string(root.join(file)).unwrap();
            mutants("p", file, &source, &syn::parse_file(&source).unwrap())
        };
        let found: Vec<Mutant> = files.into_iter().flat_map(of).collect();
        check(&proofs, found.iter()).unwrap();
    }

    #[test]
    fn entries_that_name_no_mutant_are_refused() {
        let source = "fn f(a: X) -> X {\n    a < 1\n}";
        let found = mutants("p", "f.rs", source, &syn::parse_file(source).expect("valid Rust"));
        let entry = |file: &str, line: &str, mutated: &str| Equivalent {
            file: file.to_owned(),
            line: line.to_owned(),
            mutated: mutated.to_owned(),
            proof: String::new(),
        };
        let good = entry("f.rs", "a < 1", "a <= 1");
        check(&[good.clone(), entry("f.rs", "a < 1", "0")], found.iter()).expect("both are mutants");
        let stale = [("g.rs", "a < 1", "a <= 1"), ("f.rs", "a > 1", "a <= 1"), ("f.rs", "a < 1", "a == 1")];
        for (file, line, mutated) in stale {
            let error = check(&[good.clone(), entry(file, line, mutated)], found.iter()).unwrap_err();
            let expected =
                format!("1 entries of equivalents.toml match no mutant:\n{file}: `{line}` with `{mutated}`");
            assert_eq!(error.to_string(), expected);
        }
    }
}
