//! One fold per configuration under any optimiser of configurations.

use serde::{Deserialize, Serialize};
use thrifty_space::Config;
use thrifty_study::{
    Ask, Fingerprint, History, Measurement, MeasurementProblem, Memo, Optimizer, OptimizerError, Suggestion,
    Trial, TrialId,
};

use crate::FoldQuery;

/// Fold whose loss stands for that of the whole cross-validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FoldChoice {
    /// The fold of this number for every configuration: a single holdout.
    Fixed(usize),
    /// A fold at random for each trial, by the seed of the study and the number of the trial.
    Random,
}

/// An optimiser of configurations that takes the loss of one fold for the loss of the configuration.
///
/// It costs one model fit per configuration and is blind to the differences between folds: a single holdout finds the best
/// configuration of that fold, and random folds are noise. [`AllFolds`](crate::AllFolds) has no such error at K times the cost.
#[derive(Debug, Clone)]
pub struct OneFold<O> {
    optimizer: O,
    folds: usize,
    choice: FoldChoice,
}

impl<O> OneFold<O> {
    /// The optimiser on one of `folds` folds.
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] for no folds, or a fixed fold that is not one of them.
    pub fn new(optimizer: O, folds: usize, choice: FoldChoice) -> Result<Self, OptimizerError> {
        let invalid = |name: &str, value: usize, expected: String| OptimizerError::InvalidSetting {
            name: name.into(),
            value: value.to_string(),
            expected,
        };
        match choice {
            _ if folds == 0 => Err(invalid("folds", folds, "at least 1".into())),
            FoldChoice::Fixed(fold) if fold >= folds => {
                Err(invalid("choice (fixed)", fold, format!("one of {folds} folds, counted from 0")))
            }
            _ => Ok(Self { optimizer, folds, choice }),
        }
    }

    /// Trials as the optimiser sees them.
    fn configurations(history: &History<FoldQuery>) -> History<Config> {
        let of = |trial: &Trial<FoldQuery>| Trial {
            id: trial.id,
            query: trial.query.config.clone(),
            diagnostics: trial.diagnostics.clone(),
            memo: trial.memo.clone(),
            reports: trial.reports.clone(),
            outcome: trial.outcome.clone(),
            timing: trial.timing,
        };
        history.view(history.trials().iter().map(of).collect(), |id| id)
    }

    fn on_fold(asked: Ask<Config>, fold: usize) -> Ask<FoldQuery> {
        match asked {
            Ask::Evaluate(Suggestion { query: config, diagnostics, memo }) => {
                Ask::Evaluate(Suggestion { query: FoldQuery { config, repeat: 0, fold }, diagnostics, memo })
            }
            Ask::Wait => Ask::Wait,
            Ask::Stop(reason) => Ask::Stop(reason),
        }
    }
}

impl<O: Optimizer<Query = Config>> Optimizer for OneFold<O> {
    type Query = FoldQuery;
    type Recommendation = O::Recommendation;

    fn ask(&mut self, history: &History<FoldQuery>, id: TrialId) -> Result<Ask<FoldQuery>, OptimizerError> {
        let fold = match self.choice {
            FoldChoice::Fixed(fold) => fold,
            FoldChoice::Random => history.seed().stream("fold", id.0).index(self.folds),
        };
        Ok(Self::on_fold(self.optimizer.ask(&Self::configurations(history), id)?, fold))
    }

    fn recommend(
        &mut self,
        history: &History<FoldQuery>,
    ) -> Result<Option<O::Recommendation>, OptimizerError> {
        self.optimizer.recommend(&Self::configurations(history))
    }

    /// A query from elsewhere may be of any fold.
    fn check(&self, query: &FoldQuery, is_whole: bool) -> Result<(), OptimizerError> {
        if query.fold >= self.folds {
            let error = format!("fold is {}, expected one of {}", query.fold, self.folds);
            return Err(OptimizerError::failed("a query from elsewhere", error));
        }
        self.optimizer.check(&query.config, is_whole)
    }

    fn check_measurement(&self, measurement: &Measurement) -> Result<(), MeasurementProblem> {
        self.optimizer.check_measurement(measurement)
    }

    fn canonical(&self, query: FoldQuery) -> FoldQuery {
        FoldQuery { config: self.optimizer.canonical(query.config), ..query }
    }

    /// The configuration is completed by the optimiser, the fold is the given one.
    fn ask_given(
        &mut self,
        history: &History<FoldQuery>,
        id: TrialId,
        given: &FoldQuery,
    ) -> Result<Ask<FoldQuery>, OptimizerError> {
        self.check(given, false)?;
        let asked = self.optimizer.ask_given(&Self::configurations(history), id, &given.config)?;
        Ok(match Self::on_fold(asked, given.fold) {
            Ask::Evaluate(suggestion) => {
                let query = FoldQuery { repeat: given.repeat, ..suggestion.query.clone() };
                Ask::Evaluate(Suggestion { query, ..suggestion })
            }
            other => other,
        })
    }

    fn moved(&self, memo: Memo) -> Memo {
        self.optimizer.moved(memo)
    }

    fn plan(&mut self, trials: usize) {
        self.optimizer.plan(trials);
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let ours = Fingerprint::new("one fold").with("folds", &self.folds)?.with("choice", &self.choice)?;
        Ok(ours.around(self.optimizer.fingerprint()?))
    }
}
