//! Runs the tests against the mutants.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::MutationError;
use crate::mutant::Mutant;
use crate::parallel::for_each;
use crate::process::{Ending, Switch, run};
use crate::report::{Outcome, Row, append};
use crate::suite::{Key, SHARED_TESTS, Test};

/// A mutant to be run.
#[derive(Clone)]
pub struct Case<'a> {
    /// Package and index.
    pub key: Key,
    /// The mutant.
    pub mutant: &'a Mutant,
}

/// Runs each case on the tests that reach it, until one fails. Each finished row is appended to `table` at once.
pub fn run_all(
    cases: &mut [Case<'_>],
    tests: &[Test],
    temporary: &Path,
    table: &Path,
    jobs: usize,
) -> Result<Vec<Row>, MutationError> {
    let writer = Mutex::new(append(table)?);
    let (total, done) = (cases.len(), AtomicUsize::new(0));
    let rows = for_each(jobs, cases, |case| {
        let row = judge(case, &reaching(case, tests), temporary)?;
        let mut writer = writer.lock().expect("no thread panics");
        writer.serialize(&row).map_err(MutationError::csv(table))?;
        writer.flush().map_err(MutationError::io(table))?;
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        eprintln!("[{done}/{total}] {:?} {}:{} ({:.1} s)", row.outcome, row.file, row.line, row.seconds);
        Ok(row)
    });
    rows.into_iter().collect()
}

/// The tests of the mutant's own package and the shared ones that reach it: own tests first, then the quickest.
fn reaching<'t>(case: &Case<'_>, tests: &'t [Test]) -> Vec<&'t Test> {
    let counts = |test: &&Test| test.package == case.key.0 || test.package == SHARED_TESTS;
    let mut found: Vec<&Test> =
        tests.iter().filter(counts).filter(|test| test.reached.contains(&case.key)).collect();
    let rank = |test: &Test| (test.package == SHARED_TESTS, test.seconds);
    found.sort_by(|a, b| rank(a).partial_cmp(&rank(b)).expect("times are finite"));
    found
}

/// Runs the tests in their order until one fails or takes too long.
fn judge(case: &Case<'_>, tests: &[&Test], temporary: &Path) -> Result<Row, MutationError> {
    let mut row = Row::new(case.mutant, Outcome::Survived);
    row.tests = tests.len();
    let switch = Switch::Mutant(&case.key.0, case.key.1 + 1);
    for test in tests {
        let mut command = test.command(temporary, switch);
        let (ending, seconds) = run(&mut command, test.limit()).map_err(MutationError::io(&test.folder))?;
        row.seconds += seconds;
        row.outcome = match ending {
            Ending::Passed => continue,
            Ending::Failed => Outcome::Killed,
            Ending::TimedOut => Outcome::Timeout,
        };
        row.killing_test = format!("{} {}", test.package, test.name);
        break;
    }
    Ok(row)
}
