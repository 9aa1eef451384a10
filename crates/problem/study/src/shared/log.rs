//! Shared logs: an append-only list of events that several workers read and write.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::{AppendError, LogError};
use crate::TrialId;

/// One entry of a shared log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its index, from 0 without gaps.
    pub seq: u64,
    /// The header (entry 0) or an event, as the JSON text of a journal line without its seal.
    pub body: String,
}

/// Right of one worker to ask or evaluate one trial, until it expires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The trial.
    pub trial: TrialId,
    /// Unique name of the worker.
    pub owner: String,
    /// Fencing number, from 1: each new owner of the trial has a greater one than the previous owner.
    pub fence: u64,
}

/// Log of one study, shared by any number of workers: the interface of a store.
///
/// Entries are never changed or removed. An append names the number of entries that its writer has read, and is refused if there are more.
/// All workers thus agree on one order of events without a lock. Leases are kept beside the log, by the clock of the store. They avoid
/// duplicated work; only the log determines the state of the study.
///
/// One value is one connection. [`contract::event_log`](crate::contract::event_log) tests an implementation.
pub trait EventLog: Send {
    /// Name of the store and the study for messages, without credentials.
    fn name(&self) -> String;

    /// Entries from `seq` on, in order.
    ///
    /// # Errors
    /// [`LogError`] when the store cannot be read.
    fn read_from(&mut self, seq: u64) -> Result<Vec<Entry>, LogError>;

    /// Appends all of `bodies` or none, as entries `expected`, `expected + 1`, ….
    ///
    /// With a lease the append also requires, in the same transaction, that no later claim of its trial was granted.
    ///
    /// # Errors
    /// [`AppendError::Conflict`] unless the log has exactly `expected` entries, [`AppendError::Fenced`] for a lease that was
    /// claimed again, [`AppendError::Log`] when the store cannot be written. Nothing is appended then.
    fn append(&mut self, expected: u64, bodies: &[String], lease: Option<&Lease>) -> Result<(), AppendError>;

    /// Returns when the log has more than `seq` entries, or after `timeout`.
    ///
    /// # Errors
    /// [`LogError`] when the store cannot be read.
    fn wait(&mut self, seq: u64, timeout: Duration) -> Result<(), LogError> {
        poll(timeout, || Ok(!self.read_from(seq)?.is_empty()))
    }

    /// Claims a trial until `duration` from now; `None` while the claim of another owner lasts.
    ///
    /// The latest owner gets the same lease again, so that a call can be repeated if its response was lost.
    ///
    /// # Errors
    /// [`LogError`] when the store cannot be written.
    fn claim(&mut self, trial: TrialId, owner: &str, duration: Duration) -> Result<Option<Lease>, LogError>;

    /// Extends a lease, even an expired one, to `duration` from now; false if its trial was claimed again since.
    ///
    /// # Errors
    /// [`LogError`] when the store cannot be written.
    fn heartbeat(&mut self, lease: &Lease, duration: Duration) -> Result<bool, LogError>;

    /// Ends a lease, so that its trial can be claimed at once. No effect if it was claimed again since.
    ///
    /// # Errors
    /// [`LogError`] when the store cannot be written.
    fn release(&mut self, lease: &Lease) -> Result<(), LogError>;

    /// Seconds since 1970 by the clock of the store, or of this machine if the store has none.
    ///
    /// # Errors
    /// [`LogError`] when the store cannot be read.
    fn now(&mut self) -> Result<f64, LogError> {
        Ok(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64())
    }

    /// Those of the given trials without a current lease, in their order.
    ///
    /// # Errors
    /// [`LogError`] when the store cannot be read.
    fn unclaimed(&mut self, trials: &[TrialId]) -> Result<Vec<TrialId>, LogError>;
}

/// Calls `done` at growing intervals (1 to 20 ms) until it returns true or the time is over.
///
/// # Errors
/// Those of `done`.
pub fn poll(timeout: Duration, mut done: impl FnMut() -> Result<bool, LogError>) -> Result<(), LogError> {
    let started_at = Instant::now();
    let mut pause = Duration::from_millis(1);
    while !done()? && started_at.elapsed() < timeout {
        std::thread::sleep(pause.min(timeout.saturating_sub(started_at.elapsed())));
        pause = (pause * 3 / 2).min(Duration::from_millis(20));
    }
    Ok(())
}
