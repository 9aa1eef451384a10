//! Runs a test program with a limit of time and memory.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Address space of a test program, in KiB; a mutant that allocates without end fails at this size.
const MEMORY_KIB: u32 = 6_000_000;

/// End of a test program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Exit status 0.
    Passed,
    /// Another exit status, or a signal.
    Failed,
    /// Stopped after the time limit.
    TimedOut,
}

/// Mutant that is switched on while a test runs.
#[derive(Debug, Clone, Copy)]
pub enum Switch<'a> {
    /// The mutant of a package with this number.
    Mutant(&'a str, usize),
    /// No mutant; the numbers of the mutants that are reached are appended to a file.
    Record(&'a Path),
}

/// A command that runs the words under the memory limit, with reproducible property tests.
pub fn limited(words: &[&str], folder: &Path, temporary: &Path, switch: Switch<'_>) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {MEMORY_KIB}; exec \"$@\""), "sh"]).args(words);
    command.current_dir(folder).env("CARGO_MANIFEST_DIR", folder).env("TMPDIR", temporary);
    command.env("PROPTEST_RNG_SEED", "1").env("PROPTEST_MAX_SHRINK_ITERS", "0");
    // A stored counterexample of one mutant would be replayed for the next ones.
    command.env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "true");
    match switch {
        Switch::Mutant(package, number) => command.env("THRIFTY_MUTANT", format!("{package} {number}")),
        Switch::Record(path) => command.env("THRIFTY_MUTANT_RECORD", path),
    };
    command
}

/// Runs a command without output and measures its seconds. After `limit` it is killed with its children.
pub fn run(command: &mut Command, limit: Duration) -> std::io::Result<(Ending, f64)> {
    let start = Instant::now();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let mut child = command.spawn()?;
    let mut pause = Duration::from_micros(200);
    let ending = loop {
        if let Some(status) = child.try_wait()? {
            break if status.success() { Ending::Passed } else { Ending::Failed };
        }
        if start.elapsed() > limit {
            let group = format!("-{}", child.id());
            Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status()?;
            child.wait()?;
            break Ending::TimedOut;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    };
    Ok((ending, start.elapsed().as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_told_apart() {
        let here = Path::new(".");
        let end = |script: &str| {
            let mut command = limited(&["sh", "-c", script], here, here, Switch::Mutant("none", 1));
            run(&mut command, Duration::from_millis(300)).expect("sh runs").0
        };
        assert_eq!(end("exit 0"), Ending::Passed);
        assert_eq!(end("exit 3"), Ending::Failed);
        assert_eq!(end("kill -9 $$"), Ending::Failed);
        assert_eq!(end("sleep 20 | sleep 20"), Ending::TimedOut);
        assert_eq!(end("test \"$THRIFTY_MUTANT\" = 'none 1'"), Ending::Passed);
    }
}
