//! Learners that experiments tune: forests, boosted trees, perceptrons and residual networks, each with the search space and
//! the loss of the source (`yerramilli2025`; spaces and protocols from the scripts of its authors).

mod boosting;
mod forest;
pub mod layers;
pub mod measures;
mod networks;
mod quantiles;
mod rows;
pub mod sources;

use thrifty_sampling::Seed;
use thrifty_space::{Config, Space, SpaceError};

pub use self::boosting::BoostedTrees;
pub use self::forest::RandomForest;
pub use self::networks::{Networks, Shape};
pub use self::rows::{Rows, Targets};
use crate::error::ExperimentError;

/// A learner with the hyperparameters of its source.
pub trait Learner: Send + Sync {
    /// Hyperparameters that the source tunes, in its ranges.
    fn space(&self) -> Result<Space, SpaceError>;

    /// A configuration of usual values, in the space.
    fn usual(&self) -> Config;

    /// Work on the rows of a fold that all configurations share.
    fn prepare(&self, train: &Rows, test: &Rows, seed: Seed) -> Result<Box<dyn Fold>, ExperimentError>;
}

/// Rows to train and to test on, prepared for a learner.
pub trait Fold: Send + Sync {
    /// Targets of the tested rows.
    fn targets(&self) -> &Targets;

    /// Predictions for the tested rows: probabilities, logits or numbers.
    fn predictions(&self, config: &Config, seed: Seed) -> Result<Vec<f64>, ExperimentError>;

    /// Loss on the tested rows; nothing where it is not defined, as with one class alone.
    fn loss(&self, config: &Config, seed: Seed) -> Result<Option<f64>, ExperimentError> {
        Ok(self.targets().loss(&self.predictions(config, seed)?))
    }
}

#[cfg(test)]
mod test_data;
