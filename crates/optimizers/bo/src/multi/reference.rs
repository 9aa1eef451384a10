//! Inferred reference points.

use thrifty_domain::{Points, PointsRef};
use thrifty_pareto::{Duplicates, ParetoError, ReferenceOrigin, ReferencePoint, non_dominated};
use thrifty_space::Config;
use thrifty_study::{History, MemoKey, OptimizerError};

use super::observed::Observed;
use crate::MultiObjectiveError;

/// The inferred reference point, in the units of the objectives.
pub(crate) static REFERENCE: MemoKey<Vec<f64>> = MemoKey::new("reference");

/// The reference point of a study: the chosen one, else the one that an earlier suggestion inferred, else one inferred
/// now; nothing when there are no feasible losses.
pub(crate) fn reference_point(
    chosen: Option<&[f64]>,
    history: &History<Config>,
    observed: &Observed,
) -> Result<Option<ReferencePoint>, OptimizerError> {
    let wrap = |error: ParetoError| OptimizerError::failed("finding the reference point", error);
    let expected = observed.objectives;
    let known = match chosen {
        Some(values) => Some((values.to_vec(), ReferenceOrigin::Explicit)),
        None => history
            .trials()
            .iter()
            .find_map(|trial| trial.memo.get(&REFERENCE))
            .map(|values| (values, ReferenceOrigin::Inferred)),
    };
    if let Some((values, origin)) = known {
        if values.len() != expected {
            let error = MultiObjectiveError::ReferenceMismatch { found: values.len(), expected };
            return Err(OptimizerError::failed("finding the reference point", error));
        }
        return ReferencePoint::restored(values, origin).map(Some).map_err(wrap);
    }
    let feasible = observed.losses(&observed.feasible());
    if feasible.is_empty() {
        return Ok(None);
    }
    let all: Vec<usize> = (0..observed.x.len()).collect();
    inferred(feasible.as_ref(), observed.losses(&all).as_ref()).map(Some).map_err(wrap)
}

/// From the feasible front, if it has more points than there are objectives; else beyond everything measured, feasible or not. One or
/// two points say nothing of how long the front is, and a reference point that is too near hides its ends for good.
fn inferred(feasible: PointsRef<'_>, all: PointsRef<'_>) -> Result<ReferencePoint, ParetoError> {
    let m = feasible.dim();
    if non_dominated(feasible, Duplicates::First)?.len() > m {
        return ReferencePoint::inferred(feasible);
    }
    let column = |j: usize| all.rows().map(move |row| row[j]);
    let best: Vec<f64> = (0..m).map(|j| column(j).fold(f64::INFINITY, f64::min)).collect();
    // A front that has the worst loss of each objective.
    let mut corners = Points::new(m);
    for j in 0..m {
        let mut corner = best.clone();
        corner[j] = column(j).fold(f64::NEG_INFINITY, f64::max);
        corners.push(&corner);
    }
    ReferencePoint::inferred(corners.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_front_is_no_measure_of_its_length() {
        // One point dominates the others: the reference point is beyond all of them.
        let losses = Points::from_flat(vec![0.0, 0.0, 1.0, 20.0, 2.0, 10.0], 2);
        let inferred = |losses: &Points| inferred(losses.as_ref(), losses.as_ref());
        let found = inferred(&losses).unwrap();
        assert_eq!((found.values(), found.origin()), (&[2.2, 22.0][..], ReferenceOrigin::Inferred));
        let losses = Points::from_flat(vec![0.0, 2.0, 1.0, 1.0, 2.0, 0.0, 9.0, 9.0], 2);
        assert_eq!(inferred(&losses).unwrap().values(), [2.2, 2.2]);
        // One objective has a front of one point: a tenth of its magnitude.
        let single = Points::from_flat(vec![3.0, 1.0, 2.0], 1);
        assert!((inferred(&single).unwrap().values()[0] - 3.3).abs() < 1e-12);
    }
}
