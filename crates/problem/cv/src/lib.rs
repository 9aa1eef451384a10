//! Cross-validation as a problem: splits, queries of single folds, objectives, and full cross-validation by any optimiser.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! [`Splits`] parts data into folds; a [`FoldQuery`] asks for one fold of one configuration, which is one model fit;
//! [`CrossValidation`] evaluates it by a closure that trains and tests; [`AllFolds`] lets an optimiser of configurations
//! ask fold by fold, so that all methods are charged in model fits; [`OneFold`] lets it take one fold for the whole. [`adaptors`] has objectives for models of other
//! libraries, behind features.

pub mod adaptors;
mod all_folds;
mod error;
mod objective;
mod on_folds;
mod one_fold;
mod query;
mod splits;

pub use all_folds::AllFolds;
pub use error::SplitError;
pub use objective::CrossValidation;
pub use on_folds::{FOLD, OnFolds};
pub use one_fold::{FoldChoice, OneFold};
pub use query::FoldQuery;
pub use splits::{Fold, Splits};
