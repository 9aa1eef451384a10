//! Level-set estimation.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use thrifty_domain::Points;
use thrifty_model_based::{
    CostData, GpSurrogate, ModelBased, OutputFitter, SurrogateState, Turn, ask_given, asked_points,
    check_config, design_changed, fingerprint, is_asked, measurement, surrogate_fingerprint,
};
use thrifty_sampling::Seed;
use thrifty_space::{Config, KnownConstraint, Space};
use thrifty_study::{
    Ask, Fingerprint, History, Measurement, MeasurementProblem, Optimizer, OptimizerError, StopReason,
    Suggestion, Trial, TrialId,
};
use thrifty_surrogate::Surrogate;

use crate::cost::KnownCost;
use crate::diagnostics::{self, ABOVE};
use crate::intervals::moments;
use crate::progress::Progress;
use crate::state::LevelSetState;
use crate::threshold::WholeDomain;
use crate::turn::LevelSetTurn;
use crate::{Classified, FixedGp, Intervals, Level, LevelSetSettings, Threshold};

/// Level-set estimation: classifies points as above or below a threshold.
///
/// It starts with an initial design. Then, for each trial, it fits the surrogate, classifies, and stops if nothing is undecided. Otherwise
/// it suggests the best point of the criterion. Points are classified as in Gotovos et al. (2013), for every criterion.
///
/// With known hyperparameters ([`LevelSetOptimizer::with_fixed_model`]) the intervals of all steps are intersected. If hyperparameters are
/// learnt, intervals of earlier steps belong to another model, and only the current ones count.
///
/// Pending trials do not change means, but reduce variances, so that a batch spreads. Failed trials do not enter the surrogate and are not
/// asked again. Constraints of measurements weight every criterion except the random one by the probability that all hold. Costs weight it
/// according to the settings.
///
/// Recommends the [`Classified`] domain. Diagnostics of a suggestion: `acquisition`, `mean` and `std_dev` at the suggestion, and those of
/// the previous state: `above`, `undecided`, `misclassified`, `boundary_change`, `mean_variance`, `relative_variance`,
/// `log_expected_improvement`, `threshold`, `beta`, `contradictions`.
pub struct LevelSetOptimizer {
    pub(crate) space: Space,
    pub(crate) settings: LevelSetSettings,
    surrogate: Box<dyn Surrogate>,
    /// The surrogate for values near a known threshold; `None` if the surrogate does not distinguish it.
    near_threshold: Option<Box<dyn Surrogate>>,
    /// Surrogate of constraints and costs if the objective has one with known hyperparameters.
    learnt: GpSurrogate,
    cost: Option<KnownCost>,
    pub(crate) known_constraint: KnownConstraint,
    /// Intersected intervals of all steps so far, for a fixed model.
    progress: Option<Progress>,
    /// Cache of the points to classify for a seed.
    pub(crate) points: (Seed, Points),
}

/// The surrogate for values near the threshold; `None` if the threshold is not a known number.
fn near_threshold(settings: &LevelSetSettings, surrogate: &dyn Surrogate) -> Option<Box<dyn Surrogate>> {
    match settings.threshold {
        Threshold::Fixed(threshold) => surrogate.near(threshold),
        Threshold::Implicit { .. } => None,
    }
}

impl LevelSetOptimizer {
    /// An optimiser with a Matérn-5/2 Gaussian process whose hyperparameters are learnt.
    ///
    /// # Errors
    /// [`OptimizerError`] names the setting that is out of its range or the candidate that is not of the space.
    pub fn new(space: Space, settings: LevelSetSettings) -> Result<Self, OptimizerError> {
        settings.validate()?;
        let seed = Seed(0);
        let points = settings.over.points(&space, seed)?;
        let surrogate = GpSurrogate::default();
        Ok(Self {
            space,
            near_threshold: near_threshold(&settings, &surrogate),
            settings,
            surrogate: Box::new(surrogate),
            learnt: GpSurrogate::default(),
            cost: None,
            known_constraint: KnownConstraint::default(),
            progress: None,
            points: (seed, points),
        })
    }

    /// Replaces the surrogate by one with learnt hyperparameters.
    #[must_use]
    pub fn with_surrogate(mut self, surrogate: impl Surrogate + 'static) -> Self {
        self.near_threshold = near_threshold(&self.settings, &surrogate);
        (self.surrogate, self.progress) = (Box::new(surrogate), None);
        self
    }

    /// Sets a surrogate with known hyperparameters; the intervals of all steps are intersected.
    #[must_use]
    pub fn with_fixed_model(mut self, model: FixedGp) -> Self {
        self.near_threshold = None;
        (self.surrogate, self.progress) = (Box::new(model), Some(Progress::default()));
        self
    }

    /// Sets a known cost of each evaluation; every criterion is divided by it. The name is part of the fingerprint. A cost that is not
    /// positive counts as 1.
    #[must_use]
    pub fn with_cost(mut self, name: &str, cost: impl Fn(&Config) -> f64 + Send + Sync + 'static) -> Self {
        self.cost = Some(KnownCost { name: name.to_owned(), of: Box::new(cost) });
        self
    }

    /// Adds a known constraint: only configurations for which `allowed` is true are suggested, but all are classified. A resumed study
    /// needs the same constraint.
    #[must_use]
    pub fn with_known_constraint(
        mut self,
        allowed: impl Fn(&Config) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.known_constraint = KnownConstraint::new(allowed);
        self
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

    /// The points that a study with this seed classifies, on the unit cube.
    ///
    /// # Errors
    /// As [`LevelSetOptimizer::new`].
    pub fn points(&self, seed: Seed) -> Result<Points, OptimizerError> {
        self.settings.over.points(&self.space, seed)
    }

    /// Uses the seed of a study, which determines the points to classify.
    pub(crate) fn follow_seed(&mut self, seed: Seed) -> Result<(), OptimizerError> {
        if self.points.0 != seed {
            self.points = (seed, self.points(seed)?);
            self.progress.iter_mut().for_each(|progress| *progress = Progress::default());
        }
        Ok(())
    }

    /// The classification after a history; `None` before the first measurement.
    ///
    /// # Errors
    /// [`OptimizerError`]: a query that is not of the space, or a fit that fails.
    pub fn classify(&mut self, history: &History<Config>) -> Result<Option<Classified>, OptimizerError> {
        let id = TrialId(history.len() as u64);
        Ok(self.assess(history, id)?.map(|state| state.classified))
    }

    /// True for points whose mean was above the threshold when a trial was suggested. It gives learning curves without another fit.
    ///
    /// `None` for trials of the initial design, and for those of another domain.
    #[must_use]
    pub fn above_before(&self, trial: &Trial<Config>) -> Option<Vec<bool>> {
        diagnostics::unpacked(&trial.memo.get(&ABOVE)?, self.points.1.len())
    }

    pub(crate) fn encoded(
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

    /// Bounds of the threshold. Over a domain, an implicit threshold uses the maximum over all points, not only the classified ones.
    fn level(
        &self,
        surrogates: &SurrogateState<'_>,
        asked: &Points,
        classified: (&[f64], &Intervals),
        beta: f64,
        id: TrialId,
    ) -> Level {
        if self.settings.over.is_finite() {
            return self.settings.threshold.level(classified.0, classified.1);
        }
        let whole = WholeDomain {
            domain: self.space.domain(),
            posterior: surrogates.posterior(),
            asked,
            maximizer: &self.settings.maximizer,
            beta,
        };
        let mut rng = self.points.0.stream("largest bound", id.0);
        self.settings.threshold.level_over(&whole, &self.points.1, classified, &mut rng)
    }

    fn assess<'a>(
        &'a mut self,
        history: &'a History<Config>,
        id: TrialId,
    ) -> Result<Option<LevelSetState<'a>>, OptimizerError> {
        self.follow_seed(history.seed())?;
        let asked = asked_points(&self.space, history.trials())?;
        let pending = self.encoded(history, |trial| trial.outcome.is_none())?;
        let failed = self.encoded(history, is_failed)?;
        let told: Vec<&Trial<Config>> =
            history.trials().iter().filter(|trial| trial.outcome.is_some()).collect();
        if let Some(progress) = &mut self.progress {
            progress.follow(
                &told,
                &self.space,
                &*self.surrogate,
                &self.points.1,
                self.settings.confidence,
            )?;
        }
        let (space, surrogate, seed) = (&self.space, &*self.surrogate, history.seed());
        // The known hyperparameters apply only to the objective.
        let learnt: &dyn Surrogate = &self.learnt;
        let others = surrogate.for_other_outputs().unwrap_or(surrogate);
        let weight_surrogate = if self.progress.is_some() { learnt } else { others };
        let surrogate = self.near_threshold.as_deref().unwrap_or(surrogate);
        let fitter = OutputFitter { space, surrogate, weight_surrogate, trials: told, seed, id };
        let costs = CostData { trials: None, spent: Some(history.spent()) };
        let state = SurrogateState::fit_with(&fitter, self.settings.state(), costs)?;
        let Some(surrogates) = state else { return Ok(None) };
        // Running trials count as asked.
        let surrogates = surrogates.with_asked(asked.clone()).with_known_constraint(&self.known_constraint);
        let points = &self.points.1;
        let (mean, std_dev) = moments(surrogates.posterior(), points);
        let beta = self
            .settings
            .confidence
            .beta(surrogates.losses().len(), points.len())
            .map_err(|error| OptimizerError::failed("finding the width of intervals", error))?;
        let intervals = match &self.progress {
            Some(progress) => progress.intervals().clone(),
            None => Intervals::of(&mean, &std_dev, beta),
        };
        let level = self.level(&surrogates, &asked, (&mean, &intervals), beta, id);
        let accuracy = (self.settings.epsilon, beta);
        let classified = Classified::new(points.clone(), (mean, std_dev), intervals, level, accuracy);
        let (cost, imagined) = (self.cost.as_ref(), OnceLock::new());
        Ok(Some(LevelSetState { surrogates, classified, pending, failed, asked, cost, imagined }))
    }

    /// A turn with a fitted surrogate, or the answer if none is needed.
    pub(crate) fn modelled_turn<'a>(
        &'a mut self,
        history: &'a History<Config>,
        id: TrialId,
    ) -> Result<Result<LevelSetTurn<'a>, Ask<Config>>, OptimizerError> {
        if let Some(config) = self.designed(history, id)? {
            return Ok(Err(Ask::Evaluate(Suggestion::new(config))));
        }
        if history.measured().next().is_none() {
            let waits = history.pending().next().is_some();
            return Ok(Err(match self.initial(history, id)? {
                Some(config) => Ask::Evaluate(Suggestion::new(config)),
                None if waits => Ask::Wait,
                None => Ask::Stop(StopReason::Exhausted),
            }));
        }
        let settings = self.settings.clone();
        let Some(state) = self.assess(history, id)? else { return Ok(Err(Ask::Wait)) };
        let numbers = diagnostics::of(&state.classified, state.surrogates.losses(), history);
        if let Some(stop) = stops(&settings, &state, &numbers, history) {
            return Ok(Err(stop));
        }
        Ok(Ok(LevelSetTurn { settings, state, numbers, seed: history.seed(), id }))
    }
}

/// True for a trial that ended without a measurement, for a reason related to its configuration.
fn is_failed(trial: &Trial<Config>) -> bool {
    trial.outcome.is_some() && measurement(trial).is_none() && is_asked(trial)
}

impl ModelBased for LevelSetOptimizer {
    fn turn<'a>(
        &'a mut self,
        history: &'a History<Config>,
        id: TrialId,
    ) -> Result<Turn<'a, Config>, OptimizerError> {
        Ok(match self.modelled_turn(history, id)? {
            Ok(turn) => Turn::Modelled(Box::new(turn)),
            Err(ask) => Turn::Decided(ask),
        })
    }
}

/// A reason to stop: every point is decided, or the diagnostics meet the stop rule.
fn stops(
    settings: &LevelSetSettings,
    state: &LevelSetState<'_>,
    numbers: &BTreeMap<String, f64>,
    history: &History<Config>,
) -> Option<Ask<Config>> {
    let stop = |message: &str| {
        let (message, numbers) = (message.into(), numbers.clone());
        Some(Ask::Stop(StopReason::Decided { message, numbers }))
    };
    if settings.stop_when_certified && state.classified.is_certified() {
        return stop("every point is classified");
    }
    let rule = settings.stop.as_ref()?;
    let mut series: Vec<&BTreeMap<String, f64>> =
        history.trials().iter().map(|trial| &trial.diagnostics).collect();
    series.push(numbers);
    if rule.holds(&series) { stop("diagnostics of the level set") } else { None }
}

impl Optimizer for LevelSetOptimizer {
    type Query = Config;
    type Recommendation = Classified;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        self.turn(history, id)?.ask()
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Classified>, OptimizerError> {
        self.classify(history)
    }

    fn check(&self, query: &Config, is_whole: bool) -> Result<(), OptimizerError> {
        check_config(&self.space, query, is_whole)
    }

    fn check_measurement(&self, measurement: &Measurement) -> Result<(), MeasurementProblem> {
        self.settings.cost.check(measurement)
    }

    fn canonical(&self, query: Config) -> Config {
        self.space.canonical(&query)
    }

    fn ask_given(
        &mut self,
        history: &History<Config>,
        id: TrialId,
        given: &Config,
    ) -> Result<Ask<Config>, OptimizerError> {
        // The points to classify are those of the whole space.
        self.follow_seed(history.seed())?;
        ask_given(self, |own| (&mut own.space, &own.known_constraint), history, id, given)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let ours = fingerprint("level set", &self.settings, &self.space)?
            .with("cost", &self.cost.as_ref().map(|cost| &cost.name))?
            .with("fixed", &self.progress.is_some())?;
        Ok(design_changed(ours).around(surrogate_fingerprint(&*self.surrogate)?))
    }
}
