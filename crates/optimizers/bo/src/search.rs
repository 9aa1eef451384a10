use thrifty_sampling::{MAX_SOBOL_DIM, Seed, Sobol};
use thrifty_space::{Config, Space};
use thrifty_study::{Ask, Fingerprint, History, Optimizer, OptimizerError, Suggestion, TrialId};

use crate::fingerprint;
use crate::fingerprint::format_one;

/// Uniform points of the cube, one stream a trial.
#[derive(Debug, Clone)]
pub struct RandomSearch {
    /// Where to search.
    pub space: Space,
    /// The root of its randomness.
    pub seed: Seed,
}

/// The points of one scrambled Sobol sequence in order; above [`MAX_SOBOL_DIM`] columns uniform points.
#[derive(Debug, Clone)]
pub struct SobolSearch {
    /// Where to search.
    pub space: Space,
    /// The root of its randomness.
    pub seed: Seed,
}

fn best(history: &History<Config>) -> Option<Config> {
    history.best().map(|(trial, _)| trial.query.clone())
}

impl Optimizer for RandomSearch {
    type Query = Config;
    type Recommendation = Config;

    fn ask(&mut self, _: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let config = self.space.sample(&mut self.seed.stream("random search", id.0));
        Ok(Ask::Evaluate(Suggestion::new(config)))
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Config>, OptimizerError> {
        Ok(best(history))
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let text = format_one("random search", self.seed, &self.space)?;
        Ok(fingerprint("random search", &(), self.seed, &self.space)?.resuming_format_one(text))
    }
}

impl Optimizer for SobolSearch {
    type Query = Config;
    type Recommendation = Config;

    fn ask(&mut self, _: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let dim = self.space.dim();
        let config = if dim <= MAX_SOBOL_DIM {
            let mut sobol = Sobol::scrambled(dim, &mut self.seed.stream("sobol search", 0));
            self.space.decode(sobol.take(id.0 as usize + 1).row(id.0 as usize))
        } else {
            self.space.sample(&mut self.seed.stream("sobol search", id.0))
        };
        Ok(Ask::Evaluate(Suggestion::new(config)))
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Config>, OptimizerError> {
        Ok(best(history))
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let text = format_one("sobol search", self.seed, &self.space)?;
        Ok(fingerprint("sobol search", &(), self.seed, &self.space)?.resuming_format_one(text))
    }
}
