//! A problem with one control, a score and a cost.

use thrifty_sampling::Seed;

use crate::error::ExperimentError;

/// A problem that tunes the number of trees of a forest, `⌊1 + 99 u⌋`.
pub trait Problem: Sync {
    /// A training, on the scale of the model.
    fn train(&self, control: f64, seed: Seed) -> Result<Trained, ExperimentError>;

    /// Its score on average, as far as it is known.
    fn truth(&self, control: f64) -> f64;
}

/// Score and cost of a training.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trained {
    pub score: f64,
    pub cost: f64,
}

/// Trees at a control. Source: (4.20).
pub fn trees(control: f64) -> usize {
    (1.0 + 99.0 * control).floor() as usize
}
