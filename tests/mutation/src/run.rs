//! Runs the tests against the mutants.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::MutationError;
use crate::parallel::for_each;
use crate::process::{Ending, Switch, run};
use crate::report::{Outcome, Row, append};
use crate::suite::{Key, SHARED_TESTS, Test};

/// A mutant to be run.
pub struct Case {
    /// Package and index.
    pub key: Key,
    /// Result of earlier tests, all of which passed.
    pub row: Row,
}

/// The tests of a run.
pub struct Suite<'a> {
    /// All tests, measured.
    pub tests: &'a [Test],
    /// Seconds of shared tests per mutant, by their times without a mutant.
    pub shared_seconds: f64,
}

/// Runs each case on the tests that reach it, until one fails. Each finished row is appended to `table` at once.
pub fn run_all(
    cases: &mut [Case],
    suite: &Suite<'_>,
    temporary: &Path,
    table: &Path,
    jobs: usize,
) -> Result<Vec<Row>, MutationError> {
    let writer = Mutex::new(append(table)?);
    let (total, done) = (cases.len(), AtomicUsize::new(0));
    let rows = for_each(jobs, cases, |case| {
        let row = judge(case, &suite.reaching(&case.key), temporary)?;
        let mut writer = writer.lock().expect("no thread panics");
        writer.serialize(&row).map_err(MutationError::csv(table))?;
        writer.flush().map_err(MutationError::io(table))?;
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        eprintln!("[{done}/{total}] {:?} {}:{} ({:.1} s)", row.outcome, row.file, row.line, row.seconds);
        Ok(row)
    });
    rows.into_iter().collect()
}

impl<'a> Suite<'a> {
    /// The tests that reach a mutant: those of its own package, the quickest first, then the shared ones, the quickest
    /// first, as many as fit into their time.
    fn reaching(&self, key: &Key) -> Vec<&'a Test> {
        let of = |package: &str| {
            let reaches = |test: &&Test| test.package == package && test.reached.contains(key);
            let mut found: Vec<&Test> = self.tests.iter().filter(reaches).collect();
            found.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
            found
        };
        let mut left = self.shared_seconds;
        let fits = |test: &&Test| {
            left -= test.seconds;
            left >= 0.0
        };
        of(&key.0).into_iter().chain(of(SHARED_TESTS).into_iter().take_while(fits)).collect()
    }
}

/// Runs the tests in their order until one fails or takes too long.
fn judge(case: &Case, tests: &[&Test], temporary: &Path) -> Result<Row, MutationError> {
    let mut row = case.row.clone();
    row.tests += tests.len();
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn own_tests_come_first_and_shared_ones_while_there_is_time() {
        let key = || ("own".to_owned(), 3);
        let test = |package: &str, name: &str, seconds: f64, reached: &[Key]| Test {
            package: package.to_owned(),
            name: name.to_owned(),
            words: vec![],
            folder: ".".into(),
            seconds,
            reached: reached.iter().cloned().collect::<BTreeSet<_>>(),
        };
        let tests = [
            test("own", "slow", 50.0, &[key()]),
            test("own", "elsewhere", 0.1, &[("own".to_owned(), 4)]),
            test("own", "quick", 0.2, &[key()]),
            test("other", "of another package", 0.1, &[key()]),
            test(SHARED_TESTS, "third", 9.0, &[key()]),
            test(SHARED_TESTS, "first", 3.0, &[key()]),
            test(SHARED_TESTS, "second", 7.0, &[key()]),
        ];
        let suite = Suite { tests: &tests, shared_seconds: 12.0 };
        let names: Vec<&str> = suite.reaching(&key()).iter().map(|test| test.name.as_str()).collect();
        assert_eq!(names, ["quick", "slow", "first", "second"]);
    }
}
