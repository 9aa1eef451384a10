//! Observers of a study.

use std::time::Duration;

use crate::shared::LogError;
use crate::{Failure, Outcome, StopReason, Trial};

/// Callbacks invoked as a study progresses (progress bars, logging). Trials that a journal held are not announced again.
pub trait Observer<Q>: Send {
    /// A trial was asked.
    fn asked(&mut self, _trial: &Trial<Q>) {}
    /// An attempt at a trial failed, and another is made.
    fn retried(&mut self, _trial: &Trial<Q>, _failure: &Failure) {}
    /// A trial ended. With several trials in flight that may be before an earlier one has.
    fn told(&mut self, _trial: &Trial<Q>, _outcome: &Outcome) {}
    /// The log of a [shared study](crate::shared::SharedStudy) has not answered for two seconds, or for half of the patience if that is less.
    ///
    /// It is tried until the patience is over. Called once, and again after that time.
    fn waiting(&mut self, _error: &LogError, _patience: Duration) {}
    /// The study ended.
    fn stopped(&mut self, _reason: &StopReason) {}
}
