//! Errors of the hierarchical process.

use thrifty_check::InputError;

/// Error of a hierarchical process.
#[derive(Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HgpError {
    /// Invalid points or folds.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Error of the Gaussian process: data that are not finite, a setting out of range, or numerical breakdown.
    #[error(transparent)]
    Gp(#[from] thrifty_gp::GpError),
    /// Error of censored losses: a bound that is not finite, or contradicts the values.
    #[error(transparent)]
    Censored(#[from] thrifty_censored::CensoredError),
    /// Invalid hyperparameters.
    #[error(transparent)]
    Kernel(#[from] thrifty_kernel::KernelError),
}
