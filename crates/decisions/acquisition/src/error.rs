//! Errors of acquisition functions.

use thrifty_check::{InputError, all_finite, dimension, not_empty, variance};
use thrifty_domain::PointsRef;
use thrifty_linalg::NotPositiveDefinite;
use thrifty_surrogate::ConditioningError;

/// Error of building an acquisition function.
#[derive(Debug, Clone, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum AcquisitionError {
    /// Invalid numbers, lengths or points.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The posterior lacks a capability that the acquisition needs.
    #[error("the posterior has no {0}")]
    Lacks(&'static str),
    /// The joint covariance of some points cannot be factored.
    #[error("covariance of the {name}: {source}")]
    Covariance {
        /// Name of the points.
        name: &'static str,
        /// The pivot that failed.
        source: NotPositiveDefinite,
    },
    /// Settings that cannot be written.
    #[error("writing the settings of an acquisition: {0}")]
    Description(String),
    /// A user-defined factory that fails for its own reason.
    #[error("{factory}: {message}")]
    Failed {
        /// Name of the factory.
        factory: String,
        /// The reason.
        message: String,
    },
    /// Fantasized outcomes cannot be conditioned on. There is no `From`, since it would break type inference of `?` in dependent crates.
    #[error(transparent)]
    Conditioning(ConditioningError),
}

/// Requires finite points of this dimension; there may be none.
pub(crate) fn require_points(
    name: &'static str,
    points: PointsRef<'_>,
    expected: usize,
) -> Result<(), InputError> {
    dimension(name, points.dim(), expected)?;
    for (index, point) in points.rows().enumerate() {
        if let Some(&value) = point.iter().find(|v| !v.is_finite()) {
            return Err(InputError::Entry { name, index, value, expected: "finite coordinates" });
        }
    }
    Ok(())
}

/// Requires at least one number, all finite.
pub(crate) fn require_finite(name: &'static str, values: &[f64]) -> Result<(), InputError> {
    not_empty(name, values.len())?;
    all_finite(name, values)
}

/// Requires a valid noise variance.
pub(crate) fn require_noise(noise_variance: f64) -> Result<f64, InputError> {
    variance("noise variance", noise_variance)
}
