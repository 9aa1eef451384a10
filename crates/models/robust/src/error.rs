//! Errors of Gaussian processes with Student-t noise.

use thrifty_check::InputError;
use thrifty_gp::GpError;
use thrifty_linalg::NotPositiveDefinite;

/// Error of a Gaussian process with Student-t noise.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum RobustError {
    /// Invalid observations, points, noise variances or settings.
    #[error(transparent)]
    Input(#[from] InputError),
    /// An error of the Gaussian process.
    #[error(transparent)]
    Process(#[from] GpError),
}

impl From<NotPositiveDefinite> for RobustError {
    fn from(error: NotPositiveDefinite) -> Self {
        Self::Process(GpError::NotPositiveDefinite(error))
    }
}
