//! Bayesian optimisation of one objective.

use thrifty_acquisition::AcquisitionFactory;
use thrifty_model_based::{
    CostAwareness, CostData, Designer, GpSurrogate, ModelBased, OutputFitter, PlannedTrials, Repeats,
    StateSettings, SurrogateState, TiePolicy, Turn, acquisition_fingerprint, ask_given, check_config,
    design_changed, ended_without_loss, fingerprint, is_modelled, surrogate_fingerprint,
};
use thrifty_space::{Config, KnownConstraint, Space};
use thrifty_study::{
    Ask, Best, Fingerprint, History, Measurement, MeasurementProblem, Memo, MemoKey, Optimizer,
    OptimizerError, StopReason, Suggestion, Trial, TrialId,
};
use thrifty_surrogate::Surrogate;

use crate::turn::{BoTurn, POLISHED};
use crate::{BoSettings, Convergence};

/// Bayesian optimisation.
///
/// It starts with an initial design. Then, for each trial, it fits the surrogates, builds and maximizes the acquisition function, and
/// suggests its best point that was not asked before. With expected improvement and [`NoImprovement`](thrifty_study::NoImprovement) as stop
/// rule this is Algorithm 1 of `brofos2014`.
///
/// Diagnostics of a suggestion:
/// - `acquisition`, `mean` and `std_dev` at the suggestion, and `threshold`, the improvement target;
/// - `max_expected_improvement` if the rule is (log) expected improvement: the largest value, times the probability of being feasible,
///   without costs;
/// - `expected_gain`: the same at the suggestion of the rule, in units of the loss;
/// - `probability_feasible` where measurements have constraints or trials failed;
/// - `probability_tied` where losses tie;
/// - `expected_cost` where costs count.
///
/// Recommends the feasible measured configuration with the smallest posterior mean, by a model of the measured losses alone.
///
/// A constraint of a measurement holds if its value is not positive. Each constraint has its own surrogate, and the utility is multiplied
/// by the probability that all hold. It is also multiplied by the probability of not failing, which is learnt from failed trials
/// ([`FailurePolicy`](crate::FailurePolicy)). For constraints that are known without an evaluation, use
/// [`BayesianOptimizer::with_known_constraint`].
pub struct BayesianOptimizer {
    space: Space,
    settings: BoSettings,
    planned: PlannedTrials,
    surrogate: Box<dyn Surrogate>,
    /// Custom acquisition function, in place of that of the settings.
    acquisition: Option<Box<dyn AcquisitionFactory>>,
    known_constraint: KnownConstraint,
}

/// Number of the run that a trial belongs to; absent in the first run.
pub(crate) static RUN: MemoKey<u64> = MemoKey::new("run");

impl BayesianOptimizer {
    /// An optimiser with a Matérn-5/2 Gaussian process, log expected improvement and default settings.
    #[must_use]
    pub fn new(space: Space) -> Self {
        Self {
            space,
            settings: BoSettings::default(),
            planned: PlannedTrials::default(),
            surrogate: Box::new(GpSurrogate::default()),
            acquisition: None,
            known_constraint: KnownConstraint::default(),
        }
    }

    /// Replaces the settings.
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] names the setting that is out of its range.
    pub fn with_settings(mut self, settings: BoSettings) -> Result<Self, OptimizerError> {
        settings.validate()?;
        (self.settings, self.planned) = (settings, PlannedTrials::default());
        Ok(self)
    }

    /// Replaces the surrogate.
    #[must_use]
    pub fn with_surrogate(mut self, surrogate: impl Surrogate + 'static) -> Self {
        self.surrogate = Box::new(surrogate);
        self
    }

    /// Sets a custom acquisition function, in place of that of the settings.
    #[must_use]
    pub fn with_acquisition(mut self, acquisition: impl AcquisitionFactory + 'static) -> Self {
        self.acquisition = Some(Box::new(acquisition));
        self
    }

    /// The acquisition function.
    #[must_use]
    pub fn acquisition(&self) -> &dyn AcquisitionFactory {
        self.acquisition.as_deref().unwrap_or(&self.settings.rule)
    }

    /// Adds a known constraint: only configurations for which `allowed` is true are suggested. Given configurations
    /// of an initial design are not checked. A resumed study needs the same constraint.
    #[must_use]
    pub fn with_known_constraint(
        mut self,
        allowed: impl Fn(&Config) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.known_constraint = KnownConstraint::new(allowed);
        self
    }

    pub(crate) fn known_constraint(&self) -> &KnownConstraint {
        &self.known_constraint
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &BoSettings {
        &self.settings
    }

    /// The space.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The surrogates for the next suggestion; `None` during the initial design, or if nothing was measured.
    ///
    /// # Errors
    /// As [`SurrogateState::fit`].
    pub fn state<'a>(
        &'a self,
        history: &'a History<Config>,
        id: TrialId,
    ) -> Result<Option<SurrogateState<'a>>, OptimizerError> {
        let (run, trials) = current_run(history);
        let settings = self.state_settings();
        let told = settings.failures.told(trials.iter().copied());
        // A finished design does not restart if the study is planned longer.
        let modelled = trials.iter().any(|trial| is_modelled(trial));
        let queries = history.trials().iter().map(|trial| &trial.query);
        if !modelled && settings.initial.lasts(&self.space, settings.budget, (run, queries), told) {
            return Ok(None);
        }
        // Cooling also counts the costs of earlier runs.
        let costs = CostData { trials: Some(history.trials()), spent: Some(history.spent()) };
        let fitter = self.fitter(trials, history, id);
        let Some(state) = SurrogateState::fit_with(&fitter, settings, costs)? else {
            return Ok(None);
        };
        let asked = Repeats::asked(self.settings.repeats, &self.space, history)?;
        Ok(Some(state.with_asked(asked).with_known_constraint(&self.known_constraint)))
    }

    /// Settings of the surrogate state. With earlier data, an automatic design has the smaller default minimum.
    fn state_settings(&self) -> StateSettings {
        let settings = self.settings.state();
        if self.surrogate.has_earlier_data() {
            return StateSettings { budget: self.settings.budget.into(), ..settings };
        }
        settings
    }

    fn fitter<'a>(
        &'a self,
        trials: Vec<&'a Trial<Config>>,
        history: &History<Config>,
        id: TrialId,
    ) -> OutputFitter<'a> {
        let (space, surrogate, seed) = (&self.space, &*self.surrogate, history.seed());
        let weight_surrogate = surrogate.for_other_outputs().unwrap_or(surrogate);
        OutputFitter { space, surrogate, weight_surrogate, trials, seed, id }
    }

    /// The next point of the initial design of a run; stops when a finite space is exhausted.
    pub(crate) fn initial(
        &self,
        run: u64,
        history: &History<Config>,
        id: TrialId,
    ) -> Result<Ask<Config>, OptimizerError> {
        let (design, space, seed) = (&self.settings.initial, &self.space, history.seed());
        let designer = Designer { design, space, seed, run, known_constraint: &self.known_constraint };
        let asked = Repeats::asked(self.settings.repeats, space, history)?;
        let config = asked.designed(&designer, id)?;
        Ok(config.map_or(Ask::Stop(StopReason::Exhausted), |config| {
            Ask::Evaluate(of_run(Suggestion::new(config), run))
        }))
    }
}

/// Adds the number of its run to a suggestion.
pub(crate) fn of_run(suggestion: Suggestion<Config>, run: u64) -> Suggestion<Config> {
    if run > 0 { suggestion.with_memo(&RUN, &run) } else { suggestion }
}

/// The number of the current run and its trials; without restarts all trials.
pub(crate) fn current_run(history: &History<Config>) -> (u64, Vec<&Trial<Config>>) {
    // Older journals keep the run among the diagnostics.
    let of = |trial: &Trial<Config>| {
        let noted = || trial.diagnostics.get("run").map(|run| *run as u64);
        trial.memo.get(&RUN).or_else(noted).unwrap_or(0)
    };
    // Queries from elsewhere have no run and count as the first.
    let current = history.trials().iter().map(of).max().unwrap_or(0);
    (current, history.trials().iter().filter(|trial| of(trial) == current).collect())
}

impl ModelBased for BayesianOptimizer {
    fn turn<'a>(
        &'a mut self,
        history: &'a History<Config>,
        id: TrialId,
    ) -> Result<Turn<'a, Config>, OptimizerError> {
        let optimizer: &'a Self = self;
        match optimizer.state(history, id)? {
            None => Ok(Turn::Decided(optimizer.initial(current_run(history).0, history, id)?)),
            Some(state) => Ok(Turn::Modelled(Box::new(BoTurn::new(optimizer, state, history, id)))),
        }
    }
}

impl Optimizer for BayesianOptimizer {
    type Query = Config;
    type Recommendation = Best<Config>;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        self.turn(history, id)?.ask()
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Best<Config>>, OptimizerError> {
        // Imputed losses of failed and pruned trials would move the means at measured configurations.
        let trials: Vec<_> = history.trials().iter().filter(|trial| !ended_without_loss(trial)).collect();
        let id = TrialId(trials.len() as u64);
        let fitter = self.fitter(trials, history, id);
        // Fantasies of running trials would move the means; in a mixture even fantasies at the means do.
        // Costs weight the choice of a measurement, not the recommendation. Losses of a piecewise constant function are exact, without noise.
        let (cost, ties) = (CostAwareness::Ignore, TiePolicy::Ignore);
        let settings = StateSettings { ignores_running: true, cost, ties, ..self.settings.state() };
        let Some(state) = SurrogateState::fit(&fitter, settings)? else { return Ok(None) };
        let means = state.means();
        let measured = history.measured().zip(means).zip(state.feasible());
        let feasible = measured.filter(|(_, feasible)| **feasible).map(|(found, _)| found);
        let best = feasible.reduce(|best, other| if other.1 < best.1 { other } else { best });
        let Some(((trial, loss), mean)) = best else { return Ok(None) };
        let config = &trial.query;
        let x = self.space.encode(config);
        let x = x.map_err(|error| OptimizerError::failed("recommending a configuration", error))?;
        let interval = state.interval_of_loss(state.posterior().predict(&x));
        // A mean beyond the range of the transform has no loss; the measured one is the best that is known.
        let value = Some(state.loss_of(*mean)).filter(|value| value.is_finite()).unwrap_or(loss);
        Ok(Some(Best::posterior(config.clone(), value).with_interval(interval)))
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

    /// Memo without the mark of a trial at the least mean, so that another one goes there.
    fn moved(&self, memo: Memo) -> Memo {
        memo.without(&[POLISHED.name()])
    }

    fn ask_given(
        &mut self,
        history: &History<Config>,
        id: TrialId,
        given: &Config,
    ) -> Result<Ask<Config>, OptimizerError> {
        // A given part of the space that has converged does not show that the whole has. So no new run begins; the part is explored instead.
        let convergence = self.settings.convergence;
        if let Convergence::Restart { epsilon } = convergence {
            self.settings.convergence = Convergence::Explore { epsilon };
        }
        let asked = ask_given(self, |bo| (&mut bo.space, &bo.known_constraint), history, id, given);
        self.settings.convergence = convergence;
        asked
    }

    fn plan(&mut self, trials: usize) {
        self.planned.plan(&mut self.settings.budget, trials);
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let settings = self.settings.identity()?;
        let ours = fingerprint("bayesian optimisation", &settings, &self.space)?;
        let ours = ours.with_budget(self.settings.budget).changed_since_format_one(
            "settings.pending",
            "no part of the target of improvement",
            "part of it, by joint draws",
        );
        let ours = match &self.acquisition {
            Some(acquisition) => acquisition_fingerprint(ours, &**acquisition)?,
            None => ours,
        };
        Ok(design_changed(ours).around(surrogate_fingerprint(&*self.surrogate)?))
    }
}
