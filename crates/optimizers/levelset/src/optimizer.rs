use std::collections::BTreeMap;

use thrifty_bo::{
    Allowed, BoSettings, Designer, GpSurrogate, SurrogateState, design_changed, fingerprint,
    surrogate_fingerprint,
};
use thrifty_domain::{Points, PointsRef};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, Fingerprint, History, Optimizer, OptimizerError, StopReason, Suggestion, Trial, TrialId,
};
use thrifty_surrogate::Surrogate;

use crate::cost::KnownCost;
use crate::diagnostics::{self, ABOVE};
use crate::progress::Progress;
use crate::state::{LevelSetState, contains};
use crate::{Classified, FixedGp, Intervals, LevelSetSettings};

/// Level-set estimation: which points are above a threshold?
///
/// After an initial design, for each trial: form a belief of the objective, classify, stop when nothing is undecided,
/// else suggest the point that the criterion likes best. Points are classified as Gotovos et al. (2013) do, whatever
/// the criterion. Where hyperparameters are known ([`LevelSetOptimizer::with_fixed_model`]) intervals of all steps
/// are intersected; where they are learnt anew intervals of earlier steps were those of another model, and only the
/// current ones count.
///
/// Pending trials: means are as without them, variances as after them, so that a batch spreads. Failed trials teach
/// nothing and are not tried again.
///
/// Recommends the [`Classified`] domain. Diagnostics of a suggestion: `acquisition`, `mean` and `std_dev` at it,
/// and those of the state before it: `above`, `undecided`, `misclassified`, `boundary_change`, `mean_variance`,
/// `relative_variance`, `log_expected_improvement`, `threshold`, `beta`, `contradictions`.
pub struct LevelSetOptimizer {
    space: Space,
    seed: Seed,
    settings: LevelSetSettings,
    bo: BoSettings,
    surrogate: Box<dyn Surrogate>,
    cost: Option<KnownCost>,
    allowed: Option<Box<Allowed>>,
    /// Intervals of all steps so far, for a model that is fixed.
    progress: Option<Progress>,
    points: Points,
}

impl LevelSetOptimizer {
    /// An optimiser with a Matérn-5/2 Gaussian process whose hyperparameters are learnt.
    ///
    /// # Errors
    /// [`OptimizerError`] names the setting that makes no sense or the candidate that is not of the space.
    pub fn new(space: Space, seed: Seed, settings: LevelSetSettings) -> Result<Self, OptimizerError> {
        settings.validate()?;
        let points = settings.over.points(&space, seed)?;
        let (bo, surrogate) = (settings.as_bo(), Box::new(GpSurrogate::default()));
        Ok(Self { space, seed, settings, bo, surrogate, cost: None, allowed: None, progress: None, points })
    }

    /// Replaces the surrogate by one whose hyperparameters are learnt.
    #[must_use]
    pub fn with_surrogate(mut self, surrogate: impl Surrogate + 'static) -> Self {
        (self.surrogate, self.progress) = (Box::new(surrogate), None);
        self
    }

    /// Sets a model that knows its hyperparameters: intervals are intersected.
    #[must_use]
    pub fn with_fixed_model(mut self, model: FixedGp) -> Self {
        (self.surrogate, self.progress) = (Box::new(model), Some(Progress::default()));
        self
    }

    /// Sets a known cost of each evaluation: criteria that look ahead are then per cost. The name stands in the
    /// fingerprint. A cost that is not positive counts as 1.
    #[must_use]
    pub fn with_cost(mut self, name: &str, cost: impl Fn(&Config) -> f64 + Send + Sync + 'static) -> Self {
        self.cost = Some(KnownCost { name: name.to_owned(), of: Box::new(cost) });
        self
    }

    /// Adds a known constraint: only configurations for which `allowed` is true are suggested; all are classified. A resumed study
    /// needs the same constraint.
    #[must_use]
    pub fn with_known_constraint(
        mut self,
        allowed: impl Fn(&Config) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.allowed = Some(Box::new(allowed));
        self
    }

    fn is_allowed(&self, x: &[f64]) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed(&self.space.decode(x)))
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &LevelSetSettings {
        &self.settings
    }

    /// The space.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The points that are classified, on the unit cube.
    #[must_use]
    pub fn points(&self) -> PointsRef<'_> {
        self.points.as_ref()
    }

    /// What the history says of the domain; nothing before the first measurement.
    ///
    /// # Errors
    /// [`OptimizerError`]: a query that is not of the space, or a fit that fails.
    pub fn classify(&mut self, history: &History<Config>) -> Result<Option<Classified>, OptimizerError> {
        let id = TrialId(history.len() as u64);
        Ok(self.assess(history, id)?.map(|state| state.classified))
    }

    /// Where the mean was above the threshold when a trial was suggested, one a point: learning curves without another fit.
    ///
    /// Nothing for trials of the initial design, and those of another domain.
    #[must_use]
    pub fn above_before(&self, trial: &Trial<Config>) -> Option<Vec<bool>> {
        diagnostics::unpacked(trial.memo.0.get(ABOVE)?, self.points.len())
    }

    fn encoded(
        &self,
        history: &History<Config>,
        which: impl Fn(&Trial<Config>) -> bool,
    ) -> Result<Points, OptimizerError> {
        let mut points = Points::new(self.space.dim());
        for trial in history.trials().iter().filter(|trial| which(trial)) {
            let point = self
                .space
                .encode(&trial.query)
                .map_err(|error| OptimizerError::failed(format!("encoding trial {}", trial.id.0), error))?;
            points.push(&point);
        }
        Ok(points)
    }

    fn assess(
        &mut self,
        history: &History<Config>,
        id: TrialId,
    ) -> Result<Option<LevelSetState<'_>>, OptimizerError> {
        let asked = self.encoded(history, |_| true)?;
        let pending = self.encoded(history, |trial| trial.outcome.is_none())?;
        let told: Vec<&Trial<Config>> =
            history.trials().iter().filter(|trial| trial.outcome.is_some()).collect();
        if let Some(progress) = &mut self.progress {
            progress.follow(&told, &self.space, &*self.surrogate, &self.points, self.settings.confidence)?;
        }
        let belief = SurrogateState::form(&self.space, &self.bo, &*self.surrogate, &told, self.seed, id)?;
        let Some(belief) = belief else { return Ok(None) };
        let belief = belief.within(self.allowed.as_deref());
        let n = self.points.len();
        let (mut mean, mut std_dev) = (vec![0.0; n], vec![0.0; n]);
        belief.posterior().predict_into(self.points.as_ref(), &mut mean, &mut std_dev);
        std_dev.iter_mut().for_each(|variance| *variance = variance.sqrt());
        let beta = self
            .settings
            .confidence
            .beta(belief.losses().len(), n)
            .map_err(|error| OptimizerError::failed("finding the width of intervals", error))?;
        let intervals = match &self.progress {
            Some(progress) => progress.intervals().clone(),
            None => Intervals::of(&mean, &std_dev, beta),
        };
        let level = self.settings.threshold.level(&mean, &intervals);
        let accuracy = (self.settings.epsilon, beta);
        let classified = Classified::new(self.points.clone(), (mean, std_dev), intervals, level, accuracy);
        Ok(Some(LevelSetState { belief, classified, pending, asked, cost: self.cost.as_ref() }))
    }

    /// The next point of the initial design, or any beyond it; nothing when everything was asked.
    fn initial(&self, history: &History<Config>, id: TrialId) -> Result<Option<Config>, OptimizerError> {
        let index = usize::try_from(id.0).unwrap_or(usize::MAX);
        let config = self.settings.initial.config(&self.space, self.seed, 0, index).map_err(|error| {
            OptimizerError::failed(format!("initial design, configuration {index}"), error)
        })?;
        if !self.settings.over.is_finite() {
            if self.allowed.is_none() {
                return Ok(Some(config));
            }
            let (design, space, allowed) = (&self.settings.initial, &self.space, self.allowed.as_deref());
            let designer = Designer { design, space, seed: self.seed, run: 0, allowed };
            return designer.config(&self.encoded(history, |_| true)?, id);
        }
        let near = self
            .space
            .encode(&config)
            .map_err(|error| OptimizerError::failed("encoding the initial design", error))?;
        let asked = self.encoded(history, |_| true)?;
        let distance = |x: &[f64]| x.iter().zip(&near).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let open = self.points.rows().filter(|x| !contains(&asked, x) && self.is_allowed(x));
        let nearest = open.reduce(|best, next| if distance(next) < distance(best) { next } else { best });
        Ok(nearest.map(|x| self.space.decode(x)))
    }

    fn stop(message: &str, numbers: BTreeMap<String, f64>) -> Ask<Config> {
        Ask::Stop(StopReason::Decided { message: message.into(), numbers })
    }
}

impl Optimizer for LevelSetOptimizer {
    type Query = Config;
    type Recommendation = Classified;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let designed = self.settings.initial.lasts(&self.space, None, id.0, history.measured().count());
        if designed && let Some(config) = self.initial(history, id)? {
            return Ok(Ask::Evaluate(Suggestion::new(config)));
        }
        let (settings, seed) = (self.settings.clone(), self.seed);
        let Some(state) = self.assess(history, id)? else {
            let config = self.initial(history, id)?;
            let waits = history.pending().next().is_some();
            return Ok(match config {
                Some(config) => Ask::Evaluate(Suggestion::new(config)),
                None if waits => Ask::Wait,
                None => Ask::Stop(StopReason::Exhausted),
            });
        };
        let numbers = diagnostics::of(&state.classified, state.belief.losses(), history);
        if settings.stop_when_certified && state.classified.is_certified() {
            return Ok(Self::stop("every point is classified", numbers));
        }
        if let Some(rule) = &settings.stop {
            let mut series: Vec<&BTreeMap<String, f64>> =
                history.trials().iter().map(|trial| &trial.diagnostics).collect();
            series.push(&numbers);
            if rule.holds(&series) {
                return Ok(Self::stop("diagnostics of the level set", numbers));
            }
        }
        let Some(chosen) = state.choose(&settings, seed, id)? else {
            let waits = !state.pending.is_empty();
            return Ok(if waits { Ask::Wait } else { Ask::Stop(StopReason::Exhausted) });
        };
        let (mean, variance) = state.belief.posterior().predict(&chosen.x);
        let mut suggestion = Suggestion::new(state.belief.space().decode(&chosen.x))
            .with_diagnostic("acquisition", chosen.value)
            .with_diagnostic("mean", mean)
            .with_diagnostic("std_dev", variance.sqrt());
        suggestion.diagnostics.extend(numbers);
        suggestion.memo = state.belief.memo();
        let above = diagnostics::packed(&state.classified.predicted_above());
        suggestion.memo.0.insert(ABOVE.to_owned(), above);
        Ok(Ask::Evaluate(suggestion))
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Classified>, OptimizerError> {
        self.classify(history)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let ours = fingerprint("level set", &self.settings, self.seed, &self.space)?
            .with("cost", &self.cost.as_ref().map(|cost| &cost.name))?
            .with("fixed", &self.progress.is_some())?;
        Ok(design_changed(ours).around(surrogate_fingerprint(&*self.surrogate)?))
    }
}
