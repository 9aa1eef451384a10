//! One run of a command: output, limits, and the end of all its processes.

use std::collections::VecDeque;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::running::Running;
use crate::study_file::Limits;

/// Bytes of the end of an output that are kept.
const KEPT: usize = 1 << 16;

/// Longest time between two looks at a process.
const POLL: Duration = Duration::from_millis(20);

/// Time for the output of a process that has ended. A process that left its group may keep it open.
const DRAIN: Duration = Duration::from_secs(1);

/// End of a command: its status and outputs.
pub(crate) struct Ended {
    /// Exit status, or none when it was killed at the limit of time.
    pub(crate) status: Option<ExitStatus>,
    /// The end of its output.
    pub(crate) stdout: String,
    /// The end of its error output.
    pub(crate) stderr: String,
}

/// Runs a program with its arguments in a folder, in a process group of its own.
///
/// When the program ends or reaches the limit of time, all processes of its group are killed.
///
/// # Errors
/// [`std::io::Error`] when the program cannot be started or waited for.
pub(crate) fn run(
    program: &Path,
    arguments: &[String],
    folder: &Path,
    variables: &[(&str, String)],
    limits: Limits,
    running: &Running,
) -> std::io::Result<Ended> {
    let mut command = limited(program, arguments, limits);
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for (name, value) in variables {
        command.env(name, value);
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = running.start(&mut command)?;
    let stdout = tail(child.stdout.take());
    let stderr = tail(child.stderr.take());
    let status = wait(&mut child, limits.seconds);
    running.end(&mut child);
    let status = status?;
    let text = |output: Receiver<Vec<u8>>| {
        String::from_utf8_lossy(&output.recv_timeout(DRAIN).unwrap_or_default()).into_owned()
    };
    Ok(Ended { status, stdout: text(stdout), stderr: text(stderr) })
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

/// Waits for the process; none when the time is over.
fn wait(child: &mut Child, seconds: Option<f64>) -> std::io::Result<Option<ExitStatus>> {
    let Some(limit) = seconds.map(Duration::from_secs_f64) else { return child.wait().map(Some) };
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let left = limit.saturating_sub(start.elapsed());
        if left.is_zero() {
            return Ok(None);
        }
        std::thread::sleep(pause.min(left));
        pause = (2 * pause).min(POLL);
    }
}

/// Reads an output to its end on a thread of its own, and keeps the last bytes.
fn tail(output: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut kept = VecDeque::new();
        let mut block = [0; 8192];
        if let Some(mut output) = output {
            while let Ok(count @ 1..) = output.read(&mut block) {
                kept.extend(&block[..count]);
                kept.drain(..kept.len().saturating_sub(KEPT));
            }
        }
        // Nobody waits for it where the time for the output was over.
        let _ = sender.send(kept.into());
    });
    receiver
}
