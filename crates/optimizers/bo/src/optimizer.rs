use thrifty_acquisition::AcquisitionFactory;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, Fingerprint, History, Optimizer, OptimizerError, StopReason, Suggestion, Trial, TrialId,
};
use thrifty_surrogate::Surrogate;

use crate::multi::measurement;
use crate::novelty::{Designer, points_of};
use crate::{
    Allowed, BoSettings, GpSurrogate, SurrogateState, acquisition_fingerprint, design_changed, fingerprint,
    reject_nan, surrogate_fingerprint,
};

/// Bayesian optimisation.
///
/// An initial design, then for each trial: fit the model to what was measured, maximise the acquisition, suggest
/// its best point that was not asked before. Algorithm 1 of the hybrid paper is this with expected improvement
/// and [`NoImprovement`](thrifty_study::NoImprovement) as stop rule.
///
/// Diagnostics of a suggestion: `acquisition`, `mean` and `std_dev` at it, `threshold`, `run`; and
/// `max_expected_improvement` where the rule is (log) expected improvement, with `expected_gain`, the same in units of the loss;
/// `probability_feasible` where measurements have constraints; `expected_cost` where costs count. Recommends the measured configuration with the smallest posterior mean among those that break none.
///
/// Constraints of a measurement hold where they are not positive. Each has a model of its own, and the utility counts times
/// the probability that all hold. What is known without evaluating belongs into
/// [`BayesianOptimizer::with_known_constraint`].
pub struct BayesianOptimizer {
    space: Space,
    seed: Seed,
    settings: BoSettings,
    surrogate: Box<dyn Surrogate>,
    /// Instead of that of the settings.
    acquisition: Option<Box<dyn AcquisitionFactory>>,
    allowed: Option<Box<Allowed>>,
}

impl BayesianOptimizer {
    /// An optimiser with a Matérn-5/2 Gaussian process, log expected improvement and default settings.
    #[must_use]
    pub fn new(space: Space, seed: Seed) -> Self {
        let (settings, surrogate) = (BoSettings::default(), Box::new(GpSurrogate::default()));
        Self { space, seed, settings, surrogate, acquisition: None, allowed: None }
    }

    /// Replaces the settings.
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] names the setting that makes no sense.
    pub fn with_settings(mut self, settings: BoSettings) -> Result<Self, OptimizerError> {
        settings.validate()?;
        self.settings = settings;
        Ok(self)
    }

    /// Replaces the surrogate.
    #[must_use]
    pub fn with_surrogate(mut self, surrogate: impl Surrogate + 'static) -> Self {
        self.surrogate = Box::new(surrogate);
        self
    }

    /// Sets an acquisition function of one's own instead of the one that the settings name.
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

    /// Adds a known constraint: only configurations that `allowed` says yes to are suggested. Given configurations
    /// of an initial design are not asked about. A resumed study needs the same constraint.
    #[must_use]
    pub fn with_known_constraint(
        mut self,
        allowed: impl Fn(&Config) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.allowed = Some(Box::new(allowed));
        self
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

    /// The seed.
    #[must_use]
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// The belief behind the next suggestion: nothing while the initial design lasts or nothing was measured.
    ///
    /// # Errors
    /// As [`SurrogateState::form`].
    pub fn belief(
        &self,
        history: &History<Config>,
        id: TrialId,
    ) -> Result<Option<SurrogateState<'_>>, OptimizerError> {
        let (_, trials) = current_run(history);
        let BoSettings { initial, budget, .. } = &self.settings;
        let measured = trials.iter().filter(|trial| measurement(trial).is_some()).count();
        // A design that has ended does not begin again when the study is planned longer.
        let modelled = trials.iter().any(|trial| !trial.memo.0.is_empty());
        if !modelled && initial.lasts(&self.space, *budget, id.0, measured) {
            return Ok(None);
        }
        let belief =
            SurrogateState::form(&self.space, &self.settings, &*self.surrogate, &trials, self.seed, id)?;
        let Some(belief) = belief else { return Ok(None) };
        let asked = points_of(&self.space, history.trials())?;
        Ok(Some(belief.with_asked(asked).within(self.allowed.as_deref())))
    }

    /// The next point of the initial design of the current run, or the end of a finite space.
    ///
    /// # Errors
    /// [`OptimizerError`] when a given configuration is not of the space, or none is found that is allowed.
    pub fn initial(&self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        self.initial_of(current_run(history).0, history, id)
    }

    fn initial_of(
        &self,
        run: u64,
        history: &History<Config>,
        id: TrialId,
    ) -> Result<Ask<Config>, OptimizerError> {
        let (design, space, allowed) = (&self.settings.initial, &self.space, self.allowed.as_deref());
        let designer = Designer { design, space, seed: self.seed, run, allowed };
        let config = designer.config(&points_of(space, history.trials())?, id)?;
        Ok(config.map_or(Ask::Stop(StopReason::Exhausted), |config| {
            Ask::Evaluate(Suggestion::new(config).with_diagnostic("run", run as f64))
        }))
    }

    /// A suggestion with what the model wants to remember.
    #[must_use]
    pub fn suggestion(
        &self,
        belief: &SurrogateState<'_>,
        x: &[f64],
        history: &History<Config>,
    ) -> Suggestion<Config> {
        let (mean, variance) = belief.posterior().predict(x);
        let mut suggestion = Suggestion::new(self.space.decode(x))
            .with_diagnostic("run", current_run(history).0 as f64)
            .with_diagnostic("mean", mean)
            .with_diagnostic("std_dev", variance.sqrt());
        if let Some(probability) = belief.probability_feasible(x) {
            suggestion = suggestion.with_diagnostic("probability_feasible", probability);
        }
        suggestion.memo = belief.memo();
        suggestion
    }
}

/// The number of the current run and its trials; without restarts all trials.
fn current_run(history: &History<Config>) -> (u64, Vec<&Trial<Config>>) {
    let run = |trial: &Trial<Config>| trial.diagnostics.get("run").copied().unwrap_or(0.0);
    let current = history.trials().last().map_or(0.0, run);
    (current as u64, history.trials().iter().filter(|trial| run(trial) == current).collect())
}

impl Optimizer for BayesianOptimizer {
    type Query = Config;
    type Recommendation = Config;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let Some(belief) = self.belief(history, id)? else {
            return self.initial(history, id);
        };
        let factory = self.acquisition();
        let acquisition = belief
            .acquisition(factory)
            .map_err(|error| OptimizerError::failed("building the acquisition", error))?;
        let candidates = belief.maximise(&*acquisition, "acquisition");
        reject_nan(factory, &candidates, id)?;
        let threshold = belief.target(factory.target());
        let expects = factory.is_expected_improvement();
        let expected =
            candidates.first().filter(|_| expects).map(|c| belief.expected_improvement(&c.x, threshold));
        if let Some(restarts) = self.settings.restarts {
            let expected =
                expected.or_else(|| belief.max_expected_improvement(threshold).map(|found| found.1));
            if expected.is_some_and(|expected| expected < restarts.epsilon * belief.range()) {
                let (run, _) = current_run(history);
                return self.initial_of(run + 1, history, id);
            }
        }
        let Some(chosen) = belief.first_new(candidates) else { return Ok(Ask::Stop(StopReason::Exhausted)) };
        let mut suggestion = self
            .suggestion(&belief, &chosen.x, history)
            .with_diagnostic("acquisition", chosen.value)
            .with_diagnostic("threshold", threshold);
        if let Some(expected) = expected {
            suggestion = suggestion
                .with_diagnostic("max_expected_improvement", expected)
                .with_diagnostic("expected_gain", belief.in_units_of_loss(expected, threshold));
        }
        if let Some(cost) = belief.expected_cost(&chosen.x) {
            suggestion = suggestion.with_diagnostic("expected_cost", cost);
        }
        Ok(Ask::Evaluate(suggestion))
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Config>, OptimizerError> {
        let trials: Vec<&Trial<Config>> = history.trials().iter().collect();
        let id = TrialId(history.len() as u64);
        let belief =
            SurrogateState::form(&self.space, &self.settings, &*self.surrogate, &trials, self.seed, id)?;
        let Some(belief) = belief else { return Ok(None) };
        let means = belief.means();
        let measured = history.measured().map(|(trial, _)| &trial.query).zip(&means).zip(belief.feasible());
        let feasible = measured.filter(|(_, feasible)| **feasible).map(|(found, _)| found);
        let best = feasible.reduce(|best, other| if other.1 < best.1 { other } else { best });
        Ok(best.map(|(config, _)| config.clone()))
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let settings = BoSettings { budget: None, ..self.settings.clone() };
        let ours = fingerprint("bayesian optimisation", &settings, self.seed, &self.space)?;
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
