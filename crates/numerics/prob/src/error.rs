/// Why a distribution makes no sense.
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
        /// What it may be.
        expected: &'static str,
    },
}
