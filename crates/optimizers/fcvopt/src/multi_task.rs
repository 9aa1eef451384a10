//! Multi-task Bayesian optimisation over the folds of a cross-validation.

mod state;

use serde::{Deserialize, Serialize};
use thrifty_acquisition::{Analytic, ExpectedImprovement, LogExpectedImprovement, Utility};
use thrifty_cv::FoldQuery;
use thrifty_gp::Refit;
use thrifty_model_based::{Designer, InitialDesign, Maximizer, check_config, fingerprint, first_allowed};
use thrifty_space::{Config, KnownConstraint, Space};
use thrifty_study::{
    Ask, Best, Fingerprint, History, MemoKey, Optimizer, OptimizerError, StopReason, Suggestion, TrialId,
};
use thrifty_surrogate::Posterior;

use self::state::MultiTaskState;
use crate::design::FoldDesign;
use crate::settings::{default_refit, is_default_refit};

/// Covariance between the folds as tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskCovariance {
    /// Any learnt covariance matrix: [`Coregionalization`](thrifty_kernel::Coregionalization), with K standard deviations and K (K - 1)/2 angles.
    #[default]
    Free,
    /// One variance for all tasks and one correlation for all pairs: two parameters.
    Exchangeable,
}

/// Settings of [`MultiTaskCv`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MultiTaskSettings {
    /// Number of folds K, at least 2.
    pub folds: usize,
    /// Covariance between the folds.
    pub tasks: TaskCovariance,
    /// Initial design; its configurations use the folds in turn.
    pub initial: InitialDesign,
    /// Maximizer of the acquisition function. Settings that a file leaves out have the [default](MultiTaskSettings::default) values of this struct.
    #[serde(alias = "maximiser", deserialize_with = "MaximizerInFile::deserialize")]
    pub maximizer: Maximizer,
    /// Schedule for learning hyperparameters again; by default that of [`FractionalSettings`](crate::FractionalSettings).
    #[serde(skip_serializing_if = "is_default_refit")]
    pub refit: Refit,
}

/// The maximizer in a file. Serde would fill missing fields from `Maximizer`, whose default differs.
#[derive(Deserialize)]
#[serde(remote = "Maximizer", default = "default_maximizer", deny_unknown_fields)]
struct MaximizerInFile {
    raw: usize,
    around_best: usize,
    climbs: usize,
}

fn default_maximizer() -> Maximizer {
    Maximizer { raw: 256, around_best: 64, climbs: 2 }
}

impl Default for MultiTaskSettings {
    /// Ten folds with a free covariance. The search is smaller than that of Bayesian optimisation, since each point needs the joint
    /// distribution of all folds.
    fn default() -> Self {
        Self {
            folds: 10,
            tasks: TaskCovariance::default(),
            initial: InitialDesign::Automatic,
            maximizer: default_maximizer(),
            refit: default_refit(),
        }
    }
}

/// Multi-task Bayesian optimisation of the mean loss over the folds, one fold at a time.
///
/// ```text
/// y(x, k) = f_k(x) + ε,   cov[f_k(x), f_l(x')] = B_kl c(x, x'),   target f̄(x) = Σ_k f_k(x) / K
/// ```
///
/// Every fold is a task of one Gaussian process: c is the covariance of configurations and B that of the tasks. The next configuration
/// maximises the expected improvement of f̄ over its best posterior mean among the configurations asked so far. The next fold maximises the
/// expected improvement of its own task there.
///
/// Noise variances of measurements add to the learnt noise. Pending folds count as observed at their posterior mean. Failed folds are not
/// used for learning and are not asked again. Constraints and costs of measurements are not used.
///
/// With K folds the free covariance has K (K + 1)/2 parameters, which few observations do not determine. The process of
/// [`FractionalCv`](crate::FractionalCv) has two instead, and treats folds as a sample of all splits.
/// Diagnostics of a suggestion: `acquisition`, `mean` and `std_dev` of f̄, `incumbent_mean`. Recommends the asked configuration with the
/// smallest posterior mean of f̄. Cost: O(K n²) per candidate, in addition to the fit. Source: `swersky2013`, section 3.1.
///
/// ```
/// # use {thrifty_cv::FoldQuery, thrifty_fcvopt::MultiTaskCv, thrifty_sampling::Seed, thrifty_space::Space, thrifty_study::{MaxTrials, Study}};
/// let space = Space::from_bounds(&[(0.0, 1.0)])?;
/// let mut study = Study::new(MultiTaskCv::new(space, 3)?, Seed(1)).with_stop(MaxTrials(15));
/// study.run(|query: &FoldQuery, _| (query.config.float("x0").unwrap_or(f64::NAN) - 0.3).powi(2) + 0.1 * query.fold as f64)?;
/// let best = study.recommend()?.expect("a measured fold"); // 0.1 is the mean of the folds' offsets
/// assert!((best.value - 0.1).abs() < 1e-2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MultiTaskCv {
    space: Space,
    settings: MultiTaskSettings,
}

/// Memo name of the process.
const NAME: &str = "model";

/// Hyperparameters of the process; the next fit starts from them.
static WARM_START: MemoKey<Vec<f64>> = MemoKey::new(NAME);

impl MultiTaskCv {
    /// An optimiser with default settings on `folds` folds.
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] for fewer than two folds.
    pub fn new(space: Space, folds: usize) -> Result<Self, OptimizerError> {
        let optimizer = Self { space, settings: MultiTaskSettings::default() };
        optimizer.with_settings(MultiTaskSettings { folds, ..MultiTaskSettings::default() })
    }

    /// Replaces the settings, the number of folds included.
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] for fewer than two folds, and for a growth between fits that is not above 1.
    pub fn with_settings(mut self, settings: MultiTaskSettings) -> Result<Self, OptimizerError> {
        if settings.folds < 2 {
            let (name, value, expected) = ("folds".into(), settings.folds.to_string(), "at least 2".into());
            return Err(OptimizerError::InvalidSetting { name, value, expected });
        }
        if let Refit::WhenNeeded { growth, .. } = settings.refit
            && settings.refit.validate().is_err()
        {
            let name = "growth between fits".into();
            let (value, expected) = (growth.to_string(), "a finite number above 1".into());
            return Err(OptimizerError::InvalidSetting { name, value, expected });
        }
        self.settings = settings;
        Ok(self)
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &MultiTaskSettings {
        &self.settings
    }

    /// The process after a history; `None` before the first measurement.
    fn state(
        &self,
        history: &History<FoldQuery>,
        id: TrialId,
    ) -> Result<Option<MultiTaskState>, OptimizerError> {
        MultiTaskState::fit(&self.space, &self.settings, history, id)
    }

    fn suggested(
        &self,
        state: &MultiTaskState,
        history: &History<FoldQuery>,
        id: TrialId,
    ) -> Result<Ask<FoldQuery>, OptimizerError> {
        let (best, incumbent) = state.incumbent();
        let acquisition = Analytic::new(state, LogExpectedImprovement { target: incumbent });
        let mut rng = history.seed().stream("acquisition", id.0);
        let anchors = [best];
        let domain = self.space.domain();
        let candidates = self.settings.maximizer.candidates(domain, &acquisition, &anchors, &mut rng);
        // Searches all configurations, since candidates are often missed when most were asked.
        let has_new = |x: &[f64]| (0..self.settings.folds).any(|fold| !state.is_asked(x, fold));
        let found = first_allowed(domain, |_| true, has_new, candidates, history.seed(), id)?;
        let Some(chosen) = found else { return Ok(Ask::Stop(StopReason::Exhausted)) };
        let there = state.predict(&chosen.x);
        let query = FoldQuery {
            config: self.space.decode(&chosen.x),
            repeat: 0,
            fold: self.best_new_fold(state, &chosen.x),
        };
        let mut suggestion = Suggestion::new(query)
            .with_diagnostic("acquisition", chosen.value)
            .with_diagnostic("mean", there.mean)
            .with_diagnostic("std_dev", there.std_dev())
            .with_diagnostic("incumbent_mean", incumbent);
        state.last_fit().remember(NAME, &mut suggestion.memo);
        Ok(Ask::Evaluate(suggestion))
    }

    /// The new fold of a configuration with the largest expected improvement of its own task; the first among equal ones. If all folds were
    /// asked, the first fold.
    fn best_new_fold(&self, state: &MultiTaskState, x: &[f64]) -> usize {
        let new: Vec<usize> = (0..self.settings.folds).filter(|fold| !state.is_asked(x, *fold)).collect();
        let gain = |fold: &usize| {
            let there = state.predict_task(x, *fold);
            let target = state.best_of_task(*fold);
            ExpectedImprovement { target }.value(there.mean, there.std_dev())
        };
        let gains: Vec<f64> = new.iter().map(gain).collect();
        let best = (0..new.len()).reduce(|best, i| if gains[i] > gains[best] { i } else { best });
        best.map_or(0, |best| new[best])
    }
}

impl Optimizer for MultiTaskCv {
    type Query = FoldQuery;
    type Recommendation = Best<Config>;

    fn ask(&mut self, history: &History<FoldQuery>, id: TrialId) -> Result<Ask<FoldQuery>, OptimizerError> {
        let modelled = history.trials().iter().any(|trial| trial.memo.contains(&WARM_START));
        let measured = history.measured().count();
        let (space, folds, design) = (&self.space, self.settings.folds, &self.settings.initial);
        let configs = history.trials().iter().map(|trial| &trial.query.config);
        let is_designed = !modelled && design.lasts(space, None, (0, configs), measured);
        let known_constraint = &KnownConstraint::default();
        let designer = Designer { design, space, seed: history.seed(), run: 0, known_constraint };
        let design = FoldDesign { designer, history, folds };
        // The design uses the folds in turn.
        if is_designed && let Some(query) = design.query(id, (id.0 % folds as u64) as usize)? {
            return Ok(Ask::Evaluate(Suggestion::new(query)));
        }
        Ok(match self.state(history, id)? {
            Some(state) => self.suggested(&state, history, id)?,
            None => design.beyond(),
        })
    }

    fn recommend(&mut self, history: &History<FoldQuery>) -> Result<Option<Best<Config>>, OptimizerError> {
        let state = self.state(history, TrialId(history.len() as u64))?;
        Ok(state.map(|state| {
            let (at, mean) = state.recommended();
            Best::posterior(history.trials()[at].query.config.clone(), mean)
        }))
    }

    /// An external query names every parameter; nothing is completed.
    fn check(&self, query: &FoldQuery, _: bool) -> Result<(), OptimizerError> {
        for (what, found, count) in [("fold", query.fold, self.settings.folds), ("repeat", query.repeat, 1)] {
            if found >= count {
                let error = format!("{what} is {found}, expected one of {count}");
                return Err(OptimizerError::failed("a query from elsewhere", error));
            }
        }
        check_config(&self.space, &query.config, true)
    }

    fn canonical(&self, query: FoldQuery) -> FoldQuery {
        FoldQuery { config: self.space.canonical(&query.config), ..query }
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        fingerprint("multi-task", &self.settings, &self.space)
    }
}
