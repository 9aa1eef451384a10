//! Two pruners that must agree.

use thrifty_sampling::Seed;
use thrifty_study::{Curve, Pruner, StudyError};

/// Stops a trial when two pruners would: `Both(PatiencePruner::new(5), MedianPruner::default())` leaves a trial alone while it improves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Both<A, B>(pub A, pub B);

impl<A: Pruner, B: Pruner> Pruner for Both<A, B> {
    fn should_prune(&self, running: Curve<'_>, others: &[Curve<'_>], seed: Seed) -> bool {
        self.0.should_prune(running, others, seed) && self.1.should_prune(running, others, seed)
    }

    fn validate(&self) -> Result<(), StudyError> {
        self.0.validate()?;
        self.1.validate()
    }
}
