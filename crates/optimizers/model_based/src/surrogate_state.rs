//! State of the surrogates before a suggestion.

use std::sync::OnceLock;

use thrifty_acquisition::{
    Acquisition, AcquisitionError, AcquisitionFactory, Average, Context, ImprovementTarget, UtilityScale,
    weigh,
};
use thrifty_domain::{Points, PointsRef};
use thrifty_gp::YeoJohnson;
use thrifty_sampling::Seed;
use thrifty_space::{KnownConstraint, Space};
use thrifty_study::{Memo, OptimizerError, TrialId};
use thrifty_surrogate::{FittedSurrogate, Member, Observations, Posterior};

use crate::first_feasible::LogFirstFeasible;
use crate::training_data::TrainingData;
use crate::weights::{Weights, probability_feasible, weighted_logarithm};
use crate::{OutputFitter, OutputModel, PendingPolicy, Running, StateSettings};

/// State of the surrogates before a suggestion with one objective: fitted to the measured losses, with failures and running
/// trials counted in according to the settings.
pub struct SurrogateState<'a> {
    pub(crate) space: &'a Space,
    pub(crate) settings: StateSettings,
    objective: OutputModel,
    /// Measured points and losses.
    pub(crate) x: Points,
    pub(crate) y: Vec<f64>,
    /// Posterior means there, once they were asked for.
    means: OnceLock<Vec<f64>>,
    /// Transform of the losses.
    pub(crate) transform: Option<YeoJohnson>,
    /// True for measured points that break no constraint.
    feasible: Vec<bool>,
    pub(crate) weights: Weights,
    running: Running,
    pub(crate) known_constraint: Option<&'a KnownConstraint>,
    /// Every point asked, whatever came of it.
    pub(crate) asked: Points,
    pub(crate) seed: Seed,
    pub(crate) id: TrialId,
}

impl<'a> SurrogateState<'a> {
    /// Fits the surrogates to the trials of the fitter; nothing when none of them has a measurement.
    ///
    /// # Errors
    /// [`OptimizerError`]: a query that is not of the space, or a fit that fails.
    pub fn fit(fitter: &OutputFitter<'a>, settings: StateSettings) -> Result<Option<Self>, OptimizerError> {
        let space = fitter.space;
        let Some(data) = TrainingData::gather(fitter)? else { return Ok(None) };
        let (train_x, train) = data.with_failures(settings.failures);
        let TrainingData { x, targets, feasible, failed, pending, asked } = data;
        let transform = train.transform(settings.losses);
        let (train, y) = (train.transformed(transform), targets.transformed(transform).y);
        let weights = Weights::fit(fitter, &settings, &x, &failed)?;
        let data = Observations { x: train_x.as_ref(), y: &train.y, noise_variance: train.noise_variance() };
        let OutputModel { name, fitted } = fitter.fit_objective(data)?;
        let draws = match settings.pending {
            PendingPolicy::Fantasies { draws } => Some(draws),
            _ => None,
        };
        let (fitted, running) = Running::fantasize(fitted, pending, draws, |mean| match settings.pending {
            PendingPolicy::KrigingBeliever | PendingPolicy::Fantasies { .. } => mean,
            PendingPolicy::LiarBest => y.iter().copied().fold(f64::INFINITY, f64::min),
            PendingPolicy::LiarMean => y.iter().sum::<f64>() / y.len() as f64,
            PendingPolicy::LiarWorst => y.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        });
        Ok(Some(Self {
            space,
            settings,
            objective: OutputModel { name, fitted },
            x,
            y,
            means: OnceLock::new(),
            transform,
            feasible,
            weights,
            running,
            known_constraint: None,
            asked,
            seed: fitter.seed,
            id: fitter.id,
        }))
    }

    /// Adds a known constraint: no other point is chosen.
    #[must_use]
    pub fn with_known_constraint(mut self, known_constraint: &'a KnownConstraint) -> Self {
        self.known_constraint = Some(known_constraint);
        self
    }

    /// Replaces the points that were asked, as those of earlier runs too: none of them is chosen again.
    #[must_use]
    pub fn with_asked(mut self, asked: Points) -> Self {
        self.asked = asked;
        self
    }

    /// Posterior of the loss, transformed according to the settings.
    #[must_use]
    pub fn posterior(&self) -> &dyn Posterior {
        self.objective.posterior()
    }

    /// Members of a mixture of models of the loss; none for a single model.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        self.objective.fitted.members()
    }

    /// Hyperparameters of all surrogates by name, from which a later fit starts.
    #[must_use]
    pub fn memo(&self) -> Memo {
        let mut memo = Memo::default();
        self.objective.remember(&mut memo);
        self.weights.models().for_each(|model| model.remember(&mut memo));
        memo
    }

    /// Variance of the noise of an observation, on the scale of the posterior.
    #[must_use]
    pub fn noise_variance(&self) -> f64 {
        self.objective.fitted.noise_variance()
    }

    /// The surrogate after fantasies at its own means at these points; variances do not depend on the outcomes.
    /// Nothing when there are no points, or no point changes the posterior.
    #[must_use]
    pub fn with_fantasies(&self, points: PointsRef<'_>) -> Option<Box<dyn FittedSurrogate>> {
        let mut fantasized: Option<Box<dyn FittedSurrogate>> = None;
        for point in points.rows() {
            let model = fantasized.as_deref().unwrap_or(&*self.objective.fitted);
            let mean = model.posterior().predict(point).mean;
            if let Ok(next) = model.fantasize(point, mean) {
                fantasized = Some(next);
            }
        }
        fantasized
    }

    /// The probability that a point breaks no constraint; nothing where there are none.
    #[must_use]
    pub fn probability_feasible(&self, x: &[f64]) -> Option<f64> {
        let constraints = || self.weights.constraints();
        constraints().next().map(|_| probability_feasible(constraints(), x))
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

    /// Largest less smallest measured loss.
    #[must_use]
    pub fn range(&self) -> f64 {
        let largest = self.y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        largest - self.y.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// A value on the scale of the surrogate in units of the loss.
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

    /// The value of an acquisition's improvement target here, among what breaks no constraint; infinite where nothing feasible was
    /// measured.
    ///
    /// The fantasized outcomes of running trials count: otherwise the place of a running trial that promises to be the best
    /// would stay the best place to go to.
    #[must_use]
    pub fn target(&self, target: ImprovementTarget) -> f64 {
        self.target_beside(target, self.means(), &self.running.incumbents(&self.constraints()))
    }

    /// The value of a target with these means at the measured points, when running trials give these losses.
    fn target_beside(&self, target: ImprovementTarget, means: &[f64], losses: &[f64]) -> f64 {
        if !self.feasible.contains(&true) {
            return f64::INFINITY;
        }
        let with = |values: &[f64]| -> Vec<f64> {
            let feasible = values.iter().zip(&self.feasible).filter(|(_, feasible)| **feasible);
            feasible.map(|(v, _)| *v).chain(losses.iter().copied()).collect()
        };
        // A fixed target does not see them otherwise.
        losses.iter().copied().fold(target.value(&with(&self.y), &with(means)), f64::min)
    }

    /// The acquisition that a factory builds here: per unit of cost where the settings ask for it, times the probability of being
    /// feasible where there are constraints, and that alone until something feasible was measured.
    ///
    /// # Errors
    /// [`AcquisitionError`] for a setting outside its range, or a model that lacks what the acquisition needs.
    pub fn acquisition(
        &self,
        factory: &dyn AcquisitionFactory,
    ) -> Result<Box<dyn Acquisition + '_>, AcquisitionError> {
        if !self.feasible.contains(&true) {
            return self.first_feasible();
        }
        self.weighted(self.unweighted(factory)?, factory.scale(), Vec::new())
    }

    /// The weight of a point: the probability of being feasible, and one over the cost where the settings count it.
    #[must_use]
    pub fn weight(&self, x: &[f64]) -> f64 {
        self.weights.logarithms().iter().map(|logarithm| logarithm.value(x)).sum::<f64>().exp()
    }

    /// A utility times the weights of this state: the probability of being feasible, and the cost where the settings count it.
    ///
    /// # Errors
    /// As [`weigh`].
    pub fn weighted<'b>(
        &'b self,
        acquisition: Box<dyn Acquisition + 'b>,
        scale: UtilityScale,
        more: Vec<Box<dyn Acquisition + 'b>>,
    ) -> Result<Box<dyn Acquisition + 'b>, AcquisitionError> {
        let weights = self.weights.logarithms().into_iter().chain(more).collect();
        weigh(acquisition, scale, weights, self.x.row(self.incumbent()), self.x.as_ref())
    }

    /// The measured point with the smallest loss among those that break no constraint, else among all.
    fn incumbent(&self) -> usize {
        let any = self.feasible.contains(&true);
        let counted = (0..self.y.len()).filter(|&i| self.feasible[i] || !any);
        counted.reduce(|best, i| if self.y[i] < self.y[best] { i } else { best }).unwrap_or(0)
    }

    fn constraints(&self) -> Vec<&dyn Posterior> {
        self.weights.constraints().collect()
    }

    /// The probability of being feasible, by cost where costs count; beside running trials that of being the first.
    fn first_feasible(&self) -> Result<Box<dyn Acquisition + '_>, AcquisitionError> {
        if let PendingPolicy::Fantasies { draws } = self.settings.pending {
            let mut rng = self.seed.stream("acquisition draws", self.id.0);
            let first = LogFirstFeasible::new(&self.constraints(), &self.running.points, draws, &mut rng)?;
            if let Some(first) = first {
                let weights = self.weights.log_inverse_cost().into_iter().collect();
                return Ok(Box::new(weighted_logarithm(Some(Box::new(first)), weights)));
            }
        }
        Ok(Box::new(weighted_logarithm(None, self.weights.logarithms())))
    }

    /// Points that the next is to be better than: measured ones and running trials. What failed or breaks a constraint is
    /// nothing to improve on.
    fn baseline(&self) -> Points {
        let mut baseline = Points::new(self.x.dim());
        let feasible = self.x.rows().zip(&self.feasible).filter(|(_, feasible)| **feasible);
        feasible.for_each(|(point, _)| baseline.push(point));
        self.running.likely_points(&self.constraints()).rows().for_each(|point| baseline.push(point));
        baseline
    }

    /// The acquisition of a factory, averaged over the members of a mixture where it asks for that.
    fn unweighted(
        &self,
        factory: &dyn AcquisitionFactory,
    ) -> Result<Box<dyn Acquisition + '_>, AcquisitionError> {
        if !factory.is_averaged() || self.members().is_empty() {
            return self.unweighted_on(factory, &*self.objective.fitted, self.running.model(), self.means());
        }
        // The model before imagined outcomes has all members; the one after may have lost some.
        let before = self.running.model().map_or(&[][..], FittedSurrogate::members);
        let after = self.members();
        let mut each = Vec::with_capacity(after.len());
        for (k, member) in after.iter().enumerate() {
            let mut means = vec![0.0; self.y.len()];
            member.fitted.posterior().mean_into(self.x.as_ref(), &mut means);
            let before = before.get(k).map(|member| &*member.fitted);
            each.push((member.weight, self.unweighted_on(factory, &*member.fitted, before, &means)?));
        }
        let average = Average::weighted(each)?;
        Ok(Box::new(if factory.scale() == UtilityScale::Log { average.in_logarithms() } else { average }))
    }

    /// The acquisition of a factory on one model: `before` is the model without imagined outcomes of running trials, `means` are those at the
    /// measured points.
    fn unweighted_on<'b>(
        &'b self,
        factory: &dyn AcquisitionFactory,
        model: &'b dyn FittedSurrogate,
        before: Option<&'b dyn FittedSurrogate>,
        means: &[f64],
    ) -> Result<Box<dyn Acquisition + 'b>, AcquisitionError> {
        let mut rng = self.seed.stream("acquisition draws", self.id.0);
        let target = |losses: &[f64]| self.target_beside(factory.target(), means, losses);
        if let Some(before) = before
            && let Some(over_draws) =
                self.running.over_draws(before.posterior(), factory, &self.constraints(), target, &mut rng)?
        {
            return Ok(over_draws);
        }
        let posterior = match before {
            Some(before) if factory.handles_pending() => before.posterior(),
            _ => model.posterior(),
        };
        factory.build(Context {
            posterior,
            target: self.target_beside(
                factory.target(),
                means,
                &self.running.incumbents(&self.constraints()),
            ),
            t: self.y.len() + 1,
            domain: self.space.domain(),
            observed: self.baseline().as_ref(),
            noise_variance: model.noise_variance(),
            rng: &mut rng,
        })
    }
}
