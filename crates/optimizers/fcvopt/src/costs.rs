use thrifty_domain::{Points, PointsRef};
use thrifty_hgp::{Component, Hgp, HgpPosterior};
use thrifty_sampling::Seed;
use thrifty_space::Space;
use thrifty_study::{OptimizerError, TrialId};
use thrifty_surrogate::{Posterior, PosteriorGradient};

use crate::SettingError;
use crate::evidence::Evidence;

/// What model fits are expected to cost, on the scale of the logarithm; nothing when all cost the same.
pub(crate) struct Costs(Option<HgpPosterior>);

impl Costs {
    pub(crate) fn equal() -> Self {
        Self(None)
    }

    /// From the fits whose cost was told.
    pub(crate) fn learn(
        space: &Space,
        evidence: &Evidence,
        seed: Seed,
        id: TrialId,
    ) -> Result<Self, OptimizerError> {
        let (mut x, mut folds, mut logarithms) = (Points::new(space.dim()), Vec::new(), Vec::new());
        for (i, cost) in evidence.costs.iter().enumerate() {
            let Some(cost) = *cost else { continue };
            if !(cost > 0.0 && cost.is_finite()) {
                let error = SettingError {
                    name: "cost of a fold",
                    value: cost,
                    expected: "a positive finite number",
                };
                return Err(OptimizerError::failed(
                    format!("learning costs, configuration {}", evidence.of[i]),
                    error,
                ));
            }
            x.push(evidence.x.row(i));
            folds.push(evidence.folds[i]);
            logarithms.push(cost.ln());
        }
        if logarithms.is_empty() {
            return Ok(Self::equal());
        }
        let mut rng = seed.stream("fit of costs", id.0);
        let fitted = Hgp::on_domain(space.domain()).fit(x.as_ref(), &folds, &logarithms, &mut rng);
        let fitted = fitted.map_err(|error| {
            OptimizerError::failed(format!("fitting the costs for trial {}", id.0), error)
        })?;
        Ok(Self(Some(fitted)))
    }

    /// The logarithm of what a fold costs.
    pub(crate) fn of_fold(&self, fold: usize) -> LogCost {
        LogCost(self.0.as_ref().map(|posterior| posterior.fold(fold)))
    }
}

/// The expected logarithm of what one fold costs at every configuration.
pub(crate) struct LogCost(Option<Component>);

impl LogCost {
    /// 0 where all cost the same.
    pub(crate) fn value(&self, x: &[f64]) -> f64 {
        self.0.as_ref().map_or(0.0, |component| component.predict(x).0)
    }

    /// Subtracts its gradient.
    pub(crate) fn subtract_gradient(&self, x: &[f64], gradient: &mut [f64]) {
        let Some(component) = &self.0 else { return };
        let (mut mean, mut variance) = ([0.0], [0.0]);
        let (mut of_mean, mut of_variance) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        component.predict_with_gradient_into(
            PointsRef::single(x),
            &mut mean,
            &mut variance,
            &mut of_mean,
            &mut of_variance,
        );
        gradient.iter_mut().zip(of_mean).for_each(|(slot, slope)| *slot -= slope);
    }
}
