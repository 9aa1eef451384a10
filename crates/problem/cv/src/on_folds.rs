//! Single folds by an optimiser of configurations.

use std::collections::BTreeMap;

use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::{
    Ask, Fingerprint, History, Measurement, MeasurementProblem, Memo, Optimizer, OptimizerError, Suggestion,
    Trial, TrialId,
};

use crate::FoldQuery;

/// Name of the parameter that holds the fold.
pub const FOLD: &str = "fold";

/// An optimiser of configurations that evaluates one fold at a time: level sets or several objectives on folds.
///
/// The optimiser works on [`OnFolds::space`]: the space of the configurations with one more parameter, [`FOLD`], at the end. Its
/// surrogate predicts the mean over the folds from single folds (`thrifty_hgp::FoldSurrogate`), so its suggestions are of
/// configurations; the fold is the one that was asked least often at the configuration, then least often at all, the first of equals.
///
/// What the optimiser recommends has the parameter [`FOLD`] too, whose value means nothing. Losses of single folds are noisy
/// measurements of the mean: several objectives need the rule with noise.
#[derive(Debug, Clone)]
pub struct OnFolds<O> {
    optimizer: O,
    folds: usize,
}

impl<O: Optimizer<Query = Config>> OnFolds<O> {
    /// Builds an optimiser on the space with folds.
    ///
    /// # Errors
    /// [`OptimizerError`] for fewer than two folds, a space that has a parameter of the name [`FOLD`], or an optimiser that cannot be
    /// built.
    pub fn new(
        space: &Space,
        folds: usize,
        build: impl FnOnce(Space) -> Result<O, OptimizerError>,
    ) -> Result<Self, OptimizerError> {
        if folds < 2 {
            let (name, value, expected) = ("folds".into(), folds.to_string(), "at least 2".into());
            return Err(OptimizerError::InvalidSetting { name, value, expected });
        }
        let space = Self::space(space, folds)
            .map_err(|error| OptimizerError::failed("adding the fold to the space", error))?;
        Ok(Self { optimizer: build(space)?, folds })
    }

    /// The space with the parameter of the fold.
    ///
    /// # Errors
    /// [`SpaceError`] for a space that has a parameter of the name [`FOLD`].
    pub fn space(space: &Space, folds: usize) -> Result<Space, SpaceError> {
        let mut parameters = space.parameters().to_vec();
        let fold = Space::builder().int(FOLD, 0, folds as i64 - 1).build()?;
        parameters.extend(fold.parameters().iter().cloned());
        Space::new(parameters)
    }

    /// The optimiser inside.
    pub fn optimizer(&self) -> &O {
        &self.optimizer
    }

    /// Trials as the optimiser sees them.
    fn configurations(history: &History<FoldQuery>) -> History<Config> {
        let of = |trial: &Trial<FoldQuery>| Trial {
            id: trial.id,
            query: with_fold(&trial.query),
            diagnostics: trial.diagnostics.clone(),
            memo: trial.memo.clone(),
            reports: trial.reports.clone(),
            outcome: trial.outcome.clone(),
            timing: trial.timing,
        };
        history.view(history.trials().iter().map(of).collect(), |id| id)
    }

    /// The fold that was asked least often at a configuration, then least often at all; and true if it was asked there before.
    fn next_fold(&self, history: &History<FoldQuery>, config: &Config) -> (usize, bool) {
        let mut counts: BTreeMap<usize, (usize, usize)> =
            (0..self.folds).map(|fold| (fold, (0, 0))).collect();
        for trial in history.trials() {
            if let Some((here, all)) = counts.get_mut(&trial.query.fold) {
                *here += usize::from(trial.query.config == *config);
                *all += 1;
            }
        }
        let least = counts.into_iter().min_by_key(|(fold, counts)| (*counts, *fold));
        least.map_or((0, false), |(fold, (here, _))| (fold, here > 0))
    }
}

impl<O: Optimizer<Query = Config>> Optimizer for OnFolds<O> {
    type Query = FoldQuery;
    type Recommendation = O::Recommendation;

    fn ask(&mut self, history: &History<FoldQuery>, id: TrialId) -> Result<Ask<FoldQuery>, OptimizerError> {
        let suggestion = match self.optimizer.ask(&Self::configurations(history), id)? {
            Ask::Evaluate(suggestion) => suggestion,
            Ask::Wait => return Ok(Ask::Wait),
            Ask::Stop(reason) => return Ok(Ask::Stop(reason)),
        };
        let Suggestion { query: mut config, diagnostics, memo } = suggestion;
        let suggested = config.int(FOLD).ok().and_then(|fold| usize::try_from(fold).ok()).unwrap_or(0);
        config.remove(FOLD);
        // Where all folds were asked the optimiser's own choice repeats none of its queries.
        let (least, repeats) = self.next_fold(history, &config);
        let fold = if repeats { suggested } else { least };
        Ok(Ask::Evaluate(Suggestion { query: FoldQuery { config, repeat: 0, fold }, diagnostics, memo }))
    }

    fn recommend(
        &mut self,
        history: &History<FoldQuery>,
    ) -> Result<Option<O::Recommendation>, OptimizerError> {
        self.optimizer.recommend(&Self::configurations(history))
    }

    fn check(&self, query: &FoldQuery, is_whole: bool) -> Result<(), OptimizerError> {
        self.optimizer.check(&with_fold(query), is_whole)
    }

    fn check_measurement(&self, measurement: &Measurement) -> Result<(), MeasurementProblem> {
        self.optimizer.check_measurement(measurement)
    }

    fn canonical(&self, query: FoldQuery) -> FoldQuery {
        let mut config = self.optimizer.canonical(with_fold(&query));
        config.remove(FOLD);
        FoldQuery { config, ..query }
    }

    /// The configuration is completed, the fold is the given one.
    fn ask_given(
        &mut self,
        history: &History<FoldQuery>,
        id: TrialId,
        given: &FoldQuery,
    ) -> Result<Ask<FoldQuery>, OptimizerError> {
        let asked = self.optimizer.ask_given(&Self::configurations(history), id, &with_fold(given))?;
        Ok(match asked {
            Ask::Evaluate(Suggestion { query: mut config, diagnostics, memo }) => {
                config.remove(FOLD);
                Ask::Evaluate(Suggestion { query: FoldQuery { config, ..given.clone() }, diagnostics, memo })
            }
            Ask::Wait => Ask::Wait,
            Ask::Stop(reason) => Ask::Stop(reason),
        })
    }

    fn moved(&self, memo: Memo) -> Memo {
        self.optimizer.moved(memo)
    }

    fn plan(&mut self, trials: usize) {
        self.optimizer.plan(trials);
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("on folds").with("folds", &self.folds)?.around(self.optimizer.fingerprint()?))
    }
}

/// A configuration with its fold as a parameter.
fn with_fold(query: &FoldQuery) -> Config {
    let mut config = query.config.clone();
    config.insert(FOLD, query.fold as i64);
    config
}
