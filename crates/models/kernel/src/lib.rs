//! Covariance functions and their composition, with gradients.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! A [`Kernel`] evaluates pairs, fills covariance matrices and pulls gradients back: from weights on the
//! entries of a covariance matrix to its hyperparameters, or to a point. Nothing of size parameters × n × n
//! is ever formed. Kernels compose as types: `Scaled<Sum<Matern52, SquaredExponential>>`, or behind
//! `Box<dyn Kernel>` when the choice is made at run time, and by operators: see [`kernel_operators`].

#![allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining

mod base;
mod categorical;
mod check;
mod compose;
pub mod contract;
mod error;
mod features;
mod for_domain;
mod hyperparameters;
mod kernel;
mod stationary;
mod workspace;

pub use base::{Constant, ExponentialDecay, Linear, Periodic, WhiteNoise};
pub use categorical::{
    ByCorrelation, ByLengthscale, Categorical, CategoricalCorrelation, Coregionalization, Exchangeable,
    Hamming,
};
pub use check::check_on;
pub use compose::{Conditional, Hierarchical, MemberCode, OnColumns, Product, Scaled, Sum, Warped};
pub use error::KernelError;
pub use features::Features;
pub use for_domain::{Inputs, dimension_scaled_prior, for_domain};
pub use hyperparameters::Hyperparameters;
pub use kernel::{Kernel, WeightedVector};
pub use stationary::{
    Matern12, Matern12Profile, Matern32, Matern32Profile, Matern52, Matern52Profile, ProfileLoop,
    ProfileParam, RationalQuadratic, RationalQuadraticProfile, SquaredExponential, SquaredExponentialProfile,
    Stationary, StationaryProfile,
};
pub use workspace::KernelWorkspace;
