use serde::{Deserialize, Serialize};
use thrifty_space::Config;

/// One fold of one configuration: one model fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoldQuery {
    /// What is set.
    pub config: Config,
    /// Which repeat of the cross-validation, from 0.
    pub repeat: usize,
    /// Which fold of the repeat, from 0.
    pub fold: usize,
}
