//! Errors of the BBOB functions.

/// Reason why a BBOB function does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BbobError {
    /// The testbed has no function of this number.
    #[error("function {function} is not in the testbed, expected {first} to {last}")]
    UnknownFunction {
        /// The number that was asked for.
        function: u8,
        /// Smallest number of the testbed.
        first: u8,
        /// Largest number of the testbed.
        last: u8,
    },
    /// The functions need at least two variables.
    #[error("{dim} variables, expected at least 2")]
    Dimension {
        /// Number of variables that was asked for.
        dim: usize,
    },
}
