//! A network as a list of layers.

use rand_distr::{Distribution, StandardNormal};
use thrifty_sampling::Stream;

use super::conv::Conv2d;
use super::dropout;
use super::norm::{self, Normed};
use super::pool::MaxPool;
use super::product::{View, add_product, transpose};

/// A layer of a network over batches of rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Layer {
    /// `x W + b`
    Linear {
        /// Columns that come in.
        inputs: usize,
        /// Columns that come out.
        outputs: usize,
    },
    /// Convolution; an image is a row of its values.
    Conv2d(Conv2d),
    /// The largest value of each window.
    MaxPool(MaxPool),
    /// Columns with mean 0 and variance 1 over the batch, then scaled and shifted. Source: Ioffe & Szegedy (2015).
    NormOfBatch {
        /// Columns.
        width: usize,
    },
    /// Rows with mean 0 and variance 1, then scaled and shifted. Source: Ba, Kiros & Hinton (2016).
    NormOfRow {
        /// Columns.
        width: usize,
    },
    /// `max(x, 0)`
    Relu,
    /// Source: Klambauer et al. (2017).
    Selu,
    /// Neurons at 0, the others scaled up.
    Dropout {
        /// Share of the neurons.
        rate: f32,
    },
    /// Neurons at the lower end of [`Layer::Selu`], all scaled and shifted so that mean 0 and variance 1 stay.
    AlphaDropout {
        /// Share of the neurons.
        rate: f32,
    },
    /// Beginning of a block whose input is added to its output.
    Open,
    /// End of such a block.
    Close,
}

/// Distribution of the weights before training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Normal of variance 1 / inputs, thresholds 0. Source: Klambauer et al. (2017).
    LeCun,
    /// Uniform up to 1 / √inputs, thresholds too.
    Uniform,
    /// Uniform up to √(6 / (inputs + outputs)) per neuron, thresholds 0. Source: Glorot & Bengio (2010).
    Glorot,
}

/// A network: its layers, what is learned, and what batch normalisation remembers.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    layers: Vec<Layer>,
    /// Layer after layer: weights, input by input, then thresholds; scales, then shifts.
    pub parameters: Vec<f32>,
    /// Running means and variances.
    pub remembered: Vec<f32>,
}

/// Inputs and outputs of all layers for a batch, and what else the way back needs.
#[derive(Debug, Clone, Default)]
pub struct Pass {
    values: Vec<Vec<f32>>,
    /// By layer: factors of dropout.
    factors: Vec<Vec<f32>>,
    /// By layer: places of the largest values that pooling took.
    winners: Vec<Vec<usize>>,
    normed: Vec<Normed>,
}

const SELU_SCALE: f32 = 1.050_701;
const SELU_ALPHA: f32 = 1.673_263_2;

impl Layer {
    /// Number of parameters.
    pub fn parameters(self) -> usize {
        match self {
            Self::Linear { inputs, outputs } => (inputs + 1) * outputs,
            Self::Conv2d(conv) => (conv.inputs() + 1) * conv.filters(),
            Self::NormOfBatch { width } | Self::NormOfRow { width } => 2 * width,
            _ => 0,
        }
    }

    /// Multiplications per row on the way forward, thresholds counted as such; those of weights alone.
    pub fn products(self) -> usize {
        match self {
            Self::Linear { .. } => self.parameters(),
            Self::Conv2d(conv) => self.parameters() * conv.positions(),
            _ => 0,
        }
    }

    /// Inputs and outputs of a neuron, and the number of neurons with weights of their own.
    fn fans(self) -> Option<(usize, usize, usize)> {
        match self {
            Self::Linear { inputs, outputs } => Some((inputs, outputs, outputs)),
            Self::Conv2d(conv) => Some((conv.inputs(), conv.fan_out(), conv.filters())),
            _ => None,
        }
    }

    fn remembered(self) -> usize {
        if let Self::NormOfBatch { width } = self { 2 * width } else { 0 }
    }
}

impl Network {
    /// A network with weights drawn as `start` says and biases of 0.
    pub fn new(layers: Vec<Layer>, start: Start, rng: &mut Stream) -> Self {
        let (mut parameters, mut remembered) = (Vec::new(), Vec::new());
        for layer in &layers {
            if let Some((inputs, outputs, neurons)) = layer.fans() {
                let width = match start {
                    Start::LeCun | Start::Uniform => 1.0 / (inputs as f64).sqrt(),
                    Start::Glorot => (6.0 / (inputs + outputs) as f64).sqrt(),
                };
                let mut weight = || match start {
                    Start::LeCun => {
                        let normal: f64 = StandardNormal.sample(rng);
                        (width * normal) as f32
                    }
                    Start::Uniform | Start::Glorot => (width * (2.0 * rng.uniform() - 1.0)) as f32,
                };
                parameters.extend((0..inputs * neurons).map(|_| weight()));
                let threshold = |_| if start == Start::Uniform { weight() } else { 0.0 };
                parameters.extend((0..neurons).map(threshold));
            }
            if let Layer::NormOfBatch { width } | Layer::NormOfRow { width } = *layer {
                parameters.resize(parameters.len() + width, 1.0);
                parameters.resize(parameters.len() + width, 0.0);
                if layer.remembered() > 0 {
                    remembered.resize(remembered.len() + width, 0.0);
                    remembered.resize(remembered.len() + width, 1.0);
                }
            }
        }
        Self { layers, parameters, remembered }
    }

    /// Multiplications per row on the way forward.
    pub fn products(&self) -> usize {
        self.layers.iter().map(|layer| layer.products()).sum()
    }

    /// Outputs for rows one after the other, with nothing dropped and with what batch normalisation remembers.
    pub fn predict<'p>(&self, rows: &[f32], pass: &'p mut Pass) -> &'p [f32] {
        let mut remembered = self.remembered.clone();
        self.through(rows, pass, &mut remembered, None)
    }

    /// Outputs in training: with dropout and normalisation by the batch.
    pub fn forward<'p>(&mut self, rows: &[f32], pass: &'p mut Pass, rng: &mut Stream) -> &'p [f32] {
        let mut remembered = std::mem::take(&mut self.remembered);
        self.through(rows, pass, &mut remembered, Some(rng));
        self.remembered = remembered;
        pass.values.last().map_or(&[], Vec::as_slice)
    }

    fn through<'p>(
        &self,
        rows: &[f32],
        pass: &'p mut Pass,
        remembered: &mut [f32],
        mut training: Option<&mut Stream>,
    ) -> &'p [f32] {
        let Pass { values, factors, winners, normed } = pass;
        values.resize(self.layers.len() + 1, Vec::new());
        factors.resize(self.layers.len(), Vec::new());
        winners.resize(self.layers.len(), Vec::new());
        normed.resize(self.layers.len(), Normed::default());
        values[0].clear();
        values[0].extend_from_slice(rows);
        let (mut own, mut memory, mut blocks) = (&self.parameters[..], remembered, Vec::new());
        for (at, layer) in self.layers.iter().enumerate() {
            let (known, new) = values.split_at_mut(at + 1);
            let (x, y) = (&known[at], &mut new[0]);
            let parameters = own.split_off(..layer.parameters()).unwrap_or_default();
            let kept = memory.split_off_mut(..layer.remembered()).unwrap_or_default();
            y.clear();
            match *layer {
                Layer::Linear { inputs, outputs } => {
                    let (weights, thresholds) = parameters.split_at(inputs * outputs);
                    (0..x.len() / inputs).for_each(|_| y.extend_from_slice(thresholds));
                    add_product(View::new(x, inputs), weights, y);
                }
                Layer::Conv2d(conv) => conv.forward(x, parameters, y),
                Layer::MaxPool(pool) => pool.forward(x, &mut winners[at], y),
                Layer::NormOfBatch { width } => {
                    norm::by_batch(x, width, parameters, kept, training.is_some(), &mut normed[at], y);
                }
                Layer::NormOfRow { width } => norm::by_row(x, width, parameters, &mut normed[at], y),
                Layer::Relu => y.extend(x.iter().map(|x| x.max(0.0))),
                Layer::Selu => y.extend(x.iter().map(|x| selu(*x))),
                Layer::Dropout { rate } => {
                    dropout::plain(rate, training.as_deref_mut(), x, &mut factors[at], y);
                }
                Layer::AlphaDropout { rate } => {
                    let lower = -SELU_SCALE * SELU_ALPHA;
                    dropout::alpha(rate, lower, training.as_deref_mut(), x, &mut factors[at], y);
                }
                Layer::Open => {
                    blocks.push(at);
                    y.extend_from_slice(x);
                }
                Layer::Close => {
                    let input = &known[blocks.pop().unwrap_or(at)];
                    y.extend(x.iter().zip(input).map(|(x, input)| x + input));
                }
            }
        }
        values.last().map_or(&[], Vec::as_slice)
    }

    /// `gradient[p] += Σ slopes · ∂outputs/∂parameter[p]` for the batch that went [`forward`](Self::forward) last with this pass.
    pub fn backward(&self, slopes: &[f32], pass: &Pass, gradient: &mut [f32]) {
        let (mut delta, mut before) = (slopes.to_vec(), Vec::new());
        let (mut last, mut blocks) = (self.parameters.len(), Vec::new());
        let mut turned = Vec::new();
        for (at, layer) in self.layers.iter().enumerate().rev() {
            let first = last - layer.parameters();
            let (own, sums) = (&self.parameters[first..last], &mut gradient[first..last]);
            last = first;
            let (x, y) = (&pass.values[at], &pass.values[at + 1]);
            match *layer {
                Layer::Linear { inputs, outputs } => {
                    let (weights, thresholds) = sums.split_at_mut(inputs * outputs);
                    for row in delta.chunks_exact(outputs) {
                        thresholds.iter_mut().zip(row).for_each(|(sum, d)| *sum += d);
                    }
                    add_product(View::new(x, inputs).transposed(), &delta, weights);
                    // Nobody asks for slopes with respect to the data.
                    if at > 0 {
                        transpose(&own[..inputs * outputs], outputs, &mut turned);
                        before.clear();
                        before.resize(x.len(), 0.0);
                        add_product(View::new(&delta, outputs), &turned, &mut before);
                        std::mem::swap(&mut delta, &mut before);
                    }
                }
                Layer::Conv2d(conv) => {
                    before.clear();
                    before.resize(x.len(), 0.0);
                    conv.backward(x, own, &delta, sums, (at > 0).then_some(&mut before));
                    std::mem::swap(&mut delta, &mut before);
                }
                Layer::MaxPool(_) => {
                    before.clear();
                    before.resize(x.len(), 0.0);
                    MaxPool::backward(&pass.winners[at], &delta, &mut before);
                    std::mem::swap(&mut delta, &mut before);
                }
                Layer::NormOfBatch { width } => {
                    norm::back_by_batch(&mut delta, width, own, &pass.normed[at], sums);
                }
                Layer::NormOfRow { width } => {
                    norm::back_by_row(&mut delta, width, own, &pass.normed[at], sums);
                }
                Layer::Relu => {
                    delta.iter_mut().zip(y).for_each(|(d, y)| *d = if *y > 0.0 { *d } else { 0.0 });
                }
                Layer::Selu => delta.iter_mut().zip(x.iter().zip(y)).for_each(|(d, (x, y))| {
                    *d *= if *x > 0.0 { SELU_SCALE } else { y + SELU_SCALE * SELU_ALPHA };
                }),
                Layer::Dropout { .. } | Layer::AlphaDropout { .. } => {
                    delta.iter_mut().zip(&pass.factors[at]).for_each(|(d, factor)| *d *= factor);
                }
                Layer::Close => blocks.push(delta.clone()),
                Layer::Open => {
                    let around: Vec<f32> = blocks.pop().unwrap_or_default();
                    delta.iter_mut().zip(around).for_each(|(d, around)| *d += around);
                }
            }
        }
    }
}

fn selu(x: f32) -> f32 {
    SELU_SCALE * if x > 0.0 { x } else { SELU_ALPHA * x.exp_m1() }
}

#[cfg(test)]
mod tests;
