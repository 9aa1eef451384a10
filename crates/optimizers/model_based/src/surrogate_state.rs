//! State of the surrogates before a suggestion.

use std::sync::OnceLock;

use thrifty_acquisition::ImprovementTarget;
use thrifty_domain::{Points, PointsRef};
use thrifty_gp::YeoJohnson;
use thrifty_sampling::Seed;
use thrifty_search::Asked;
use thrifty_space::{KnownConstraint, Space};
use thrifty_study::{Memo, OptimizerError, TrialId};
use thrifty_surrogate::{FittedSurrogate, Member, Posterior};

use crate::loss_model::{Choice, LossModel};
use crate::targets::carried;
use crate::ties::Pieces;
use crate::training_data::TrainingData;
use crate::weights::{CostData, Weights, log_probability_feasible};
use crate::{OutputFitter, OutputModel, PendingPolicy, Running, StateSettings, TiePolicy};

/// State of the surrogates before a suggestion with one objective. They are fitted to the measured losses; failed and running trials enter
/// by the policies of the settings.
pub struct SurrogateState<'a> {
    pub(crate) space: &'a Space,
    pub(crate) settings: StateSettings,
    pub(crate) objective: OutputModel,
    /// Choice of the transform of the losses; `None` where the settings name it.
    choice: Option<Choice>,
    /// Measured points and losses.
    pub(crate) x: Points,
    pub(crate) y: Vec<f64>,
    /// Posterior means at the measured points, computed on first use.
    means: OnceLock<Vec<f64>>,
    /// Noise variance that the next measurement is expected to report, in squared units of the loss.
    reported_noise: f64,
    /// Transform of the losses.
    pub(crate) transform: Option<YeoJohnson>,
    /// True for measured points that break no constraint.
    pub(crate) feasible: Vec<bool>,
    /// Sums of the positive constraint values at measured points.
    pub(crate) violations: Vec<f64>,
    pub(crate) weights: Weights,
    /// Pieces of a function whose losses tie; `None` otherwise.
    pub(crate) pieces: Option<Pieces>,
    pub(crate) running: Running,
    pub(crate) known_constraint: Option<&'a KnownConstraint>,
    pub(crate) asked: Asked,
    pub(crate) seed: Seed,
    pub(crate) id: TrialId,
}

impl<'a> SurrogateState<'a> {
    /// Fits the surrogates to the trials of the fitter; `None` if no trial has a measurement.
    ///
    /// # Errors
    /// [`OptimizerError`]: a query that is not of the space, or a fit that fails.
    pub fn fit(fitter: &OutputFitter<'a>, settings: StateSettings) -> Result<Option<Self>, OptimizerError> {
        Self::fit_with(fitter, settings, CostData::default())
    }

    /// [`SurrogateState::fit`] with costs other than those of all trials.
    ///
    /// # Errors
    /// As [`SurrogateState::fit`].
    pub fn fit_with(
        fitter: &OutputFitter<'a>,
        settings: StateSettings,
        costs: CostData<'_>,
    ) -> Result<Option<Self>, OptimizerError> {
        let space = fitter.space;
        let Some(data) = TrainingData::gather(fitter)? else { return Ok(None) };
        let (train_x, train) = data.with_failures(settings.failures);
        let TrainingData { x, targets, feasible, violations, without_loss, pending } = data;
        let pending = if settings.ignores_running { Points::new(space.dim()) } else { pending };
        let weights = Weights::fit_with(fitter, &settings, &x, &without_loss, costs)?;
        let imputed = train.y.len() - targets.y.len();
        let pieces = match settings.ties {
            TiePolicy::Pieces => Pieces::learn(space.domain(), &x, &targets.y, &pending),
            TiePolicy::Ignore => None,
        };
        let LossModel { transform, model: OutputModel { name, fitted }, choice } =
            LossModel::fit(fitter, train_x.as_ref(), &train, imputed, (settings.losses, pieces.is_some()))?;
        let reported_noise = targets.expected_noise();
        let y = targets.transformed(transform).y;
        let draws = match settings.pending {
            PendingPolicy::Fantasies { draws } => Some(draws),
            _ => None,
        };
        // Only feasible losses count for the liars, unless there is none.
        let any_feasible = feasible.contains(&true);
        let count = |(_, feasible): &(&f64, &bool)| **feasible || !any_feasible;
        let counted: Vec<f64> = y.iter().zip(&feasible).filter(count).map(|(y, _)| *y).collect();
        let (fitted, running) = Running::fantasize(fitted, pending, draws, |mean| match settings.pending {
            PendingPolicy::KrigingBeliever | PendingPolicy::Fantasies { .. } => mean,
            PendingPolicy::LiarBest => counted.iter().copied().fold(f64::INFINITY, f64::min),
            PendingPolicy::LiarMean => counted.iter().sum::<f64>() / counted.len() as f64,
            PendingPolicy::LiarWorst => counted.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        });
        Ok(Some(Self {
            space,
            settings,
            objective: OutputModel { name, fitted },
            choice,
            x,
            y,
            means: OnceLock::new(),
            reported_noise,
            transform,
            feasible,
            violations,
            weights,
            pieces,
            running,
            known_constraint: None,
            asked: Asked::of(space, fitter.trials.iter().copied())?,
            seed: fitter.seed,
            id: fitter.id,
        }))
    }

    /// Adds a known constraint: points that it forbids are never chosen.
    #[must_use]
    pub fn with_known_constraint(mut self, known_constraint: &'a KnownConstraint) -> Self {
        self.known_constraint = Some(known_constraint);
        self
    }

    /// Replaces the set of asked points, for example to include those of earlier runs. None of them is chosen again, unless the space is
    /// exhausted and [repeated](Asked::or_again).
    #[must_use]
    pub fn with_asked(mut self, asked: impl Into<Asked>) -> Self {
        self.asked = asked.into();
        self
    }

    /// Posterior of the loss, transformed according to the settings.
    #[must_use]
    pub fn posterior(&self) -> &dyn Posterior {
        self.objective.posterior()
    }

    /// Members of a mixture of models of the loss; empty for a single model.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        self.objective.fitted.members()
    }

    /// Number of members of a mixture that could not be conditioned on the losses and are left out.
    #[must_use]
    pub fn lost_members(&self) -> usize {
        self.objective.fitted.lost_members()
    }

    /// Hyperparameters of all surrogates by name; a later fit starts from them.
    #[must_use]
    pub fn memo(&self) -> Memo {
        let mut memo = Memo::default();
        self.objective.remember(&mut memo);
        if let Some(choice) = &self.choice {
            choice.remember(&mut memo);
        }
        self.weights.models().for_each(|model| model.remember(&mut memo));
        memo
    }

    /// Hyperparameters of the surrogate of the loss.
    #[must_use]
    pub fn hyperparameters(&self) -> Vec<f64> {
        self.objective.fitted.hyperparameters()
    }

    /// True if the standard deviation of the measurement noise exceeds this share of the range of the losses.
    ///
    /// Always false for piecewise constant losses. Their model uses noise to follow the pieces, which is not measurement noise.
    #[must_use]
    pub fn is_noisy(&self, share: f64) -> bool {
        self.pieces.is_none() && self.noise_variance().sqrt() > share * self.range()
    }

    /// Noise variance of the next measurement, on the scale of the posterior.
    ///
    /// It is the sum of the learnt variance and the variance that the measurement is [expected to report](crate::expected_noise). The
    /// reported variance is scaled by the slope of the transform at the lowest posterior mean, since the search continues near there.
    #[must_use]
    pub fn noise_variance(&self) -> f64 {
        self.objective.fitted.noise_variance() + self.expected_noise()
    }

    /// Noise variance that the next measurement is expected to report, on the scale of the posterior.
    pub(crate) fn expected_noise(&self) -> f64 {
        let Some(transform) = self.transform.filter(|_| self.reported_noise > 0.0) else {
            return self.reported_noise;
        };
        let any = self.feasible.contains(&true);
        let counted = self.means().iter().zip(&self.feasible).filter(|(_, feasible)| **feasible || !any);
        let lowest = counted.map(|(mean, _)| *mean).fold(f64::INFINITY, f64::min);
        carried(self.reported_noise * transform.slope(carried(transform.invert(lowest))).powi(2))
    }

    /// The surrogate after fantasies at these points, with its own means as outcomes. Variances do not depend on the outcomes. `None` if
    /// there are no points, or if no point changes the posterior.
    #[must_use]
    pub fn with_fantasies(&self, points: PointsRef<'_>) -> Option<Box<dyn FittedSurrogate>> {
        self.objective.fantasized(points)
    }

    /// The probability that a point breaks no constraint; `None` if there are no constraints.
    #[must_use]
    pub fn probability_feasible(&self, x: &[f64]) -> Option<f64> {
        self.log_probability_feasible(x).map(f64::exp)
    }

    /// Logarithm of the probability that a point breaks no constraint, without underflow; `None` if there are no constraints.
    #[must_use]
    pub fn log_probability_feasible(&self, x: &[f64]) -> Option<f64> {
        let constraints = || self.weights.constraints();
        constraints().next().map(|_| log_probability_feasible(constraints(), x))
    }

    /// The probability that a point is on the piece of a point that was asked, with the same loss; `None` where losses do not tie.
    #[must_use]
    pub fn probability_tied(&self, x: &[f64]) -> Option<f64> {
        self.pieces.as_ref().map(|pieces| -pieces.log_probability_new(x).exp_m1())
    }

    /// True for each measured point that breaks no constraint.
    #[must_use]
    pub fn feasible(&self) -> &[bool] {
        &self.feasible
    }

    /// The space.
    #[must_use]
    pub fn space(&self) -> &Space {
        self.space
    }

    /// Measured losses, transformed according to the settings.
    #[must_use]
    pub fn losses(&self) -> &[f64] {
        &self.y
    }

    /// Largest minus smallest measured loss, on the transformed scale.
    #[must_use]
    pub fn range(&self) -> f64 {
        let largest = self.y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        largest - self.y.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The transform of the losses; `None` if the model uses them untransformed.
    #[must_use]
    pub fn transform(&self) -> Option<YeoJohnson> {
        self.transform
    }

    /// Converts a value on the scale of the surrogate to units of the loss.
    #[must_use]
    pub fn loss_of(&self, value: f64) -> f64 {
        self.transform.map_or(value, |transform| transform.invert(value))
    }

    /// Posterior means at the measured points.
    #[must_use]
    pub fn means(&self) -> &[f64] {
        self.means.get_or_init(|| {
            let mut means = vec![0.0; self.y.len()];
            self.posterior().mean_into(self.x.as_ref(), &mut means);
            means
        })
    }

    /// Value of an improvement target on the scale of the surrogate, among feasible points; infinite until a feasible point was measured.
    ///
    /// Fantasized outcomes of running trials count. Otherwise the place of a promising running trial would remain the best place to sample.
    #[must_use]
    pub fn target(&self, target: ImprovementTarget) -> f64 {
        self.target_beside(target, self.means(), &self.running.incumbents(&self.constraints()))
    }

    /// Value of a target, given the posterior means at the measured points and the losses of the running trials.
    pub(crate) fn target_beside(&self, target: ImprovementTarget, means: &[f64], losses: &[f64]) -> f64 {
        if !self.feasible.contains(&true) {
            return f64::INFINITY;
        }
        let with = |values: &[f64]| -> Vec<f64> {
            let feasible = values.iter().zip(&self.feasible).filter(|(_, feasible)| **feasible);
            feasible.map(|(v, _)| *v).chain(losses.iter().copied()).collect()
        };
        // A fixed target is in units of the loss.
        let target = match (target, self.transform) {
            (ImprovementTarget::Fixed(loss), Some(transform)) => {
                ImprovementTarget::Fixed(carried(transform.apply(carried(loss))))
            }
            (other, _) => other,
        };
        // A fixed target does not depend on the losses of running trials; take the smaller.
        losses.iter().copied().fold(target.value(&with(&self.y), &with(means)), f64::min)
    }

    /// Posteriors of the constraints.
    pub(crate) fn constraints(&self) -> Vec<&dyn Posterior> {
        self.weights.constraints().collect()
    }
}
