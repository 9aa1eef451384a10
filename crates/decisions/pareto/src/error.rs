//! Errors of Pareto sets and their indicators.

use thrifty_check::counted;

/// Error of a quantity of a Pareto front.
#[derive(Debug, Clone, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum ParetoError {
    /// An objective is NaN or infinite.
    #[error("objective {objective} of point {index} is {value}, expected a finite number")]
    NonFinite {
        /// Position of the point.
        index: usize,
        /// Position of the objective.
        objective: usize,
        /// The value.
        value: f64,
    },
    /// A coordinate of the reference point is NaN or infinite.
    #[error("coordinate {objective} of the reference point is {value}, expected a finite number")]
    NonFiniteReference {
        /// Position of the objective.
        objective: usize,
        /// The value.
        value: f64,
    },
    /// Two related inputs have different numbers of objectives.
    #[error("{what} has {}, expected {expected}", counted(*found, "objectives"))]
    ObjectiveMismatch {
        /// The set or vector with the wrong number.
        what: &'static str,
        /// Number found.
        found: usize,
        /// Number expected.
        expected: usize,
    },
    /// Two related lists have different numbers of points.
    #[error("{what} has {}, expected {expected}", counted(*found, "points"))]
    LengthMismatch {
        /// The list with the wrong number.
        what: &'static str,
        /// Number found.
        found: usize,
        /// Number expected.
        expected: usize,
    },
    /// The input is empty.
    #[error("{what} is empty, expected at least one")]
    Empty {
        /// The set or vector that is empty.
        what: &'static str,
    },
    /// A mean is not finite, or a standard deviation is negative or not finite.
    #[error(
        "objective {objective} has mean {mean} and standard deviation {std_dev}, expected finite numbers and a deviation of at least 0"
    )]
    InvalidBelief {
        /// Position of the objective.
        objective: usize,
        /// Its mean.
        mean: f64,
        /// Its standard deviation.
        std_dev: f64,
    },
    /// An exact computation costs more than the limit allows. Raise the limit, use fewer objectives, or approximate.
    #[error("{what} of {} with {} takes more than {limit} steps", counted(*points, "points"), counted(*objectives, "objectives"))]
    TooMuchWork {
        /// The quantity to be computed.
        what: &'static str,
        /// Number of points inside the reference box.
        points: usize,
        /// Number of objectives.
        objectives: usize,
        /// The limit.
        limit: u64,
    },
}
