//! Checks of points and reference points.

use thrifty_domain::PointsRef;

use crate::ParetoError;

/// Checks that every objective is a finite number.
pub(crate) fn points(points: PointsRef<'_>) -> Result<(), ParetoError> {
    match points.as_flat().iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(at) => Err(ParetoError::NonFinite {
            index: at / points.dim(),
            objective: at % points.dim(),
            value: points.as_flat()[at],
        }),
    }
}

/// Checks that a reference point is finite and has at least one objective.
pub(crate) fn reference(reference: &[f64]) -> Result<(), ParetoError> {
    if reference.is_empty() {
        return Err(ParetoError::Empty { what: "the reference point" });
    }
    match reference.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(objective) => Err(ParetoError::NonFiniteReference { objective, value: reference[objective] }),
    }
}

/// Checks the number of objectives.
pub(crate) fn objectives(what: &'static str, found: usize, expected: usize) -> Result<(), ParetoError> {
    if found == expected { Ok(()) } else { Err(ParetoError::ObjectiveMismatch { what, found, expected }) }
}

/// Checks the number of points.
pub(crate) fn rows(what: &'static str, found: usize, expected: usize) -> Result<(), ParetoError> {
    if found == expected { Ok(()) } else { Err(ParetoError::LengthMismatch { what, found, expected }) }
}

/// Checks for finite points with as many objectives as the reference point; an empty set may have any number of objectives.
pub(crate) fn against(set: PointsRef<'_>, expected: usize) -> Result<(), ParetoError> {
    if !set.is_empty() {
        objectives("the set of points", set.dim(), expected)?;
    }
    points(set)
}
