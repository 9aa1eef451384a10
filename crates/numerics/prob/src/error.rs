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
    /// No prior has this name.
    #[error("no prior is called {name:?}")]
    UnknownPrior {
        /// The name.
        name: String,
    },
    /// A prior was named without one of its parameters.
    #[error("the {distribution} prior needs the parameter {name}")]
    MissingParameter {
        /// The distribution.
        distribution: String,
        /// The parameter.
        name: &'static str,
    },
    /// A prior was given a parameter that it does not have.
    #[error("the {distribution} prior has no parameter {name:?} (given as {value})")]
    UnknownParameter {
        /// The distribution.
        distribution: &'static str,
        /// The parameter.
        name: String,
        /// Its value.
        value: f64,
    },
}
