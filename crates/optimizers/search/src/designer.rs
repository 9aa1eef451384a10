//! An initial design at work.

use thrifty_domain::Points;
use thrifty_sampling::Seed;
use thrifty_space::{Config, KnownConstraint, Space};
use thrifty_study::{OptimizerError, TrialId};

use crate::InitialDesign;
use crate::candidate::ENUMERABLE;

/// Number of random configurations among which an allowed one is searched.
const TRIES: u64 = 10_000;

/// An initial design at work: with known constraints and without repetition.
pub struct Designer<'a> {
    /// The design.
    pub design: &'a InitialDesign,
    /// The space.
    pub space: &'a Space,
    /// Seed of its random numbers.
    pub seed: Seed,
    /// Number of the run, from 0.
    pub run: u64,
    /// Known constraint.
    pub known_constraint: &'a KnownConstraint,
}

impl Designer<'_> {
    /// The configuration of a trial: that of its number, unless it was asked before or is not allowed; then another by
    /// chance. Nothing when every configuration of a finite space that is allowed was asked.
    ///
    /// # Errors
    /// [`OptimizerError`] for a given configuration that is not of the space, or when nothing is found that is allowed.
    pub fn config(&self, asked: &Points, id: TrialId) -> Result<Option<Config>, OptimizerError> {
        let index = usize::try_from(id.0).unwrap_or(usize::MAX);
        let what = || format!("initial design, configuration {index}");
        let designed = self.design.config(self.space, self.seed, self.run, index);
        let designed = designed.map_err(|error| OptimizerError::failed(what(), error))?;
        if self.run == 0 && index < self.design.given().len() {
            return Ok(Some(designed));
        }
        let is_new = |config: &Config| {
            self.space.encode(config).is_ok_and(|x| asked.rows().all(|known| known != &x[..]))
        };
        if self.is_allowed(&designed) && is_new(&designed) {
            return Ok(Some(designed));
        }
        let seed = self.seed.child("allowed", self.run).child("design", id.0);
        if let Some(all) = self.space.domain().enumerate(ENUMERABLE) {
            let allowed: Vec<Config> =
                all.iter().map(|x| self.space.decode(x)).filter(|config| self.is_allowed(config)).collect();
            if allowed.is_empty() {
                let error = format!("none of the {} configurations is allowed", all.len());
                return Err(OptimizerError::failed(what(), error));
            }
            let mut left: Vec<Config> = allowed.into_iter().filter(is_new).collect();
            if left.is_empty() {
                return Ok(None);
            }
            return Ok(Some(left.swap_remove(seed.stream("left", 0).index(left.len()))));
        }
        let mut any_allowed = false;
        for attempt in 0..TRIES {
            let config = self.space.sample(&mut seed.stream("uniform", attempt));
            if self.is_allowed(&config) {
                any_allowed = true;
                if is_new(&config) {
                    return Ok(Some(config));
                }
            }
        }
        if any_allowed {
            return Ok(None);
        }
        let error = format!("none of {TRIES} random configurations is allowed");
        Err(OptimizerError::failed(what(), error))
    }

    fn is_allowed(&self, config: &Config) -> bool {
        self.known_constraint.allows(config)
    }
}
