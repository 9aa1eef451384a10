//! Compiles the mutated workspace, and finds the mutants that do not compile.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::error::MutationError;
use crate::library::{MutatedLibrary, Places, Shard};

/// Packages that hold neither library code nor tests that count.
pub const EXCLUDED: [&str; 2] = ["thrifty-experiments", "thrifty-mutation"];

/// A compiled test program.
#[derive(Debug, Clone)]
pub struct TestProgram {
    /// Manifest of the package whose tests it holds.
    pub manifest: PathBuf,
    /// Name of the target, such as `properties`.
    pub target: String,
    /// The program.
    pub path: PathBuf,
}

/// The scratch workspace and how it is compiled.
pub struct Compiler<'a> {
    /// Root of the scratch workspace.
    pub workspace: &'a Path,
    /// Folder of compiled files.
    pub target: &'a Path,
    /// The part of the sample to compile.
    pub shard: Shard,
    /// Features beside the default ones, divided by commas.
    pub features: &'a str,
}

impl Compiler<'_> {
    /// Compiles the tests of all crates. Mutants that do not compile are marked as unviable and replaced by the next
    /// ones in the order of their crate, until everything compiles.
    pub fn compile(&self, libraries: &mut [MutatedLibrary]) -> Result<Vec<TestProgram>, MutationError> {
        // Checking is faster than compiling and finds nearly all errors.
        self.until_viable(&["check", "--lib"], libraries)?;
        let messages = self.until_viable(&["build", "--tests"], libraries)?;
        Ok(messages.iter().filter_map(test_program).collect())
    }

    /// Cargo with the environment of every run of it in the scratch workspace.
    pub fn cargo(&self) -> Command {
        let mut cargo = Command::new("cargo");
        // Mutated code may have unused parts, overflowing literals, constant conditions.
        cargo.env("RUSTFLAGS", "--cap-lints=allow").env("CARGO_TARGET_DIR", self.target);
        cargo.current_dir(self.workspace);
        cargo
    }

    fn until_viable(
        &self,
        command: &[&str],
        libraries: &mut [MutatedLibrary],
    ) -> Result<Vec<Value>, MutationError> {
        loop {
            let mut places = Places::new();
            for library in &*libraries {
                places.extend(library.write(self.workspace, self.shard)?);
            }
            let (success, messages, stderr) = self.run(command)?;
            if success {
                return Ok(messages);
            }
            let culprits: BTreeSet<(PathBuf, usize)> =
                messages.iter().flat_map(|message| culprits(message, &places)).collect();
            if culprits.is_empty() {
                let errors = messages.iter().filter_map(|m| m["message"]["rendered"].as_str());
                let output = errors.chain([stderr.as_str()]).collect::<Vec<_>>().join("\n");
                return Err(MutationError::Cargo { command: command.join(" "), output });
            }
            eprintln!("cargo {}: {} mutants do not compile", command[0], culprits.len());
            for (file, index) in culprits {
                let library = libraries.iter_mut().find(|library| library.files().any(|own| *own == file));
                library.expect("the file belongs to a library").unviable.insert(index);
            }
        }
    }

    /// Success, the messages and the standard error of one cargo command.
    fn run(&self, command: &[&str]) -> Result<(bool, Vec<Value>, String), MutationError> {
        let mut cargo = self.cargo();
        cargo.args(command).args(["--workspace", "--keep-going", "--message-format=json"]);
        cargo.args(EXCLUDED.iter().flat_map(|package| ["--exclude", package]));
        cargo.args(["--features", self.features]);
        let output = cargo.output().map_err(MutationError::io(self.workspace))?;
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        let messages = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok((output.status.success(), messages, String::from_utf8_lossy(&output.stderr).into_owned()))
    }
}

/// The test program that a message of cargo announces.
fn test_program(message: &Value) -> Option<TestProgram> {
    let path = message["executable"].as_str()?;
    message["profile"]["test"].as_bool().filter(|test| *test)?;
    Some(TestProgram {
        manifest: message["manifest_path"].as_str()?.into(),
        target: message["target"]["name"].as_str()?.to_owned(),
        path: path.into(),
    })
}

/// The mutants to which a message of the compiler points: file and index of each.
fn culprits(message: &Value, places: &Places) -> Vec<(PathBuf, usize)> {
    if message["message"]["level"] != "error" {
        return vec![];
    }
    let spans = message["message"]["spans"].as_array().map(Vec::as_slice).unwrap_or_default();
    let primary = |primary: bool| spans.iter().filter(move |span| span["is_primary"] == primary);
    let inside = primary(true).chain(primary(false)).find_map(|span| innermost(span, places));
    inside.or_else(|| spans.iter().find_map(|span| nearest(span, places))).unwrap_or_default()
}

fn file_and_bytes(span: &Value) -> Option<(PathBuf, Range<usize>)> {
    let byte = |name: &str| span[name].as_u64().and_then(|byte| usize::try_from(byte).ok());
    Some((span["file_name"].as_str()?.into(), byte("byte_start")?..byte("byte_end")?))
}

/// The smallest mutant around the bytes, or all mutants within them.
fn innermost(span: &Value, places: &Places) -> Option<Vec<(PathBuf, usize)>> {
    let (file, bytes) = file_and_bytes(span)?;
    let here = places.get(&file)?;
    let around = here.iter().filter(|(_, place)| place.start <= bytes.start && bytes.end <= place.end);
    if let Some((index, _)) = around.min_by_key(|(_, place)| place.len()) {
        return Some(vec![(file, *index)]);
    }
    let within = here.iter().filter(|(_, place)| bytes.start <= place.start && place.end <= bytes.end);
    let found: Vec<_> = within.map(|(index, _)| (file.clone(), *index)).collect();
    (!found.is_empty()).then_some(found)
}

/// The mutant of the file that stands nearest to the bytes.
fn nearest(span: &Value, places: &Places) -> Option<Vec<(PathBuf, usize)>> {
    let (file, bytes) = file_and_bytes(span)?;
    let distance = |place: &Range<usize>| place.start.abs_diff(bytes.start);
    let (index, _) = places.get(&file)?.iter().min_by_key(|(_, place)| distance(place))?;
    Some(vec![(file, *index)])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn error(start: usize, end: usize) -> Value {
        let span = json!({"file_name": "a.rs", "byte_start": start, "byte_end": end, "is_primary": true});
        json!({"message": {"level": "error", "spans": [span]}})
    }

    #[test]
    fn an_error_is_blamed_on_the_mutant_around_it() {
        let places = Places::from([("a.rs".into(), vec![(7, 10..90), (8, 20..40), (9, 100..110)])]);
        let blamed = |start, end| {
            let found = culprits(&error(start, end), &places);
            found.into_iter().map(|(_, index)| index).collect::<Vec<_>>()
        };
        assert_eq!(blamed(25, 30), [8], "the innermost");
        assert_eq!(blamed(50, 60), [7], "the only one around it");
        assert_eq!(blamed(5, 95), [7, 8], "all within a larger piece");
        assert_eq!(blamed(95, 96), [9], "the nearest");
    }
}
