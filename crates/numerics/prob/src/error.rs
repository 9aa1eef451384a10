//! Errors of priors.

/// Error of a prior distribution.
#[derive(Debug, Clone, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum ProbError {
    /// A parameter is out of range.
    #[error("{name} of the {distribution} prior is {value}, expected {expected}")]
    InvalidParameter {
        /// The distribution.
        distribution: &'static str,
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Description of the valid values.
        expected: &'static str,
    },
}
