//! Points that were asked; they are not suggested again.

use thrifty_domain::{Domain, Points};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{OptimizerError, Trial, TrialId};

use crate::{Candidate, Designer, asked_points, ended_without_loss, first_allowed, points_of};

/// The points that were asked. None of them is suggested again, unless a finite space is exhausted and [is repeated](Self::or_again).
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    points: Points,
    /// Points that are not repeated; `None` if the space is not repeated.
    left_out: Option<Points>,
}

impl From<Points> for Asked {
    /// Asked points of a space that is not repeated.
    fn from(points: Points) -> Self {
        Self { points, left_out: None }
    }
}

impl Asked {
    /// The [points that were asked](asked_points) in trials.
    ///
    /// # Errors
    /// [`OptimizerError`] names a trial whose query is not of the space.
    pub fn of<'t>(
        space: &Space,
        trials: impl IntoIterator<Item = &'t Trial<Config>>,
    ) -> Result<Self, OptimizerError> {
        asked_points(space, trials).map(Self::from)
    }

    /// Repeats the space once it is exhausted. Points of failed and pruned trials are not repeated.
    ///
    /// # Errors
    /// [`OptimizerError`] names a trial whose query is not of the space.
    pub fn or_again<'t>(
        mut self,
        space: &Space,
        trials: impl IntoIterator<Item = &'t Trial<Config>>,
    ) -> Result<Self, OptimizerError> {
        self.left_out = Some(points_of(space, trials.into_iter().filter(|trial| ended_without_loss(trial)))?);
        Ok(self)
    }

    /// True if a point was asked.
    #[must_use]
    pub fn contains(&self, x: &[f64]) -> bool {
        self.points.rows().any(|known| known == x)
    }

    /// The first candidate that is allowed and new, else any other such point. If there is none and the space is repeated: the first
    /// allowed candidate that is not left out.
    ///
    /// # Errors
    /// As [`first_allowed`].
    pub fn first_allowed(
        &self,
        domain: &Domain,
        is_allowed: impl Fn(&[f64]) -> bool,
        candidates: Vec<Candidate>,
        seed: Seed,
        id: TrialId,
    ) -> Result<Option<Candidate>, OptimizerError> {
        let is_new = |x: &[f64]| !self.contains(x);
        let Some(left_out) = &self.left_out else {
            return first_allowed(domain, is_allowed, is_new, candidates, seed, id);
        };
        let new = first_allowed(domain, &is_allowed, is_new, candidates.clone(), seed, id)?;
        if new.is_some() {
            return Ok(new);
        }
        let may_repeat = |x: &[f64]| left_out.rows().all(|known| known != x);
        first_allowed(domain, is_allowed, may_repeat, candidates, seed, id)
    }

    /// The configuration of a trial in an initial design: a new one, else, if the space is repeated, one that is not left out.
    ///
    /// # Errors
    /// As [`Designer::config`].
    pub fn designed(&self, designer: &Designer<'_>, id: TrialId) -> Result<Option<Config>, OptimizerError> {
        match (designer.config(&self.points, id)?, &self.left_out) {
            // All given configurations were asked, each as often as it is given.
            (None, Some(left_out)) => designer.of_sequence(left_out, id),
            (config, _) => Ok(config),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use thrifty_space::KnownConstraint;

    use super::*;
    use crate::InitialDesign;

    /// A given configuration is asked as often as it is given, also where the space is repeated.
    #[test]
    fn a_repeated_space_follows_the_sequence() {
        let space = Space::builder().int("arm", 0, 3).build().unwrap();
        let config = |arm: i64| {
            let mut config = Config::new();
            config.insert("arm", arm);
            config
        };
        let design = InitialDesign::Given(vec![config(3)]);
        let known_constraint = &KnownConstraint::default();
        let designer = Designer { design: &design, space: &space, seed: Seed(2), run: 0, known_constraint };
        let trials: Vec<Trial<Config>> =
            (0..4).map(|arm| Trial::new(TrialId(arm as u64), config(arm), Some(0.5.into()))).collect();
        let asked = Asked::of(&space, &trials).unwrap();
        assert_eq!(asked.designed(&designer, TrialId(4)).unwrap(), None);
        let again = asked.or_again(&space, &trials).unwrap();
        let arm = |id| again.designed(&designer, TrialId(id)).unwrap().unwrap().int("arm").unwrap();
        assert_eq!((4..16).map(arm).collect::<BTreeSet<i64>>().len(), 4);
    }
}
