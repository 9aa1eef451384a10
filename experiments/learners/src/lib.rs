//! Learners that the experiments of Thrifty tune, and data made for them.
//!
//! Forests, boosted trees, perceptrons and residual networks, each with the search space and the loss of its source (`yerramilli2025`; spaces
//! and protocols from the scripts of its authors); convolutional networks of [`layers`]; dense networks of [`network`]; data sets that are made
//! by a [`recipe`].
//!
//! They are a crate of their own so that tests train them with optimised code and need not optimise the experiments.

mod boosting;
mod error;
mod forest;
pub mod layers;
pub mod measures;
pub mod moments;
pub mod network;
mod networks;
mod quantiles;
pub mod recipe;
mod rows;

use thrifty_sampling::Seed;
use thrifty_space::{Config, Space, SpaceError};

pub use self::boosting::BoostedTrees;
pub use self::error::LearnerError;
pub use self::forest::RandomForest;
pub use self::networks::{Networks, Shape};
pub use self::rows::{Rows, Targets};

/// A learner with the hyperparameters of its source.
pub trait Learner: Send + Sync {
    /// Hyperparameters that the source tunes, in its ranges.
    ///
    /// # Errors
    /// [`SpaceError`] for ranges that make no space.
    fn space(&self) -> Result<Space, SpaceError>;

    /// A configuration of usual values, in the space.
    fn usual(&self) -> Config;

    /// Work on the rows of a fold that all configurations share.
    ///
    /// # Errors
    /// [`LearnerError::Targets`] for targets of the other kind, [`LearnerError::Trees`] for features that are no numbers.
    fn prepare(&self, train: &Rows, test: &Rows, seed: Seed) -> Result<Box<dyn Fold>, LearnerError>;
}

/// Rows to train and to test on, prepared for a learner.
pub trait Fold: Send + Sync {
    /// Targets of the tested rows.
    fn targets(&self) -> &Targets;

    /// Predictions for the tested rows: probabilities, logits or numbers.
    ///
    /// # Errors
    /// [`LearnerError::Space`] for a configuration of another space.
    fn predictions(&self, config: &Config, seed: Seed) -> Result<Vec<f64>, LearnerError>;

    /// Loss on the tested rows; nothing where it is not defined, as with one class alone.
    ///
    /// # Errors
    /// As [`Fold::predictions`].
    fn loss(&self, config: &Config, seed: Seed) -> Result<Option<f64>, LearnerError> {
        Ok(self.targets().loss(&self.predictions(config, seed)?))
    }
}

#[cfg(test)]
mod test_data;
