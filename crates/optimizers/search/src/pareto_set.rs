//! Pareto sets of histories.

use thrifty_domain::Points;
use thrifty_pareto::{Duplicates, Hypervolume, ParetoError, ReferencePoint, non_dominated};
use thrifty_space::Config;
use thrifty_study::{History, OptimizerError, TrialId};

use crate::{measurement, shape};

/// Member of a Pareto set.
#[derive(Debug, Clone, PartialEq)]
pub struct ParetoMember {
    /// The trial that measured it.
    pub trial: TrialId,
    /// The configuration.
    pub config: Config,
    /// Its losses: measured, or posterior means under a rule for noisy measurements.
    pub objectives: Vec<f64>,
}

/// Pareto set: the feasible measured trials that no other dominates, in the order of the trials. Among equal losses the first is kept.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ParetoSet {
    /// The non-dominated trials.
    pub members: Vec<ParetoMember>,
}

impl ParetoSet {
    /// The Pareto set of the measured losses of a history. Failed and infeasible trials do not count.
    ///
    /// # Errors
    /// [`OptimizerError`] names a trial whose measurement has other numbers of objectives or constraints than the first.
    pub fn of(history: &History<Config>) -> Result<Self, OptimizerError> {
        shape(history)?;
        let members = history.trials().iter().filter_map(|trial| {
            let measured = measurement(trial).filter(|m| m.is_feasible())?;
            let (trial, config) = (trial.id, trial.query.clone());
            Some(ParetoMember { trial, config, objectives: measured.objectives.clone() })
        });
        Self::among(members.collect())
            .map_err(|error| OptimizerError::failed("finding the Pareto set", error))
    }

    /// The Pareto set of candidates.
    ///
    /// # Errors
    /// [`ParetoError`] for losses that are not finite or of different lengths.
    pub fn among(candidates: Vec<ParetoMember>) -> Result<Self, ParetoError> {
        let points = losses_of(&candidates)?;
        let kept = non_dominated(points.as_ref(), Duplicates::First)?;
        let mut kept = kept.into_iter().peekable();
        let is_kept = |(i, _): &(usize, ParetoMember)| kept.next_if_eq(i).is_some();
        Ok(Self { members: candidates.into_iter().enumerate().filter(is_kept).map(|(_, m)| m).collect() })
    }

    /// The losses, one row per member.
    ///
    /// # Errors
    /// [`ParetoError::ObjectiveMismatch`] for members of different numbers of objectives.
    pub fn losses(&self) -> Result<Points, ParetoError> {
        losses_of(&self.members)
    }

    /// Hypervolume dominated by the set, up to a reference point; 0 for an empty set.
    ///
    /// # Errors
    /// As [`Hypervolume::exact`] and [`ParetoSet::losses`].
    pub fn hypervolume(&self, reference: &ReferencePoint) -> Result<f64, ParetoError> {
        Hypervolume::new(reference.values())?.with_limit(STEPS).exact(self.losses()?.as_ref())
    }
}

/// The losses of members, one row per member.
fn losses_of(members: &[ParetoMember]) -> Result<Points, ParetoError> {
    let expected = members.first().map_or(0, |member| member.objectives.len());
    let mut points = Points::new(expected);
    for member in members {
        let found = member.objectives.len();
        if found != expected {
            return Err(ParetoError::ObjectiveMismatch { what: "a member", found, expected });
        }
        points.push(&member.objectives);
    }
    Ok(points)
}

/// Largest number of steps: about a tenth of a second.
const STEPS: u64 = 30_000_000;
