//! Random search among configurations whose curves are known.

use thrifty_sampling::Seed;
use thrifty_study::{Ask, Fingerprint, History, Optimizer, OptimizerError, Suggestion, TrialId};

/// Draws configurations by their index, each as likely as any other. Trial i has the same configuration in every study of the seed.
pub struct Draws {
    pub count: usize,
}

impl Draws {
    /// Configuration of a trial.
    pub fn draw(&self, seed: Seed, id: TrialId) -> usize {
        seed.stream("configuration", id.0).index(self.count)
    }
}

impl Optimizer for Draws {
    type Query = usize;
    type Recommendation = usize;

    fn ask(&mut self, history: &History<usize>, id: TrialId) -> Result<Ask<usize>, OptimizerError> {
        Ok(Ask::Evaluate(Suggestion::new(self.draw(history.seed(), id))))
    }

    fn recommend(&mut self, history: &History<usize>) -> Result<Option<usize>, OptimizerError> {
        Ok(history.best().map(|(trial, _)| trial.query))
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Fingerprint::new("draws").with("count", &self.count)
    }
}
