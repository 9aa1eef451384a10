//! Networks that read digits, in place of the paper's.

use std::sync::Arc;

use thrifty_domain::Points;
use thrifty_sampling::{Seed, Stream};

use super::task::{Task, Trained};
use crate::error::ExperimentError;
use crate::harness::stats::quantile;
use crate::network::{Activation, Dense, Examples, Initializer, Loss, Pass, Rule, Training};

/// Handwritten digits that a dependency ships, 64 pixels from 0 to 16 each, with probabilities of the ten classes: 1,097 to
/// train on, 200 to watch a training, 500 to judge by.
#[derive(Clone)]
pub struct Digits {
    pub train: Examples,
    pub watch: Examples,
    pub test: Examples,
}

const CLASSES: usize = 10;
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

/// A network that was trained once: how good it is on the digits that it did not see, and the work.
struct Judged {
    accuracy: f64,
    cross_entropy: f64,
    operations: f64,
}

fn train_once(
    data: &Digits,
    hidden: &[usize],
    training: Training,
    watched: bool,
    rng: &mut Stream,
) -> Judged {
    let sizes = [&[data.train.x.dim()], hidden, &[CLASSES]].concat();
    let mut network = Dense::new(&sizes, Activation::Relu, Initializer::HeNormal, rng);
    // As if inputs went to 1: the first answers are no more certain for pixels that go to 16.
    let largest = data.train.x.as_flat().iter().copied().fold(1.0, f64::max);
    network.parameters[..sizes[0] * sizes[1]].iter_mut().for_each(|weight| *weight /= largest);
    let operations = training.fit(&mut network, &data.train, watched.then_some(&data.watch), rng);
    let mut pass = Pass::default();
    let cross_entropy = training.on(&network, &data.test, &mut pass);
    let largest = |row: &[f64]| (0..CLASSES).fold(0, |best, c| if row[c] > row[best] { c } else { best });
    let right = pass
        .outputs()
        .chunks_exact(CLASSES)
        .zip(data.test.targets.rows())
        .filter(|(z, class)| class[largest(z)] == 1.0)
        .count();
    Judged { accuracy: right as f64 / data.test.x.len() as f64, cross_entropy, operations }
}

/// Controls of two epochs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Controlled {
    Batch,
    Rate,
    RateAndBatch,
}

/// Two epochs of five networks with 32 hidden neurons, watched at every step, so that small batches are dear: the median
/// accuracy, the work of all five.
pub struct TwoEpochs {
    pub data: Arc<Digits>,
    pub controlled: Controlled,
}

/// Learning rate, which is not controlled, as in the paper.
const RATE: f64 = 0.0007;
const BATCH: f64 = 66.0;
const NETWORKS: u64 = 5;

impl TwoEpochs {
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
}

impl Task for TwoEpochs {
    fn train(&self, control: &[f64], seed: Seed) -> Result<Trained, ExperimentError> {
        let (rate, batch) = self.parameters(control);
        let training = Training { loss: Loss::CrossEntropy, rule: Rule::Adam, rate, batch, epochs: 2 };
        let all: Vec<Judged> = (0..NETWORKS)
            .map(|id| train_once(&self.data, &[32], training, true, &mut seed.stream("network", id)))
            .collect();
        let accuracies: Vec<f64> = all.iter().map(|judged| judged.accuracy).collect();
        Ok(Trained {
            score: quantile(&accuracies, 0.5),
            operations: all.iter().map(|judged| judged.operations).sum(),
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
            batch: BATCH as usize,
            epochs: epochs(control),
        };
        let rng = &mut seed.stream("network", 0);
        let judged = train_once(&self.data, &self.hidden, training, false, rng);
        let score = 1.0 - judged.cross_entropy / (CLASSES as f64).ln();
        Ok(Trained { score, operations: judged.operations })
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
    fn controls_mean_what_the_paper_says() {
        let data = Arc::new(Digits::new(Seed(0)));
        assert_eq!((data.train.x.len(), data.watch.x.len(), data.test.x.len()), (1097, 200, 500));
        assert!(data.train.x.as_flat().iter().all(|v| (0.0..=16.0).contains(v)));
        let both = TwoEpochs { data: data.clone(), controlled: Controlled::RateAndBatch };
        let (rate, batch) = both.parameters(&[0.5, 0.42]);
        assert!((rate - 1e-3).abs() < 1e-15 && batch == 89);
        assert_eq!((epochs(&[0.0]), epochs(&[0.54]), epochs(&[1.0])), (1, 19, 35));
    }

    /// One seed trains one network to the bit; most digits are known after two epochs.
    #[test]
    fn two_epochs_teach_digits() {
        let task = TwoEpochs { data: Arc::new(Digits::new(Seed(0))), controlled: Controlled::Batch };
        let trained = task.train(&[0.1], Seed(1)).unwrap();
        assert!(trained.score > 0.7, "{trained:?}");
        assert_eq!(trained, task.train(&[0.1], Seed(1)).unwrap());
    }
}
