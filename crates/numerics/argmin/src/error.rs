//! Error of searches by argmin's solvers.

use thrifty_optim::OptimError;

/// Error of a search by a solver of argmin.
#[derive(Debug, Clone, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum ArgminError {
    /// Start or bounds make no sense.
    #[error(transparent)]
    Start(#[from] OptimError),
    /// The solver gave up.
    #[error("argmin: {message}")]
    Solver {
        /// The solver's message.
        message: String,
    },
}
