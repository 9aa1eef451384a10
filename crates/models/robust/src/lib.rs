//! Gaussian processes with Student-t noise: regression on observations of which some are outliers.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! Normal noise has one scale, so a single observation ten standard deviations off pulls the mean towards itself and widens every interval. Student-t noise is a
//! normal noise whose precision differs from one observation to the next. Each observation gets a [weight](RobustPosterior::weights): near 1 for most, near 0 for an outlier.
//!
//! The posterior of weights and function is approximated by the closest product of both (variational inference); given the weights, everything is a
//! [`GpPosterior`](thrifty_gp::GpPosterior) with known noise for each observation.

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
