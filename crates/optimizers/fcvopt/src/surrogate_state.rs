//! Fitted surrogates of loss, cost and constraints on folds.

use thrifty_cv::FoldQuery;
use thrifty_domain::{Points, PointsRef};
use thrifty_hgp::{Component, Hgp, HgpPosterior};
use thrifty_model_based::{LastFit, expected_noise};
use thrifty_space::Space;
use thrifty_study::{History, Memo, MemoKey, OptimizerError, TrialId};
use thrifty_surrogate::{Posterior, Prediction};

use crate::constraints::Constraints;
use crate::costs::Costs;
use crate::evidence::Evidence;
use crate::learning::{FoldData, FoldFit, Learning};
use crate::{FoldCosts, FractionalSettings, Incumbent, LossTarget};

/// Memo name of the process of the loss.
const NAME: &str = "model";

/// Hyperparameters of the process of the loss.
pub(crate) static WARM_START: MemoKey<Vec<f64>> = MemoKey::new(NAME);

/// State of the surrogates before a suggestion: the hierarchical process of all measured folds. Running folds have fantasies at their
/// posterior means.
pub struct FoldSurrogateState {
    posterior: HgpPosterior,
    learnt_from: usize,
    target: Component,
    /// Posterior of the minimised loss, without fantasies of running folds.
    measured_target: Component,
    costs: Costs,
    constraints: Constraints,
    evidence: Evidence,
    baseline: Points,
}

/// An evaluated configuration and the posterior of its target loss.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluated<'a> {
    /// The configuration in the unit cube.
    pub x: &'a [f64],
    /// Posterior mean.
    pub mean: f64,
    /// Posterior standard deviation.
    pub std_dev: f64,
    /// Index of its first trial.
    pub trial: usize,
}

impl FoldSurrogateState {
    /// Fits the process to the measured folds; `None` without any. Failed folds are left out of it; a classifier learns where they occur.
    ///
    /// # Errors
    /// [`OptimizerError`]: a query that is not of the space or of the folds, a cost that is not positive, or a fit that fails.
    pub fn fit(
        space: &Space,
        settings: &FractionalSettings,
        model: &Hgp,
        history: &History<FoldQuery>,
        id: TrialId,
    ) -> Result<Option<Self>, OptimizerError> {
        let evidence = Evidence::gather(space, settings, history)?;
        if evidence.y.is_empty() {
            return Ok(None);
        }
        let fitting = |error| OptimizerError::failed(format!("fitting the model for trial {}", id.0), error);
        let learning = Learning::of(settings, evidence.y.len(), id);
        let data = FoldData {
            x: evidence.x.as_ref(),
            folds: &evidence.folds,
            y: &evidence.y,
            noise_variances: &evidence.noise_variances,
            limits: settings.limits,
        };
        let last = LastFit::of(NAME, history.trials().iter());
        let fit =
            learning.fit(model, data, last, &mut history.seed().stream("fit", id.0)).map_err(fitting)?;
        let FoldFit { posterior, learnt_from } = fit;
        let measured_target = target(&posterior, settings).map_err(fitting)?;
        let posterior = with_fantasies(posterior, &evidence);
        let costs = match settings.costs {
            FoldCosts::Ignored => Costs::Ignored,
            FoldCosts::Measured => Costs::learn(space, &evidence, history, learning, id)?,
        };
        let noise = expected_noise(&evidence.noise_variances);
        let target = target(&posterior, settings).and_then(|target| target.with_expected_noise(noise));
        let target = target.map_err(fitting)?;
        let constraints = Constraints::learn(space, settings, &evidence, history, learning, id)?;
        let baseline = baseline(&constraints, &evidence.evaluated);
        Ok(Some(Self {
            posterior,
            learnt_from,
            target,
            measured_target,
            costs,
            constraints,
            evidence,
            baseline,
        }))
    }

    /// The process.
    #[must_use]
    pub fn posterior(&self) -> &HgpPosterior {
        &self.posterior
    }

    /// Posterior of the minimised loss.
    #[must_use]
    pub fn target(&self) -> &Component {
        &self.target
    }

    /// Number of measured folds.
    #[must_use]
    pub fn observations(&self) -> usize {
        self.evidence.y.len()
    }

    /// Number of measured folds that the hyperparameters of the loss were learnt from.
    #[must_use]
    pub fn learnt_from(&self) -> usize {
        self.learnt_from
    }

    /// The memo of a suggestion: hyperparameters of all processes, with the numbers of observations that they were learnt from.
    pub(crate) fn memo(&self) -> Memo {
        let mut memo = Memo::default();
        let hyperparameters = self.posterior.hyperparameters();
        LastFit { hyperparameters, learnt_from: Some(self.learnt_from) }.remember(NAME, &mut memo);
        self.constraints.remember(&mut memo);
        self.costs.remember(&mut memo);
        memo
    }

    /// Surrogate of the costs.
    pub(crate) fn costs(&self) -> &Costs {
        &self.costs
    }

    /// Surrogates of the constraints.
    pub(crate) fn constraints(&self) -> &Constraints {
        &self.constraints
    }

    /// Probability that the mean over the folds breaks no constraint at a configuration and that a fold does not fail there; 1 without
    /// constraints and failures.
    #[must_use]
    pub fn probability_feasible(&self, x: &[f64]) -> f64 {
        self.constraints.log_probability(x).exp()
    }

    /// True if a configuration keeps all constraints, and a fold does not fail there, with a probability of at least one half.
    pub(crate) fn is_probably_feasible(&self, x: &[f64]) -> bool {
        self.constraints.probably_hold(x)
    }

    pub(crate) fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// Configurations with a measured fold, each once, in the order of asking.
    #[must_use]
    pub fn evaluated(&self) -> PointsRef<'_> {
        self.evidence.evaluated.as_ref()
    }

    /// Evaluated configurations that the next one should improve on: the probably feasible ones, or all if there is none.
    #[must_use]
    pub fn baseline(&self) -> PointsRef<'_> {
        self.baseline.as_ref()
    }

    /// True if some evaluated configuration is probably feasible.
    pub(crate) fn has_feasible(&self) -> bool {
        self.baseline().rows().next().is_some_and(|x| self.is_probably_feasible(x))
    }

    /// Posterior of the loss at a point, without fantasies of running folds.
    pub(crate) fn measured_at(&self, x: &[f64]) -> Prediction {
        self.measured_target.predict(x)
    }

    /// Evaluated configurations, best first, by the mean plus the risk term of the incumbent rule. Configurations that probably break a
    /// constraint, or where folds fail, come last. With a risk term, running folds count as unknown.
    #[must_use]
    pub fn ranked(&self, incumbent: Incumbent) -> Vec<Evaluated<'_>> {
        let all = self.evaluated();
        let (mut mean, mut variance) = (vec![0.0; all.len()], vec![0.0; all.len()]);
        // Fantasies at the means do not change the means, but they change the standard deviations.
        let (target, kappa) = match incumbent {
            Incumbent::RiskAdjusted { kappa } => (&self.measured_target, kappa),
            Incumbent::BestMean => (&self.target, 0.0),
        };
        target.predict_into(all, &mut mean, &mut variance);
        let one = |i: usize| Evaluated {
            x: all.row(i),
            mean: mean[i],
            std_dev: variance[i].sqrt(),
            trial: self.evidence.first[i],
        };
        let key = |i: usize| {
            let Evaluated { x, mean, std_dev, .. } = one(i);
            (!self.is_probably_feasible(x), mean + kappa * std_dev)
        };
        let mut keyed: Vec<_> = (0..all.len()).map(|i| (key(i), i)).collect();
        keyed.sort_by(|(a, _), (b, _)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        keyed.into_iter().map(|(_, i)| one(i)).collect()
    }

    /// Folds of a configuration that were not asked.
    #[must_use]
    pub fn new_folds(&self, x: &[f64], all: usize) -> Vec<usize> {
        let asked = &self.evidence.asked;
        (0..all).filter(|fold| !asked.iter().any(|(point, asked)| asked == fold && point == x)).collect()
    }
}

/// The probably feasible configurations; all if there is none.
fn baseline(constraints: &Constraints, evaluated: &Points) -> Points {
    let mut feasible = Points::new(evaluated.dim());
    evaluated.rows().filter(|x| constraints.probably_hold(x)).for_each(|x| feasible.push(x));
    if feasible.is_empty() { evaluated.clone() } else { feasible }
}

/// Adds fantasies of running folds at their posterior means.
fn with_fantasies(mut posterior: HgpPosterior, evidence: &Evidence) -> HgpPosterior {
    for (point, fold) in evidence.pending.rows().zip(&evidence.pending_folds) {
        let lie = posterior.fold(*fold).predict(point).mean;
        // Conditioning on a duplicate point fails numerically and would not change the posterior; skip it.
        if let Ok(next) = posterior.with_observations(PointsRef::single(point), &[*fold], &[lie]) {
            posterior = next;
        }
    }
    posterior
}

/// Target of a hierarchical process: the mean loss over all folds, or the true loss.
pub(crate) fn target(
    posterior: &HgpPosterior,
    settings: &FractionalSettings,
) -> Result<Component, thrifty_hgp::HgpError> {
    match settings.target {
        LossTarget::TrueLoss => Ok(posterior.common()),
        LossTarget::MeanOfFolds => posterior.mean_of(settings.all_folds()),
    }
}

#[cfg(test)]
mod tests {
    use thrifty_gp::GpSettings;
    use thrifty_sampling::Seed;
    use thrifty_space::Config;
    use thrifty_study::{Measurement, Trial};

    use super::*;

    /// Fits of constraints and costs go on from the last hyperparameters alone where that of the loss does.
    #[test]
    fn constraints_and_costs_are_fitted_as_briefly_as_the_loss() {
        let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
        let settings =
            FractionalSettings { thorough: 5, costs: FoldCosts::Measured, ..FractionalSettings::new(2) };
        let trial = |i: usize| {
            let x = (0.618 * i as f64).fract();
            let mut config = Config::new();
            config.insert("x0", x);
            let constraints = vec![(7.0 * x).sin() + 0.1 * (i % 2) as f64];
            let cost = Some((3.0 * x).exp() + 0.3 * (i % 3) as f64);
            Trial::new(
                TrialId(i as u64),
                FoldQuery { config, repeat: 0, fold: i % 2 },
                Some(Measurement { constraints, cost, ..Measurement::from((4.0 * x).cos()) }.into()),
            )
        };
        let mut trials: Vec<Trial<FoldQuery>> = (0..8).map(trial).collect();
        let remembered = |trials: &[Trial<FoldQuery>], id: u64| {
            let history = History::from_trials(trials.to_vec(), Seed(1));
            let model = Hgp::on_domain(space.domain());
            let state =
                FoldSurrogateState::fit(&space, &settings, &model, &history, TrialId(id)).unwrap().unwrap();
            state.memo()
        };
        let first = remembered(&trials, 8);
        let names: Vec<&str> = first.entries().map(|(name, _)| name).collect();
        let learnt_from = ["constraint 0 learnt from", "costs learnt from", "model learnt from"];
        assert_eq!(names, ["constraint 0", learnt_from[0], "costs", learnt_from[1], "model", learnt_from[2]]);
        for name in ["constraint 0", "costs"] {
            let key = MemoKey::<Vec<f64>>::named(name);
            let start: Vec<f64> = first.get(&key).unwrap().iter().map(|value| 100.0 * value).collect();
            trials[7].memo = first.clone();
            trials[7].memo.set(&key, &start);
            let history = History::from_trials(trials.clone(), Seed(1));
            let Evidence { x, folds, costs, constraints, .. } =
                Evidence::gather(&space, &settings, &history).unwrap();
            let y = match name {
                "costs" => costs.iter().map(|cost| cost.unwrap().ln()).collect(),
                _ => constraints[0].clone(),
            };
            let model = Hgp::on_domain(space.domain()).warm_started(start);
            let alone = GpSettings { restarts: 0, ..model.settings().clone() };
            let model = model.with_settings(alone);
            let alone = model.fit(x.as_ref(), &folds, &y, &mut Seed(7).stream("unused", 0)).unwrap();
            let found = |id: u64| remembered(&trials, id).get(&key).unwrap();
            assert_eq!(found(11), alone.process().hyperparameters(), "{name}: from the last alone");
            assert_ne!(found(20), found(11), "{name}: from all starts");
        }
    }
}
