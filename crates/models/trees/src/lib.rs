//! Regression trees: random forests and gradient boosting.
//!
//! Features are binned once ([`Table`]); a split minimises the squared error over the borders of bins. A [`Forest`] averages
//! trees grown on bootstrap samples (Breiman, 2001), [`Boosting`] adds small trees to what is left to explain (Friedman, 2001).
//! The same seed gives the same trees on any number of threads.
//!
//! ```
//! use thrifty_sampling::Seed;
//! use thrifty_trees::{Forest, ForestSettings, Table};
//! let x: Vec<f32> = (0..100).map(|i| i as f32 / 100.0).collect();
//! let y: Vec<f64> = x.iter().map(|x| f64::from(u8::from(*x > 0.5))).collect();
//! let table = Table::new(x, 1, 256)?;
//! let forest = Forest::fit(&table, &y, &ForestSettings::default(), Seed(0), 1)?;
//! let found = forest.predict(&[0.2, 0.9])?;
//! assert!(found[0] < 0.01 && found[1] > 0.99);
//! # Ok::<(), thrifty_trees::TreesError>(())
//! ```

mod boosting;
mod error;
mod forest;
mod grow;
mod importance;
mod surrogate;
mod table;
mod tree;

pub use boosting::{Boosting, BoostingSettings};
pub use error::TreesError;
pub use forest::{Forest, ForestSettings};
pub use importance::{FeatureDistribution, Importance};
pub use surrogate::ForestSurrogate;
pub use table::Table;
