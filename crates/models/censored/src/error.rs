//! Errors of censored Gaussian processes.

use thrifty_check::InputError;
use thrifty_gp::GpError;
use thrifty_linalg::NotPositiveDefinite;

/// Error of a Gaussian process for censored responses.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum CensoredError {
    /// Invalid responses, points or noise variances. An infinite bound carries no information: leave it out.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A bound contradicts the other responses; possible only without noise.
    #[error("bound {index} is {std_devs:e} deviations from what the other responses allow")]
    Contradiction {
        /// Index among the responses, or among the bounds of a vector.
        index: usize,
        /// Distance of the bound from the mean that the other responses imply, in standard deviations.
        std_devs: f64,
    },
    /// A setting is out of its range.
    #[error("setting {name} is {value}, expected {expected}")]
    InvalidSetting {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Description of the valid values.
        expected: &'static str,
    },
    /// An error of the Gaussian process.
    #[error(transparent)]
    Process(#[from] GpError),
}

impl From<NotPositiveDefinite> for CensoredError {
    fn from(error: NotPositiveDefinite) -> Self {
        Self::Process(GpError::NotPositiveDefinite(error))
    }
}
