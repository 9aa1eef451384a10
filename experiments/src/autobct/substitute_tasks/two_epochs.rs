//! Convolutional networks that are trained for two epochs, in place of those of tables 4 to 8.

use std::sync::Arc;

use thrifty_learners::layers::architectures::breast_cancer;
use thrifty_learners::layers::{Classification, Layer, Network, Padding, Pass, Sequential, Start};
use thrifty_sampling::Seed;

use super::digits::{CLASSES, Digits, SHAPE, WHITE};
use super::task::{Task, Trained};
use crate::error::ExperimentError;
use crate::harness::stats::quantile;

/// Scale of the network, as in `cironis2022`.
const SCALE: usize = 1;

/// The network of Appendix E.1 for digits: 8, 16 and 32 filters as in the source, but padded, because 8 pixels are too few for three blocks without
/// padding, and with ten classes.
///
/// # Errors
/// As [`breast_cancer`].
pub fn network() -> Result<Sequential, ExperimentError> {
    Ok(breast_cancer(SHAPE, SCALE, Padding::Same, CLASSES)?)
}

/// Controls of two epochs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Controlled {
    Batch,
    Rate,
    RateAndBatch,
}

/// Two epochs of several convolutional networks, tried on the watched images after every step, so that small batches cost more: the median
/// accuracy, the work of all.
pub struct TwoEpochs {
    images: Arc<Digits>,
    controlled: Controlled,
    layers: Vec<Layer>,
    /// Networks per training, 5 in `cironis2022`.
    networks: u64,
}

/// Learning rate and batch that are not controlled. Source: sections 4.2.1 and 4.2.2.
const RATE: f64 = 0.0007;
const BATCH: f64 = 66.0;

impl TwoEpochs {
    /// # Errors
    /// As [`network`].
    pub fn new(images: Arc<Digits>, controlled: Controlled, networks: u64) -> Result<Self, ExperimentError> {
        Ok(Self { images, controlled, layers: network()?.layers, networks })
    }

    /// The learning rate from 1e-5 to 0.1 by its logarithm, the batch from 10 to 200. Source: (4.21) and (4.23).
    fn parameters(&self, control: &[f64]) -> (f64, usize) {
        let rate = |u: f64| 1e-5 * 1e4_f64.powf(u);
        let batch = |u: f64| (10.0 + 190.0 * u).floor();
        let (rate, batch) = match self.controlled {
            Controlled::Batch => (RATE, batch(control[0])),
            Controlled::Rate => (rate(control[0]), BATCH),
            Controlled::RateAndBatch => (rate(control[0]), batch(control[1])),
        };
        (rate, batch as usize)
    }

    /// Accuracy and work of one network.
    fn train_once(&self, training: Classification, seed: Seed, id: u64) -> (f64, f64) {
        let rng = &mut seed.stream("network", id);
        let mut network = Network::new(self.layers.clone(), Start::Glorot, rng);
        // As if pixels went to 1: the first answers are no more certain for pixels that go to 16.
        let first = self.layers[0].parameters();
        network.parameters[..first].iter_mut().for_each(|weight| *weight /= WHITE);
        let Digits { train, watch, test } = &*self.images;
        let operations = training.fit(&mut network, train, Some(watch), rng);
        (test.accuracy(&network, &mut Pass::default()), operations)
    }
}

impl Task for TwoEpochs {
    fn train(&self, control: &[f64], seed: Seed) -> Result<Trained, ExperimentError> {
        let (rate, batch) = self.parameters(control);
        let training = Classification { epochs: 2, batch, rate };
        let all: Vec<(f64, f64)> = (0..self.networks).map(|id| self.train_once(training, seed, id)).collect();
        let accuracies: Vec<f64> = all.iter().map(|(accuracy, _)| *accuracy).collect();
        Ok(Trained {
            score: quantile(&accuracies, 0.5),
            operations: all.iter().map(|(_, operations)| operations).sum(),
        })
    }

    fn meaning(&self, control: &[f64]) -> String {
        let (rate, batch) = self.parameters(control);
        match self.controlled {
            Controlled::Batch => format!("batch {batch}"),
            Controlled::Rate => format!("rate {rate:.2e}"),
            Controlled::RateAndBatch => format!("rate {rate:.2e}, batch {batch}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(controlled: Controlled, images: usize) -> TwoEpochs {
        let images = Digits::new(Seed(0)).moved(images, Seed(0));
        TwoEpochs::new(Arc::new(images), controlled, 1).unwrap()
    }

    #[test]
    fn controls_are_those_of_the_source() {
        let (rate, batch) = task(Controlled::RateAndBatch, 1).parameters(&[0.5, 0.42]);
        assert!((rate - 1e-3).abs() < 1e-15 && batch == 89);
        assert_eq!(task(Controlled::Batch, 1).parameters(&[1.0]), (0.0007, 200));
        assert_eq!(task(Controlled::Rate, 1).parameters(&[0.0]), (1e-5, 66));
    }

    /// One seed trains one network to the bit, and large batches are less work, because fewer steps are watched.
    #[test]
    fn a_training_is_its_seed() {
        let task = task(Controlled::RateAndBatch, 100);
        let train = |batch: f64| task.train(&[0.5, batch], Seed(1)).unwrap();
        let (small, large) = (train(0.0), train(0.5));
        assert_eq!(small, train(0.0));
        assert!(3.0 * large.operations < small.operations, "{small:?} {large:?}");
    }

    /// A tenth would be right by chance.
    #[test]
    fn two_epochs_teach_digits() {
        let mut images = Digits::new(Seed(0)).moved(2000, Seed(0));
        images.watch.x.truncate(20 * SHAPE.values());
        images.watch.classes.truncate(20);
        let task = TwoEpochs::new(Arc::new(images), Controlled::RateAndBatch, 1).unwrap();
        let trained = task.train(&[0.6, 0.0], Seed(1)).unwrap();
        assert!(trained.score > 0.4, "{trained:?}");
    }
}
