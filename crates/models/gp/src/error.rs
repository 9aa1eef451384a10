//! Errors of Gaussian processes.

use thrifty_check::InputError;
use thrifty_domain::DomainError;
use thrifty_linalg::NotPositiveDefinite;
use thrifty_optim::OptimError;
use thrifty_params::ParamsError;
use thrifty_prob::ProbError;
use thrifty_surrogate::SurrogateError;

/// Error of fitting or conditioning a Gaussian process.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum GpError {
    /// Invalid observations, points or noise variances. Failed evaluations must be dropped or imputed before.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A coordinate is NaN or infinite.
    #[error(transparent)]
    Point(#[from] DomainError),
    /// A target whose variance would overflow; the absolute value is at most [`LARGEST_TARGET`](crate::LARGEST_TARGET).
    #[error("target {index} is {value:e}, expected at most {limit:e} in size")]
    TargetTooLarge {
        /// Its position.
        index: usize,
        /// Its value.
        value: f64,
        /// The largest size.
        limit: f64,
    },
    /// A known noise variance that is too large relative to the spread of the targets.
    #[error(
        "noise variance {index} is {value:e}, more than can be divided by the square of the targets' width {width:e}"
    )]
    NoiseTooLarge {
        /// Its position.
        index: usize,
        /// Its value.
        value: f64,
        /// Width of the targets.
        width: f64,
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
    /// The prior of a hyperparameter is invalid.
    #[error("prior of {name}: {problem}")]
    InvalidPrior {
        /// The hyperparameter.
        name: &'static str,
        /// The problem with the prior.
        problem: ProbError,
    },
    /// `K + σ²I` cannot be factored, even with the largest jitter.
    #[error("covariance cannot be factored: {0}")]
    NotPositiveDefinite(#[from] NotPositiveDefinite),
    /// A hyperparameter starts outside its bounds.
    #[error(transparent)]
    Params(#[from] ParamsError),
    /// The likelihood is not a number at any of the tried hyperparameters.
    #[error("no hyperparameters could be sampled: the likelihood is not a number at any of those tried")]
    NoSample,
    /// The optimiser could not start from any of the restarts.
    #[error("no hyperparameters could be learnt: {0}")]
    Optim(#[from] OptimError),
}

/// Name of the surrogate in errors and journals.
pub(crate) const NAME: &str = "gaussian process";

/// Converts the error to that of a surrogate.
pub(crate) fn failed(error: GpError) -> SurrogateError {
    SurrogateError::failed(NAME, error)
}
