//! Covariance matrix adaptation: an evolution strategy for spaces of many dimensions.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! [`CmaEs`] draws trials from a normal distribution on the encoded unit cube. After each generation the distribution moves towards
//! the better half, and its covariance matrix learns the directions in which steps succeeded. Only the ranks of the losses count.

mod coordinates;
mod distribution;
mod generations;
mod margin;
mod memos;
mod optimizer;
mod run;
mod settings;
mod strategy;

pub use optimizer::CmaEs;
pub use settings::CmaEsSettings;
