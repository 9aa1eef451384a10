//! Weights of a utility: the probability that constraints hold, and the cost.

use thrifty_acquisition::{Acquisition, Analytic, LogFeasibility, LogInverseCost, Weighted, ZeroLog};
use thrifty_domain::Points;
use thrifty_search::{measurement, same_shape};
use thrifty_space::{Config, Space};
use thrifty_study::{OptimizerError, Trial};
use thrifty_surrogate::{Observations, Posterior, Prediction};

use crate::constraint_tails::tails_drawn_in;
use crate::targets::carried;
use crate::{CostAwareness, OutputFitter, OutputModel, StateSettings, WithoutLoss};

/// Surrogates of the constraints and of the cost, whose posteriors weight a utility.
#[derive(Default)]
pub struct Weights {
    constraints: Vec<OutputModel>,
    cost: Option<(OutputModel, LogInverseCost)>,
}

/// The trials and settings behind the weights of a suggestion.
struct Weighing<'a> {
    settings: &'a StateSettings,
    fitter: &'a OutputFitter<'a>,
    costs: CostData<'a>,
}

/// Costs that determine the cooling exponent.
#[derive(Clone, Copy, Default)]
pub struct CostData<'a> {
    /// All trials, beginning with those of the initial design, if these are not the fitted ones.
    pub trials: Option<&'a [Trial<Config>]>,
    /// Total cost spent, including failed and pruned trials. `None` for the sum of the measured costs.
    pub spent: Option<f64>,
}

/// Memo name of the surrogate of failures.
const FAILURE: &str = "failure";

impl Weights {
    /// Fits the surrogates of constraints and cost. `x` holds the measured points, and `without_loss` the points without a measurement.
    ///
    /// # Errors
    /// [`OptimizerError`] names a trial whose measurement differs in shape from the first, and a model whose fit fails.
    pub fn fit(
        fitter: &OutputFitter<'_>,
        settings: &StateSettings,
        x: &Points,
        without_loss: &WithoutLoss,
    ) -> Result<Self, OptimizerError> {
        Self::fit_with(fitter, settings, x, without_loss, CostData::default())
    }

    /// [`Weights::fit`] with costs other than those of all trials.
    ///
    /// # Errors
    /// As [`Weights::fit`].
    pub fn fit_with(
        fitter: &OutputFitter<'_>,
        settings: &StateSettings,
        x: &Points,
        without_loss: &WithoutLoss,
        costs: CostData<'_>,
    ) -> Result<Self, OptimizerError> {
        Weighing { settings, fitter, costs }.weights(x, without_loss)
    }
}

impl Weighing<'_> {
    fn weights(&self, x: &Points, without_loss: &WithoutLoss) -> Result<Weights, OptimizerError> {
        let constraints =
            same_shape(self.fitter.trials.iter().copied())?.map_or(0, |(_, constraints)| constraints);
        let measured = || self.fitter.trials.iter().filter_map(|trial| measurement(trial));
        let mut weights = Weights::default();
        // Imputed points come first, as for the objective.
        let mut points = without_loss.imputed(self.settings.failures);
        let imputed = points.len();
        x.rows().for_each(|point| points.push(point));
        for j in 0..constraints {
            let values = || measured().map(|m| carried(m.constraints[j]));
            let worst = values().fold(f64::NEG_INFINITY, f64::max);
            let y: Vec<f64> = std::iter::repeat_n(worst, imputed).chain(values()).collect();
            let y = tails_drawn_in(&y);
            let data = Observations::new(points.as_ref(), &y);
            weights.constraints.push(self.fitter.fit_constraint(format!("constraint {j}"), data)?);
        }
        if let Some((points, classes)) = without_loss.classes(self.settings.failures, x) {
            let data = Observations::new(points.as_ref(), &classes);
            weights.constraints.push(self.fitter.fit_classes(FAILURE.into(), data)?);
        }
        weights.cost = self.cost(x)?;
        Ok(weights)
    }

    /// The surrogate of the cost and the weight by it; `None` if costs do not count or no trial has one.
    ///
    /// Measurements without a positive cost are left out, since the logarithm is modelled. Studies reject them, but older journals may have one.
    fn cost(&self, x: &Points) -> Result<Option<(OutputModel, LogInverseCost)>, OptimizerError> {
        if self.settings.cost == CostAwareness::Ignore {
            return Ok(None);
        }
        let measured = self.fitter.trials.iter().filter_map(|trial| measurement(trial));
        let (mut points, mut costs) = (Points::new(x.dim()), Vec::with_capacity(x.len()));
        for (point, measurement) in x.rows().zip(measured) {
            if let Some(cost) = measurement.cost.filter(|cost| *cost > 0.0 && cost.is_finite()) {
                points.push(point);
                costs.push(cost);
            }
        }
        if costs.is_empty() {
            return Ok(None);
        }
        let logarithms: Vec<f64> = costs.iter().map(|cost| cost.ln()).collect();
        let data = Observations::new(points.as_ref(), &logarithms);
        let counted = match self.costs.trials {
            Some(trials) => Counted::of(trials.iter()),
            None => Counted::of(self.fitter.trials.iter().copied()),
        };
        let spent = self.costs.spent.unwrap_or_else(|| counted.costs.iter().sum());
        Ok(Some((
            self.fitter.fit_weight("cost".into(), data)?,
            exponent(self.settings, self.fitter.space, &counted, spent)?,
        )))
    }
}

/// Measured costs.
struct Counted {
    /// Costs in the order of the trials.
    costs: Vec<f64>,
    /// Number of costs before the first trial that a model suggested. A design is shorter than planned if failed trials count in it, or if
    /// the study is planned longer later.
    before_models: usize,
}

impl Counted {
    fn of<'t>(trials: impl Iterator<Item = &'t Trial<Config>>) -> Self {
        let (mut costs, mut before_models) = (Vec::new(), None);
        for trial in trials {
            if before_models.is_none() && !trial.memo.is_empty() {
                before_models = Some(costs.len());
            }
            let cost = measurement(trial).and_then(|measured| measured.cost);
            costs.extend(cost.filter(|cost| *cost > 0.0 && cost.is_finite()));
        }
        Self { before_models: before_models.unwrap_or(costs.len()), costs }
    }
}

/// The weight by cost, given the measured costs and the total that was spent.
fn exponent(
    settings: &StateSettings,
    space: &Space,
    counted: &Counted,
    spent: f64,
) -> Result<LogInverseCost, OptimizerError> {
    let cost = match settings.cost {
        CostAwareness::Ignore => LogInverseCost::new(0.0),
        CostAwareness::PerUnit { exponent } => LogInverseCost::new(exponent),
        CostAwareness::Cooled { budget } => {
            let design = settings.initial.len(space, settings.budget).min(counted.before_models);
            let initial: f64 = counted.costs.iter().take(design).sum();
            // If the design has spent the budget, nothing is left to cool.
            if initial < budget {
                LogInverseCost::cooled(budget, initial, spent)
            } else {
                LogInverseCost::new(0.0)
            }
        }
    };
    cost.map_err(|error| OptimizerError::failed("weighing by cost", error))
}

impl Weights {
    /// Posteriors of the constraints.
    pub fn constraints(&self) -> impl Iterator<Item = &dyn Posterior> {
        self.constraints.iter().map(OutputModel::posterior)
    }

    /// The surrogates of the constraints.
    #[must_use]
    pub fn constraint_models(&self) -> &[OutputModel] {
        &self.constraints
    }

    /// Logarithms of all weights.
    #[must_use]
    pub fn logarithms(&self) -> Vec<Box<dyn Acquisition + '_>> {
        feasibilities(self.constraints()).into_iter().chain(self.log_inverse_cost()).collect()
    }

    /// Mean of the log-normal cost at a point; `None` where costs do not count.
    #[must_use]
    pub fn expected_cost(&self, x: &[f64]) -> Option<f64> {
        let (model, _) = self.cost.as_ref()?;
        let Prediction { mean, variance } = model.posterior().predict(x);
        Some((mean + 0.5 * variance).exp())
    }

    /// Logarithm of the weight by cost; `None` where costs do not count.
    #[must_use]
    pub fn log_inverse_cost(&self) -> Option<Box<dyn Acquisition + '_>> {
        let (model, cost) = self.cost.as_ref()?;
        Some(Box::new(Analytic::new(model.posterior(), *cost)))
    }

    /// All surrogates.
    pub fn models(&self) -> impl Iterator<Item = &OutputModel> {
        self.constraints.iter().chain(self.cost.iter().map(|(model, _)| model))
    }
}

/// Logarithms of the probabilities that constraints are not positive. Constraints are treated as independent.
pub fn feasibilities<'a>(
    constraints: impl Iterator<Item = &'a dyn Posterior>,
) -> Vec<Box<dyn Acquisition + 'a>> {
    constraints
        .map(|posterior| -> Box<dyn Acquisition> { Box::new(Analytic::new(posterior, FEASIBLE)) })
        .collect()
}

/// The probability that all constraints hold at a point.
pub fn probability_feasible<'a>(constraints: impl Iterator<Item = &'a dyn Posterior>, x: &[f64]) -> f64 {
    log_probability_feasible(constraints, x).exp()
}

/// Logarithm of the probability that all constraints hold at a point, without underflow.
pub(crate) fn log_probability_feasible<'a>(
    constraints: impl Iterator<Item = &'a dyn Posterior>,
    x: &[f64],
) -> f64 {
    constraints.map(|posterior| Analytic::new(posterior, FEASIBLE).value(x)).sum()
}

const FEASIBLE: LogFeasibility = LogFeasibility { threshold: 0.0 };

/// The logarithm of a utility plus the logarithms of its weights; the weights alone without a utility.
#[must_use]
pub fn weighted_logarithm<'a>(
    logarithm: Option<Box<dyn Acquisition + 'a>>,
    log_weights: Vec<Box<dyn Acquisition + 'a>>,
) -> Weighted<'a> {
    let logarithm = logarithm.unwrap_or_else(|| Box::new(ZeroLog));
    log_weights.into_iter().fold(Weighted::log_utility(logarithm), Weighted::times)
}

#[cfg(test)]
mod tests {
    use thrifty_search::InitialDesign;
    use thrifty_space::Space;
    use thrifty_study::{Measurement, MemoKey, Outcome, TrialId};

    use super::*;

    /// Costs before the first memo are those of the design; a failed trial has none here.
    #[test]
    fn models_begin_with_the_first_memo() {
        let trial = |id: u64, cost: Option<f64>, is_modelled: bool| {
            let measured = cost.map(|cost| Measurement { cost: Some(cost), ..Measurement::from(0.0) });
            let outcome = measured.map_or_else(|| Outcome::failed("no"), Outcome::from);
            let mut trial = Trial::new(TrialId(id), Config::new(), Some(outcome));
            if is_modelled {
                trial.memo.set(&MemoKey::new("model"), &vec![1.0]);
            }
            trial
        };
        let design = [trial(0, Some(1.0), false), trial(1, None, false), trial(2, Some(2.0), false)];
        let all = [&design[..], &[trial(3, Some(3.0), true), trial(4, Some(4.0), false)]].concat();
        let (counted, alone) = (Counted::of(all.iter()), Counted::of(design.iter()));
        assert_eq!((counted.costs, counted.before_models), (vec![1.0, 2.0, 3.0, 4.0], 2));
        assert_eq!((alone.costs, alone.before_models), (vec![1.0, 2.0], 2));
    }

    #[test]
    fn the_design_is_what_cooling_begins_with() {
        let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
        let settings = StateSettings {
            cost: CostAwareness::Cooled { budget: 10.0 },
            initial: InitialDesign::Sobol(2),
            ..StateSettings::default()
        };
        let of = |costs: &[f64], before_models, spent| {
            let counted = Counted { costs: costs.to_vec(), before_models };
            exponent(&settings, &space, &counted, spent).unwrap().exponent()
        };
        let after = |costs: &[f64], spent| of(costs, costs.len(), spent);
        let exponent = |costs: &[f64]| after(costs, costs.iter().sum());
        // (10 - 6)/(10 - 3): the first two cost 3.
        assert!((exponent(&[1.0, 2.0, 3.0]) - 4.0 / 7.0).abs() < 1e-15);
        assert_eq!(exponent(&[1.0, 2.0]), 1.0);
        assert_eq!(exponent(&[1.0, 2.0, 8.0]), 0.0);
        // A failure that cost 2, and one that cost the budget.
        assert!((after(&[1.0, 2.0, 3.0], 8.0) - 2.0 / 7.0).abs() < 1e-15);
        assert_eq!(after(&[1.0, 2.0, 3.0], 16.0), 0.0);
        // A failed trial is the other one of the design: (10 - 6)/(10 - 1).
        assert!((of(&[1.0, 2.0, 3.0], 1, 6.0) - 4.0 / 9.0).abs() < 1e-15);
        // A design that cost the budget, and more.
        assert_eq!(exponent(&[1.0, 9.0, 1.0]), 0.0);
        assert_eq!(exponent(&[1.0, 900.0]), 0.0);
    }
}
