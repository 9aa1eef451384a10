//! Multi-fidelity Bayesian optimisation.

use std::collections::HashSet;

use thrifty_gp::GpSurrogate;
use thrifty_model_based::{
    CostData, Designer, OutputFitter, PlannedTrials, Repeats, StateSettings, SurrogateState, ask_given,
    check_config, ended_without_loss, fingerprint, is_modelled, measurement, surrogate_fingerprint,
};
use thrifty_space::{Config, KnownConstraint, Space};
use thrifty_study::{
    Ask, Fingerprint, History, Measurement, MeasurementProblem, Optimizer, OptimizerError, Outcome,
    StopReason, Suggestion, Trial, TrialId,
};

use crate::evidence::observations;
use crate::reached::evaluated;
use crate::{FidelityAxis, FidelityBest, FidelityCost, MultiFidelitySettings, multi_fidelity_kernel};

/// Bayesian optimisation with a fidelity: a parameter of the space, such as epochs or rows. Lower values make an evaluation cheaper and biased.
///
/// It minimises the loss at the target, the largest value of the parameter. The model is a Gaussian process over configuration and fidelity
/// ([`multi_fidelity_kernel`]). Each suggestion is a configuration with its fidelity. It maximises the [knowledge gradient at the
/// target](crate::TargetKnowledgeGradient) per unit of cost. Intermediate [reports](thrifty_study::Context::report) count as observations
/// at their steps.
///
/// Diagnostics of a suggestion: `acquisition`, `mean` and `std_dev` at the suggestion, `target_mean` and `target_std_dev` of its
/// configuration at the target, and `expected_cost`.
///
/// [`History::best`] compares losses of different fidelities; use the recommendation instead.
pub struct MultiFidelityOptimizer {
    pub(crate) space: Space,
    pub(crate) axis: FidelityAxis,
    pub(crate) settings: MultiFidelitySettings,
    planned: PlannedTrials,
    /// Surrogate of the loss.
    surrogate: GpSurrogate,
    /// True for a user-defined surrogate, which is part of the fingerprint.
    is_own_surrogate: bool,
    /// Surrogate of constraints and cost.
    weight_surrogate: GpSurrogate,
    pub(crate) known_constraint: KnownConstraint,
}

impl MultiFidelityOptimizer {
    /// An optimiser with default settings; `fidelity` names the parameter of the space that is the fidelity.
    ///
    /// # Errors
    /// As [`FidelityAxis::new`].
    pub fn new(space: Space, fidelity: &str) -> Result<Self, OptimizerError> {
        let axis = FidelityAxis::new(&space, fidelity)?;
        Ok(Self {
            surrogate: on_axis(GpSurrogate::default(), &axis),
            space,
            axis,
            settings: MultiFidelitySettings::default(),
            planned: PlannedTrials::default(),
            is_own_surrogate: false,
            weight_surrogate: GpSurrogate::default(),
            known_constraint: KnownConstraint::default(),
        })
    }

    /// Replaces the settings.
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] names the setting that is out of its range.
    pub fn with_settings(mut self, settings: MultiFidelitySettings) -> Result<Self, OptimizerError> {
        settings.validate()?;
        (self.settings, self.planned) = (settings, PlannedTrials::default());
        Ok(self)
    }

    /// Replaces the surrogate of the loss. If it has a kernel, that kernel must model the fidelity. If it has a kernel family,
    /// [`multi_fidelity_kernel`] is used.
    #[must_use]
    pub fn with_surrogate(mut self, surrogate: GpSurrogate) -> Self {
        self.surrogate = if surrogate.kernel.is_some() { surrogate } else { on_axis(surrogate, &self.axis) };
        self.is_own_surrogate = true;
        self
    }

    /// Adds a known constraint: only configurations for which `allowed` is true are suggested. A resumed study needs the same
    /// constraint.
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
    pub fn settings(&self) -> &MultiFidelitySettings {
        &self.settings
    }

    /// The space.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The fidelity.
    #[must_use]
    pub fn axis(&self) -> &FidelityAxis {
        &self.axis
    }

    /// Training data of a history: its trials, and reports as observations at their steps.
    pub(crate) fn observations(&self, history: &History<Config>) -> Vec<Trial<Config>> {
        observations(&self.space, &self.axis, history, self.settings.reports)
    }

    /// The surrogates fitted to observations; `None` if no observation is a measurement.
    pub(crate) fn state<'a>(
        &'a self,
        observations: &'a [Trial<Config>],
        history: &History<Config>,
        id: TrialId,
    ) -> Result<Option<SurrogateState<'a>>, OptimizerError> {
        self.state_with(observations, history, id, self.settings.state())
    }

    /// [`MultiFidelityOptimizer::state`] with other settings.
    fn state_with<'a>(
        &'a self,
        observations: &'a [Trial<Config>],
        history: &History<Config>,
        id: TrialId,
        settings: StateSettings,
    ) -> Result<Option<SurrogateState<'a>>, OptimizerError> {
        let fitter = OutputFitter {
            space: &self.space,
            surrogate: &self.surrogate,
            weight_surrogate: &self.weight_surrogate,
            trials: observations.iter().collect(),
            seed: history.seed(),
            id,
        };
        let costs = CostData { trials: None, spent: Some(history.spent()) };
        let Some(state) = SurrogateState::fit_with(&fitter, settings, costs)? else {
            return Ok(None);
        };
        let asked = if self.settings.continues && self.settings.reports > 0 {
            let evaluated = evaluated(&self.space, &self.axis, history)?;
            Repeats::asked(self.settings.repeats, &self.space, &evaluated)?
        } else {
            Repeats::asked(self.settings.repeats, &self.space, history)?
        };
        Ok(Some(state.with_asked(asked).with_known_constraint(&self.known_constraint)))
    }

    /// True while the initial design lasts.
    fn is_initial(&self, history: &History<Config>) -> bool {
        let trials = history.trials();
        // A finished design does not restart if the study is planned longer.
        if trials.iter().any(is_modelled) {
            return false;
        }
        // Pruned trials count if one of their reports is an observation.
        let observations = self.observations(history);
        let observed: HashSet<TrialId> =
            observations.iter().filter(|one| measurement(one).is_some()).map(|one| one.id).collect();
        let is_pruned = |trial: &&Trial<Config>| matches!(trial.outcome, Some(Outcome::Pruned { .. }));
        let pruned = trials.iter().filter(is_pruned).filter(|trial| observed.contains(&trial.id)).count();
        let told = self.settings.failures.told(trials) + pruned;
        let (space, initial) = (&self.space, &self.settings.initial);
        let queries = trials.iter().map(|trial| &trial.query);
        initial.lasts(space, self.settings.budget, (0, queries), told)
    }

    /// The next point of the initial design; stops when a finite space is exhausted.
    fn initial(&self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let designer = Designer {
            design: &self.settings.initial,
            space: &self.space,
            seed: history.seed(),
            run: 0,
            known_constraint: &self.known_constraint,
        };
        let config = Repeats::asked(self.settings.repeats, &self.space, history)?.designed(&designer, id)?;
        Ok(config.map_or(Ask::Stop(StopReason::Exhausted), |config| Ask::Evaluate(Suggestion::new(config))))
    }
}

/// A surrogate with the kernel of an axis.
fn on_axis(surrogate: GpSurrogate, axis: &FidelityAxis) -> GpSurrogate {
    let of_kernel = axis.clone();
    surrogate.with_kernel(format!("multi-fidelity, {}", axis.name()), move |domain| {
        multi_fidelity_kernel(domain, &of_kernel).map_err(Into::into)
    })
}

impl Optimizer for MultiFidelityOptimizer {
    type Query = Config;
    type Recommendation = FidelityBest;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        if self.is_initial(history) {
            return self.initial(history, id);
        }
        let observations = self.observations(history);
        match self.state(&observations, history, id)? {
            None => self.initial(history, id),
            Some(state) => self.suggest(&state, history, id),
        }
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<FidelityBest>, OptimizerError> {
        let mut observations = self.observations(history);
        let all = observations.len();
        // Imputed losses of failed trials would move the means at measured configurations.
        observations.retain(|observed| !ended_without_loss(observed));
        let left_out = all - observations.len();
        // A fantasy of a running trial at the target would count as a known loss there.
        let settings = StateSettings { ignores_running: true, ..self.settings.state() };
        let id = TrialId((history.len() - left_out) as u64);
        let state = self.state_with(&observations, history, id, settings)?;
        state.map_or(Ok(None), |state| self.best(&state, &observations))
    }

    fn check(&self, query: &Config, is_whole: bool) -> Result<(), OptimizerError> {
        check_config(&self.space, query, is_whole)
    }

    fn check_measurement(&self, measurement: &Measurement) -> Result<(), MeasurementProblem> {
        if self.settings.cost == FidelityCost::Measured {
            measurement.require_positive_cost()
        } else {
            Ok(())
        }
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
        ask_given(self, |own| (&mut own.space, &own.known_constraint), history, id, given)
    }

    fn plan(&mut self, trials: usize) {
        self.planned.plan(&mut self.settings.budget, trials);
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let failures = self.settings.failures.identity();
        let settings =
            MultiFidelitySettings { budget: None, repeats: None, failures, ..self.settings.clone() };
        let ours = fingerprint("multi-fidelity Bayesian optimisation", &settings, &self.space)?;
        let ours = ours.with_budget(self.settings.budget).with("fidelity", self.axis.name())?;
        if !self.is_own_surrogate {
            return Ok(ours);
        }
        Ok(ours.around(surrogate_fingerprint(&self.surrogate)?))
    }
}
