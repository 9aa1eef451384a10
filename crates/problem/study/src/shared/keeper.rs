//! Heartbeats of a worker.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{EventLog, Lease};

/// Extends the lease of a worker while it asks and evaluates.
#[derive(Debug, Default)]
pub(super) struct Keeper {
    state: Mutex<State>,
    over: Condvar,
}

#[derive(Debug, Default)]
struct State {
    lease: Option<Lease>,
    is_over: bool,
}

/// Ends a keeper when it goes out of scope.
pub(super) struct Ending<'a>(&'a Keeper);

impl Keeper {
    /// Sets the lease that is extended from now on.
    pub(super) fn hold(&self, lease: Option<&Lease>) {
        self.state().lease = lease.cloned();
    }

    /// Extends the lease three times per duration, until the keeper is ended.
    pub(super) fn keep(&self, log: &Mutex<Box<dyn EventLog>>, duration: Duration) {
        let mut state = self.state();
        while !state.is_over {
            let waited = self.over.wait_timeout(state, duration / 3);
            let (next, elapsed) = waited.unwrap_or_else(PoisonError::into_inner);
            state = next;
            let lease = state.lease.clone().filter(|_| elapsed.timed_out());
            if let Some(lease) = lease {
                drop(state);
                // If the store does not respond, the lease expires; the next append detects it.
                let _ = log.lock().unwrap_or_else(PoisonError::into_inner).heartbeat(&lease, duration);
                state = self.state();
            }
        }
    }

    /// Ends the keeper with the returned value.
    pub(super) fn ending(&self) -> Ending<'_> {
        Ending(self)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        *state = State { lease: None, is_over: true };
        self.0.over.notify_all();
    }
}
