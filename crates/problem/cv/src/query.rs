//! Queries of single folds.

use serde::{Deserialize, Serialize};
use thrifty_space::Config;

/// One fold of one configuration: one model fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoldQuery {
    /// The configuration.
    pub config: Config,
    /// Index of the repeat of the cross-validation, from 0.
    pub repeat: usize,
    /// Index of the fold within the repeat, from 0.
    pub fold: usize,
}
