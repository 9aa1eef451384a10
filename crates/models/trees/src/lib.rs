//! Regression trees: random forests and gradient boosting.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! Features are binned once ([`Table`]); a split minimises the squared error over the borders of bins. A [`Forest`] averages
//! trees grown on bootstrap samples (Breiman, 2001), [`Boosting`] adds small trees to what is left to explain (Friedman, 2001).
//! The same seed gives the same trees on any number of threads.

mod boosting;
mod error;
mod forest;
mod groups;
mod grow;
mod importance;
mod rows;
mod surrogate;
mod table;
mod tree;

pub use boosting::{Boosting, BoostingSettings};
pub use error::TreesError;
pub use forest::{Forest, ForestSettings};
pub use groups::GroupedRows;
pub use importance::{FeatureDistribution, Importance};
pub use surrogate::ForestSurrogate;
pub use table::Table;
