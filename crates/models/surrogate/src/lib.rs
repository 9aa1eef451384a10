//! What a model that predicts looks like to everything above it.
//!
//! A [`Surrogate`] is fitted to data and yields a [`Posterior`]: fitting and predicting are separate acts.
//! The posterior's optional capabilities (gradients, joint covariance) are found by asking for them, so that
//! an acquisition can say what it needs and a model need not have everything.
//!
//! Shapes: `x` holds m points of dimension [`Posterior::dim`]; means and variances are slices of length m;
//! matrices are row-major slices. Variances are of the latent function, without observation noise, and
//! never negative. All sizes are contracts: a slice of another length panics.

mod calibration;
mod conditioned;
pub mod contract;
mod lookahead;
mod posterior;
mod sample;

pub use calibration::{Calibration, CalibrationError};
pub use conditioned::{Conditioned, ConditioningError};
pub use lookahead::{JointLookahead, LookWeights, Lookahead, lookahead};
pub use posterior::{
    JointGradient, JointPosterior, PathSampler, Posterior, PosteriorGradient, SamplePath, Surrogate,
};
pub use sample::{factor_covariance, sample_jointly};
