//! Covariance functions and their composition, with gradients.
//!
//! A [`Kernel`] evaluates pairs, fills covariance matrices and pulls gradients back: from weights on the
//! entries of a covariance matrix to its hyperparameters, or to a point. Nothing of size parameters × n × n
//! is ever formed. Kernels compose as types: `Scaled<Sum<Matern52, SquaredExponential>>`, or behind
//! `Box<dyn Kernel>` when the choice is made at run time, and by operators: see [`kernel_operators`].
//!
//! ```
//! use thrifty_kernel::{Kernel, Linear, Matern52};
//! let kernel = 3.0 * Matern52::new(vec![0.5, 2.0])? + Linear::new(vec![1.0, 1.0])?;
//! assert_eq!(kernel.eval(&[0.1, 0.2], &[0.1, 0.2]), 3.0 + 0.1 * 0.1 + 0.2 * 0.2);
//! # Ok::<(), thrifty_kernel::KernelError>(())
//! ```

#![allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining

mod categorical;
mod conditional;
mod constant;
pub mod contract;
mod error;
mod features;
mod for_domain;
mod hierarchical;
mod hyper;
mod kernel;
mod likeness;
mod linear;
mod on_columns;
mod operators;
mod periodic;
mod product;
mod radial;
mod rational_quadratic;
mod scaled;
mod stationary;
mod sum;
mod validity;
mod warped;
mod white_noise;

pub use categorical::{ByCorrelation, ByLengthscale, Categorical, Exchangeable, Hamming, Likeness};
pub use conditional::Conditional;
pub use constant::Constant;
pub use error::KernelError;
pub use features::Features;
pub use for_domain::{Inputs, for_domain};
pub use hierarchical::Hierarchical;
pub use hyper::dimension_scaled_prior;
pub use kernel::{Kernel, KernelWorkspace};
pub use linear::Linear;
pub use on_columns::OnColumns;
pub use periodic::Periodic;
pub use product::Product;
pub use radial::{
    Matern12, Matern12Profile, Matern32, Matern32Profile, Matern52, Matern52Profile, ProfileParam, Radial,
    SquaredExponential, SquaredExponentialProfile,
};
pub use rational_quadratic::{RationalQuadratic, RationalQuadraticProfile};
pub use scaled::Scaled;
pub use stationary::Stationary;
pub use sum::Sum;
pub use validity::check_on;
pub use warped::Warped;
pub use white_noise::WhiteNoise;
