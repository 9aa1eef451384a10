//! Gaussian processes of observations that are values, bounds or signs, by expectation propagation.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! A response that an instrument or a protocol cuts off is an inequality: the function lies beyond the cut, not on it. A process that takes such
//! responses for values has a plateau that is not there. In [`CensoredGp`] each [`Response`] is a value with noise, or a bound on one. A sign is
//! a bound at 0, so that classification with probit noise is the case of bounds alone.
//!
//! Values are exact. Bounds are replaced one by one by normal pseudo-observations that have the moments of the truncated distribution ([`expectation_propagation`]); from there
//! on everything is a [`GpPosterior`](thrifty_gp::GpPosterior) with known noise for each observation, gradients, joint covariances and paths included. With values
//! alone it is [`Gp`](thrifty_gp::Gp) to the bit.

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
