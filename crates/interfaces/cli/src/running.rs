//! The processes that run now, to be ended on an interrupt.

use std::process::{Child, Command};
use std::sync::{Arc, Mutex, PoisonError};

/// Processes that run now. Once interrupted, none is started and no outcome is recorded.
#[derive(Clone, Default)]
pub(crate) struct Running(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    interrupted: bool,
    groups: Vec<u32>,
}

impl Running {
    /// Starts a process.
    ///
    /// # Errors
    /// [`std::io::Error`] of the operating system.
    pub(crate) fn start(&self, command: &mut Command) -> std::io::Result<Child> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.interrupted {
            drop(state);
            park();
        }
        let child = command.spawn()?;
        state.groups.push(child.id());
        Ok(child)
    }

    /// Kills what is left of a process that has ended or is out of time. Does not return after an interrupt, so that a
    /// killed process is no failed trial.
    pub(crate) fn end(&self, child: &mut Child) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.interrupted {
            drop(state);
            park();
        }
        state.groups.retain(|group| *group != child.id());
        kill(child.id());
        // Windows knows no process groups; a process that has ended cannot be killed, which is no error here.
        let _ = child.kill();
        let _ = child.wait();
    }

    /// Kills all processes and starts no more.
    pub(crate) fn interrupt(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.interrupted = true;
        state.groups.iter().for_each(|group| kill(*group));
    }
}

/// Waits for the end of the process.
fn park() -> ! {
    loop {
        std::thread::park();
    }
}

/// Kills a process group.
#[cfg(unix)]
fn kill(group: u32) {
    if let Some(group) = i32::try_from(group).ok().and_then(rustix::process::Pid::from_raw) {
        // A group that has ended is no error.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill(_: u32) {}
