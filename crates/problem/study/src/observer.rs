//! Observers of a study.

use std::time::Duration;

use crate::shared::LogError;
use crate::{Failure, Outcome, StopReason, Trial};

/// Callbacks invoked as a study progresses (progress bars, logging). They are not invoked again for trials from a journal.
pub trait Observer<Q>: Send {
    /// A trial was asked.
    fn asked(&mut self, _trial: &Trial<Q>) {}
    /// An attempt at a trial failed and is repeated.
    fn retried(&mut self, _trial: &Trial<Q>, _failure: &Failure) {}
    /// A trial ended. With several trials in flight, it may end before an earlier one.
    fn told(&mut self, _trial: &Trial<Q>, _outcome: &Outcome) {}
    /// The log of a [shared study](crate::shared::SharedStudy) has not responded for two seconds, or for half of the patience if that is less.
    ///
    /// Calls are repeated until the patience is exhausted. The callback is invoked once, and again after that time.
    fn waiting(&mut self, _error: &LogError, _patience: Duration) {}
    /// The study ended.
    fn stopped(&mut self, _reason: &StopReason) {}
}
