//! Surrogate models and posteriors: the traits, and contract tests for implementers.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! A [`Surrogate`] is fitted to [`Observations`] and yields a [`FittedSurrogate`] with a [`Posterior`]: fitting and
//! predicting are separate acts. The optional capabilities of a posterior (gradients, joint covariance, sample paths) are found
//! by asking for them, so that an acquisition can say what it needs and a model need not have everything.
//!
//! Shapes: `x` holds m points of dimension [`Posterior::dim`]; means and variances are slices of length m;
//! matrices are row-major slices. Variances are of the latent function, without observation noise, and
//! never negative. All sizes are contracts: a slice of another length panics.

mod calibration;
mod conditioned;
pub mod contract;
mod description;
mod lookahead;
mod mixture;
mod observations;
mod posterior;
mod prediction;
mod sample;
mod settings;
mod surrogate;

pub use calibration::{Calibration, CalibrationError};
pub use conditioned::{Conditioned, ConditioningError};
pub use description::Description;
pub use lookahead::{JointLookahead, Lookahead, LookaheadCotangent, lookahead};
pub use mixture::{Member, Mixture};
pub use observations::Observations;
pub use posterior::{JointGradient, JointPosterior, PathSampler, Posterior, PosteriorGradient, SamplePath};
pub use prediction::Prediction;
pub use sample::{factor_covariance, sample_jointly};
pub use settings::{Settings, SettingsError};
pub use surrogate::{EarlierFit, FittedSurrogate, JOINT_LIMIT, Surrogate, SurrogateError, fit_checked};
pub use thrifty_check::InputError;
