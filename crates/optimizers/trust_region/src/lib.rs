//! Bayesian optimisation in a trust region, for spaces of many dimensions.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! [`TrustRegionOptimizer`] models the loss by a Gaussian process and searches for its minimum in a box around the best trial. The box
//! grows after successes and shrinks after failures. Once it is too small, a new run starts from a new design.

mod candidates;
mod optimizer;
mod region;
mod settings;

pub use optimizer::TrustRegionOptimizer;
pub use settings::TrustRegionSettings;
