//! Bayesian linear regression on basis functions.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! ```text
//! y = φ(x)·a + ε,   a ~ N(μ, Σ)
//! use thrifty_domain::Points;
//! use thrifty_linear::{Coefficients, LinearModel, Polynomial};
//! use thrifty_surrogate::{Posterior, Prediction};
//! let prior = Coefficients::independent(vec![0.0; 3], &[1.0, 1.0, 1.0])?;
//! let model = LinearModel::new(Polynomial::of_one(2, 0.5), prior)?;
//! let x = Points::from_flat(vec![0.0, 0.5, 1.0], 1);
//! let (posterior, log_evidence) = model.condition(x.as_ref(), &[0.2, 0.4, 0.7], &[0.01; 3])?;
//! let Prediction { mean, variance } = posterior.predict(&[0.5]);
//! assert!((mean - 0.4).abs() < 0.02 && variance < 0.01 && log_evidence.is_finite());
//! # Ok::<(), thrifty_linear::LinearError>(())
//! ```

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
