use thrifty_acquisition::Rule;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Ask, History, Memo, Optimizer, OptimizerError, StopReason, Suggestion, Trial, TrialId};

use crate::belief::NOTES;
use crate::{Belief, BoSettings, GpModel, Model, fingerprint};

/// Bayesian optimisation.
///
/// An initial design, then for each trial: fit the model to what was measured, maximise the acquisition, suggest
/// its best point that was not asked before. Algorithm 1 of the hybrid paper is this with expected improvement
/// and [`NoImprovement`](thrifty_study::NoImprovement) as stop rule.
///
/// Diagnostics of a suggestion: `acquisition`, `mean` and `deviation` at it, `threshold`, `run`; and
/// `max_expected_improvement` where the rule is (log) expected improvement. Recommends the measured
/// configuration with the smallest posterior mean.
pub struct BayesianOptimizer {
    space: Space,
    seed: Seed,
    settings: BoSettings,
    model: Box<dyn Model>,
}

impl BayesianOptimizer {
    /// With a Matérn-5/2 Gaussian process, log expected improvement and default settings.
    #[must_use]
    pub fn new(space: Space, seed: Seed) -> Self {
        Self { space, seed, settings: BoSettings::default(), model: Box::new(GpModel::default()) }
    }

    /// With other settings.
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] names the setting that makes no sense.
    pub fn with_settings(mut self, settings: BoSettings) -> Result<Self, OptimizerError> {
        settings.validate()?;
        self.settings = settings;
        Ok(self)
    }

    /// With another model.
    #[must_use]
    pub fn with_model(mut self, model: impl Model + 'static) -> Self {
        self.model = Box::new(model);
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
    /// As [`Belief::form`].
    pub fn belief(
        &self,
        history: &History<Config>,
        id: TrialId,
    ) -> Result<Option<Belief<'_>>, OptimizerError> {
        let (_, trials) = current_run(history);
        if trials.len() < self.settings.initial.len(&self.space) {
            return Ok(None);
        }
        Belief::form(&self.space, &self.settings, &*self.model, &trials, self.seed, id)
    }

    /// The next point of the initial design of the current run.
    ///
    /// # Errors
    /// [`OptimizerError`] when a given configuration is not of the space.
    pub fn initial(&self, history: &History<Config>) -> Result<Suggestion<Config>, OptimizerError> {
        let (run, trials) = current_run(history);
        self.initial_of(run, trials.len())
    }

    fn initial_of(&self, run: u64, index: usize) -> Result<Suggestion<Config>, OptimizerError> {
        let config = self.settings.initial.config(&self.space, self.seed, run, index).map_err(|error| {
            OptimizerError::failed(format!("initial design, configuration {index}"), error)
        })?;
        Ok(Suggestion::new(config).with_diagnostic("run", run as f64))
    }

    /// A suggestion with what the model wants to remember.
    #[must_use]
    pub fn suggestion(
        &self,
        belief: &Belief<'_>,
        x: &[f64],
        history: &History<Config>,
    ) -> Suggestion<Config> {
        let (mean, variance) = belief.posterior().predict(x);
        let mut suggestion = Suggestion::new(self.space.decode(x))
            .with_diagnostic("run", current_run(history).0 as f64)
            .with_diagnostic("mean", mean)
            .with_diagnostic("deviation", variance.sqrt());
        suggestion.memo = Memo([(NOTES.to_owned(), belief.notes())].into());
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
            return Ok(Ask::Evaluate(self.initial(history)?));
        };
        let rule = self.settings.rule;
        let acquisition = belief
            .acquisition(&rule)
            .map_err(|error| OptimizerError::failed("building the acquisition", error))?;
        let candidates = belief.maximise(&*acquisition, "acquisition");
        let threshold = belief.threshold(&rule);
        let expects = matches!(rule, Rule::ExpectedImprovement(_) | Rule::LogExpectedImprovement(_));
        let expected =
            candidates.first().filter(|_| expects).map(|c| belief.expected_improvement(&c.x, threshold));
        if let Some(restarts) = self.settings.restarts {
            let expected =
                expected.or_else(|| belief.max_expected_improvement(threshold).map(|found| found.1));
            if expected.is_some_and(|expected| expected < restarts.epsilon * belief.range()) {
                let (run, _) = current_run(history);
                return Ok(Ask::Evaluate(self.initial_of(run + 1, 0)?));
            }
        }
        let Some(chosen) = belief.first_new(candidates) else { return Ok(Ask::Stop(StopReason::Exhausted)) };
        let mut suggestion = self
            .suggestion(&belief, &chosen.x, history)
            .with_diagnostic("acquisition", chosen.value)
            .with_diagnostic("threshold", threshold);
        if let Some(expected) = expected {
            suggestion = suggestion.with_diagnostic("max_expected_improvement", expected);
        }
        Ok(Ask::Evaluate(suggestion))
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Config>, OptimizerError> {
        let trials: Vec<&Trial<Config>> = history.trials().iter().collect();
        let id = TrialId(history.len() as u64);
        let belief = Belief::form(&self.space, &self.settings, &*self.model, &trials, self.seed, id)?;
        let Some(belief) = belief else { return Ok(None) };
        let means = belief.means();
        let measured = history.measured().map(|(trial, _)| &trial.query);
        let best = measured.zip(&means).reduce(|best, other| if other.1 < best.1 { other } else { best });
        Ok(best.map(|(config, _)| config.clone()))
    }

    fn fingerprint(&self) -> String {
        let method = format!("bo with {}", self.model.fingerprint());
        fingerprint(&method, &self.settings, self.seed, &self.space)
    }
}
