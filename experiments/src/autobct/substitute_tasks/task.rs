//! A model that can be trained at a control.

use thrifty_sampling::Seed;

use crate::error::ExperimentError;

/// A model with what is controlled about its training.
pub trait Task: Sync {
    /// Trains at a point of the unit cube and returns the score of the model on held-out data.
    fn train(&self, control: &[f64], seed: Seed) -> Result<Trained, ExperimentError>;

    /// Meaning of a control, for a reader.
    fn meaning(&self, control: &[f64]) -> String;
}

/// Score and cost of a training.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trained {
    /// Accuracy, or what stands for it.
    pub score: f64,
    /// Work by count, the same on every machine.
    pub operations: f64,
}
