//! Bayesian linear regression on basis functions.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! ```text
//! y = φ(x)·a + ε,   a ~ N(μ, Σ)
//! ```
//!
//! A [`Basis`] has the functions, [`Coefficients`] the normal distribution of their weights, updated one observation at a time (Kalman
//! filter), with known noise that may differ between observations, singular Σ allowed. [`LinearModel`] makes of both a
//! [`LinearPosterior`] like any other, with gradients, joint covariances and exact draws; [`LinearSurrogate`] learns
//! prior and noise variance for an optimiser. [`Information`] is the
//! same distribution by precisions, [`NormalInverseGamma`] learns the noise as well, [`Drift`] lets coefficients change.

mod basis;
mod coefficients;
mod covariances;
mod drift;
mod error;
mod information;
mod model;
mod posterior;
mod smoothing;
mod surrogate;
mod unknown_noise;

pub use basis::{Basis, Fourier, FromFn, Polynomial, Splines};
pub use coefficients::{Coefficients, Innovation};
pub use covariances::CovariancePrior;
pub use drift::Drift;
pub use error::LinearError;
pub use information::Information;
pub use model::LinearModel;
pub use posterior::LinearPosterior;
pub use smoothing::{Smoothed, SmoothingSpline};
pub use surrogate::LinearSurrogate;
pub use unknown_noise::{NormalInverseGamma, Student};
