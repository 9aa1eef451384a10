//! Errors of linear models.

use thrifty_check::InputError;

/// Error of building or updating a linear model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LinearError {
    /// Numbers or lengths that make no sense.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A covariance that is not one.
    #[error("covariance entries ({row}, {column}) are {upper} and {lower}, expected equal numbers")]
    NotSymmetric {
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// Above the diagonal.
        upper: f64,
        /// Below.
        lower: f64,
    },
    /// A covariance with a negative direction.
    #[error("the covariance is not positive semi-definite: pivot {pivot} is {value}")]
    Indefinite {
        /// Index of the pivot.
        pivot: usize,
        /// Its value.
        value: f64,
    },
    /// An observation y without noise of what is known already, with another value: beyond 1e-9 (1 + |y|) and the standard deviation that
    /// rounding leaves, about 1e-6 of that before the first update. In units in which responses are far below 1 rounding and contradictions
    /// are not told apart.
    #[error("a noiseless observation of {observed} where {expected} is certain")]
    Contradiction {
        /// Observed value.
        observed: f64,
        /// Value that was certain.
        expected: f64,
    },
    /// A covariance or precision without an inverse where one is needed.
    #[error("a singular covariance or precision has no inverse")]
    Singular,
}
