//! Trials that ended without a loss.

use thrifty_domain::Points;
use thrifty_study::Outcome;

use crate::FailurePolicy;

/// Points of failed and pruned trials, in the order of the trials.
#[derive(Debug, Clone)]
pub struct WithoutLoss {
    x: Points,
    is_pruned: Vec<bool>,
    /// Number of measured trials before each.
    after: Vec<usize>,
}

impl WithoutLoss {
    /// An empty collection for points of this dimension.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Self { x: Points::new(dim), is_pruned: Vec::new(), after: Vec::new() }
    }

    /// Adds the point of a trial without a measurement. `measured` is the number of measured trials before it. A failure that is unrelated
    /// to the query is left out.
    pub fn push(&mut self, point: &[f64], outcome: &Outcome, measured: usize) {
        if !outcome.is_unrelated() {
            self.x.push(point);
            self.is_pruned.push(matches!(outcome, Outcome::Pruned { .. }));
            self.after.push(measured);
        }
    }

    /// Points for which a policy imputes a loss and constraint values.
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

    /// All points, including the measured ones, in the order of the trials, with classes: 1 for a failure, -1 for others.
    ///
    /// `None` if failing is not a constraint, or if no trial failed.
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
