//! Quasi-random search.

use std::sync::Mutex;

use thrifty_domain::Points;
use thrifty_sampling::{MAX_SOBOL_DIM, Seed, Sobol};
use thrifty_space::{Config, KnownConstraint, Space};
use thrifty_study::{Ask, Best, Fingerprint, History, Optimizer, OptimizerError, Suggestion, TrialId};

use crate::fingerprint::format_one;
use crate::random::random_allowed;
use crate::{ask_given, check_config, fingerprint};

/// Quasi-random search: the points of one scrambled Sobol sequence in order. Above [`MAX_SOBOL_DIM`] columns the points are uniform.
///
/// A point has one coordinate per encoded column. An [initial design](crate::InitialDesign) has one per parameter instead; older journals
/// need the sequence unchanged.
///
/// With a known constraint, uniform points of the trial replace a point that is not allowed.
#[derive(Debug)]
pub struct SobolSearch {
    space: Space,
    known_constraint: KnownConstraint,
    /// Cache of the sequence for a seed.
    sequence: Mutex<Option<(Seed, Points)>>,
}

impl SobolSearch {
    /// Quasi-random search of a space.
    #[must_use]
    pub fn new(space: Space) -> Self {
        Self { space, known_constraint: KnownConstraint::default(), sequence: Mutex::new(None) }
    }

    /// Adds a known constraint: only configurations for which `allowed` is true are suggested. A resumed study needs the
    /// same constraint.
    #[must_use]
    pub fn with_known_constraint(
        mut self,
        allowed: impl Fn(&Config) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.known_constraint = KnownConstraint::new(allowed);
        self
    }

    /// Point `index` of the sequence. The cached sequence doubles when it is too short, so n suggestions cost O(n).
    fn point(&self, seed: Seed, index: usize) -> Config {
        let mut cached = self.sequence.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let enough = cached.as_ref().is_some_and(|(of, points)| *of == seed && points.len() > index);
        if !enough {
            let mut sobol = Sobol::scrambled(self.space.dim(), &mut seed.stream("sobol search", 0));
            *cached = Some((seed, sobol.take((index + 1).next_power_of_two().max(64))));
        }
        cached.as_ref().map_or_else(Config::new, |(_, points)| self.space.decode(points.row(index)))
    }
}

impl Optimizer for SobolSearch {
    type Query = Config;
    type Recommendation = Best<Config>;

    fn ask(&mut self, history: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let mut rng = history.seed().stream("sobol search", id.0);
        let config = if self.space.dim() <= MAX_SOBOL_DIM {
            self.point(history.seed(), usize::try_from(id.0).unwrap_or(usize::MAX))
        } else {
            self.space.sample(&mut rng)
        };
        if self.known_constraint.allows(&config) {
            return Ok(Ask::Evaluate(Suggestion::new(config)));
        }
        let mut rng = history.seed().child("sobol search", id.0).stream("allowed", 0);
        let what = || format!("Sobol search, trial {}", id.0);
        let sample = |_| self.space.sample(&mut rng);
        let config = random_allowed(sample, |config| self.known_constraint.allows(config), what)?;
        Ok(Ask::Evaluate(Suggestion::new(config)))
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Best<Config>>, OptimizerError> {
        Ok(history.best().map(|(trial, value)| Best::observed(trial.query.clone(), value)))
    }

    fn check(&self, query: &Config, is_whole: bool) -> Result<(), OptimizerError> {
        check_config(&self.space, query, is_whole)
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
        ask_given(self, |search| (&mut search.space, &search.known_constraint), history, id, given)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let text = format_one("sobol search", &self.space)?;
        Ok(fingerprint("sobol search", &(), &self.space)?.resuming_format_one(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sequence grows to powers of two and is kept, until another seed is asked for.
    #[test]
    fn the_sequence_is_not_made_anew_for_each_point() {
        let search = SobolSearch::new(Space::unit_cube(2));
        let kept = || search.sequence.lock().unwrap().as_ref().map(|(seed, points)| (*seed, points.len()));
        assert_eq!(kept(), None);
        for (seed, index, length) in [(4, 0, 64), (4, 63, 64), (4, 100, 128), (4, 2, 128), (5, 2, 64)] {
            search.point(Seed(seed), index);
            assert_eq!(kept(), Some((Seed(seed), length)), "point {index} of seed {seed}");
        }
    }
}
