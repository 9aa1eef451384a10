//! Documentation tests: one command per crate, for the mutants that no other test kills.

use std::collections::BTreeSet;
use std::path::Path;

use crate::compile::{Compiler, EXCLUDED};
use crate::error::MutationError;
use crate::suite::Test;

/// Filter that no documentation test matches, so that cargo shows its commands without the time to run them.
const NOTHING: &str = "thrifty_mutation_no_such_test";

/// The rustdoc commands of the packages, as tests that are not measured yet.
pub fn commands(compiler: &Compiler<'_>, packages: &BTreeSet<String>) -> Result<Vec<Test>, MutationError> {
    let mut cargo = compiler.cargo();
    cargo.args(["test", "--doc", "--workspace", "--verbose"]);
    cargo.args(EXCLUDED.iter().flat_map(|package| ["--exclude", package])).args(["--", NOTHING]);
    let output = cargo.output().map_err(MutationError::io(compiler.workspace))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(MutationError::Cargo { command: "test --doc".to_owned(), output: text });
    }
    let find = |package: &String| {
        let line = text.lines().find_map(|line| command(line, package)).ok_or_else(|| no_command(package))?;
        Ok(test(package, &line, compiler.workspace))
    };
    packages.iter().map(find).collect()
}

fn no_command(package: &str) -> MutationError {
    let reason = format!("no documentation tests of {package}");
    MutationError::CargoOutput { command: "test --doc".to_owned(), reason }
}

/// The command in a line of cargo's output, if it runs the documentation tests of the package.
fn command(line: &str, package: &str) -> Option<String> {
    let line = line.trim().strip_prefix("Running `")?.strip_suffix('`')?;
    let name = format!("--crate-name {} ", package.replace('-', "_"));
    let unfiltered = line.replace(&format!("--test-args {NOTHING}"), "");
    (line.contains("rustdoc") && line.contains(" --test ") && line.contains(&name)).then_some(unfiltered)
}

/// The command as a test. Cargo would tell it the version, which all packages of the workspace share.
fn test(package: &str, line: &str, workspace: &Path) -> Test {
    let line = format!("CARGO_PKG_VERSION={} {line}", env!("CARGO_PKG_VERSION"));
    Test {
        package: package.to_owned(),
        name: "doctests".to_owned(),
        words: ["sh", "-c", &line].map(str::to_owned).to_vec(),
        folder: workspace.to_owned(),
        seconds: 0.0,
        reached: BTreeSet::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_by_crate_and_lose_the_filter() {
        let line = format!(
            "   Running `rustdoc --crate-name thrifty_gp --test a.rs --test-args {NOTHING} --extern x`"
        );
        assert_eq!(
            command(&line, "thrifty-gp").as_deref(),
            Some("rustdoc --crate-name thrifty_gp --test a.rs  --extern x")
        );
        assert_eq!(command(&line, "thrifty-g"), None);
    }
}
