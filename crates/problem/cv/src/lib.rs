//! Cross-validation as a problem: splits, queries of single folds, objectives, and full cross-validation by any
//! optimiser.
//!
//! [`Splits`] parts data into folds; a [`FoldQuery`] asks for one fold of one configuration, which is one model fit;
//! [`CrossValidation`] evaluates it by a closure that trains and tests; [`AllFolds`] lets an optimiser of configurations
//! ask fold by fold, so that all methods are charged in model fits. [`adaptors`] has objectives for models of other
//! libraries, behind features.
//!
//! ```
//! use thrifty_cv::{CrossValidation, FoldQuery, Splits};
//! use thrifty_sampling::Seed;
//! use thrifty_space::Config;
//! let y = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
//! let splits = Splits::k_fold(y.len(), 3, Seed(0))?;
//! // A "model" that predicts the mean of its training data.
//! let cv = CrossValidation::new(splits, |_: &Config, train: &[usize], test: &[usize]| {
//!     let mean = train.iter().map(|i| y[*i]).sum::<f64>() / train.len() as f64;
//!     test.iter().map(|i| (y[*i] - mean).powi(2)).sum::<f64>() / test.len() as f64
//! });
//! let query = FoldQuery { config: Config::new(), repeat: 0, fold: 2 };
//! assert!(cv.evaluate(&query).objective().is_some());
//! # Ok::<(), thrifty_cv::SplitError>(())
//! ```

pub mod adaptors;
mod all_folds;
mod error;
mod objective;
mod on_folds;
mod query;
mod splits;

pub use all_folds::AllFolds;
pub use error::SplitError;
pub use objective::CrossValidation;
pub use on_folds::{FOLD, OnFolds};
pub use query::FoldQuery;
pub use splits::{Fold, Splits};
