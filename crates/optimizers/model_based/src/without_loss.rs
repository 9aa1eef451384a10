//! Trials that ended without a loss.

use thrifty_domain::Points;
use thrifty_study::Outcome;

use crate::FailurePolicy;

/// Points of failed and pruned trials, in the order of the trials.
#[derive(Debug, Clone)]
pub struct WithoutLoss {
    x: Points,
    is_pruned: Vec<bool>,
    /// Numbers of measured trials before them.
    after: Vec<usize>,
}

impl WithoutLoss {
    /// None, of this dimension.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Self { x: Points::new(dim), is_pruned: Vec::new(), after: Vec::new() }
    }

    /// Adds a point with its outcome, which is no measurement, after so many measured ones; a failure that has nothing to do with the query is left out.
    pub fn push(&mut self, point: &[f64], outcome: &Outcome, measured: usize) {
        if !outcome.is_unrelated() {
            self.x.push(point);
            self.is_pruned.push(matches!(outcome, Outcome::Pruned { .. }));
            self.after.push(measured);
        }
    }

    /// Points that have a loss and constraints imputed under a policy.
    #[must_use]
    pub fn imputed(&self, policy: FailurePolicy) -> Points {
        match policy {
            FailurePolicy::AsWorst | FailurePolicy::AsValue(_) => self.x.clone(),
            FailurePolicy::AsConstraint => {
                let mut pruned = Points::new(self.x.dim());
                let rows = self.x.rows().zip(&self.is_pruned).filter(|(_, is_pruned)| **is_pruned);
                rows.for_each(|(point, _)| pruned.push(point));
                pruned
            }
            FailurePolicy::Ignore => Points::new(self.x.dim()),
        }
    }

    /// All points beside the measured ones, in the order of the trials, with 1 for those that failed and -1 for the others; nothing where failing is no
    /// constraint, or no trial failed.
    #[must_use]
    pub fn classes(&self, policy: FailurePolicy, measured: &Points) -> Option<(Points, Vec<f64>)> {
        if policy != FailurePolicy::AsConstraint || self.is_pruned.iter().all(|is_pruned| *is_pruned) {
            return None;
        }
        let (mut points, mut classes) = (Points::new(self.x.dim()), Vec::new());
        let mut push = |point: &[f64], class: f64| {
            points.push(point);
            classes.push(class);
        };
        let (mut rest, mut taken) = (measured.rows(), 0);
        for ((point, is_pruned), after) in self.x.rows().zip(&self.is_pruned).zip(&self.after) {
            let count = after - taken;
            rest.by_ref().take(count).for_each(|row| push(row, -1.0));
            taken = *after;
            push(point, if *is_pruned { -1.0 } else { 1.0 });
        }
        rest.for_each(|row| push(row, -1.0));
        Some((points, classes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_in_the_order_of_the_trials() {
        let measured = Points::from_flat(vec![0.1, 0.2, 0.3], 1);
        let mut without = WithoutLoss::new(1);
        let classes = |without: &WithoutLoss, policy| without.classes(policy, &measured);
        without.push(&[0.7], &Outcome::pruned(1), 1);
        assert_eq!(classes(&without, FailurePolicy::AsConstraint), None, "no failure");
        without.push(&[0.9], &Outcome::failed("no"), 1);
        without.push(&[0.6], &Outcome::unrelated("no machine"), 2);
        without.push(&[0.8], &Outcome::failed("no"), 3);
        let (points, classes_of) = classes(&without, FailurePolicy::AsConstraint).expect("failures");
        assert_eq!(points.as_flat(), [0.1, 0.7, 0.9, 0.2, 0.3, 0.8]);
        assert_eq!(classes_of, [-1.0, -1.0, 1.0, -1.0, -1.0, 1.0]);
        assert_eq!(classes(&without, FailurePolicy::AsWorst), None);
        let first = {
            let mut first = WithoutLoss::new(1);
            first.push(&[0.5], &Outcome::failed("no"), 0);
            classes(&first, FailurePolicy::AsConstraint).expect("a failure").0
        };
        assert_eq!(first.as_flat(), [0.5, 0.1, 0.2, 0.3]);
    }
}
