//! Gaussian processes with Student-t noise: regression with outliers.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! Normal noise has one scale. A single observation ten standard deviations away pulls the mean towards itself and widens every interval.
//! Student-t noise is normal noise whose precision differs between observations. Each observation gets a
//! [weight](RobustPosterior::weights): near 1 for most, near 0 for an outlier.
//!
//! Variational inference approximates the joint posterior of weights and function by a product of two distributions. Given the weights, the
//! result is a [`GpPosterior`](thrifty_gp::GpPosterior) with known noise per observation.

mod data;
mod error;
mod likelihood;
mod model;
mod posterior;
mod student_t;
mod surrogate;
mod weighting;

pub use error::RobustError;
pub use model::RobustGp;
pub use posterior::RobustPosterior;
pub use student_t::StudentT;
pub use surrogate::RobustGpSurrogate;
