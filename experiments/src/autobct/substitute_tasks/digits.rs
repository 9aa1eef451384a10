//! Digits, and dense networks that read them in place of those of table 10.

use std::sync::Arc;

use thrifty_domain::Points;
use thrifty_learners::network::{Activation, Dense, Examples, Initializer, Loss, Pass, Rule, Training};
use thrifty_sampling::{Seed, Stream};

use super::task::{Task, Trained};
use crate::error::ExperimentError;

/// Handwritten digits that a dependency ships, 64 pixels from 0 to 16 each, with probabilities of the ten classes: 1,097 to
/// train on, 200 to watch a training, 500 to judge by.
#[derive(Clone)]
pub struct Digits {
    pub train: Examples,
    pub watch: Examples,
    pub test: Examples,
}

pub const CLASSES: usize = 10;
const TEST: usize = 500;
const WATCH: usize = 200;

impl Digits {
    pub fn new(seed: Seed) -> Self {
        let set = smartcore::dataset::digits::load_dataset();
        let mut order: Vec<usize> = (0..set.num_samples).collect();
        seed.stream("digits", 0).shuffle(&mut order);
        let examples = |of: &[usize]| {
            let mut examples = Examples { x: Points::new(set.num_features), targets: Points::new(CLASSES) };
            for &row in of {
                let pixels = &set.data[row * set.num_features..][..set.num_features];
                examples.x.push(&pixels.iter().map(|v| f64::from(*v)).collect::<Vec<f64>>());
                let mut class = [0.0; CLASSES];
                class[set.target[row] as usize] = 1.0;
                examples.targets.push(&class);
            }
            examples
        };
        let (test, rest) = order.split_at(TEST);
        let (watch, train) = rest.split_at(WATCH);
        Self { train: examples(train), watch: examples(watch), test: examples(test) }
    }

    /// Pixels from 0 to 1.
    pub fn dimmed(&self) -> Self {
        self.seen(|x| {
            let mut x = x.clone();
            x.as_flat_mut().iter_mut().for_each(|v| *v /= 16.0);
            x
        })
    }

    /// Through a fixed layer that nobody trains, random where the paper's has learnt other pictures.
    pub fn through_a_fixed_layer(&self, neurons: usize, seed: Seed) -> Self {
        let rng = &mut seed.stream("fixed layer", 0);
        let sizes = [self.train.x.dim(), neurons];
        let layer = Dense::new(&sizes, Activation::Relu, Initializer::HeNormal, rng);
        self.seen(|x| {
            let mut values = layer.forward(x.as_flat(), &mut Pass::default()).to_vec();
            values.iter_mut().for_each(|z| *z = z.max(0.0));
            Points::from_flat(values, neurons)
        })
    }

    fn seen(&self, through: impl Fn(&Points) -> Points) -> Self {
        let seen = |of: &Examples| Examples { x: through(&of.x), targets: of.targets.clone() };
        Self { train: seen(&self.train), watch: seen(&self.watch), test: seen(&self.test) }
    }
}

/// Cross-entropy of a dense network on the digits that it did not see, after one training, and the work.
fn train_once(data: &Digits, hidden: &[usize], training: Training, rng: &mut Stream) -> (f64, f64) {
    let sizes = [&[data.train.x.dim()], hidden, &[CLASSES]].concat();
    let mut network = Dense::new(&sizes, Activation::Relu, Initializer::HeNormal, rng);
    // As if inputs went to 1: the first answers are no more certain for values that go further.
    let largest = data.train.x.as_flat().iter().copied().fold(1.0, f64::max);
    network.parameters[..sizes[0] * sizes[1]].iter_mut().for_each(|weight| *weight /= largest);
    let operations = training.fit(&mut network, &data.train, rng);
    (training.on(&network, &data.test, &mut Pass::default()), operations)
}

const BATCH: usize = 66;

/// So many epochs of one network; the score is 1 for certainty and 0 for knowing nothing.
///
/// ```text
/// h = 1 - CE / ln 10
/// ```
pub struct Epochs {
    pub data: Arc<Digits>,
    pub hidden: Vec<usize>,
    pub rate: f64,
}

fn epochs(control: &[f64]) -> usize {
    (34.0 * control[0] + 1.0).floor() as usize
}

impl Task for Epochs {
    fn train(&self, control: &[f64], seed: Seed) -> Result<Trained, ExperimentError> {
        let training = Training {
            loss: Loss::CrossEntropy,
            rule: Rule::Adam,
            rate: self.rate,
            batch: BATCH,
            epochs: epochs(control),
        };
        let rng = &mut seed.stream("network", 0);
        let (cross_entropy, operations) = train_once(&self.data, &self.hidden, training, rng);
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
    fn digits_are_split_and_controls_are_epochs() {
        let data = Digits::new(Seed(0));
        assert_eq!((data.train.x.len(), data.watch.x.len(), data.test.x.len()), (1097, 200, 500));
        assert!(data.train.x.as_flat().iter().all(|v| (0.0..=16.0).contains(v)));
        assert_eq!((epochs(&[0.0]), epochs(&[0.54]), epochs(&[1.0])), (1, 19, 35));
    }

    /// One seed trains one network to the bit; 20 epochs know most of what there is to know.
    #[test]
    fn epochs_teach_digits() {
        let data = Arc::new(Digits::new(Seed(0)).dimmed());
        let task = Epochs { data, hidden: vec![32], rate: 0.001 };
        let trained = task.train(&[0.57], Seed(1)).unwrap();
        assert!(trained.score > 0.7 && trained.score > task.train(&[0.0], Seed(1)).unwrap().score);
        assert_eq!(trained, task.train(&[0.57], Seed(1)).unwrap());
    }
}
