//! The tree-structured Parzen estimator as an optimiser.

mod setup;
mod usable;

use std::collections::BTreeMap;

use thrifty_sampling::{MAX_SOBOL_DIM, Seed, Sobol};
use thrifty_search::{ask_given, check_config};
use thrifty_space::{Config, KnownConstraint, Space};
use thrifty_study::{
    Ask, Best, Fingerprint, History, Measurement, MeasurementProblem, Optimizer, OptimizerError, StopReason,
    Suggestion, TrialId,
};

use self::setup::Setup;
use crate::history::coding::Coding;
use crate::history::table::Table;
use crate::rules::blocks::{Block, blocks};
use crate::rules::good_bad_split::GoodBadSplit;
use crate::rules::proposer::{Masses, Proposer};
use crate::{CostPolicy, ParameterPrior, Repeats, Startup, TpeError, TpeSettings};

/// The tree-structured Parzen estimator.
///
/// Trials are split into good and bad ones. A density l is estimated from the good, g from the bad; of some draws
/// from l the one with the largest l / g is suggested, which is where the expected improvement is largest:
///
/// ```text
/// EI(x) ∝ 1 / (γ + (1 - γ) g(x) / l(x))
/// ```
/// Source: Bergstra et al. (2011), eq. 2 to 7. What is a good trial, a kernel, its width and weight: [`TpeSettings`].
///
/// Diagnostics of a suggestion: `log_l`, `log_g` and `good`, the number of good trials' share. Recommends the best
/// feasible trial, with several objectives that with the smallest first loss.
pub struct TpeOptimizer {
    space: Space,
    setup: Setup,
    known_constraint: KnownConstraint,
    coding: Coding,
    blocks: Vec<Block>,
    /// Number of configurations, if it is small.
    size: Option<u64>,
    table: Table,
    masses: Masses,
}

impl TpeOptimizer {
    /// An instance with default settings.
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] for a space that no estimator can be built over.
    pub fn new(space: Space) -> Result<Self, OptimizerError> {
        Self::build(space, Setup::default(), KnownConstraint::default())
    }

    /// The estimator of `nnpdfscan`: [`TpeSettings::nnpdf`].
    ///
    /// # Errors
    /// As [`TpeOptimizer::new`].
    pub fn nnpdf(space: Space) -> Result<Self, OptimizerError> {
        Self::new(space)?.with_settings(TpeSettings::nnpdf())
    }

    /// Replaces the settings: [`TpeSettings::hyperopt`], [`TpeSettings::optuna5`], ….
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] names the setting that is out of its range.
    pub fn with_settings(self, settings: TpeSettings) -> Result<Self, OptimizerError> {
        self.rebuilt(|setup| setup.settings = settings)
    }

    /// Sets priors of parameters by name.
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] for a name that is not of the space, or a prior that does not fit.
    pub fn with_priors(self, priors: BTreeMap<String, ParameterPrior>) -> Result<Self, OptimizerError> {
        self.rebuilt(|setup| setup.priors = priors)
    }

    /// Queues configurations to be suggested first.
    ///
    /// # Errors
    /// [`OptimizerError`] names one that is not of the space.
    pub fn with_queue(self, queue: Vec<Config>) -> Result<Self, OptimizerError> {
        self.rebuilt(|setup| setup.queue = queue)
    }

    /// Adds trials that were made elsewhere: they count as if they had come before the first.
    ///
    /// # Errors
    /// [`OptimizerError`] names one that is not of the space or whose loss is NaN.
    pub fn with_known(self, known: Vec<(Config, f64)>) -> Result<Self, OptimizerError> {
        self.rebuilt(|setup| setup.known = known)
    }

    /// Adds a known constraint: only configurations for which `allowed` is true are suggested, queued ones apart. Draws from the
    /// estimators that are not allowed are replaced by others, after eight by uniform ones. A resumed study needs the same
    /// constraint.
    #[must_use]
    pub fn with_known_constraint(
        mut self,
        allowed: impl Fn(&Config) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.known_constraint = KnownConstraint::new(allowed);
        self
    }

    fn rebuilt(mut self, change: impl FnOnce(&mut Setup)) -> Result<Self, OptimizerError> {
        change(&mut self.setup);
        Self::build(self.space, self.setup, self.known_constraint)
    }

    fn build(space: Space, setup: Setup, known_constraint: KnownConstraint) -> Result<Self, OptimizerError> {
        setup.validate(&space)?;
        let coding = Coding::new(&space, &setup.priors, setup.settings.grid_ends).map_err(invalid)?;
        let blocks = blocks(&space, setup.settings.joint);
        let table = Table::new(&space, &coding, &setup.known, &setup.settings)?;
        let size = space.domain().cardinality(LARGEST_LIST);
        Ok(Self { space, setup, known_constraint, coding, blocks, size, table, masses: Masses::default() })
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &TpeSettings {
        &self.setup.settings
    }

    /// The space.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    fn follow(&mut self, history: &History<Config>) -> Result<(), OptimizerError> {
        if self.table.is_of_another(history) {
            self.table = Table::new(&self.space, &self.coding, &self.setup.known, &self.setup.settings)?;
        }
        self.table.follow(&self.space, &self.coding, history, &self.setup.settings)
    }

    /// Internal values of a trial of the start.
    fn start(&self, seed: Seed, index: usize) -> Vec<f64> {
        let dim = self.coding.len();
        let cube = match self.setup.settings.startup {
            Startup::Sobol(count) if index < count && dim <= MAX_SOBOL_DIM => {
                let mut sobol = Sobol::scrambled(dim, &mut seed.stream("design", 0));
                sobol.take(index + 1).row(index).to_vec()
            }
            _ => {
                let mut rng = seed.stream("start", index as u64);
                (0..dim).map(|_| rng.uniform()).collect()
            }
        };
        self.coding.spread(&cube)
    }

    /// Densities of good and bad trials over one parameter by itself, at values of it, whatever the settings say of
    /// estimating together: (ln l, ln g). To be drawn, not to be optimised.
    ///
    /// # Errors
    /// [`OptimizerError`]: an unknown parameter or trials that are not of the space.
    pub fn marginals(
        &mut self,
        history: &History<Config>,
        parameter: &str,
        values: &[f64],
    ) -> Result<Vec<(f64, f64)>, OptimizerError> {
        self.follow(history)?;
        let index = self.space.parameters().iter().position(|p| p.name == parameter).ok_or_else(|| {
            let problem = "the space has no such parameter".into();
            invalid(TpeError::InvalidPrior { name: parameter.into(), problem })
        })?;
        let parting = GoodBadSplit::by_rank(&self.table, &self.setup.settings, &[index]);
        let densities = parting
            .densities(&self.table, &self.coding, &[index], &self.setup.settings, &mut Default::default())
            .map_err(invalid)?;
        let coded = &self.coding.parameters[index];
        let points: Vec<f64> = values.iter().map(|value| coded.internal_number(*value)).collect();
        let [l, g] = densities.map(|density| {
            let mut out = vec![0.0; points.len()];
            density.log_density_into(&points, &mut out);
            out
        });
        Ok(l.into_iter().zip(g).collect())
    }

    fn is_exhausted(&self) -> bool {
        self.size.is_some_and(|size| self.table.asked() as u64 >= size)
    }
}

/// Further proposals where one is unusable, before a random configuration is taken.
const PROPOSALS: usize = 8;
/// A finite space with more configurations is not listed.
const LARGEST_LIST: u64 = 1_000_000;

fn invalid(error: TpeError) -> OptimizerError {
    match error {
        TpeError::InvalidSetting { name, value, expected } => OptimizerError::InvalidSetting {
            name: name.into(),
            value: value.to_string(),
            expected: expected.into(),
        },
        other => OptimizerError::failed("setting up the Parzen estimator", other),
    }
}

impl Optimizer for TpeOptimizer {
    type Query = Config;
    type Recommendation = Best<Config>;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        self.follow(history)?;
        let index = usize::try_from(id.0).unwrap_or(usize::MAX);
        if let Some(config) = self.setup.next_queued(self.space(), history) {
            return Ok(Ask::Evaluate(Suggestion::new(config)));
        }
        if self.setup.settings.repeats == Repeats::Never && self.is_exhausted() {
            return Ok(Ask::Stop(StopReason::Exhausted));
        }
        let mut rng = history.seed().stream("tpe", id.0);
        let started = self.table.started(self.setup.settings.startup_count);
        if started < self.setup.settings.startup.len() || self.table.ranking().is_empty() {
            let values = self.start(history.seed(), index);
            return Ok(match self.or_another(values, id, &mut rng)? {
                Some(values) => Ask::Evaluate(Suggestion::new(self.coding.decode(&values))),
                None => Ask::Stop(StopReason::Exhausted),
            });
        }
        let masses = std::mem::take(&mut self.masses);
        let mut proposer =
            Proposer::new(&self.coding, &self.table, &self.setup.settings, &self.blocks, masses);
        let mut proposal = proposer.propose(&mut rng).map_err(invalid)?;
        let mut again = 0;
        while self.is_unusable(&proposal.values) && again < PROPOSALS {
            proposal = proposer.propose(&mut rng).map_err(invalid)?;
            again += 1;
        }
        self.masses = proposer.into_masses();
        let Some(values) = self.or_another(proposal.values, id, &mut rng)? else {
            return Ok(Ask::Stop(StopReason::Exhausted));
        };
        let suggestion = Suggestion::new(self.coding.decode(&values))
            .with_diagnostic("log_l", proposal.log_l)
            .with_diagnostic("log_g", proposal.log_g)
            .with_diagnostic("good", proposal.good);
        Ok(Ask::Evaluate(suggestion))
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Best<Config>>, OptimizerError> {
        self.follow(history)?;
        // A loss that stands for a running trial was not measured.
        let rows = self.table.ranking().iter().map(|row| *row as usize);
        let measured = rows
            .filter(|row| self.table.loss(*row).is_finite())
            .filter_map(|row| Some((row, *self.table.objectives(row)?.first()?)));
        let best = measured.min_by(|a, b| a.1.total_cmp(&b.1));
        // The configuration as it was evaluated: the table has it on another scale, rounded.
        let known = &self.setup.known;
        Ok(best.and_then(|(row, loss)| {
            let config = match known.get(row) {
                Some((config, _)) => config,
                None => &history.trials().get(row - known.len())?.query,
            };
            Some(Best::observed(config.clone(), loss))
        }))
    }

    fn check(&self, query: &Config, is_whole: bool) -> Result<(), OptimizerError> {
        check_config(&self.space, query, is_whole)
    }

    fn check_measurement(&self, measurement: &Measurement) -> Result<(), MeasurementProblem> {
        if self.setup.settings.cost == CostPolicy::Ignore {
            Ok(())
        } else {
            measurement.require_positive_cost()
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
        let fixed = self.coding.given(given);
        let whole = std::mem::replace(&mut self.coding, fixed);
        let asked = ask_given(self, |tpe| (&mut tpe.space, &tpe.known_constraint), history, id, given);
        self.coding = whole;
        asked
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Fingerprint::new("tree-structured parzen estimator")
            .with("settings", &self.setup.settings)?
            .with("priors", &self.setup.priors)?
            .with("queue", &self.setup.queue)?
            .with("known", &self.setup.known)?
            .with("space", &self.space)
            .map(|ours| {
                let (before, now) =
                    ("not recorded: every trial asked counted", self.setup.settings.startup_count);
                ours.changed_since_format_one("settings.startup_count", before, &format!("{now:?}"))
            })
    }
}
