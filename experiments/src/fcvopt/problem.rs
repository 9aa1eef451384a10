//! A cross-validation whose truth is known.

use std::sync::Arc;

use thrifty_cv::FoldQuery;
use thrifty_sampling::Stream;
use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::Outcome;

use super::learners::listed::Listed;

/// A cross-validation whose truth is known.
pub trait FoldProblem: Send + Sync {
    fn space(&self) -> &Space;

    /// Folds of the repeat that may be asked.
    fn folds(&self) -> usize;

    /// One model fit.
    fn loss(&self, query: &FoldQuery, rng: &mut Stream) -> Result<Outcome, SpaceError>;

    /// Regret: the true loss above its least value, where that is known; else above 0.
    fn regret(&self, config: &Config) -> Result<f64, SpaceError>;

    /// The configurations that were measured, where these are not all.
    fn listed(&self) -> Option<Arc<Listed>> {
        None
    }
}

/// The coordinates of a configuration of the unit cube.
pub fn point(space: &Space, config: &Config) -> Result<Vec<f64>, SpaceError> {
    (0..space.dim()).map(|d| config.float(&format!("x{d}"))).collect()
}

impl<P: FoldProblem> FoldProblem for Arc<P> {
    fn space(&self) -> &Space {
        (**self).space()
    }

    fn folds(&self) -> usize {
        (**self).folds()
    }

    fn loss(&self, query: &FoldQuery, rng: &mut Stream) -> Result<Outcome, SpaceError> {
        (**self).loss(query, rng)
    }

    fn regret(&self, config: &Config) -> Result<f64, SpaceError> {
        (**self).regret(config)
    }

    fn listed(&self) -> Option<Arc<Listed>> {
        (**self).listed()
    }
}
