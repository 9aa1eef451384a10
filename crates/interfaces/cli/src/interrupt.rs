//! Signals that end a run.

/// Calls a function once the process is told to end: by an interrupt (Ctrl-C), a termination, or a terminal that hangs up. A hang-up that the
/// process was started to ignore, as under `nohup`, is still ignored.
///
/// # Errors
/// [`std::io::Error`] of the operating system.
#[cfg(unix)]
pub(crate) fn on_interrupt(act: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let mut signals = vec![SIGINT, SIGTERM];
    if !is_ignored(SIGHUP) {
        signals.push(SIGHUP);
    }
    let mut signals = Signals::new(signals)?;
    let wait = move || {
        if signals.forever().next().is_some() {
            act();
        }
    };
    std::thread::Builder::new().name("interrupts".into()).spawn(wait).map(drop)
}

#[cfg(not(unix))]
pub(crate) fn on_interrupt(act: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let mut act = Some(act);
    let handled = ctrlc::set_handler(move || {
        if let Some(act) = act.take() {
            act();
        }
    });
    handled.map_err(|error| std::io::Error::other(error.to_string()))
}

/// True if the process ignores a signal, as far as the system tells it: Linux does.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| ignores(&status, signal))
}

/// True if the status of a process, as in `/proc`, has a signal among those that it ignores: bit n - 1 of a hexadecimal number.
#[cfg(unix)]
fn ignores(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read_from_the_status_of_the_process() {
        let status = "Name:\tthrifty\nSigBlk:\t0000000000000003\nSigIgn:\t0000000000001001\n";
        assert_eq!([1, 2, 13].map(|signal| ignores(status, signal)), [true, false, true]);
        assert!(!ignores("", 1) && !ignores("SigIgn:\tno number", 1));
    }
}
