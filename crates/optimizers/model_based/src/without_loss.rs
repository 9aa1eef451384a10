//! Trials that ended without a loss.

use thrifty_domain::Points;
use thrifty_study::Outcome;

use crate::FailurePolicy;

/// Points of failed and pruned trials, in the order of the trials.
#[derive(Debug, Clone)]
pub struct WithoutLoss {
    x: Points,
    is_pruned: Vec<bool>,
}

impl WithoutLoss {
    /// None, of this dimension.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Self { x: Points::new(dim), is_pruned: Vec::new() }
    }

    /// Adds a point with its outcome, which is no measurement; one that has nothing to do with the query is left out.
    pub fn push(&mut self, point: &[f64], outcome: &Outcome) {
        if !outcome.is_unrelated() {
            self.x.push(point);
            self.is_pruned.push(matches!(outcome, Outcome::Pruned { .. }));
        }
    }

    /// Points that have a loss and constraints imputed under a policy.
    #[must_use]
    pub fn imputed(&self, policy: FailurePolicy) -> Points {
        match policy {
            FailurePolicy::AsWorst | FailurePolicy::AsValue(_) => self.x.clone(),
            FailurePolicy::AsConstraint => self.of(true),
            FailurePolicy::Ignore => Points::new(self.x.dim()),
        }
    }

    /// Points that break a constraint of not failing under a policy.
    #[must_use]
    pub fn failures(&self, policy: FailurePolicy) -> Points {
        if policy == FailurePolicy::AsConstraint { self.of(false) } else { Points::new(self.x.dim()) }
    }

    /// Pruned or failed points.
    fn of(&self, is_pruned: bool) -> Points {
        let mut points = Points::new(self.x.dim());
        let rows = self.x.rows().zip(&self.is_pruned).filter(|(_, pruned)| **pruned == is_pruned);
        rows.for_each(|(point, _)| points.push(point));
        points
    }
}
