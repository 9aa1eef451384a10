//! Errors of optimization routines.

/// Error of a minimization.
#[derive(Debug, Clone, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum OptimError {
    /// The start and the bounds have different lengths.
    #[error("a start of dimension {start} with {bounds} bounds, expected equal numbers")]
    DimensionMismatch {
        /// Dimension of the start.
        start: usize,
        /// Number of bounds.
        bounds: usize,
    },
    /// A lower bound above its upper bound, or NaN.
    #[error("bounds of variable {index} are [{low}, {high}], expected low ≤ high")]
    InvalidBounds {
        /// The variable.
        index: usize,
        /// Its lower bound.
        low: f64,
        /// Its upper bound.
        high: f64,
    },
    /// The start is NaN or infinite.
    #[error("variable {index} starts at {value}, expected a finite number")]
    NonFiniteStart {
        /// The variable.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// The function has no finite value or gradient where the search would start.
    #[error("the function is {value} at the start, or its gradient is not finite")]
    NonFiniteValue {
        /// The value.
        value: f64,
    },
    /// A multi-start without starts.
    #[error("no starting points, expected at least 1")]
    NoStarts,
    /// A function without a model of its curvature at the start.
    #[error("no curvature at the start")]
    NoCurvature,
}

/// A start moved into its box, after checks of both.
///
/// # Errors
/// [`OptimError`]: numbers of variables that differ, bounds that are no interval, or a start that is not finite.
pub fn projected_start(start: &[f64], bounds: &[(f64, f64)]) -> Result<Vec<f64>, OptimError> {
    if start.len() != bounds.len() {
        return Err(OptimError::DimensionMismatch { start: start.len(), bounds: bounds.len() });
    }
    let mut x = start.to_vec();
    for (index, (value, &(low, high))) in x.iter_mut().zip(bounds).enumerate() {
        if low.is_nan() || high.is_nan() || low > high || low == f64::INFINITY || high == f64::NEG_INFINITY {
            return Err(OptimError::InvalidBounds { index, low, high });
        }
        if !value.is_finite() {
            return Err(OptimError::NonFiniteStart { index, value: *value });
        }
        *value = value.clamp(low, high);
    }
    Ok(x)
}
