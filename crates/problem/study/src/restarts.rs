//! Restarts of the trials of a shared log.

use std::collections::BTreeMap;

use crate::TrialId;

/// Losses and releases of the workers of trials, according to the log. A trial that only its first worker evaluated has no entry.
#[derive(Debug, Clone, Default)]
pub(crate) struct Restarts(BTreeMap<TrialId, OfTrial>);

/// Restarts of one trial.
#[derive(Debug, Clone, Copy, Default)]
struct OfTrial {
    /// Number of restarts after the loss of a worker.
    losses: usize,
    /// True if its last worker has returned it.
    is_released: bool,
}

impl Restarts {
    /// Records a restart of a trial; `lost` is true after the loss of its worker.
    pub(crate) fn record_restart(&mut self, id: TrialId, lost: bool) {
        let trial = self.0.entry(id).or_default();
        *trial = OfTrial { losses: trial.losses + usize::from(lost), is_released: false };
    }

    /// Records that the worker of a trial has returned it.
    pub(crate) fn record_release(&mut self, id: TrialId) {
        self.0.entry(id).or_default().is_released = true;
    }

    /// Number of restarts of a trial after the loss of its worker.
    pub(crate) fn losses_of(&self, id: TrialId) -> usize {
        self.0.get(&id).map_or(0, |trial| trial.losses)
    }

    /// True if the last worker of a trial has returned it.
    pub(crate) fn is_released(&self, id: TrialId) -> bool {
        self.0.get(&id).is_some_and(|trial| trial.is_released)
    }
}
