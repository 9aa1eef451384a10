//! Processor seconds of a thread.

use std::fs;
use std::time::Instant;

/// Seconds of one piece of work on one thread: CPU seconds where the system provides them, else wall-clock seconds.
pub struct Clock {
    cpu: Option<f64>,
    wall: Instant,
}

impl Clock {
    pub fn start() -> Self {
        Self { cpu: thread_seconds(), wall: Instant::now() }
    }

    /// Since the start, on the thread that started.
    pub fn seconds(&self) -> f64 {
        match (self.cpu, thread_seconds()) {
            (Some(before), Some(now)) => now - before,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }

    /// Unit of `seconds` here.
    pub fn unit() -> &'static str {
        if thread_seconds().is_some() { "CPU s" } else { "wall s" }
    }
}

/// The scheduler's count of this thread, as Linux keeps it, to about a tick of some milliseconds: nanoseconds on a
/// processor, then two other numbers.
fn thread_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds * 1e-9)
}
