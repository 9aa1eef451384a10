//! Training of a network that tells classes apart.

use thrifty_sampling::Stream;

use super::adam::AdamW;
use super::network::{Network, Pass};
use crate::network::STEP;

/// Training by Adam on the cross-entropy, for a fixed number of times through all rows.
///
/// ```text
/// loss = mean over rows of ln Σ_c exp z_c - z_class,   z logits
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Classification {
    /// Times through all rows.
    pub epochs: usize,
    /// Rows of a step.
    pub batch: usize,
    /// Learning rate.
    pub rate: f64,
}

/// Rows one after the other, with a class each.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Labelled {
    /// Row by row.
    pub x: Vec<f32>,
    /// Class of each row.
    pub classes: Vec<usize>,
}

impl Labelled {
    fn columns(&self) -> usize {
        self.x.len() / self.classes.len().max(1)
    }

    /// Mean cross-entropy of a network, with nothing dropped.
    pub fn cross_entropy(&self, network: &Network, pass: &mut Pass) -> f64 {
        let logits = network.predict(&self.x, pass);
        let width = logits.len() / self.classes.len().max(1);
        let of_row = |(z, class): (&[f32], &usize)| f64::from(log_sum(z) - z[*class]);
        logits.chunks_exact(width).zip(&self.classes).map(of_row).sum::<f64>() / self.classes.len() as f64
    }

    /// Share of rows whose class has the largest logit; the first of several.
    pub fn accuracy(&self, network: &Network, pass: &mut Pass) -> f64 {
        let logits = network.predict(&self.x, pass);
        let width = logits.len() / self.classes.len().max(1);
        let largest = |z: &[f32]| (0..width).fold(0, |best, c| if z[c] > z[best] { c } else { best });
        let rows = logits.chunks_exact(width).zip(&self.classes);
        rows.filter(|(z, class)| largest(z) == **class).count() as f64 / self.classes.len() as f64
    }
}

/// `ln Σ exp z`.
fn log_sum(z: &[f32]) -> f32 {
    let most = z.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    most + z.iter().map(|z| (z - most).exp()).sum::<f32>().ln()
}

impl Classification {
    /// Trains a network from where it is, with the rows in a new order each time.
    ///
    /// With rows to watch the network is tried on them after every step, and the best state is what is left.
    ///
    /// The result is the work by count: two operations per multiplication on the way forward, four on the way back, and those of the steps.
    pub fn fit(
        &self,
        network: &mut Network,
        rows: &Labelled,
        watched: Option<&Labelled>,
        rng: &mut Stream,
    ) -> f64 {
        let (columns, parameters) = (rows.columns(), network.parameters.len());
        let (mut descent, mut pass) = (AdamW::new(parameters), Pass::default());
        let (mut x, mut slopes, mut gradient) = (Vec::new(), Vec::new(), vec![0.0; parameters]);
        let mut order: Vec<usize> = (0..rows.classes.len()).collect();
        let mut best =
            watched.map(|watched| (watched.cross_entropy(network, &mut pass), network.parameters.clone()));
        let mut steps = 0;
        for _ in 0..self.epochs {
            rng.shuffle(&mut order);
            for batch in order.chunks(self.batch.max(1)) {
                x.clear();
                batch.iter().for_each(|row| x.extend_from_slice(&rows.x[row * columns..][..columns]));
                let logits = network.forward(&x, &mut pass, rng);
                slopes.clear();
                for (z, row) in logits.chunks_exact(logits.len() / batch.len()).zip(batch) {
                    let (level, first) = (log_sum(z), slopes.len());
                    slopes.extend(z.iter().map(|z| (z - level).exp() / batch.len() as f32));
                    slopes[first + rows.classes[*row]] -= 1.0 / batch.len() as f32;
                }
                gradient.fill(0.0);
                network.backward(&slopes, &pass, &mut gradient);
                descent.step(&mut network.parameters, &gradient, self.rate, 0.0);
                steps += 1;
                if let (Some(watched), Some((least, state))) = (watched, &mut best) {
                    let loss = watched.cross_entropy(network, &mut pass);
                    if loss < *least {
                        *least = loss;
                        state.copy_from_slice(&network.parameters);
                    }
                }
            }
        }
        if let Some((_, state)) = best {
            network.parameters = state;
        }
        let seen = (self.epochs * rows.classes.len()) as f64;
        let tried = f64::from(steps) * watched.map_or(0, |watched| watched.classes.len()) as f64;
        network.products() as f64 * (6.0 * seen + 2.0 * tried) + parameters as f64 * STEP * f64::from(steps)
    }
}

#[cfg(test)]
mod tests {
    use thrifty_sampling::Seed;

    use super::*;
    use crate::layers::conv::Conv2d;
    use crate::layers::pool::MaxPool;
    use crate::layers::{ImageShape, Layer, Padding, Start};

    /// One bright line in a noisy image: level, or upright. A mean over all pixels does not tell them apart.
    fn lines(count: usize, rng: &mut Stream) -> Labelled {
        let mut images = Labelled::default();
        for class in (0..count).map(|at| at % 2) {
            let at = rng.index(6);
            let is_on = |pixel: usize| [pixel / 6, pixel % 6][class] == at;
            images.x.extend((0..36).map(|p| f32::from(u8::from(is_on(p))) + 0.3 * rng.uniform() as f32));
            images.classes.push(class);
        }
        images
    }

    fn network(rng: &mut Stream) -> Network {
        let image = ImageShape { height: 6, width: 6, channels: 1 };
        let conv = Conv2d::new(image, 3, 8, Padding::Valid).unwrap();
        let pool = MaxPool::new(conv.output(), 4, Padding::Valid).unwrap();
        let linear = Layer::Linear { inputs: 8, outputs: 2 };
        Network::new(vec![Layer::Conv2d(conv), Layer::Relu, Layer::MaxPool(pool), linear], Start::Glorot, rng)
    }

    #[test]
    fn a_convolution_learns_lines() {
        let rng = &mut Seed(0).stream("test", 0);
        let (train, test) = (lines(200, rng), lines(200, rng));
        let start = network(rng);
        let training = Classification { epochs: 60, batch: 10, rate: 0.01 };
        let (mut trained, mut pass) = (start.clone(), Pass::default());
        let work = training.fit(&mut trained, &train, None, &mut rng.clone());
        let (before, after) = (start, &trained);
        assert!(test.accuracy(after, &mut pass) > 0.97, "{}", test.accuracy(after, &mut pass));
        assert!(test.cross_entropy(after, &mut pass) < 0.2 && test.cross_entropy(&before, &mut pass) > 0.5);
        // 16 windows of 9 weights and a threshold for 8 filters, 8 inputs and a threshold for 2 outputs.
        let (products, parameters) = (16.0 * 80.0 + 18.0, 98.0);
        assert_eq!(work, products * 6.0 * 12_000.0 + parameters * 12.0 * 1200.0);
        // Watching takes more work and is never worse on what is watched.
        let mut watched = before.clone();
        let more = training.fit(&mut watched, &train, Some(&test), &mut rng.clone());
        assert_eq!(more, work + products * 2.0 * 1200.0 * 200.0);
        assert!(test.cross_entropy(&watched, &mut pass) <= test.cross_entropy(after, &mut pass));
    }

    /// A descent that runs away leaves the best state, which is the first.
    #[test]
    fn a_rate_that_is_too_high_leaves_the_start() {
        let rng = &mut Seed(1).stream("test", 0);
        let (train, start) = (lines(40, rng), network(rng));
        let mut trained = start.clone();
        Classification { epochs: 2, batch: 10, rate: 1e30 }.fit(&mut trained, &train, Some(&train), rng);
        assert_eq!(trained, start);
    }

    #[test]
    fn losses_by_hand() {
        let rng = &mut Seed(2).stream("test", 0);
        let mut network = Network::new(vec![Layer::Linear { inputs: 1, outputs: 2 }], Start::Glorot, rng);
        network.parameters = vec![1.0, -1.0, 0.0, 0.0];
        let rows = Labelled { x: vec![0.0, 1.0, 500.0], classes: vec![0, 1, 1] };
        let mut pass = Pass::default();
        let expected = (2_f64.ln() + (2.0 + (1.0 + (-2_f64).exp()).ln()) + 1000.0) / 3.0;
        assert!((rows.cross_entropy(&network, &mut pass) - expected).abs() < 1e-4);
        // Equal logits count for the first class.
        assert_eq!(rows.accuracy(&network, &mut pass), 1.0 / 3.0);
    }
}
