//! Fully connected networks from one number to one number.

use thrifty_sampling::Stream;

use super::{Activation, Initializer};

/// A fully connected network from one number to one number: hidden layers, then a linear neuron.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalarNetwork {
    activation: Activation,
    /// Neurons of each layer, input and output included.
    sizes: Vec<usize>,
    /// Layer after layer: weights, input by input so that loops run over outputs, then thresholds.
    pub parameters: Vec<f64>,
}

/// Values of all neurons, layer after layer, and the slopes of the output with respect to two layers' inputs.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    values: Vec<f64>,
    delta: Vec<f64>,
    before: Vec<f64>,
}

impl ScalarNetwork {
    /// A network with the neurons of each hidden layer, weights drawn at random and thresholds of 0.
    pub fn new(hidden: &[usize], activation: Activation, initializer: Initializer, rng: &mut Stream) -> Self {
        let sizes: Vec<usize> = [&[1], hidden, &[1]].concat();
        let mut parameters = Vec::new();
        for pair in sizes.windows(2) {
            parameters.extend((0..pair[0] * pair[1]).map(|_| initializer.draw(pair[0], pair[1], rng)));
            parameters.resize(parameters.len() + pair[1], 0.0);
        }
        Self { activation, sizes, parameters }
    }

    /// The output; values of neurons stay in the scratch.
    pub fn predict(&self, x: f64, scratch: &mut Scratch) -> f64 {
        let values = &mut scratch.values;
        values.clear();
        values.push(x);
        let mut rest = &self.parameters[..];
        for (layer, pair) in self.sizes.windows(2).enumerate() {
            let (inputs, outputs) = (pair[0], pair[1]);
            let (weights, after) = rest.split_at(inputs * outputs);
            let (thresholds, after) = after.split_at(outputs);
            rest = after;
            let start = values.len();
            values.extend_from_slice(thresholds);
            let (known, new) = values.split_at_mut(start);
            for (value, row) in known[start - inputs..].iter().zip(weights.chunks_exact(outputs)) {
                new.iter_mut().zip(row).for_each(|(z, w)| *z += value * w);
            }
            if layer + 2 < self.sizes.len() {
                new.iter_mut().for_each(|z| *z = self.activation.value(*z));
            }
        }
        values[values.len() - 1]
    }

    /// `gradient[p] += factor · ∂output/∂parameter[p]` at the point predicted last with this scratch.
    pub fn pull_back(&self, factor: f64, scratch: &mut Scratch, gradient: &mut [f64]) {
        let Scratch { values, delta, before } = scratch;
        delta.clear();
        delta.push(factor);
        let (mut end, mut last) = (values.len() - 1, self.parameters.len());
        for pair in self.sizes.windows(2).rev() {
            let (inputs, outputs) = (pair[0], pair[1]);
            let known = &values[end - inputs..end];
            let first = last - (inputs + 1) * outputs;
            let (weights, thresholds) = gradient[first..last].split_at_mut(inputs * outputs);
            thresholds.iter_mut().zip(&*delta).for_each(|(g, d)| *g += d);
            before.clear();
            let rows =
                self.parameters[first..last].chunks_exact(outputs).zip(weights.chunks_exact_mut(outputs));
            for (value, (row, slopes)) in known.iter().zip(rows) {
                slopes.iter_mut().zip(&*delta).for_each(|(g, d)| *g += value * d);
                let sum: f64 = row.iter().zip(&*delta).map(|(w, d)| w * d).sum();
                before.push(sum * self.activation.slope(*value));
            }
            std::mem::swap(delta, before);
            end -= inputs;
            last = first;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thrifty_sampling::Seed;

    #[test]
    fn gradients_match_finite_differences() {
        let mut scratch = Scratch::default();
        for (i, activation) in
            [Activation::Tanh, Activation::Sigmoid, Activation::Relu].into_iter().enumerate()
        {
            for hidden in [&[5][..], &[4, 3], &[6, 2, 5]] {
                let rng = &mut Seed(3).stream("test", i as u64);
                let mut network = ScalarNetwork::new(hidden, activation, Initializer::HeNormal, rng);
                // Thresholds away from 0, where a neuron has a kink.
                network.parameters.iter_mut().for_each(|p| *p += 0.3 * rng.uniform());
                let mut gradient = vec![0.0; network.parameters.len()];
                network.predict(0.7, &mut scratch);
                network.pull_back(1.5, &mut scratch, &mut gradient);
                for (p, found) in gradient.iter().enumerate() {
                    let mut at = |step: f64| {
                        let mut moved = network.clone();
                        moved.parameters[p] += step;
                        1.5 * moved.predict(0.7, &mut scratch)
                    };
                    let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
                    let error = (slope - found).abs();
                    assert!(error < 1e-7 * slope.abs().max(1.0), "{activation:?} {hidden:?} {p}: {error:e}");
                }
            }
        }
    }

    #[test]
    fn one_neuron_by_hand() {
        let rng = &mut Seed(0).stream("test", 0);
        let mut network = ScalarNetwork::new(&[1], Activation::Sigmoid, Initializer::GlorotNormal, rng);
        network.parameters = vec![2.0, -1.0, 3.0, 0.5];
        let expected = 3.0 / (1.0 + (-0.2_f64).exp()) + 0.5;
        assert!((network.predict(0.6, &mut Scratch::default()) - expected).abs() < 1e-15);
    }
}
