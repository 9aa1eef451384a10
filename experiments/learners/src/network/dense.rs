//! A network of dense layers.

use thrifty_sampling::Stream;

use super::{Activation, Initializer};

/// A fully connected network over batches of rows: hidden layers of one activation, then a linear layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense {
    activation: Activation,
    /// Neurons of each layer, inputs and outputs included.
    sizes: Vec<usize>,
    /// Layer after layer: weights, input by input so that loops run over outputs, then thresholds.
    pub parameters: Vec<f64>,
}

/// Values of all neurons after a batch, one layer after the other, and the slopes of the lo
/// respect to the inputs of two layers.
#[derive(Debug, Clone, Default)]
pub struct Pass {
    values: Vec<Vec<f64>>,
    delta: Vec<f64>,
    before: Vec<f64>,
}

impl Pass {
    /// One row of outputs for each row of inputs.
    pub fn outputs(&self) -> &[f64] {
        self.values.last().map_or(&[], Vec::as_slice)
    }
}

impl Dense {
    /// Thresholds begin at 0.
    pub fn new(sizes: &[usize], activation: Activation, initializer: Initializer, rng: &mut Stream) -> Self {
        let mut parameters = Vec::new();
        for pair in sizes.windows(2) {
            parameters.extend((0..pair[0] * pair[1]).map(|_| initializer.draw(pair[0], pair[1], rng)));
            parameters.resize(parameters.len() + pair[1], 0.0);
        }
        Self { activation, sizes: sizes.to_vec(), parameters }
    }

    /// Numbers that go in.
    pub fn inputs(&self) -> usize {
        self.sizes[0]
    }

    /// Outputs of a batch, rows one after the other.
    pub fn forward<'p>(&self, rows: &[f64], pass: &'p mut Pass) -> &'p [f64] {
        let count = rows.len() / self.inputs();
        pass.values.resize(self.sizes.len(), Vec::new());
        pass.values[0].clear();
        pass.values[0].extend_from_slice(rows);
        let mut first = 0;
        for (layer, pair) in self.sizes.windows(2).enumerate() {
            let (inputs, outputs) = (pair[0], pair[1]);
            let (weights, rest) = self.parameters[first..].split_at(inputs * outputs);
            let (known, new) = pass.values.split_at_mut(layer + 1);
            let (known, new) = (&known[layer], &mut new[0]);
            new.clear();
            (0..count).for_each(|_| new.extend_from_slice(&rest[..outputs]));
            // A row of weights serves the whole batch while it is at hand.
            for (i, row) in weights.chunks_exact(outputs).enumerate() {
                for (values, sums) in known.chunks_exact(inputs).zip(new.chunks_exact_mut(outputs)) {
                    let value = values[i];
                    sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += value * weight);
                }
            }
            if layer + 2 < self.sizes.len() {
                new.iter_mut().for_each(|z| *z = self.activation.value(*z));
            }
            first += (inputs + 1) * outputs;
        }
        pass.outputs()
    }

    /// `gradient[p] += Σ slopes · ∂outputs/∂parameter[p]` for the batch that went forward last with this pass.
    pub fn backward(&self, slopes: &[f64], pass: &mut Pass, gradient: &mut [f64]) {
        let Pass { values, delta, before } = pass;
        delta.clear();
        delta.extend_from_slice(slopes);
        let mut last = self.parameters.len();
        for (layer, pair) in self.sizes.windows(2).enumerate().rev() {
            let (inputs, outputs) = (pair[0], pair[1]);
            let (known, first) = (&values[layer], last - (inputs + 1) * outputs);
            let (weights, thresholds) = gradient[first..last].split_at_mut(inputs * outputs);
            for row in delta.chunks_exact(outputs) {
                thresholds.iter_mut().zip(row).for_each(|(g, d)| *g += d);
            }
            for (i, slopes) in weights.chunks_exact_mut(outputs).enumerate() {
                for (values, row) in known.chunks_exact(inputs).zip(delta.chunks_exact(outputs)) {
                    let value = values[i];
                    slopes.iter_mut().zip(row).for_each(|(g, d)| *g += value * d);
                }
            }
            // Nobody asks for slopes with respect to the data.
            if layer > 0 {
                before.clear();
                before.resize(known.len(), 0.0);
                for (i, row) in self.parameters[first..].chunks_exact(outputs).take(inputs).enumerate() {
                    for (k, d) in delta.chunks_exact(outputs).enumerate() {
                        let at = k * inputs + i;
                        before[at] = dot(row, d) * self.activation.slope(known[at]);
                    }
                }
                std::mem::swap(delta, before);
            }
            last = first;
        }
    }
}

/// In four sums, which a processor adds up side by side.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0; 4];
    for (a, b) in a.zip(b) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Loss;
    use thrifty_sampling::Seed;

    fn network(sizes: &[usize], activation: Activation, rng: &mut Stream) -> Dense {
        let mut network = Dense::new(sizes, activation, Initializer::GlorotNormal, rng);
        // Thresholds away from 0, where a neuron has a kink.
        network.parameters.iter_mut().for_each(|p| *p += 0.2 * rng.uniform());
        network
    }

    #[test]
    fn shapes() {
        let rng = &mut Seed(0).stream("test", 0);
        let network = network(&[4, 3, 2], Activation::Tanh, rng);
        assert_eq!((network.inputs(), network.parameters.len()), (4, 4 * 3 + 3 + 3 * 2 + 2));
        let mut pass = Pass::default();
        assert_eq!(network.forward(&[0.5; 20], &mut pass).len(), 5 * 2);
        // A pass can be used again for a batch of another size.
        assert_eq!(network.forward(&[0.5; 8], &mut pass).len(), 2 * 2);
    }

    #[test]
    fn one_neuron_by_hand() {
        let rng = &mut Seed(0).stream("test", 0);
        let mut network = network(&[2, 1, 1], Activation::Sigmoid, rng);
        network.parameters = vec![2.0, -4.0, -1.0, 3.0, 0.5];
        let expected = |a: f64, b: f64| 3.0 / (1.0 + (1.0 - 2.0 * a + 4.0 * b).exp()) + 0.5;
        let found = network.forward(&[0.6, 0.1, -0.2, 0.4], &mut Pass::default()).to_vec();
        assert!(
            (found[0] - expected(0.6, 0.1)).abs() < 1e-15 && (found[1] - expected(-0.2, 0.4)).abs() < 1e-15
        );
    }

    /// A batch is its rows: the same outputs to the bit.
    #[test]
    fn rows_do_not_know_of_each_other() {
        let rng = &mut Seed(2).stream("test", 0);
        let network = network(&[3, 7, 5], Activation::Relu, rng);
        let rows: Vec<f64> = (0..12).map(|_| rng.uniform()).collect();
        let together = network.forward(&rows, &mut Pass::default()).to_vec();
        let alone: Vec<f64> =
            rows.chunks(3).flat_map(|row| network.forward(row, &mut Pass::default()).to_vec()).collect();
        assert_eq!(together, alone);
    }

    #[test]
    fn gradients_match_finite_differences() {
        let mut pass = Pass::default();
        for (id, activation) in
            [Activation::Tanh, Activation::Sigmoid, Activation::Relu].into_iter().enumerate()
        {
            for (loss, sizes) in [
                (Loss::CrossEntropy, &[3, 6, 5, 4][..]),
                (Loss::Squared, &[3, 9, 4]),
                (Loss::Squared, &[3, 4]),
            ] {
                let rng = &mut Seed(3).stream("test", id as u64);
                let mut network = network(sizes, activation, rng);
                let rows: Vec<f64> = (0..15).map(|_| 2.0 * rng.uniform() - 1.0).collect();
                let targets: Vec<f64> = (0..20).map(|at| f64::from(u8::from(at % 4 == at / 4 % 4))).collect();
                let mut slopes = Vec::new();
                loss.slopes(network.forward(&rows, &mut pass), &targets, 4, &mut slopes);
                let mut gradient = vec![0.0; network.parameters.len()];
                network.backward(&slopes, &mut pass, &mut gradient);
                for (p, found) in gradient.into_iter().enumerate() {
                    let mut at = |step: f64| {
                        network.parameters[p] += step;
                        let value = loss.value(network.forward(&rows, &mut pass), &targets, 4);
                        network.parameters[p] -= step;
                        value
                    };
                    let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                    let error = (slope - found).abs();
                    assert!(error < 1e-8, "{activation:?} {loss:?} {sizes:?} {p}: {error:e}");
                }
            }
        }
    }
}
