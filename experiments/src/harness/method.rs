//! Optimisers behind one type, and the design that methods share.

use thrifty_space::Config;
use thrifty_study::{Ask, Best, Fingerprint, History, Optimizer, OptimizerError, Suggestion, TrialId};

/// Any method behind one type.
pub struct AnyOptimizer(Box<dyn Optimizer<Query = Config, Recommendation = Best<Config>>>);

impl AnyOptimizer {
    pub fn new(optimizer: impl Optimizer<Query = Config, Recommendation = Best<Config>> + 'static) -> Self {
        Self(Box::new(optimizer))
    }
}

impl Optimizer for AnyOptimizer {
    type Query = Config;
    type Recommendation = Best<Config>;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        self.0.ask(history, id)
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Best<Config>>, OptimizerError> {
        self.0.recommend(history)
    }

    fn plan(&mut self, trials: usize) {
        self.0.plan(trials);
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        self.0.fingerprint()
    }
}

/// A search that begins with the design that all methods share.
pub struct AfterDesign<S> {
    pub design: Vec<Config>,
    pub search: S,
}

impl<S: Optimizer<Query = Config, Recommendation = Best<Config>>> Optimizer for AfterDesign<S> {
    type Query = Config;
    type Recommendation = Best<Config>;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        match self.design.get(id.0 as usize) {
            Some(config) => Ok(Ask::Evaluate(Suggestion::new(config.clone()))),
            None => self.search.ask(history, id),
        }
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Best<Config>>, OptimizerError> {
        self.search.recommend(history)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        self.search.fingerprint()
    }
}
