//! Whole cross-validations charged fold by fold.

use thrifty_cv::FoldQuery;
use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::{Ask, Fingerprint, History, Optimizer, OptimizerError, Suggestion, Trial, TrialId};

/// Which fold stands for the whole cross-validation.
#[derive(Debug, Clone, Copy)]
pub enum Stand {
    /// Always the same: a single holdout.
    Fixed,
    /// A random one for each configuration.
    Random(Seed),
}

/// An optimiser of configurations that takes the loss of one fold for the loss.
pub struct OneFold<O> {
    pub optimizer: O,
    pub folds: usize,
    pub stand: Stand,
}

fn configurations(history: &History<FoldQuery>) -> History<Config> {
    let plain = |trial: &Trial<FoldQuery>| Trial {
        id: trial.id,
        query: trial.query.config.clone(),
        diagnostics: trial.diagnostics.clone(),
        memo: trial.memo.clone(),
        reports: trial.reports.clone(),
        outcome: trial.outcome.clone(),
        timing: trial.timing,
    };
    History::from_trials(history.trials().iter().map(plain).collect(), history.seed())
}

impl<O: Optimizer<Query = Config>> Optimizer for OneFold<O> {
    type Query = FoldQuery;
    type Recommendation = O::Recommendation;

    fn ask(&mut self, history: &History<FoldQuery>, id: TrialId) -> Result<Ask<FoldQuery>, OptimizerError> {
        let fold = match self.stand {
            Stand::Fixed => 0,
            Stand::Random(seed) => seed.stream("fold", id.0).index(self.folds),
        };
        Ok(match self.optimizer.ask(&configurations(history), id)? {
            Ask::Evaluate(Suggestion { query: config, diagnostics, memo }) => {
                Ask::Evaluate(Suggestion { query: FoldQuery { config, repeat: 0, fold }, diagnostics, memo })
            }
            Ask::Wait => Ask::Wait,
            Ask::Stop(reason) => Ask::Stop(reason),
        })
    }

    fn recommend(
        &mut self,
        history: &History<FoldQuery>,
    ) -> Result<Option<O::Recommendation>, OptimizerError> {
        self.optimizer.recommend(&configurations(history))
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let ours = Fingerprint::new("one fold")
            .with("folds", &self.folds)?
            .with("stand", &format!("{:?}", self.stand))?;
        Ok(ours.around(self.optimizer.fingerprint()?))
    }
}
