use crate::{Outcome, StopReason, Trial};

/// Somebody who watches a study: progress bars, logs.
pub trait Observer<Q> {
    /// A trial was asked.
    fn asked(&mut self, _trial: &Trial<Q>) {}
    /// A trial ended and is part of what the optimiser sees.
    fn told(&mut self, _trial: &Trial<Q>, _outcome: &Outcome) {}
    /// The study ended.
    fn stopped(&mut self, _reason: &StopReason) {}
}
