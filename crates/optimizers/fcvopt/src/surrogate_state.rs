//! Fitted surrogates of loss, cost and constraints on folds.

use thrifty_censored::Response;
use thrifty_cv::FoldQuery;
use thrifty_domain::{Points, PointsRef};
use thrifty_gp::GpSettings;
use thrifty_hgp::{Component, Hgp, HgpPosterior};
use thrifty_space::Space;
use thrifty_study::{History, MemoKey, OptimizerError, TrialId};
use thrifty_surrogate::Posterior;

use crate::constraints::Constraints;
use crate::costs::Costs;
use crate::evidence::Evidence;
use crate::{FoldCosts, FractionalSettings, Incumbent, LossTarget};

/// Hyperparameters of the process of the loss.
pub(crate) static WARM_START: MemoKey<Vec<f64>> = MemoKey::new("model");

/// State of the surrogates before a suggestion: the hierarchical process of all measured folds, with fantasies of running
/// folds at their posterior means.
pub struct FoldSurrogateState {
    posterior: HgpPosterior,
    target: Component,
    costs: Costs,
    constraints: Constraints,
    evidence: Evidence,
    baseline: Points,
}

/// An evaluated configuration and the posterior of its loss, according to the target.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluated<'a> {
    /// The configuration in the unit cube.
    pub x: &'a [f64],
    /// Posterior mean.
    pub mean: f64,
    /// Posterior deviation.
    pub std_dev: f64,
    /// Index of the trial that had it first.
    pub trial: usize,
}

impl FoldSurrogateState {
    /// Fits the process to the folds measured; none without any. Failed folds are left out.
    ///
    /// # Errors
    /// [`OptimizerError`]: a query that is not of the space or of the folds, a cost that is not positive, or a fit that
    /// fails.
    pub fn fit(
        space: &Space,
        settings: &FractionalSettings,
        model: &Hgp,
        history: &History<FoldQuery>,
        id: TrialId,
    ) -> Result<Option<Self>, OptimizerError> {
        let seed = history.seed();
        let evidence = Evidence::gather(space, settings, history)?;
        if evidence.y.is_empty() {
            return Ok(None);
        }
        let fitting = |error| OptimizerError::failed(format!("fitting the model for trial {}", id.0), error);
        let warm_start = history.trials().iter().rev().find_map(|trial| trial.memo.get(&WARM_START));
        let is_warm = warm_start.is_some();
        let mut model = match warm_start {
            Some(warm_start) => model.clone().warm_started(warm_start),
            None => model.clone(),
        };
        if is_warm && evidence.y.len() > settings.thorough && !id.0.is_multiple_of(10) {
            let alone = GpSettings { restarts: 0, ..model.settings().clone() };
            model = model.with_settings(alone);
        }
        let Evidence { x, folds, y, noise_variances, .. } = &evidence;
        let rng = &mut seed.stream("fit", id.0);
        let limits = settings.limits;
        let fitted = if limits.is_none() {
            model.fit_with_noise(x.as_ref(), folds, y, noise_variances, rng)
        } else {
            let responses: Vec<Response> = y.iter().map(|y| limits.response(*y)).collect();
            model.fit_censored(x.as_ref(), folds, &responses, noise_variances, rng)
        };
        let mut posterior = fitted.map_err(fitting)?;
        for (point, fold) in evidence.pending.rows().zip(&evidence.pending_folds) {
            let lie = posterior.fold(*fold).predict(point).mean;
            // Conditioning on a duplicate point fails numerically and would not change the posterior; skip it.
            if let Ok(next) = posterior.with_observations(PointsRef::single(point), &[*fold], &[lie]) {
                posterior = next;
            }
        }
        let costs = match settings.costs {
            FoldCosts::Ignored => Costs::equal(),
            FoldCosts::Measured => Costs::learn(space, &evidence, seed, id)?,
        };
        let target = target(&posterior, settings).map_err(fitting)?;
        let constraints = Constraints::learn(space, settings, &evidence, history, seed, id)?;
        let baseline = baseline(&constraints, &evidence.evaluated);
        Ok(Some(Self { posterior, target, costs, constraints, evidence, baseline }))
    }

    /// The process.
    #[must_use]
    pub fn posterior(&self) -> &HgpPosterior {
        &self.posterior
    }

    /// Posterior of the loss that is minimised.
    #[must_use]
    pub fn target(&self) -> &Component {
        &self.target
    }

    /// Number of folds measured.
    #[must_use]
    pub fn observations(&self) -> usize {
        self.evidence.y.len()
    }

    /// Surrogate of the costs.
    pub(crate) fn costs(&self) -> &Costs {
        &self.costs
    }

    /// Constraints that measurements have.
    pub(crate) fn constraints(&self) -> &Constraints {
        &self.constraints
    }

    /// Probability that the mean over the folds breaks no constraint at a configuration; 1 where there are none.
    #[must_use]
    pub fn probability_feasible(&self, x: &[f64]) -> f64 {
        self.constraints.log_probability(x).exp()
    }

    /// True where a configuration rather keeps all constraints than breaks one.
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

    /// Evaluated configurations that the next is to improve on: those that probably keep all constraints, or all of them while none does.
    #[must_use]
    pub fn baseline(&self) -> PointsRef<'_> {
        self.baseline.as_ref()
    }

    /// True if some evaluated configuration probably keeps all constraints.
    pub(crate) fn has_feasible(&self) -> bool {
        self.baseline().rows().next().is_some_and(|x| self.is_probably_feasible(x))
    }

    /// Evaluated configurations from best to worst, by the mean plus what the incumbent rule adds for risk; those that probably break a
    /// constraint come last.
    #[must_use]
    pub fn ranked(&self, incumbent: Incumbent) -> Vec<Evaluated<'_>> {
        let all = self.evaluated();
        let (mut mean, mut variance) = (vec![0.0; all.len()], vec![0.0; all.len()]);
        self.target.predict_into(all, &mut mean, &mut variance);
        let kappa = match incumbent {
            Incumbent::RiskAdjusted { kappa } => kappa,
            _ => 0.0,
        };
        let one = |i: usize| Evaluated {
            x: all.row(i),
            mean: mean[i],
            std_dev: variance[i].sqrt(),
            trial: self.evidence.first[i],
        };
        let mut ranked: Vec<Evaluated<'_>> = (0..all.len()).map(one).collect();
        let value = |e: &Evaluated<'_>| e.mean + kappa * e.std_dev;
        let keeps = |e: &Evaluated<'_>| self.is_probably_feasible(e.x);
        ranked.sort_by(|a, b| keeps(b).cmp(&keeps(a)).then(value(a).total_cmp(&value(b))));
        ranked
    }

    /// Folds of a configuration that were not asked yet.
    #[must_use]
    pub fn new_folds(&self, x: &[f64], all: usize) -> Vec<usize> {
        let asked = &self.evidence.asked;
        (0..all).filter(|fold| !asked.iter().any(|(point, asked)| asked == fold && point == x)).collect()
    }
}

/// The configurations that probably keep all constraints; all of them if none does.
fn baseline(constraints: &Constraints, evaluated: &Points) -> Points {
    let mut feasible = Points::new(evaluated.dim());
    evaluated.rows().filter(|x| constraints.probably_hold(x)).for_each(|x| feasible.push(x));
    if feasible.is_empty() { evaluated.clone() } else { feasible }
}

/// Target of a hierarchical process: the loss over all folds, or the true one.
pub(crate) fn target(
    posterior: &HgpPosterior,
    settings: &FractionalSettings,
) -> Result<Component, thrifty_hgp::HgpError> {
    match settings.target {
        LossTarget::TrueLoss => Ok(posterior.common()),
        LossTarget::MeanOfFolds => posterior.mean_of(settings.all_folds()),
    }
}
