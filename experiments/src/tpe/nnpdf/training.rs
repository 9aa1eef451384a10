//! Training of a network with given hyperparameters.

use thrifty_learners::network::scalar::{ScalarNetwork, Scratch};
use thrifty_learners::network::{Activation, Descent, Initializer, Rule};
use thrifty_sampling::Stream;

use super::law::{Datum, WITHIN};

/// Hyperparameters that a scan chooses.
#[derive(Debug, Clone, PartialEq)]
pub struct Hyperparameters {
    /// Neurons of each hidden layer.
    pub hidden: Vec<usize>,
    pub activation: Activation,
    pub initializer: Initializer,
    pub rule: Rule,
    pub rate: f64,
    /// Factor of the sum of squared parameters in the training loss.
    pub decay: f64,
    pub epochs: usize,
    /// Epochs without a better validation χ² before training stops.
    pub patience: usize,
}

/// A trained network: the state with the best validation χ².
#[derive(Debug, Clone)]
pub struct Model {
    network: ScalarNetwork,
    /// Per point.
    pub validation: f64,
}

/// Data of one gradient step.
const BATCH: usize = 10;

/// Input of the network for x: the training range is [-1, 1].
fn input(x: f64) -> f64 {
    (2.0 * x - WITHIN.0 - WITHIN.1) / (WITHIN.1 - WITHIN.0)
}

impl Model {
    /// Descends on the training data with weights 1 / σ² of mean 1 until the validation χ² stops falling.
    pub fn train(h: &Hyperparameters, training: &[Datum], validation: &[Datum], rng: &mut Stream) -> Self {
        let mut network = ScalarNetwork::new(&h.hidden, h.activation, h.initializer, rng);
        let mut descent = Descent::new(h.rule, h.rate, network.parameters.len());
        let (mut gradient, mut scratch) = (vec![0.0; network.parameters.len()], Scratch::default());
        let scale = training.len() as f64 / training.iter().map(|d| d.sigma.powi(-2)).sum::<f64>();
        let mut order: Vec<usize> = (0..training.len()).collect();
        let mut best =
            Self { validation: chi2(&network, validation, &mut scratch), network: network.clone() };
        let mut waited = 0;
        for _ in 0..h.epochs {
            rng.shuffle(&mut order);
            for batch in order.chunks(BATCH) {
                for (slope, p) in gradient.iter_mut().zip(&network.parameters) {
                    *slope = 2.0 * h.decay * p;
                }
                for &i in batch {
                    let Datum { x, y, sigma } = training[i];
                    let error = network.predict(input(x), &mut scratch) - y;
                    let factor = 2.0 * scale * error / (sigma * sigma * batch.len() as f64);
                    network.pull_back(factor, &mut scratch, &mut gradient);
                }
                descent.step(&mut network.parameters, &gradient);
            }
            let now = chi2(&network, validation, &mut scratch);
            if now < best.validation {
                best.validation = now;
                best.network.parameters.copy_from_slice(&network.parameters);
                waited = 0;
            } else {
                waited += 1;
            }
            // A descent that has run away does not come back.
            if waited >= h.patience || !now.is_finite() {
                break;
            }
        }
        best
    }

    pub fn predict(&self, x: &[f64]) -> Vec<f64> {
        let mut scratch = Scratch::default();
        x.iter().map(|x| self.network.predict(input(*x), &mut scratch)).collect()
    }
}

/// χ² per point.
fn chi2(network: &ScalarNetwork, data: &[Datum], scratch: &mut Scratch) -> f64 {
    let sum: f64 = data.iter().map(|d| d.chi2(network.predict(input(d.x), scratch))).sum();
    sum / data.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use thrifty_sampling::Seed;

    fn line() -> Vec<Datum> {
        let datum = |i: i32| {
            let x = 0.05 + 0.7 * f64::from(i) / 39.0;
            Datum { x, y: 0.3 + 0.8 * x, sigma: 0.02 }
        };
        (0..40).map(datum).collect()
    }

    fn usual(activation: Activation) -> Hyperparameters {
        let initializer = Initializer::GlorotUniform;
        let (hidden, rule, rate) = (vec![8], Rule::Adam, 0.01);
        Hyperparameters {
            hidden,
            activation,
            initializer,
            rule,
            rate,
            decay: 0.0,
            epochs: 400,
            patience: 400,
        }
    }

    #[test]
    fn learns_a_line() {
        for activation in [Activation::Tanh, Activation::Sigmoid, Activation::Relu] {
            let data = line();
            let model = Model::train(&usual(activation), &data, &data, &mut Seed(2).stream("test", 0));
            assert!(model.validation < 0.2, "{activation:?} {}", model.validation);
            assert!((model.predict(&[0.4])[0] - 0.62).abs() < 0.02, "{activation:?}");
        }
    }

    #[test]
    fn a_descent_that_runs_away_gives_its_best_state() {
        let data = line();
        let h = Hyperparameters { rule: Rule::Sgd { momentum: 0.9 }, rate: 1e6, ..usual(Activation::Relu) };
        let model = Model::train(&h, &data, &data, &mut Seed(2).stream("test", 0));
        assert!(model.validation.is_finite() && model.predict(&[0.4])[0].is_finite());
    }

    #[test]
    fn decay_flattens() {
        let data = line();
        let strong = Hyperparameters { decay: 10.0, ..usual(Activation::Tanh) };
        let rise = |h: &Hyperparameters| {
            let fitted = Model::train(h, &data, &data, &mut Seed(2).stream("test", 0)).predict(&[0.1, 0.7]);
            fitted[1] - fitted[0]
        };
        assert!((rise(&usual(Activation::Tanh)) - 0.48).abs() < 0.03 && rise(&strong) < 0.3);
    }
}
