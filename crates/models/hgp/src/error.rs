//! Errors of the hierarchical process.

use thrifty_check::InputError;

/// Error of a hierarchical process.
#[derive(Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HgpError {
    /// Points or folds that make no sense.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The process below: data that are not finite, a setting out of range, or numerical breakdown.
    #[error(transparent)]
    Gp(#[from] thrifty_gp::GpError),
    /// Censored losses: a bound that is not finite, or contradicts the values.
    #[error(transparent)]
    Censored(#[from] thrifty_censored::CensoredError),
    /// Hyperparameters that make no sense.
    #[error(transparent)]
    Kernel(#[from] thrifty_kernel::KernelError),
}
