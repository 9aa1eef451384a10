//! A shared log in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{AppendError, Entry, EventLog, Lease, LogError};
use crate::TrialId;

/// Log shared by the threads of one process; it ends with them. Clones share the entries.
#[derive(Debug, Clone, Default)]
pub struct MemoryLog(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    bodies: Vec<String>,
    leases: BTreeMap<TrialId, Held>,
}

#[derive(Debug)]
struct Held {
    fence: u64,
    owner: String,
    /// End of the lease; `None` for a time beyond the range of the clock.
    until: Option<Instant>,
}

impl Held {
    fn is_over(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| until <= now)
    }
}

impl MemoryLog {
    /// An empty log.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn news(&self, seq: u64) -> &[String] {
        usize::try_from(seq).ok().and_then(|seq| self.bodies.get(seq..)).unwrap_or_default()
    }

    /// Entry of a lease, if it is the latest of its trial.
    fn latest(&mut self, lease: &Lease) -> Option<&mut Held> {
        self.leases.get_mut(&lease.trial).filter(|held| held.fence == lease.fence)
    }
}

impl EventLog for MemoryLog {
    fn name(&self) -> String {
        "the log in memory".into()
    }

    fn read_from(&mut self, seq: u64) -> Result<Vec<Entry>, LogError> {
        let state = self.state();
        Ok((seq..).zip(state.news(seq)).map(|(seq, body)| Entry { seq, body: body.clone() }).collect())
    }

    fn append(&mut self, expected: u64, bodies: &[String], lease: Option<&Lease>) -> Result<(), AppendError> {
        let mut state = self.state();
        if lease.is_some_and(|lease| state.latest(lease).is_none()) {
            return Err(AppendError::Fenced);
        }
        if state.bodies.len() as u64 != expected {
            return Err(AppendError::Conflict);
        }
        state.bodies.extend_from_slice(bodies);
        self.0.changed.notify_all();
        Ok(())
    }

    fn wait(&mut self, seq: u64, timeout: Duration) -> Result<(), LogError> {
        let waiting = self.0.changed.wait_timeout_while(self.state(), timeout, |s| s.news(seq).is_empty());
        drop(waiting);
        Ok(())
    }

    fn claim(&mut self, trial: TrialId, owner: &str, duration: Duration) -> Result<Option<Lease>, LogError> {
        let (mut state, now) = (self.state(), Instant::now());
        let fence = match state.leases.get(&trial) {
            None => 1,
            Some(held) if held.owner == owner => held.fence,
            Some(held) if !held.is_over(now) => return Ok(None),
            Some(held) => held.fence + 1,
        };
        state.leases.insert(trial, Held { fence, owner: owner.into(), until: now.checked_add(duration) });
        Ok(Some(Lease { trial, owner: owner.into(), fence }))
    }

    fn heartbeat(&mut self, lease: &Lease, duration: Duration) -> Result<bool, LogError> {
        let mut state = self.state();
        let held = state.latest(lease);
        Ok(held.map(|held| held.until = Instant::now().checked_add(duration)).is_some())
    }

    fn release(&mut self, lease: &Lease) -> Result<(), LogError> {
        if let Some(held) = self.state().latest(lease) {
            held.until = Some(Instant::now());
        }
        Ok(())
    }

    fn unclaimed(&mut self, trials: &[TrialId]) -> Result<Vec<TrialId>, LogError> {
        let (state, now) = (self.state(), Instant::now());
        let is_free = |trial: &TrialId| state.leases.get(trial).is_none_or(|held| held.is_over(now));
        Ok(trials.iter().copied().filter(is_free).collect())
    }
}
