//! Covariance functions and their composition, with gradients.
//!
//! A [`Kernel`] evaluates pairs, fills covariance matrices and pulls gradients back: from weights on the
//! entries of a covariance matrix to its hyperparameters, or to a point. Nothing of size parameters × n × n
//! is ever formed. Kernels compose as types: `Scaled<Sum<Matern52, SquaredExponential>>`, or behind
//! `Box<dyn Kernel>` when the choice is made at run time.
//!
//! ```
//! use thrifty_kernel::{Kernel, Matern52, Scaled};
//! let kernel = Scaled::new(Matern52::new(vec![0.5, 2.0])?, 3.0)?;
//! assert_eq!(kernel.eval(&[0.1, 0.2], &[0.1, 0.2]), 3.0);
//! # Ok::<(), thrifty_kernel::KernelError>(())
//! ```

#![allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining

mod constant;
pub mod contract;
mod error;
mod kernel;
mod product;
mod radial;
mod scaled;
mod simd;
mod stationary;
mod sum;

pub use constant::Constant;
pub use error::KernelError;
pub use kernel::{Kernel, KernelWorkspace};
pub use product::Product;
pub use radial::{
    Matern12, Matern12Profile, Matern32, Matern32Profile, Matern52, Matern52Profile, Radial,
    SquaredExponential, SquaredExponentialProfile,
};
pub use scaled::Scaled;
pub use stationary::Stationary;
pub use sum::Sum;
