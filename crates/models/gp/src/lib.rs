//! Exact Gaussian-process regression.
//!
//! [`Gp`] is a kernel with settings: what is assumed of noise and mean, how inputs and targets are scaled, how
//! hyperparameters are learnt. [`Gp::fit`] learns them by maximum a posteriori from several starts and
//! conditions on the data; [`Gp::condition`] conditions with the hyperparameters as they are. Both yield a
//! [`GpPosterior`] that predicts, with gradients and joint covariances, and reports the jitter
//! that was added, the value every restart reached.
//!
//! ```
//! use thrifty_domain::Points;
//! use thrifty_gp::Gp;
//! use thrifty_sampling::Seed;
//! use thrifty_surrogate::{Posterior, Prediction};
//! let x = Points::from_flat((0..12).map(|i| f64::from(i) / 11.0).collect(), 1);
//! let y: Vec<f64> = x.rows().map(|p| (6.0 * p[0]).sin()).collect();
//! let posterior = Gp::matern52(1).fit(x.as_ref(), &y, &mut Seed(1).stream("fit", 0))?;
//! let Prediction { mean, variance } = posterior.predict(&[0.5]);
//! assert!((mean - 3_f64.sin()).abs() < 0.01 && variance < 1e-3);
//! # Ok::<(), thrifty_gp::GpError>(())
//! ```

mod data;
mod error;
mod fit;
mod fitted;
mod gp;
mod kernel_choice;
mod learning;
mod likelihood;
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
pub use refit::Refit;
pub use scaling::{InputScaling, TargetScaling};
pub use settings::{GpSettings, Mean, Noise};
pub use subset::Conditioning;
pub use surrogate::GpSurrogate;
pub use thrifty_domain::{Points, PointsRef};
pub use thrifty_sampling::Seed;
pub use thrifty_surrogate::{Posterior, Prediction};
pub use yeo_johnson::YeoJohnson;
