//! Points of an initial design, one per trial.

use thrifty_domain::Points;
use thrifty_sampling::Seed;
use thrifty_space::{Config, KnownConstraint, Space};
use thrifty_study::{OptimizerError, TrialId};

use crate::candidate::ENUMERABLE;
use crate::{InitialDesign, random_new};

/// Chooses the points of an initial design, with known constraints and without repetition.
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
    /// The configuration of a trial: the next given one, else that of the trial's number in the sequence. If that was asked before or is
    /// not allowed, another random one. `None` if every allowed configuration of a finite space was asked.
    ///
    /// # Errors
    /// [`OptimizerError`] for a given configuration that is not of the space, or when no feasible configuration is found.
    pub fn config(&self, asked: &Points, id: TrialId) -> Result<Option<Config>, OptimizerError> {
        let points = asked.rows().map(<[f64]>::to_vec);
        match self.design.next_given_beside(self.space, self.run, points) {
            Some(index) => self.designed(index).map(Some),
            None => self.of_sequence(asked, id),
        }
    }

    /// The configuration of the trial in the sequence, as [`Designer::config`] without the given ones.
    ///
    /// # Errors
    /// As [`Designer::config`].
    pub(crate) fn of_sequence(&self, asked: &Points, id: TrialId) -> Result<Option<Config>, OptimizerError> {
        let index = self.index(id);
        let designed = self.designed(index)?;
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
                return Err(OptimizerError::failed(naming(index), error));
            }
            let mut left: Vec<Config> = allowed.into_iter().filter(is_new).collect();
            if left.is_empty() {
                return Ok(None);
            }
            return Ok(Some(left.swap_remove(seed.stream("left", 0).index(left.len()))));
        }
        let sample = |attempt| self.space.sample(&mut seed.stream("uniform", attempt));
        random_new(sample, |config| self.is_allowed(config), is_new, || naming(index))
    }

    /// The configuration of an index, given or of the sequence.
    fn designed(&self, index: usize) -> Result<Config, OptimizerError> {
        let designed = self.design.config(self.space, self.seed, self.run, index);
        designed.map_err(|error| OptimizerError::failed(naming(index), error))
    }

    /// Index of a trial in the sequence that follows the given configurations.
    #[must_use]
    pub fn index(&self, id: TrialId) -> usize {
        let given = if self.run == 0 { self.design.given().len() } else { 0 };
        usize::try_from(id.0).unwrap_or(usize::MAX).max(given)
    }

    fn is_allowed(&self, config: &Config) -> bool {
        self.known_constraint.allows(config)
    }
}

fn naming(index: usize) -> String {
    format!("initial design, configuration {index}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels() -> Space {
        Space::builder().int("i", 0, 5).build().unwrap()
    }

    fn ask(
        asked: &[f64],
        id: u64,
        known_constraint: &KnownConstraint,
    ) -> Result<Option<i64>, OptimizerError> {
        let (design, space) = (InitialDesign::Sobol(4), levels());
        let designer = Designer { design: &design, space: &space, seed: Seed(2), run: 0, known_constraint };
        let mut points = Points::new(1);
        asked.iter().for_each(|x| {
            let mut config = Config::new();
            config.insert("i", *x as i64);
            points.push(&space.encode(&config).unwrap());
        });
        designer.config(&points, TrialId(id)).map(|found| found.map(|config| config.int("i").unwrap()))
    }

    /// A configuration that was asked or is not allowed gives way to one that is neither; all of them come in turn.
    #[test]
    fn designs_give_way_to_what_is_new_and_allowed() {
        let any = KnownConstraint::default();
        let designed = ask(&[], 0, &any).unwrap().unwrap();
        assert_eq!(ask(&[f64::from((designed as i32 + 1) % 6)], 0, &any).unwrap(), Some(designed));
        let mut seen = std::collections::BTreeSet::new();
        for id in 0..60 {
            let found = ask(&[0.0, 2.0, 3.0], id, &any).unwrap().unwrap();
            assert!([1, 4, 5].contains(&found), "{found}");
            seen.insert(found);
        }
        assert_eq!(seen.len(), 3);
        let even = KnownConstraint::new(|config: &Config| config.int("i").unwrap() % 2 == 0);
        for id in 0..60 {
            let found = ask(&[2.0], id, &even).unwrap().unwrap();
            assert!([0, 4].contains(&found), "{found}");
        }
        assert_eq!(ask(&[0.0, 2.0, 4.0], 3, &even).unwrap(), None);
        assert_eq!(ask(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 3, &any).unwrap(), None);
        let error = ask(&[], 3, &KnownConstraint::new(|_: &Config| false)).unwrap_err();
        let text = format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string));
        assert!(text.contains("none of the 6 configurations") && text.contains("configuration 3"), "{text}");
    }

    /// In an infinite space random configurations are tried until one is allowed.
    #[test]
    fn rare_configurations_are_found_by_chance() {
        let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
        let design = InitialDesign::Sobol(4);
        let config = |limit: f64| {
            let known_constraint =
                &KnownConstraint::new(move |config: &Config| config.float("x").unwrap() < limit);
            let designer =
                Designer { design: &design, space: &space, seed: Seed(2), run: 1, known_constraint };
            designer.config(&Points::new(1), TrialId(2)).map(|found| found.unwrap().float("x").unwrap())
        };
        assert!(config(0.002).unwrap() < 0.002);
        let error = config(0.0).unwrap_err();
        let text = format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string));
        assert!(text.contains("none of 10000 random configurations"), "{text}");
    }

    /// Infinite spaces whose allowed configurations were all asked are exhausted, which is no error.
    #[test]
    fn infinite_spaces_may_have_nothing_left_that_is_allowed() {
        let space = Space::builder()
            .categorical("kind", ["a", "b"])
            .float("x", 0.0, 1.0)
            .when("kind", ["b"])
            .build()
            .unwrap();
        let known_constraint = &KnownConstraint::new(|config: &Config| config.str("kind") == Ok("a"));
        let design = InitialDesign::Sobol(4);
        let designer = Designer { design: &design, space: &space, seed: Seed(2), run: 0, known_constraint };
        let mut asked = Points::new(space.dim());
        let first =
            designer.config(&asked, TrialId(0)).unwrap().expect("the only configuration that is allowed");
        assert_eq!(first.str("kind"), Ok("a"));
        asked.push(&space.encode(&first).unwrap());
        assert_eq!(designer.config(&asked, TrialId(1)).unwrap(), None);
    }
}
