//! The tests: which there are, how long each takes, and which mutants each reaches.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::compile::TestProgram;
use crate::error::MutationError;
use crate::parallel::for_each;
use crate::process::{Ending, Switch, limited, run};

/// Package of the tests that concern several crates.
pub const SHARED_TESTS: &str = "thrifty-tests";

/// A mutant: its package and its index in the package's order.
pub type Key = (String, usize);

/// One test, run alone in a process of its own.
#[derive(Debug, Clone)]
pub struct Test {
    /// Package that holds the test.
    pub package: String,
    /// Target and name, such as `properties::sums_are_symmetric`.
    pub name: String,
    /// Words of the command that runs it.
    pub words: Vec<String>,
    /// Folder in which it runs.
    pub folder: PathBuf,
    /// Seconds without a mutant.
    pub seconds: f64,
    /// Mutants that it reaches.
    pub reached: BTreeSet<Key>,
}

impl Test {
    /// Time after which the test with a mutant on counts as endless.
    pub fn limit(&self) -> Duration {
        Duration::from_secs_f64((5.0 * self.seconds).max(10.0))
    }

    /// The command with a switch set.
    pub fn command(&self, temporary: &Path, switch: Switch<'_>) -> Command {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        limited(&words, &self.folder, temporary, switch)
    }
}

/// Lists the tests of a program.
pub fn list(package: &str, program: &TestProgram) -> Result<Vec<Test>, MutationError> {
    let folder = program.manifest.parent().unwrap_or(Path::new(".")).to_owned();
    let output = Command::new(&program.path)
        .args(["--list", "--format", "terse"])
        .current_dir(&folder)
        .output()
        .map_err(MutationError::io(&program.path))?;
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let path = program.path.to_string_lossy().into_owned();
    let test = |name: &str| Test {
        package: package.to_owned(),
        name: format!("{}::{name}", program.target),
        words: [path.as_str(), "--exact", name, "--test-threads=1"].map(str::to_owned).to_vec(),
        folder: folder.clone(),
        seconds: 0.0,
        reached: BTreeSet::new(),
    };
    Ok(lines.lines().filter_map(|line| line.strip_suffix(": test")).map(test).collect())
}

/// Runs every test without a mutant, and notes its time and the mutants that it reaches.
pub fn measure(tests: &mut [Test], temporary: &Path, jobs: usize) -> Result<(), MutationError> {
    const LIMIT: Duration = Duration::from_mins(15);
    let count = AtomicUsize::new(0);
    let endings = for_each(jobs, tests, |test| {
        let record = temporary.join(format!("reached-{}", count.fetch_add(1, Ordering::Relaxed)));
        let mut command = test.command(temporary, Switch::Record(&record));
        let (ending, seconds) = run(&mut command, LIMIT).map_err(MutationError::io(&test.folder))?;
        test.seconds = seconds;
        test.reached = read_record(&record);
        Ok((ending, test.name.clone()))
    });
    let endings = endings.into_iter().collect::<Result<Vec<_>, MutationError>>()?;
    let failed = endings.into_iter().filter(|(ending, _)| *ending != Ending::Passed);
    let failed: Vec<String> = failed.map(|(_, name)| name).collect();
    if failed.is_empty() { Ok(()) } else { Err(MutationError::Baseline { tests: failed }) }
}

/// Reads and removes a record; a test that reaches no mutant has written none.
fn read_record(record: &Path) -> BTreeSet<Key> {
    let text = std::fs::read_to_string(record).unwrap_or_default();
    let _ = std::fs::remove_file(record);
    let key = |line: &str| {
        let (package, number) = line.split_once(' ')?;
        Some((package.to_owned(), number.parse::<usize>().ok()?.checked_sub(1)?))
    };
    text.lines().filter_map(key).collect()
}
