//! Inferred reference points.

use thrifty_domain::PointsRef;
use thrifty_pareto::{Duplicates, ParetoError, ReferenceOrigin, ReferencePoint, non_dominated};
use thrifty_space::Config;
use thrifty_study::{History, MemoKey, OptimizerError};

use super::observed::Observed;
use crate::MultiObjectiveError;

/// The inferred reference point, in the units of the objectives.
pub(crate) static REFERENCE: MemoKey<Vec<f64>> = MemoKey::new("reference");

/// The reference point of a study: the given one, else the one that an earlier suggestion inferred, else a newly inferred one. `None`
/// without feasible losses.
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

/// Infers the reference point from the feasible front, if it has more points than objectives. Otherwise the reference point is beyond
/// everything measured, feasible or not, per objective.
///
/// One or two points do not show the extent of the front, and a reference point that is too near hides its ends for good.
fn inferred(feasible: PointsRef<'_>, all: PointsRef<'_>) -> Result<ReferencePoint, ParetoError> {
    if non_dominated(feasible, Duplicates::First)?.len() > feasible.dim() {
        return ReferencePoint::inferred(feasible);
    }
    ReferencePoint::beyond(all)
}

#[cfg(test)]
mod tests {
    use thrifty_domain::Points;

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
    }

    /// An objective that is equal everywhere counts by a tenth of its magnitude, and the others by their range.
    #[test]
    fn equal_losses_of_one_objective_leave_the_others_their_range() {
        let reference = |losses: Vec<f64>, m: usize| {
            let losses = Points::from_flat(losses, m);
            inferred(losses.as_ref(), losses.as_ref()).unwrap().values().to_vec()
        };
        let near = |found: Vec<f64>, expected: &[f64]| {
            let error = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(found.len() == expected.len() && error < 1e-12, "{found:?}, expected {expected:?}");
        };
        near(reference(vec![1.0, 5.0, 1.0, 20.0, 1.0, 10.0], 2), &[1.1, 21.5]);
        near(reference(vec![0.0, 5.0, 0.0, 20.0], 2), &[0.1, 21.5]);
        let three = vec![1.0, 13.0, 18.0, 1.0, 18.0, 16.0, 1.0, 11.0, 21.0];
        near(reference(three, 3), &[1.1, 18.7, 21.5]);
    }
}
