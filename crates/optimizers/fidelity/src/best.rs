//! Recommendation at the target fidelity.

use thrifty_domain::Points;
use thrifty_model_based::{SurrogateState, measurement};
use thrifty_space::Config;
use thrifty_study::{OptimizerError, Trial};

use crate::MultiFidelityOptimizer;

/// The recommended configuration: of those evaluated at any fidelity, the one with the best posterior mean at the target.
#[derive(Debug, Clone, PartialEq)]
pub struct FidelityBest {
    /// The configuration, its fidelity at the target.
    pub config: Config,
    /// Posterior mean of its loss at the target, in units of the loss.
    pub value: f64,
    /// Central 95 % credible interval of its loss at the target, without noise of evaluations.
    pub interval: (f64, f64),
    /// Largest fidelity at which it was evaluated.
    pub evaluated: f64,
    /// True if it was evaluated at the target; otherwise its value is an extrapolation.
    pub is_verified: bool,
}

/// Standard normal quantile of 97.5 %.
const Z: f64 = 1.959_963_984_540_054;

impl MultiFidelityOptimizer {
    /// The recommendation by a fitted state; nothing where every configuration breaks a constraint.
    pub(crate) fn best(
        &self,
        state: &SurrogateState<'_>,
        observations: &[Trial<Config>],
    ) -> Result<Option<FidelityBest>, OptimizerError> {
        let mut evaluated: Vec<(Config, f64, bool)> = Vec::new();
        for trial in observations {
            let Some(measured) = measurement(trial) else { continue };
            let (config, value) = (self.axis.at_target(&trial.query), self.axis.value(&trial.query));
            let is_feasible = measured.is_feasible();
            match evaluated.iter_mut().find(|known| known.0 == config) {
                Some(known) => *known = (config, known.1.max(value), known.2 && is_feasible),
                None => evaluated.push((config, value, is_feasible)),
            }
        }
        evaluated.retain(|known| known.2);
        let mut points = Points::new(self.space.dim());
        for (config, _, _) in &evaluated {
            let x = self.space.encode(config);
            points.push(&x.map_err(|error| OptimizerError::failed("recommending a configuration", error))?);
        }
        let (mut mean, mut variance) = (vec![0.0; points.len()], vec![0.0; points.len()]);
        state.posterior().predict_into(points.as_ref(), &mut mean, &mut variance);
        let best = (0..mean.len()).min_by(|a, b| mean[*a].total_cmp(&mean[*b]));
        Ok(best.map(|at| {
            let half = Z * variance[at].max(0.0).sqrt();
            let (config, value, _) = evaluated.swap_remove(at);
            FidelityBest {
                config,
                value: state.loss_of(mean[at]),
                interval: (state.loss_of(mean[at] - half), state.loss_of(mean[at] + half)),
                evaluated: value,
                is_verified: value >= self.axis.target(),
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use thrifty_sampling::Seed;
    use thrifty_space::Space;
    use thrifty_study::{History, Memo, Timing, TrialId};

    use super::*;

    /// The interval of a configuration that was evaluated below the target alone: 1.96 standard deviations of the posterior at the
    /// target on both sides of its mean.
    #[test]
    fn the_interval_has_the_central_95_percent_of_the_loss_at_the_target() {
        let space = Space::builder().float("x", 0.0, 1.0).log_float("s", 1.0, 64.0).build().unwrap();
        let optimizer = MultiFidelityOptimizer::new(space, "s").unwrap();
        let trial = |i: usize| {
            let mut query = Config::new();
            query.insert("x", i as f64 / 4.0);
            query.insert("s", 2.0);
            Trial {
                id: TrialId(i as u64),
                query,
                diagnostics: BTreeMap::new(),
                memo: Memo::default(),
                reports: Vec::new(),
                outcome: Some((3.0 - i as f64).into()),
                timing: Timing::default(),
            }
        };
        let history = History::from_trials((0..4).map(trial).collect(), Seed(1));
        let observations = optimizer.observations(&history);
        let state = optimizer.state(&observations, &history, TrialId(4)).unwrap().unwrap();
        let best = optimizer.best(&state, &observations).unwrap().unwrap();
        assert!(!best.is_verified, "evaluated at {}", best.evaluated);
        let there = state.posterior().predict(&optimizer.space.encode(&best.config).unwrap());
        for (end, z) in [(best.interval.0, -1.959_964), (best.interval.1, 1.959_964)] {
            let expected = state.loss_of(there.mean + z * there.variance.sqrt());
            assert!((end - expected).abs() < 1e-5 * (1.0 + expected.abs()), "{z}: {end}, not {expected}");
        }
        assert!(best.interval.0 < best.value && best.value < best.interval.1, "{best:?}");
    }
}
