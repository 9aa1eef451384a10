//! Gaussian processes of observations that are values, bounds or signs, by expectation propagation.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! A response that an instrument or a protocol cuts off is an inequality: the function lies beyond the cut, not on it. A process that
//! treats such responses as values shows a plateau that does not exist. In [`CensoredGp`] each [`Response`] is a noisy value or a bound on
//! one. A sign is a bound at 0, so bounds alone give probit classification.
//!
//! The process is conditioned exactly on values. Each bound is replaced by a normal pseudo-observation with the moments of the truncated
//! distribution ([`expectation_propagation`]). The result is a [`GpPosterior`](thrifty_gp::GpPosterior) with known noise per observation,
//! including gradients, joint covariances and paths. With values alone it agrees with [`Gp`](thrifty_gp::Gp) to rounding.

mod classifier;
mod data;
mod error;
mod expectation_propagation;
mod likelihood;
mod limits;
mod model;
mod posterior;
mod response;
mod surrogate;

pub use classifier::GpClassifier;
pub use error::CensoredError;
pub use expectation_propagation::{Bound, Propagation, Side, Sites, Truncated, expectation_propagation};
pub use limits::Limits;
pub use model::CensoredGp;
pub use posterior::CensoredPosterior;
pub use response::Response;
pub use surrogate::CensoredGpSurrogate;
