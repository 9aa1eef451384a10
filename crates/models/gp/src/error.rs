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
    /// Observations, points or noise variances that make no sense. Failed evaluations must be dropped or imputed before.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A coordinate is NaN or infinite.
    #[error(transparent)]
    Point(#[from] DomainError),
    /// A target too large for its variance to be a number; at most [`LARGEST_TARGET`](crate::LARGEST_TARGET) in size.
    #[error("target {index} is {value:e}, expected at most {limit:e} in size")]
    TargetTooLarge {
        /// Its position.
        index: usize,
        /// Its value.
        value: f64,
        /// The largest size.
        limit: f64,
    },
    /// A known noise variance too large against the spread of the targets.
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
    /// A setting makes no sense.
    #[error("setting {name} is {value}, expected {expected}")]
    InvalidSetting {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Description of the valid values.
        expected: &'static str,
    },
    /// The prior of a hyperparameter makes no sense.
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
    /// The likelihood is not a number at any of the hyperparameters that were tried.
    #[error("no hyperparameters could be sampled: the likelihood is not a number at any of those tried")]
    NoSample,
    /// The optimiser could not start from any of the restarts.
    #[error("no hyperparameters could be learnt: {0}")]
    Optim(#[from] OptimError),
}

/// Name of the surrogate in its errors and journals.
pub(crate) const NAME: &str = "gaussian process";

/// The error as one of any surrogate.
pub(crate) fn failed(error: GpError) -> SurrogateError {
    SurrogateError::failed(NAME, error)
}
