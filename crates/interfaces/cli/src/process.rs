//! One run of a command: output, reports, limits, and the end of all its processes.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use crate::output::{LastLine, Output};
use crate::report_line::ReportLine;
use crate::running::Running;
use crate::study_file::Limits;

/// Most bytes of a result.
const LONGEST_RESULT: usize = 16 << 20;

/// Most bytes of the last line of the error output that are kept. It becomes the reason of a failed trial.
const LONGEST_REASON: usize = 1 << 16;

/// Longest time between two looks at a process.
const POLL: Duration = Duration::from_millis(20);

/// Time for the output of a process that has ended. A process that left its group may keep it open.
const DRAIN: Duration = Duration::from_secs(1);

/// Reports that wait for the evaluation; then the program waits at its output.
const REPORTS: usize = 64;

/// Way in which a command ended.
pub(crate) enum End {
    /// By itself.
    Exited(ExitStatus),
    /// Killed at the limit of time.
    OutOfTime,
    /// Killed because of what it reported.
    Stopped,
}

/// End of a command and its outputs.
pub(crate) struct Ended {
    /// The way in which it ended.
    pub(crate) end: End,
    /// The last line of its output.
    pub(crate) stdout: LastLine,
    /// The last line of its error output.
    pub(crate) stderr: LastLine,
}

/// Runs a program with its arguments in a folder, in a process group of its own.
///
/// A line of its output that is a report goes to `report` as it comes, which returns false to stop the program. When the program ends, is stopped
/// or reaches the limit of time, all processes of its group are killed.
///
/// # Errors
/// [`std::io::Error`] when the program cannot be started or waited for.
pub(crate) fn run(
    program: &Path,
    arguments: &[String],
    folder: &Path,
    variables: &[(&str, OsString)],
    limits: Limits,
    running: &Running,
    report: &mut dyn FnMut(ReportLine) -> bool,
) -> std::io::Result<Ended> {
    let mut command = limited(program, arguments, limits);
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for (name, value) in variables {
        command.env(name, value);
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = running.start(&mut command)?;
    let (sender, reports) = sync_channel(REPORTS);
    let stdout = Output::read(child.stdout.take(), LONGEST_RESULT, Some(sender));
    let stderr = Output::read(child.stderr.take(), LONGEST_REASON, None);
    let end = wait(&mut child, limits.seconds, &reports, report);
    running.end(&mut child);
    let end = end?;
    let deadline = Instant::now() + DRAIN;
    if matches!(end, End::Exited(_)) {
        // The last reports may come after the end.
        while let Ok(last) = reports.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            report(last);
        }
    }
    drop(reports);
    Ok(Ended { end, stdout: stdout.last_line(deadline), stderr: stderr.last_line(deadline) })
}

/// The command, under a limit of memory where there is one. The shell sets the limit and then becomes the program.
fn limited(program: &Path, arguments: &[String], limits: Limits) -> Command {
    let mut command = match limits.memory_mb {
        Some(megabytes) if cfg!(unix) => {
            let mut shell = Command::new("/bin/sh");
            let kibibytes = megabytes.saturating_mul(1_000_000) / 1024;
            shell.arg("-c").arg(format!("ulimit -v {kibibytes} && exec \"$0\" \"$@\"")).arg(program);
            shell
        }
        _ => Command::new(program),
    };
    command.args(arguments);
    command
}

/// Waits for the process, and passes its reports on.
fn wait(
    child: &mut Child,
    seconds: Option<f64>,
    reports: &Receiver<ReportLine>,
    report: &mut dyn FnMut(ReportLine) -> bool,
) -> std::io::Result<End> {
    let limit = seconds.map_or(Duration::MAX, Duration::from_secs_f64);
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(End::Exited(status));
        }
        let left = limit.saturating_sub(start.elapsed());
        if left.is_zero() {
            return Ok(End::OutOfTime);
        }
        match reports.recv_timeout(pause.min(left)) {
            Ok(next) if !report(next) => return Ok(End::Stopped),
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            // The output was closed before the end.
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(pause.min(left)),
        }
        pause = (2 * pause).min(POLL);
    }
}
