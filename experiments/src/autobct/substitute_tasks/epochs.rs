//! Convolutional networks whose number of epochs is controlled, in place of those of table 10.

use std::sync::Arc;

use thrifty_learners::layers::architectures::{on_residual_features, plain};
use thrifty_learners::layers::{Classification, ImageShape, Layer, Network, Pass, Sequential, Start};
use thrifty_sampling::Seed;

use super::digits::{CLASSES, Digits, SHAPE};
use super::task::{Task, Trained};
use crate::error::ExperimentError;

/// The network of Appendix E.3 for digits: all layers and filters of the source, on images of 8×8 with one channel, for ten classes.
///
/// # Errors
/// As [`plain`].
pub fn plain_network() -> Result<Sequential, ExperimentError> {
    Ok(plain(SHAPE, CLASSES)?)
}

/// The trained part of Appendix E.4 at its published size, for ten classes.
///
/// # Errors
/// As [`on_residual_features`].
pub fn on_fixed_features() -> Result<Sequential, ExperimentError> {
    Ok(on_residual_features(ImageShape { height: 5, width: 5, channels: 2048 }, CLASSES)?)
}

/// Epochs of one network; the score is 1 for certain predictions and 0 for uniform ones.
///
/// ```text
/// h = 1 - CE / ln 10
/// ```
pub struct Epochs {
    pub data: Arc<Digits>,
    pub layers: Vec<Layer>,
}

/// Learning rate and batch, which the source does not name: those of Keras, which it uses.
const RATE: f64 = 0.001;
const BATCH: usize = 32;

fn epochs(control: &[f64]) -> usize {
    (34.0 * control[0] + 1.0).floor() as usize
}

impl Task for Epochs {
    fn train(&self, control: &[f64], seed: Seed) -> Result<Trained, ExperimentError> {
        let rng = &mut seed.stream("network", 0);
        let mut network = Network::new(self.layers.clone(), Start::Glorot, rng);
        let training = Classification { epochs: epochs(control), batch: BATCH, rate: RATE };
        let operations = training.fit(&mut network, &self.data.train, None, rng);
        let cross_entropy = self.data.test.cross_entropy(&network, &mut Pass::default());
        Ok(Trained { score: 1.0 - cross_entropy / (CLASSES as f64).ln(), operations })
    }

    fn meaning(&self, control: &[f64]) -> String {
        let n = epochs(control);
        format!("{n} epoch{}", if n == 1 { "" } else { "s" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_epochs() {
        assert_eq!((epochs(&[0.0]), epochs(&[0.54]), epochs(&[1.0])), (1, 19, 35));
    }

    /// One seed trains one network to the bit, and 35 epochs are enough to know most of six digits by heart.
    #[test]
    fn epochs_teach_digits() {
        let mut data = Digits::new(Seed(0)).first(6).dimmed().through_a_fixed_layer(Seed(0)).unwrap();
        data.test = data.train.clone();
        let task = Epochs { data: Arc::new(data), layers: on_fixed_features().unwrap().layers };
        let (first, trained) = (task.train(&[0.0], Seed(1)).unwrap(), task.train(&[1.0], Seed(1)).unwrap());
        assert!(trained.score > 0.5 && trained.score > first.score + 0.3, "{first:?} {trained:?}");
        assert!((trained.operations / first.operations - 35.0).abs() < 1e-9);
        assert_eq!(first, task.train(&[0.0], Seed(1)).unwrap());
    }

    #[test]
    fn the_plain_network_trains() {
        let data = Arc::new(Digits::new(Seed(0)).first(8).dimmed());
        let task = Epochs { data, layers: plain_network().unwrap().layers };
        let trained = task.train(&[0.0], Seed(1)).unwrap();
        assert!(trained.score.is_finite() && trained.operations > 0.0);
    }
}
