use thrifty_acquisition::{
    Acquisition, AcquisitionError, AcquisitionFactory, Analytic, Context, ExpectedImprovement,
    ImprovementTarget, LogExpectedImprovement, Masked, Utility, weigh,
};
use thrifty_domain::{Points, PointsRef};
use thrifty_gp::YeoJohnson;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Memo, OptimizerError, Trial, TrialId};
use thrifty_surrogate::{FittedSurrogate, Observations, Posterior, Surrogate, fit_checked};

use crate::first_feasible::LogFirstFeasible;
use crate::multi::measurement;
use crate::novelty::first_new;
use crate::running::Running;
use crate::targets::Targets;
use crate::weights::{Fitting, Weights, probability_feasible, weighted_logarithm};
use crate::{BoSettings, Candidate, FailurePolicy, PendingPolicy};

/// What is known of a configuration without evaluating it: whether it is allowed.
pub type Allowed = dyn Fn(&Config) -> bool + Send + Sync;

/// What is believed before a suggestion: a model fitted to measured losses, with failures and running trials
/// counted in as the settings say.
pub struct SurrogateState<'a> {
    space: &'a Space,
    settings: &'a BoSettings,
    model: Box<dyn FittedSurrogate>,
    /// Measured points and losses.
    x: Points,
    y: Vec<f64>,
    /// Of the losses.
    transform: Option<YeoJohnson>,
    /// Which of them break no constraint.
    feasible: Vec<bool>,
    weights: Weights,
    running: Running,
    /// What is known to be allowed.
    allowed: Option<&'a Allowed>,
    /// Every point asked, whatever came of it.
    asked: Points,
    seed: Seed,
    id: TrialId,
}

impl<'a> SurrogateState<'a> {
    /// Fits the model to the trials; nothing when none of them has a measurement.
    ///
    /// # Errors
    /// [`OptimizerError`]: a query that is not of the space, or a fit that fails.
    pub fn form(
        space: &'a Space,
        settings: &'a BoSettings,
        model: &dyn Surrogate,
        trials: &[&Trial<Config>],
        seed: Seed,
        id: TrialId,
    ) -> Result<Option<Self>, OptimizerError> {
        let dim = space.dim();
        let (mut x, mut targets, mut asked) = (Points::new(dim), Targets::default(), Points::new(dim));
        let mut feasible = Vec::new();
        let (mut failed, mut pending) = (Points::new(dim), Points::new(dim));
        for trial in trials {
            let point = space
                .encode(&trial.query)
                .map_err(|error| OptimizerError::failed(format!("encoding trial {}", trial.id.0), error))?;
            asked.push(&point);
            let measured = measurement(trial).and_then(|m| Some((m, *m.objectives.first()?)));
            match (&trial.outcome, measured) {
                (_, Some((found, loss))) => {
                    x.push(&point);
                    targets.push(loss, found.noise);
                    feasible.push(found.constraints.iter().all(|c| *c <= 0.0));
                }
                (Some(_), None) => failed.push(&point),
                (None, None) => pending.push(&point),
            }
        }
        if x.is_empty() {
            return Ok(None);
        }
        let imputed = match settings.failures {
            FailurePolicy::AsWorst => Some(targets.y.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
            FailurePolicy::AsValue(value) => Some(value),
            FailurePolicy::Ignore => None,
        };
        let (mut train_x, mut train) = (x.clone(), targets.clone());
        if let Some(loss) = imputed {
            for point in failed.rows() {
                train_x.push(point);
                train.push(loss, None);
            }
        }
        let transform = train.transform(settings.losses);
        let (train, y) = (train.transformed(transform), targets.transformed(transform).y);
        let fitting = Fitting { space, settings, model, trials, seed, id };
        let weights = fitting.weights(&x, &failed)?;
        let warm_start = trials.iter().rev().find_map(|trial| trial.memo.0.get(WARM_START));
        let data = Observations { x: train_x.as_ref(), y: &train.y, noise_variance: train.noise_variance() };
        let rng = &mut seed.stream("fit", id.0);
        let model = fit_checked(model, space.domain(), data, warm_start.map(Vec::as_slice), rng).map_err(
            |error| OptimizerError::failed(format!("fitting the model for trial {}", id.0), error),
        )?;
        let draws = match settings.pending {
            PendingPolicy::Fantasies { draws } => Some(draws),
            _ => None,
        };
        let (model, running) = Running::fantasize(model, pending, draws, |mean| match settings.pending {
            PendingPolicy::KrigingBeliever | PendingPolicy::Fantasies { .. } => mean,
            PendingPolicy::LiarBest => y.iter().copied().fold(f64::INFINITY, f64::min),
            PendingPolicy::LiarMean => y.iter().sum::<f64>() / y.len() as f64,
            PendingPolicy::LiarWorst => y.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        });
        let allowed = None;
        Ok(Some(Self {
            space,
            settings,
            model,
            x,
            y,
            transform,
            feasible,
            weights,
            running,
            allowed,
            asked,
            seed,
            id,
        }))
    }

    /// Adds a known constraint: no other point is chosen.
    #[must_use]
    pub fn within(mut self, allowed: Option<&'a Allowed>) -> Self {
        self.allowed = allowed;
        self
    }

    /// With other points that were asked, as in earlier runs: none of them is chosen again.
    #[must_use]
    pub fn with_asked(mut self, asked: Points) -> Self {
        self.asked = asked;
        self
    }

    /// What is believed of each point.
    #[must_use]
    pub fn posterior(&self) -> &dyn Posterior {
        self.model.posterior()
    }

    /// Hyperparameters of the model.
    #[must_use]
    pub fn hyperparameters(&self) -> Vec<f64> {
        self.model.hyperparameters()
    }

    /// Hyperparameters of all models by name, from which a later [`SurrogateState::form`] starts.
    #[must_use]
    pub fn memo(&self) -> Memo {
        Memo(
            std::iter::once((WARM_START.to_owned(), self.hyperparameters()))
                .chain(self.weights.hyperparameters())
                .collect(),
        )
    }

    /// Variance of the noise of an observation, on the scale of the posterior.
    #[must_use]
    pub fn noise(&self) -> f64 {
        self.model.noise_variance()
    }

    /// The belief after observations of its own means at these points: the variances are those after any outcomes
    /// there. Nothing when there are no points, or none that tells anything new.
    #[must_use]
    pub fn with_fantasies(&self, points: PointsRef<'_>) -> Option<Box<dyn FittedSurrogate>> {
        let mut imagined: Option<Box<dyn FittedSurrogate>> = None;
        for point in points.rows() {
            let model = imagined.as_deref().unwrap_or(&*self.model);
            let mean = model.posterior().predict(point).0;
            if let Ok(next) = model.fantasize(point, mean) {
                imagined = Some(next);
            }
        }
        imagined
    }

    /// The probability that a point breaks no constraint; nothing where there are none.
    #[must_use]
    pub fn probability_feasible(&self, x: &[f64]) -> Option<f64> {
        let constraints = || self.weights.constraints();
        constraints().next().map(|_| probability_feasible(constraints(), x))
    }

    /// Which of the measured points break no constraint.
    #[must_use]
    pub fn feasible(&self) -> &[bool] {
        &self.feasible
    }

    /// The space.
    #[must_use]
    pub fn space(&self) -> &Space {
        self.space
    }

    /// Measured losses, transformed as the settings say.
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

    /// Posterior means at the measured points.
    #[must_use]
    pub fn means(&self) -> Vec<f64> {
        let (mut mean, mut variance) = (vec![0.0; self.y.len()], vec![0.0; self.y.len()]);
        self.posterior().predict_into(self.x.as_ref(), &mut mean, &mut variance);
        mean
    }

    /// The value of an acquisition's improvement target here, among what breaks no constraint; infinite where nothing feasible was
    /// measured.
    ///
    /// The imagined outcomes of running trials count: otherwise the place of a running trial that promises to be the best
    /// would stay the best place to go to.
    #[must_use]
    pub fn target(&self, target: ImprovementTarget) -> f64 {
        self.target_beside(target, &self.means(), &self.running.incumbents(&self.constraints()))
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

    /// The acquisition that a factory builds here: per unit of cost where the settings say so, times the probability of being
    /// feasible where there are constraints, and that alone until something feasible was measured.
    ///
    /// # Errors
    /// [`AcquisitionError`] for a setting outside its range, or a model that lacks what the acquisition needs.
    pub fn acquisition(
        &self,
        factory: &dyn AcquisitionFactory,
    ) -> Result<Box<dyn Acquisition + '_>, AcquisitionError> {
        if self.weights.is_empty() {
            return self.unweighted(factory);
        }
        if !self.feasible.contains(&true) {
            return self.first_feasible();
        }
        let incumbent = self.x.row(self.incumbent());
        let logarithms = self.weights.logarithms();
        weigh(self.unweighted(factory)?, factory.scale(), logarithms, incumbent, self.x.as_ref())
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

    fn unweighted(
        &self,
        factory: &dyn AcquisitionFactory,
    ) -> Result<Box<dyn Acquisition + '_>, AcquisitionError> {
        let mut rng = self.seed.stream("acquisition draws", self.id.0);
        let means = self.means();
        let target = |losses: &[f64]| self.target_beside(factory.target(), &means, losses);
        if let Some(over_draws) = self.running.over_draws(factory, &self.constraints(), target, &mut rng)? {
            return Ok(over_draws);
        }
        factory.build(Context {
            posterior: self.posterior_for(factory),
            target: self.target(factory.target()),
            t: self.y.len() + 1,
            domain: self.space.domain(),
            observed: self.baseline().as_ref(),
            noise_variance: self.model.noise_variance(),
            rng: &mut rng,
        })
    }

    /// The posterior for an acquisition: one that handles running trials by itself sees no fantasies.
    fn posterior_for(&self, factory: &dyn AcquisitionFactory) -> &dyn Posterior {
        match &self.running.drawn {
            Some((model, _)) if factory.handles_pending() => model.posterior(),
            _ => self.posterior(),
        }
    }

    /// The best points of an acquisition, best first; `purpose` names the stream of random numbers.
    #[must_use]
    pub fn maximise(&self, acquisition: &dyn Acquisition, purpose: &str) -> Vec<Candidate> {
        let mut order: Vec<usize> = (0..self.y.len()).collect();
        order.sort_by(|&a, &b| self.y[a].total_cmp(&self.y[b]));
        let anchors: Vec<&[f64]> = order.iter().map(|&i| self.x.row(i)).collect();
        let mut rng = self.seed.stream(purpose, self.id.0);
        let acquisition = Masked::new(acquisition, |x: &[f64]| self.is_allowed(x));
        let acquisition = &acquisition;
        self.settings.maximiser.candidates(self.space.domain(), acquisition, &anchors, &mut rng)
    }

    /// True if a point was asked before.
    #[must_use]
    pub fn is_known(&self, x: &[f64]) -> bool {
        self.asked.rows().any(|known| known == x)
    }

    /// True if a point is not known to be forbidden.
    #[must_use]
    pub fn is_allowed(&self, x: &[f64]) -> bool {
        self.allowed.is_none_or(|allowed| allowed(&self.space.decode(x)))
    }

    /// The first candidate that was not asked before, else any point that was not; nothing when a finite space is
    /// exhausted.
    #[must_use]
    pub fn first_new(&self, candidates: Vec<Candidate>) -> Option<Candidate> {
        let usable = |x: &[f64]| !self.is_known(x) && self.is_allowed(x);
        first_new(self.space.domain(), usable, candidates, self.seed, self.id)
    }

    /// Expected improvement on a threshold at a point.
    #[must_use]
    pub fn expected_improvement(&self, x: &[f64], threshold: f64) -> f64 {
        let (mean, variance) = self.posterior().predict(x);
        ExpectedImprovement { threshold }.value(mean, variance.sqrt())
    }

    /// An expected improvement on a threshold in units of the loss: to first order, by the slope of the transform there.
    #[must_use]
    pub fn in_units_of_loss(&self, improvement: f64, threshold: f64) -> f64 {
        let Some(transform) = self.transform else { return improvement };
        let slope = transform.slope(transform.invert(threshold));
        if slope > 0.0 && slope.is_finite() { improvement / slope } else { improvement }
    }

    /// The cost that is expected of an evaluation at a point; nothing where costs are not modelled.
    #[must_use]
    pub fn expected_cost(&self, x: &[f64]) -> Option<f64> {
        self.weights.expected_cost(x)
    }

    /// The largest expected improvement on a threshold, and where: by the logarithm, which has slopes everywhere.
    #[must_use]
    pub fn max_expected_improvement(&self, threshold: f64) -> Option<(Vec<f64>, f64)> {
        let acquisition = Analytic::new(self.posterior(), LogExpectedImprovement { threshold });
        let best = self.maximise(&acquisition, "expected improvement").into_iter().next()?;
        let value = self.expected_improvement(&best.x, threshold);
        Some((best.x, value))
    }
}

/// Under this name the model's notes stand in a trial's memo.
pub(crate) const WARM_START: &str = "model";
