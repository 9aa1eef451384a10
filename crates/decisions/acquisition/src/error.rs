/// Why an acquisition could not be built.
#[derive(Debug, Clone, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum AcquisitionError {
    /// A number that makes no sense.
    #[error("{name} is {value}, expected {expected}")]
    InvalidNumber {
        /// What it is.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        expected: &'static str,
    },
    /// A knowledge gradient with nothing to choose among.
    #[error("no anchors, expected at least one point whose mean matters")]
    NoAnchors,
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
