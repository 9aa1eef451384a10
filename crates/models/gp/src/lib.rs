//! Exact Gaussian-process regression.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! [`Gp`] is a kernel with settings: noise and mean, scaling of inputs and targets, learning of hyperparameters. [`Gp::fit`] learns the
//! hyperparameters by maximum a posteriori from several starts and conditions on the data. [`Gp::condition`] conditions with fixed
//! hyperparameters. Both return a [`GpPosterior`] that predicts, with gradients and joint covariances. It reports the jitter that was added
//! and the result of every restart.

mod data;
mod error;
mod fit;
mod fitted;
mod gp;
mod kernel_choice;
mod learning;
mod learning_scale;
mod left_out;
mod likelihood;
mod likelihood_loops;
mod posterior;
mod refit;
mod sampled;
mod scaling;
pub mod selection;
mod settings;
mod subset;
mod surrogate;
mod training;
mod yeo_johnson;

pub use data::LARGEST_TARGET;
pub use error::GpError;
pub use fit::{Restart, learn_parameters};
pub use gp::Gp;
pub use kernel_choice::{KernelFactory, KernelFactoryError, KernelFamily};
pub use learning::{Learning, Sampling};
pub use likelihood::ExactLikelihood;
pub use posterior::{GpLookahead, GpPosterior};
pub use refit::{FitPlan, Refit, Starts, is_surprised};
pub use scaling::{InputScaling, TargetScaling};
pub use settings::{GpSettings, Mean, Noise, Search};
pub use subset::Conditioning;
pub use surrogate::GpSurrogate;
pub use thrifty_domain::{Points, PointsRef};
pub use thrifty_sampling::Seed;
pub use thrifty_surrogate::{Posterior, Prediction};
pub use training::Training;
pub use yeo_johnson::YeoJohnson;
