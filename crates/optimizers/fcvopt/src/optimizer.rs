//! Fractional cross-validation.

use std::sync::Mutex;

use serde::Serialize;
use thrifty_acquisition::AcquisitionFactory;
use thrifty_cv::FoldQuery;
use thrifty_hgp::Hgp;
use thrifty_kernel::Kernel;
use thrifty_model_based::{
    Designer, Given, ModelBased, Turn, acquisition_fingerprint, check_config, design_changed, fingerprint,
    within, without_gains,
};
use thrifty_params::Parameterized;
use thrifty_sampling::Seed;
use thrifty_space::{Config, KnownConstraint, Space};
use thrifty_study::{
    Ask, Best, EXPECTED_COST, Fingerprint, History, Measurement, MeasurementProblem, Optimizer,
    OptimizerError, StopReason, Suggestion, TrialId,
};

use crate::design::FoldDesign;
use crate::surrogate_state::Evaluated;
use crate::surrogate_state::WARM_START;
use crate::turn::FoldTurn;
use crate::{FoldCosts, FoldSurrogateState, FractionalSettings, InitialFolds};

/// Fractional cross-validation.
///
/// It starts with an initial design with one fold per configuration. Then, for each trial, it fits the hierarchical process, maximises the
/// acquisition on the true loss, chooses the fold and suggests. A pair is not asked again while the configuration has another fold. A
/// configuration whose folds were all asked is replaced by the next best.
///
/// Diagnostics of a suggestion:
/// - `acquisition`, and `mean` and `std_dev` of the target at the suggestion;
/// - `remaining`: the variance of the target after the fold is observed;
/// - `incumbent_mean`;
/// - `max_expected_improvement`: the expected decrease of the best posterior mean, which [`NoImprovement`](thrifty_study::NoImprovement) uses.
///
/// Recommends according to [`Incumbent`](crate::Incumbent).
///
/// With a [`budget`](field@FractionalSettings::budget) the last fits verify. Verification begins when the remaining fits just suffice. The
/// best configurations, only feasible ones if any probably is, then become finalists, which do not change later, and their missing folds are
/// evaluated. A finalist with a failed fold is replaced by the next best that the remaining fits can complete. The memo of every trial of the
/// verification contains the finalists.
pub struct FractionalCv {
    pub(crate) space: Space,
    pub(crate) settings: FractionalSettings,
    /// The process defined by the settings.
    default_model: Hgp,
    /// User-defined process, in place of the default.
    model: Option<Hgp>,
    /// User-defined acquisition function, in place of that of the settings.
    pub(crate) acquisition: Option<Box<dyn AcquisitionFactory>>,
    pub(crate) known_constraint: KnownConstraint,
    pub(crate) request: Mutex<Option<Request>>,
}

/// A verification on demand: first and last trial number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request {
    pub(crate) from: usize,
    pub(crate) end: usize,
}

impl FractionalCv {
    /// An optimiser with the default settings on `folds` folds: [`FractionalSettings::new`].
    ///
    /// # Errors
    /// [`OptimizerError`] for fewer than two folds.
    pub fn new(space: Space, folds: usize) -> Result<Self, OptimizerError> {
        let settings = FractionalSettings::new(folds);
        let default_model = default_model(&space, &settings)?;
        Ok(Self {
            space,
            settings,
            default_model,
            model: None,
            acquisition: None,
            known_constraint: KnownConstraint::default(),
            request: Mutex::new(None),
        })
    }

    /// The method of `yerramilli2025` on `folds` folds: [`FractionalSettings::paper`].
    ///
    /// # Errors
    /// [`OptimizerError`] for fewer than two folds.
    pub fn paper(space: Space, folds: usize) -> Result<Self, OptimizerError> {
        Self::new(space, folds)?.with_settings(FractionalSettings::paper(folds))
    }

    /// Replaces the settings, the number of folds included.
    ///
    /// # Errors
    /// [`OptimizerError`] names the setting that is out of its range.
    pub fn with_settings(mut self, settings: FractionalSettings) -> Result<Self, OptimizerError> {
        self.default_model = default_model(&self.space, &settings)?;
        self.settings = settings;
        Ok(self)
    }

    /// Replaces the process. It is part of the fingerprint: a journal is resumed with the same process.
    #[must_use]
    pub fn with_model(mut self, model: Hgp) -> Self {
        self.model = Some(model);
        self
    }

    /// Sets a user-defined acquisition function on the posterior of the target, in place of that of the settings.
    #[must_use]
    pub fn with_acquisition(mut self, acquisition: impl AcquisitionFactory + 'static) -> Self {
        self.acquisition = Some(Box::new(acquisition));
        self
    }

    /// Adds a known constraint: only configurations for which `allowed` is true are suggested. Given configurations of an
    /// initial design are not checked. A resumed study needs the same constraint.
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
    pub fn settings(&self) -> &FractionalSettings {
        &self.settings
    }

    /// The surrogates for the next suggestion; `None` before a fold is measured.
    ///
    /// # Errors
    /// As [`FoldSurrogateState::fit`].
    pub fn state(
        &self,
        history: &History<FoldQuery>,
        id: TrialId,
    ) -> Result<Option<FoldSurrogateState>, OptimizerError> {
        let model = self.model.as_ref().unwrap_or(&self.default_model);
        FoldSurrogateState::fit(&self.space, &self.settings, model, history, id)
    }

    pub(crate) fn query(&self, config: Config, code: usize) -> FoldQuery {
        FoldQuery { config, repeat: code / self.settings.folds, fold: code % self.settings.folds }
    }

    /// The initial design of a study.
    fn design<'a>(&'a self, history: &'a History<FoldQuery>) -> FoldDesign<'a> {
        let (design, space, known_constraint) = (&self.settings.initial, &self.space, &self.known_constraint);
        let designer = Designer { design, space, seed: history.seed(), run: 0, known_constraint };
        FoldDesign { designer, history, folds: self.settings.folds }
    }

    /// The fold of the initial design for a trial, of the first repeat. Other repeats are used as soon as the model chooses them.
    fn initial_fold(&self, seed: Seed, id: TrialId) -> usize {
        let folds = self.settings.folds as u64;
        match self.settings.initial_folds {
            InitialFolds::Random => seed.stream("initial fold", id.0).index(self.settings.folds),
            InitialFolds::Balanced => {
                let mut order: Vec<usize> = (0..self.settings.folds).collect();
                seed.stream("fold order", id.0 / folds).shuffle(&mut order);
                order[(id.0 % folds) as usize]
            }
            InitialFolds::Two => (id.0 % 2) as usize,
        }
    }

    /// True while the initial design lasts.
    fn is_designed(&self, history: &History<FoldQuery>) -> bool {
        // A finished design does not restart if the study is planned longer.
        let modelled = history.trials().iter().any(|trial| trial.memo.contains(&WARM_START));
        let measured = history.measured().count();
        let (space, initial) = (&self.space, &self.settings.initial);
        let configs = history.trials().iter().map(|trial| &trial.query.config);
        !modelled && initial.lasts(space, self.settings.budget, (0, configs), measured)
    }
}

/// The hierarchical process defined by the settings.
fn default_model(space: &Space, settings: &FractionalSettings) -> Result<Hgp, OptimizerError> {
    let failed = |error| OptimizerError::failed("setting up fractional cross-validation", error);
    settings.validate().map_err(|error| failed(error.to_string()))?;
    let model = Hgp::on_domain(space.domain());
    if settings.repeats_differ {
        return model.with_repeats(settings.folds).map_err(|error| failed(error.to_string()));
    }
    Ok(model)
}

/// A user-defined process in a fingerprint: its settings, its prior hyperparameters, and covariances at a few points. The covariances
/// distinguish kernels with the same hyperparameters.
fn described(model: &Hgp, dim: usize) -> impl Serialize {
    let kernel = model.kernel();
    let columns = kernel.dim().unwrap_or(dim + 1);
    let point = |u: f64, fold: f64| {
        let mut point = vec![u; columns];
        point[columns - 1] = fold;
        point
    };
    let pairs = [((0.2, 0.0), (0.3, 0.0)), ((0.2, 0.0), (0.7, 1.0)), ((0.4, 1.0), (0.5, 2.0))];
    let covariance = |((u, i), (v, j))| kernel.eval(&point(u, i), &point(v, j));
    // Rounded to digits that are equal on all machines.
    let covariances = pairs.map(|pair| format!("{:.9e}", covariance(pair)));
    (model.settings().clone(), kernel.params(), covariances)
}

impl ModelBased for FractionalCv {
    fn turn<'a>(
        &'a mut self,
        history: &'a History<FoldQuery>,
        id: TrialId,
    ) -> Result<Turn<'a, FoldQuery>, OptimizerError> {
        let optimizer: &'a Self = self;
        if let Some(budget) = optimizer.settings.budget
            && history.len() >= budget
        {
            return Ok(Turn::Decided(Ask::Stop(StopReason::Trials(budget))));
        }
        let mut state = None;
        if let Some(verification) = optimizer.begun(history, id, &mut state)? {
            return Ok(Turn::Decided(optimizer.verify(verification, history, id)?));
        }
        let design = optimizer.design(history);
        // Failed and running folds do not count as measured.
        if optimizer.is_designed(history)
            && let Some(query) = design.query(id, optimizer.initial_fold(history.seed(), id))?
        {
            return Ok(Turn::Decided(Ask::Evaluate(Suggestion::new(query))));
        }
        let state = match state {
            Some(state) => Some(state),
            None => optimizer.state(history, id)?,
        };
        match state {
            Some(state) => Ok(Turn::Modelled(Box::new(FoldTurn::new(optimizer, state, history, id)))),
            None => Ok(Turn::Decided(design.beyond())),
        }
    }
}

impl Optimizer for FractionalCv {
    type Query = FoldQuery;
    type Recommendation = Best<Config>;

    fn ask(&mut self, history: &History<FoldQuery>, id: TrialId) -> Result<Ask<FoldQuery>, OptimizerError> {
        self.turn(history, id)?.ask()
    }

    fn recommend(&mut self, history: &History<FoldQuery>) -> Result<Option<Best<Config>>, OptimizerError> {
        let Some(state) = self.state(history, TrialId(history.len() as u64))? else { return Ok(None) };
        let evidence = state.evidence();
        let ranked = self.eligible(&state);
        let config = |one: &Evaluated<'_>| history.trials()[one.trial].query.config.clone();
        let estimated = |one: &Evaluated<'_>| {
            Best::posterior(config(one), one.mean).with_interval(state.measured_at(one.x).interval())
        };
        // For a configuration whose folds were all measured.
        let complete = |one: &Evaluated<'_>| {
            let at = evidence.first.iter().position(|trial| *trial == one.trial)?;
            let mean = evidence.whole_mean(at, self.settings.all_folds())?;
            // A mean that includes a bound is not observed.
            let is_censored = evidence.is_censored(at, self.settings.limits);
            Some(if is_censored { estimated(one) } else { Best::observed(config(one), mean) })
        };
        // Before verification has begun, a complete configuration is not preferred to a better one.
        if self.is_verifying(history, &ranked, evidence) {
            let found = ranked.iter().filter_map(|one| Some((complete(one)?, one.trial)));
            let best = found.min_by(|a, b| a.0.value.total_cmp(&b.0.value).then(a.1.cmp(&b.1)));
            if let Some((best, _)) = best {
                return Ok(Some(best));
            }
        }
        Ok(ranked.first().map(|first| complete(first).unwrap_or_else(|| estimated(first))))
    }

    fn check(&self, query: &FoldQuery, is_whole: bool) -> Result<(), OptimizerError> {
        let (folds, repeats) = (self.settings.folds, self.settings.repeats);
        for (what, found, count) in [("fold", query.fold, folds), ("repeat", query.repeat, repeats)] {
            if found >= count {
                let error = format!("{what} is {found}, expected one of {count}");
                return Err(OptimizerError::failed("a query from elsewhere", error));
            }
        }
        check_config(&self.space, &query.config, is_whole)
    }

    /// Costs are optional, but a reported cost needs a logarithm where costs count.
    fn check_measurement(&self, measurement: &Measurement) -> Result<(), MeasurementProblem> {
        let is_counted = self.settings.costs == FoldCosts::Measured && measurement.cost.is_some();
        if is_counted { measurement.require_positive_cost() } else { Ok(()) }
    }

    fn canonical(&self, query: FoldQuery) -> FoldQuery {
        FoldQuery { config: self.space.canonical(&query.config), ..query }
    }

    /// Completes the configuration; the fold is the given one.
    fn ask_given(
        &mut self,
        history: &History<FoldQuery>,
        id: TrialId,
        given: &FoldQuery,
    ) -> Result<Ask<FoldQuery>, OptimizerError> {
        self.check(given, false)?;
        let completion = Given::new(&self.space, &given.config, id)?;
        let on_fold = |config| FoldQuery { config, ..given.clone() };
        if let Some(whole) = completion.whole()? {
            return Ok(Ask::Evaluate(Suggestion::new(on_fold(whole))));
        }
        let asked = within(self, |own| &mut own.space, &given.config, |part| part.ask(history, id))?;
        Ok(match asked {
            Ask::Evaluate(suggestion) => {
                let query = on_fold(completion.complete(&suggestion.query.config)?);
                let mut suggestion = without_gains(suggestion);
                // That of the fold that was chosen.
                suggestion.memo = suggestion.memo.without(&[EXPECTED_COST.name()]);
                suggestion.diagnostics.remove(EXPECTED_COST.name());
                Ask::Evaluate(Suggestion { query, ..suggestion })
            }
            Ask::Stop(_) => {
                let config = completion.random(&self.known_constraint, history.seed())?;
                Ask::Evaluate(Suggestion::new(on_fold(config)))
            }
            Ask::Wait => Ask::Wait,
        })
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let settings = FractionalSettings { budget: None, ..self.settings.clone() };
        let ours = fingerprint("fractional cross-validation", &settings, &self.space)?;
        let ours = match &self.acquisition {
            Some(own) => acquisition_fingerprint(ours, &**own)?,
            None => ours,
        };
        let ours = match &self.model {
            Some(model) => ours.with("process", &described(model, self.space.dim()))?,
            None => ours,
        };
        Ok(design_changed(ours.with_budget(self.settings.budget)))
    }
}
