//! Trials as training data of a surrogate.

use thrifty_domain::Points;
use thrifty_search::measurement;
use thrifty_study::OptimizerError;

use crate::targets::Targets;
use crate::{FailurePolicy, OutputFitter, WithoutLoss};

/// Trials as training data.
pub(crate) struct TrainingData {
    /// Measured points and losses.
    pub(crate) x: Points,
    pub(crate) targets: Targets,
    pub(crate) feasible: Vec<bool>,
    /// Sums of the positive constraint values, 0 for feasible points.
    pub(crate) violations: Vec<f64>,
    pub(crate) without_loss: WithoutLoss,
    pub(crate) pending: Points,
}

impl TrainingData {
    /// Collects the training data; `None` if no trial has a measurement.
    ///
    /// # Errors
    /// [`OptimizerError`] names a trial that is not of the space.
    pub(crate) fn gather(fitter: &OutputFitter<'_>) -> Result<Option<Self>, OptimizerError> {
        let points = || Points::new(fitter.space.dim());
        let mut data = Self {
            x: points(),
            targets: Targets::default(),
            feasible: Vec::new(),
            violations: Vec::new(),
            without_loss: WithoutLoss::new(fitter.space.dim()),
            pending: points(),
        };
        for trial in &fitter.trials {
            let point = fitter
                .space
                .encode(&trial.query)
                .map_err(|error| OptimizerError::failed(format!("encoding trial {}", trial.id.0), error))?;
            let measured = measurement(trial).and_then(|m| Some((m, *m.objectives.first()?)));
            match (&trial.outcome, measured) {
                (_, Some((found, loss))) => {
                    data.x.push(&point);
                    data.targets.push(loss, found.noise_variance);
                    data.feasible.push(found.is_feasible());
                    data.violations.push(found.violation());
                }
                (Some(outcome), None) => data.without_loss.push(&point, outcome, data.x.len()),
                (None, None) => data.pending.push(&point),
            }
        }
        Ok((!data.x.is_empty()).then_some(data))
    }

    /// Points and losses, with imputed losses for failed and pruned trials.
    ///
    /// Imputed losses come first, so the last rows are the latest measurements. A model that keeps its hyperparameters checks whether the
    /// last rows agree with it.
    pub(crate) fn with_failures(&self, policy: FailurePolicy) -> (Points, Targets) {
        let (mut x, mut targets) = (self.without_loss.imputed(policy), Targets::default());
        let loss = match policy {
            FailurePolicy::AsValue(value) => value,
            _ => self.targets.y.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        };
        (0..x.len()).for_each(|_| targets.push(loss, None));
        self.x.rows().for_each(|point| x.push(point));
        targets.append(&self.targets);
        (x, targets)
    }
}

#[cfg(test)]
mod tests {
    use thrifty_study::Outcome;

    use super::*;

    #[test]
    fn failures_come_before_the_measurements() {
        let mut targets = Targets::default();
        targets.push(3.0, None);
        targets.push(1.0, Some(0.5));
        let mut without_loss = WithoutLoss::new(1);
        without_loss.push(&[0.8], &Outcome::failed("no"), 0);
        without_loss.push(&[0.9], &Outcome::pruned(1), 0);
        let data = TrainingData {
            x: Points::from_flat(vec![0.1, 0.2], 1),
            targets,
            feasible: vec![true; 2],
            violations: vec![0.0; 2],
            without_loss,
            pending: Points::new(1),
        };
        for (policy, imputed) in [(FailurePolicy::AsWorst, 3.0), (FailurePolicy::AsValue(7.0), 7.0)] {
            let (x, all) = data.with_failures(policy);
            assert_eq!(x.as_flat(), [0.8, 0.9, 0.1, 0.2]);
            assert_eq!(all.y, [imputed, imputed, 3.0, 1.0]);
            assert_eq!(all.noise_variance(), Some(&[0.0, 0.0, 0.0, 0.5][..]));
        }
        let (x, all) = data.with_failures(FailurePolicy::AsConstraint);
        assert_eq!((x.as_flat(), &all.y[..]), (&[0.9, 0.1, 0.2][..], &[3.0, 3.0, 1.0][..]));
        let (x, all) = data.with_failures(FailurePolicy::Ignore);
        assert_eq!((x.as_flat(), &all.y[..]), (&[0.1, 0.2][..], &[3.0, 1.0][..]));
    }
}
