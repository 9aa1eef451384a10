//! Recommendation at the target fidelity.

use std::collections::HashMap;

use thrifty_domain::Points;
use thrifty_model_based::{SurrogateState, measurement};
use thrifty_space::Config;
use thrifty_study::{OptimizerError, Trial};
use thrifty_surrogate::Prediction;

use crate::MultiFidelityOptimizer;
use crate::reached::key;

/// The recommended configuration: the one with the best posterior mean at the target, among those evaluated at any fidelity.
#[derive(Debug, Clone, PartialEq)]
pub struct FidelityBest {
    /// The configuration, with its fidelity set to the target.
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

impl MultiFidelityOptimizer {
    /// The recommendation of a fitted state; `None` if every configuration breaks a constraint.
    pub(crate) fn best(
        &self,
        state: &SurrogateState<'_>,
        observations: &[Trial<Config>],
    ) -> Result<Option<FidelityBest>, OptimizerError> {
        let mut evaluated: Vec<(Config, f64, bool, Vec<f64>)> = Vec::new();
        let mut positions = HashMap::new();
        for trial in observations {
            let Some(measured) = measurement(trial) else { continue };
            let (config, value) = (self.axis.at_target(&trial.query), self.axis.value(&trial.query));
            let x = self.space.encode(&config);
            let x = x.map_err(|error| OptimizerError::failed("recommending a configuration", error))?;
            let is_feasible = measured.is_feasible();
            let at = *positions.entry(key(&x)).or_insert(evaluated.len());
            match evaluated.get_mut(at) {
                Some((_, largest, keeps, _)) => {
                    (*largest, *keeps) = (largest.max(value), *keeps && is_feasible);
                }
                None => evaluated.push((config, value, is_feasible, x)),
            }
        }
        evaluated.retain(|known| known.2);
        let mut points = Points::new(self.space.dim());
        evaluated.iter().for_each(|known| points.push(&known.3));
        let (mut mean, mut variance) = (vec![0.0; points.len()], vec![0.0; points.len()]);
        state.posterior().predict_into(points.as_ref(), &mut mean, &mut variance);
        let best = (0..mean.len()).min_by(|a, b| mean[*a].total_cmp(&mean[*b]));
        Ok(best.map(|at| {
            let (config, value, ..) = evaluated.swap_remove(at);
            FidelityBest {
                config,
                value: state.loss_of(mean[at]),
                interval: state.interval_of_loss(Prediction { mean: mean[at], variance: variance[at] }),
                evaluated: value,
                is_verified: value >= self.axis.target(),
            }
        }))
    }
}

#[cfg(test)]
mod tests {

    use thrifty_model_based::PendingPolicy;
    use thrifty_sampling::Seed;
    use thrifty_space::Space;
    use thrifty_study::{History, Measurement, Optimizer, Outcome, TrialId};

    use super::*;
    use crate::MultiFidelitySettings;

    fn optimizer() -> MultiFidelityOptimizer {
        let space = Space::builder().float("x", 0.0, 1.0).log_float("s", 1.0, 64.0).build().unwrap();
        MultiFidelityOptimizer::new(space, "s").unwrap()
    }

    fn trial(id: usize, x: f64, s: f64, outcome: impl Into<Outcome>) -> Trial<Config> {
        let mut query = Config::new();
        query.insert("x", x);
        query.insert("s", s);
        Trial::new(TrialId(id as u64), query, Some(outcome.into()))
    }

    fn best_of(trials: Vec<Trial<Config>>) -> Option<FidelityBest> {
        let (optimizer, next) = (optimizer(), TrialId(trials.len() as u64));
        let history = History::from_trials(trials, Seed(1));
        let observations = optimizer.observations(&history);
        let state = optimizer.state(&observations, &history, next).unwrap().unwrap();
        optimizer.best(&state, &observations).unwrap()
    }

    /// Losses that fall with x, and a constraint that the last two of four configurations break, one of them at one of its two fidelities
    /// alone: the second is the best that keeps it. Where all break it there is none.
    #[test]
    fn configurations_that_break_a_constraint_are_not_recommended() {
        let measured = |x: f64, constraint: f64| Measurement {
            constraints: vec![constraint],
            ..Measurement::from(3.0 - x)
        };
        let trials = |limits: [f64; 5]| -> Vec<Trial<Config>> {
            let places = [(0.0, 64.0), (0.25, 64.0), (0.5, 64.0), (0.5, 8.0), (0.75, 64.0)];
            let each = places.into_iter().zip(limits).enumerate();
            each.map(|(id, ((x, s), limit))| trial(id, x, s, measured(x, limit))).collect()
        };
        let best = best_of(trials([-1.0, -1.0, 1.0, -1.0, 1.0])).unwrap();
        assert_eq!(best.config.float("x"), Ok(0.25), "the best that keeps the constraint: {best:?}");
        let best = best_of(trials([-1.0, -1.0, -1.0, 1.0, 1.0])).unwrap();
        assert_eq!(best.config.float("x"), Ok(0.25), "broken at the lower fidelity: {best:?}");
        assert_eq!(best_of(trials([1.0; 5])), None, "all break the constraint");
    }

    /// Recommendations with failed trials beside the best one, and without them: equal in every bit.
    #[test]
    fn failed_trials_do_not_move_recommendations() {
        let recommend = |failed: &[f64]| {
            let measured =
                (0..11).map(|i| f64::from(i) / 10.0).map(|x| (x, Outcome::from((x - 0.3).powi(2))));
            let failed = failed.iter().map(|x| (*x, Outcome::failed("out of memory")));
            let each = measured.chain(failed).enumerate();
            let trials = each.map(|(id, (x, outcome))| trial(id, x, 64.0, outcome)).collect();
            optimizer().recommend(&History::from_trials(trials, Seed(1))).unwrap().unwrap()
        };
        let best = recommend(&[0.29, 0.31, 0.305]);
        assert_eq!((best.config.float("x"), &best), (Ok(0.3), &recommend(&[])));
    }

    /// Recommendations while the recommended configuration and another one are verified at the target, and with those two lost to the machine:
    /// equal in every bit, under every policy for running trials.
    #[test]
    fn running_trials_do_not_move_recommendations() {
        for pending in [PendingPolicy::KrigingBeliever, PendingPolicy::LiarWorst, PendingPolicy::LiarBest] {
            let recommend = |outcome: Option<Outcome>| {
                let settings = MultiFidelitySettings { pending, ..MultiFidelitySettings::default() };
                let loss = |x: f64, s: f64| (x - 0.3).powi(2) + 0.2 * x / s;
                let mut trials: Vec<_> = (0..11)
                    .map(|i| f64::from(i) / 10.0)
                    .enumerate()
                    .map(|(id, x)| trial(id, x, 8.0, loss(x, 8.0)))
                    .collect();
                trials.extend(
                    [0.3, 0.7]
                        .iter()
                        .zip(11..)
                        .map(|(x, id)| Trial { outcome: outcome.clone(), ..trial(id, *x, 64.0, 0.0) }),
                );
                let history = History::from_trials(trials, Seed(1));
                optimizer().with_settings(settings).unwrap().recommend(&history).unwrap().unwrap()
            };
            let best = recommend(None);
            assert_eq!(best, recommend(Some(Outcome::unrelated("machine down"))), "{pending:?}");
            assert!(!best.is_verified && best.interval.1 - best.interval.0 > 1e-3, "{best:?}");
        }
    }

    /// Evaluations of the best configuration at the target and below it, in either order: the largest fidelity counts.
    #[test]
    fn the_largest_fidelity_of_a_configuration_is_named() {
        for order in [[64.0, 4.0], [4.0, 64.0]] {
            let mut trials = vec![trial(0, 0.1, 64.0, 3.0), trial(1, 0.4, 64.0, 2.0)];
            trials.extend(order.iter().zip(2..).map(|(s, id)| trial(id, 0.75, *s, 0.2)));
            let best = best_of(trials).unwrap();
            let found = (best.config.float("x"), best.evaluated, best.is_verified);
            assert_eq!(found, (Ok(0.75), 64.0, true), "{order:?}");
        }
    }

    /// The interval of a configuration that was evaluated below the target alone: 1.96 standard deviations of the posterior at the
    /// target on both sides of its mean.
    #[test]
    fn the_interval_has_the_central_95_percent_of_the_loss_at_the_target() {
        let optimizer = optimizer();
        let trials = (0..4).map(|i| trial(i, i as f64 / 4.0, 2.0, 3.0 - i as f64)).collect();
        let history = History::from_trials(trials, Seed(1));
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
