use thrifty_acquisition::{Acquisition, Analytic, LogFeasibility, LogInverseCost, Weighted, ZeroLog};
use thrifty_domain::Points;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{OptimizerError, Trial, TrialId};
use thrifty_surrogate::{FittedSurrogate, Observations, Posterior, Surrogate, fit_checked};

use crate::multi::{measurement, same_shape};
use crate::targets::carried;
use crate::{BoSettings, FailurePolicy};

/// Weight of the cost of an evaluation in the choice of the next one.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostAwareness {
    /// Nothing.
    #[default]
    Ignore,
    /// A utility counts per unit of expected cost, raised to an exponent: 1 counts the cost fully, 0 not at all. Every
    /// measurement has a positive cost, whose logarithm is learnt. Source: Snoek et al. (2012), section 3.2.
    PerUnit {
        /// η.
        exponent: f64,
    },
    /// The same with what is left of a budget for exponent, so that the last evaluations may be dear: see
    /// [`LogInverseCost::cooled`]. Source: Lee et al. (2020).
    Cooled {
        /// What may be spent in all, more than the initial design costs.
        budget: f64,
    },
}

/// Beliefs by which a utility is weighted: those of constraints, and that of the cost.
#[derive(Default)]
pub(crate) struct Weights {
    constraints: Vec<Box<dyn FittedSurrogate>>,
    cost: Option<(Box<dyn FittedSurrogate>, LogInverseCost)>,
}

/// What the models of a suggestion are fitted with.
pub(crate) struct Fitting<'a> {
    pub(crate) space: &'a Space,
    pub(crate) settings: &'a BoSettings,
    pub(crate) model: &'a dyn Surrogate,
    pub(crate) trials: &'a [&'a Trial<Config>],
    pub(crate) seed: Seed,
    pub(crate) id: TrialId,
}

impl Fitting<'_> {
    fn fit(&self, name: &str, x: &Points, y: &[f64]) -> Result<Box<dyn FittedSurrogate>, OptimizerError> {
        let warm_start = self.trials.iter().rev().find_map(|trial| trial.memo.0.get(name));
        let mut rng = self.seed.child("fit", self.id.0).stream(name, 0);
        let domain = self.space.domain();
        let data = Observations::new(x.as_ref(), y);
        fit_checked(self.model, domain, data, warm_start.map(Vec::as_slice), &mut rng).map_err(|error| {
            OptimizerError::failed(format!("fitting the model of {name} for trial {}", self.id.0), error)
        })
    }

    /// The weights of these trials: `x` holds the measured points, and `failed` those without a measurement.
    ///
    /// # Errors
    /// [`OptimizerError`] names a trial whose measurement is unlike the first or lacks a positive cost, and a model whose fit
    /// fails.
    pub(crate) fn weights(&self, x: &Points, failed: &Points) -> Result<Weights, OptimizerError> {
        let constraints = same_shape(self.trials.iter().copied())?.map_or(0, |(_, constraints)| constraints);
        let measured = || self.trials.iter().filter_map(|trial| Some((trial.id, measurement(trial)?)));
        let mut weights = Weights::default();
        for j in 0..constraints {
            let (mut x, mut y) =
                (x.clone(), measured().map(|(_, m)| carried(m.constraints[j])).collect::<Vec<f64>>());
            if self.settings.failures != FailurePolicy::Ignore {
                let worst = y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                failed.rows().for_each(|point| x.push(point));
                y.extend(std::iter::repeat_n(worst, failed.len()));
            }
            weights.constraints.push(self.fit(&constraint(j), &x, &y)?);
        }
        if self.settings.cost != CostAwareness::Ignore {
            let mut costs = Vec::with_capacity(x.len());
            for (id, measurement) in measured() {
                match measurement.cost {
                    Some(cost) if cost > 0.0 && cost.is_finite() => costs.push(cost),
                    cost => {
                        let found = cost.map_or_else(|| "no cost".into(), |cost| format!("a cost of {cost}"));
                        let error =
                            format!("it has {found}, expected a positive one as the settings count it");
                        return Err(OptimizerError::failed(format!("reading trial {}", id.0), error));
                    }
                }
            }
            let logarithms: Vec<f64> = costs.iter().map(|cost| cost.ln()).collect();
            weights.cost = Some((self.fit(COST, x, &logarithms)?, self.exponent(&costs)?));
        }
        Ok(weights)
    }

    fn exponent(&self, costs: &[f64]) -> Result<LogInverseCost, OptimizerError> {
        let cost = match self.settings.cost {
            CostAwareness::Ignore => LogInverseCost::new(0.0),
            CostAwareness::PerUnit { exponent } => LogInverseCost::new(exponent),
            CostAwareness::Cooled { budget } => {
                let design = self.settings.initial.len(self.space, self.settings.budget).min(costs.len());
                let initial: f64 = costs[..design].iter().sum();
                LogInverseCost::cooled(budget, initial, costs.iter().sum())
            }
        };
        cost.map_err(|error| OptimizerError::failed("weighing by cost", error))
    }
}

/// Names under which hyperparameters stand in a trial's memo.
const COST: &str = "cost";

fn constraint(index: usize) -> String {
    format!("constraint {index}")
}

impl Weights {
    pub(crate) fn is_empty(&self) -> bool {
        self.constraints.is_empty() && self.cost.is_none()
    }

    /// The beliefs of the constraints.
    pub(crate) fn constraints(&self) -> impl Iterator<Item = &dyn Posterior> {
        self.constraints.iter().map(|fitted| fitted.posterior())
    }

    /// The logarithms of all weights.
    pub(crate) fn logarithms(&self) -> Vec<Box<dyn Acquisition + '_>> {
        feasibilities(self.constraints()).into_iter().chain(self.log_inverse_cost()).collect()
    }

    /// The mean of the log-normal cost at a point, where costs count.
    pub(crate) fn expected_cost(&self, x: &[f64]) -> Option<f64> {
        let (fitted, _) = self.cost.as_ref()?;
        let (mean, variance) = fitted.posterior().predict(x);
        Some((mean + 0.5 * variance).exp())
    }

    /// The logarithm of the weight by cost, where costs count.
    pub(crate) fn log_inverse_cost(&self) -> Option<Box<dyn Acquisition + '_>> {
        let (fitted, cost) = self.cost.as_ref()?;
        Some(Box::new(Analytic::new(fitted.posterior(), *cost)))
    }

    /// Hyperparameters of the models by name.
    pub(crate) fn hyperparameters(&self) -> impl Iterator<Item = (String, Vec<f64>)> {
        let constraints =
            self.constraints.iter().enumerate().map(|(j, fitted)| (constraint(j), fitted.hyperparameters()));
        constraints.chain(self.cost.iter().map(|(fitted, _)| (COST.to_owned(), fitted.hyperparameters())))
    }
}

/// Logarithms of the probabilities that constraints are not positive, taken for independent.
pub(crate) fn feasibilities<'a>(
    constraints: impl Iterator<Item = &'a dyn Posterior>,
) -> Vec<Box<dyn Acquisition + 'a>> {
    constraints
        .map(|posterior| -> Box<dyn Acquisition> { Box::new(Analytic::new(posterior, FEASIBLE)) })
        .collect()
}

/// The probability that all constraints hold at a point.
pub(crate) fn probability_feasible<'a>(
    constraints: impl Iterator<Item = &'a dyn Posterior>,
    x: &[f64],
) -> f64 {
    constraints.map(|posterior| Analytic::new(posterior, FEASIBLE).value(x)).sum::<f64>().exp()
}

const FEASIBLE: LogFeasibility = LogFeasibility { threshold: 0.0 };

/// The logarithm of a utility with logarithms of weights; weights alone where there is no utility.
pub(crate) fn weighted_logarithm<'a>(
    logarithm: Option<Box<dyn Acquisition + 'a>>,
    log_weights: Vec<Box<dyn Acquisition + 'a>>,
) -> Weighted<'a> {
    let logarithm = logarithm.unwrap_or_else(|| Box::new(ZeroLog));
    log_weights.into_iter().fold(Weighted::log_utility(logarithm), Weighted::times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GpSurrogate, InitialDesign};

    #[test]
    fn the_design_is_what_cooling_begins_with() {
        let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
        let settings = BoSettings {
            cost: CostAwareness::Cooled { budget: 10.0 },
            initial: InitialDesign::Sobol(2),
            ..BoSettings::default()
        };
        let model = GpSurrogate::default();
        let (space, settings, trials) = (&space, &settings, &[]);
        let fitting = Fitting { space, settings, model: &model, trials, seed: Seed(1), id: TrialId(0) };
        let exponent = |costs: &[f64]| fitting.exponent(costs).unwrap().exponent();
        // (10 - 6)/(10 - 3): the first two cost 3.
        assert!((exponent(&[1.0, 2.0, 3.0]) - 4.0 / 7.0).abs() < 1e-15);
        assert_eq!(exponent(&[1.0, 2.0]), 1.0);
        assert_eq!(exponent(&[1.0, 2.0, 8.0]), 0.0);
    }
}
