use thrifty_domain::PointsRef;
use thrifty_linalg::NotPositiveDefinite;
use thrifty_surrogate::ConditioningError;

/// Why an acquisition could not be built.
#[derive(Debug, Clone, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum AcquisitionError {
    /// A number that makes no sense.
    #[error("{name} is {value}, expected {expected}")]
    InvalidNumber {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Description of the valid values.
        expected: &'static str,
    },
    /// One of several numbers makes no sense.
    #[error("{name} {index} is {value}, expected {expected}")]
    InvalidEntry {
        /// Name of the list of numbers.
        name: &'static str,
        /// Position in the list.
        index: usize,
        /// Its value.
        value: f64,
        /// Description of the valid values.
        expected: &'static str,
    },
    /// A knowledge gradient with nothing to choose among.
    #[error("no anchors, expected at least one point whose mean matters")]
    NoAnchors,
    /// Nothing where something is needed.
    #[error("no {0}, expected at least one")]
    None(&'static str),
    /// Points of another dimension than the posterior takes.
    #[error("{name} have dimension {found}, expected {expected}")]
    Dimension {
        /// Which points.
        name: &'static str,
        /// Their dimension.
        found: usize,
        /// That of the posterior.
        expected: usize,
    },
    /// The posterior lacks what the acquisition is made of.
    #[error("the posterior has no {0}")]
    Lacks(&'static str),
    /// The joint covariance of some points cannot be factored.
    #[error("covariance of the {name}: {source}")]
    Covariance {
        /// Which points.
        name: &'static str,
        /// The pivot that failed.
        source: NotPositiveDefinite,
    },
    /// Settings that cannot be written.
    #[error("writing the settings of an acquisition: {0}")]
    Description(String),
    /// A factory from outside that fails for a reason of its own.
    #[error("{factory}: {message}")]
    Failed {
        /// Name of the factory.
        factory: String,
        /// The reason.
        message: String,
    },
    /// Fantasized outcomes cannot be conditioned on. No `From`: it would take away what `?` infers in the crates above.
    #[error(transparent)]
    Conditioning(ConditioningError),
}

pub(crate) fn require(
    name: &'static str,
    value: f64,
    holds: bool,
    expected: &'static str,
) -> Result<f64, AcquisitionError> {
    if holds && value.is_finite() {
        Ok(value)
    } else {
        Err(AcquisitionError::InvalidNumber { name, value, expected })
    }
}

/// At least one number, all finite.
pub(crate) fn require_finite(name: &'static str, values: &[f64]) -> Result<(), AcquisitionError> {
    if values.is_empty() {
        return Err(AcquisitionError::None(name));
    }
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => {
            let value = values[index];
            Err(AcquisitionError::InvalidEntry { name, index, value, expected: "a finite number" })
        }
        None => Ok(()),
    }
}

/// Points of this dimension, all finite; none is fine.
pub(crate) fn require_points(
    name: &'static str,
    points: PointsRef<'_>,
    expected: usize,
) -> Result<(), AcquisitionError> {
    let found = points.dim();
    if found != expected {
        return Err(AcquisitionError::Dimension { name, found, expected });
    }
    for (index, point) in points.rows().enumerate() {
        if let Some(&value) = point.iter().find(|v| !v.is_finite()) {
            return Err(AcquisitionError::InvalidEntry {
                name,
                index,
                value,
                expected: "finite coordinates",
            });
        }
    }
    Ok(())
}

/// A noise variance.
pub(crate) fn require_noise(noise: f64) -> Result<f64, AcquisitionError> {
    require("noise variance", noise, noise >= 0.0, "a finite number from 0")
}
