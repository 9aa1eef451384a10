//! Training with early stopping.

use thrifty_sampling::Stream;

use super::adam::AdamW;
use super::network::{Network, Pass};

/// Settings of training for squared errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Training {
    /// Largest number of times through all rows.
    pub epochs: usize,
    /// Rows of a step.
    pub batch: usize,
    /// Learning rate at the start.
    pub rate: f64,
    /// Decay of the weights beside the gradient, times the rate. Source: Loshchilov & Hutter (2019).
    pub decay: f64,
    /// Factor of the rate after a plateau.
    pub factor: f64,
    /// Largest length of the gradient.
    pub clip: Option<f32>,
}

/// Rows with numbers to predict.
#[derive(Debug, Clone, Default)]
pub struct Examples {
    /// Row by row.
    pub x: Vec<f32>,
    /// Target of each row.
    pub y: Vec<f32>,
}

/// Epochs without improvement after which training ends, and after which the rate falls.
const PATIENCE: usize = 15;
const PLATEAU: usize = 5;
/// Least relative improvement.
const LEAST: f64 = 1e-4;
/// The rate falls to this at most.
const LEAST_RATE: f64 = 1e-5;

/// Mean squared error.
fn error(network: &Network, examples: &Examples, pass: &mut Pass) -> f64 {
    let found = network.predict(&examples.x, pass);
    let sum: f64 = found.iter().zip(&examples.y).map(|(p, y)| f64::from(p - y).powi(2)).sum();
    sum / examples.y.len() as f64
}

impl Training {
    /// Trains a network and leaves it in its best state on what is watched; with nothing to watch, in its last finite one.
    ///
    /// Rows come in a new order each time. The rate falls after 6 times through the rows without a smaller error, and training ends
    /// after 15. The number of times is what is returned.
    pub fn fit(
        &self,
        network: &mut Network,
        examples: &Examples,
        watched: &Examples,
        rng: &mut Stream,
    ) -> usize {
        let (count, mut pass) = (examples.y.len(), Pass::default());
        let columns = examples.x.len() / count.max(1);
        let parameters = network.parameters.len();
        let mut descent = AdamW::new(parameters);
        let mut best = network.clone();
        let mut least = if watched.y.is_empty() { f64::INFINITY } else { error(network, watched, &mut pass) };
        // What the plateau is measured from; it is set back when the rate falls.
        let (mut since_best, mut since_fall, mut rate) = (0, 0, self.rate);
        let mut order: Vec<usize> = (0..count).collect();
        let (mut x, mut gradient) = (Vec::new(), vec![0.0; parameters]);
        for epoch in 0..self.epochs {
            rng.shuffle(&mut order);
            for rows in order.chunks(self.batch.max(1)) {
                x.clear();
                rows.iter()
                    .for_each(|row| x.extend_from_slice(&examples.x[row * columns..(row + 1) * columns]));
                let found = network.forward(&x, &mut pass, rng);
                let slope =
                    |(found, row): (&f32, &usize)| 2.0 * (found - examples.y[*row]) / rows.len() as f32;
                let slopes: Vec<f32> = found.iter().zip(rows).map(slope).collect();
                gradient.fill(0.0);
                network.backward(&slopes, &pass, &mut gradient);
                self.clip(&mut gradient);
                descent.step(&mut network.parameters, &gradient, rate, self.decay);
            }
            let now = if watched.y.is_empty() { -(epoch as f64) } else { error(network, watched, &mut pass) };
            let is_better = now < least - LEAST * least.abs() || (least.is_infinite() && now.is_finite());
            if is_better && network.parameters.iter().all(|p| p.is_finite()) {
                (least, since_best, since_fall) = (now, 0, 0);
                best.clone_from(network);
            } else {
                since_best += 1;
                since_fall += 1;
            }
            if since_best == PATIENCE {
                *network = best;
                return epoch + 1;
            }
            if since_fall > PLATEAU {
                // A rate that begins below the least one stays.
                rate = (rate * self.factor).max(LEAST_RATE.min(rate));
                since_fall = 0;
            }
        }
        *network = best;
        self.epochs
    }

    fn clip(&self, gradient: &mut [f32]) {
        let Some(most) = self.clip else { return };
        let length = gradient.iter().map(|g| g * g).sum::<f32>().sqrt();
        if length > most {
            gradient.iter_mut().for_each(|g| *g *= most / length);
        }
    }
}

#[cfg(test)]
mod tests {
    use thrifty_sampling::Seed;

    use super::*;
    use crate::layers::{Layer, Start};

    fn network(rng: &mut Stream) -> Network {
        let layers = vec![
            Layer::Linear { inputs: 2, outputs: 16 },
            Layer::Selu,
            Layer::AlphaDropout { rate: 0.05 },
            Layer::Linear { inputs: 16, outputs: 1 },
        ];
        Network::new(layers, Start::LeCun, rng)
    }

    /// x² - y over the square.
    fn examples(count: usize, rng: &mut Stream) -> Examples {
        let x: Vec<f32> = (0..2 * count).map(|_| 2.0 * rng.uniform() as f32 - 1.0).collect();
        let y = x.chunks(2).map(|row| row[0] * row[0] - row[1]).collect();
        Examples { x, y }
    }

    const USUAL: Training =
        Training { epochs: 200, batch: 32, rate: 0.01, decay: 1e-4, factor: 0.1, clip: Some(5.0) };

    #[test]
    fn a_network_learns_a_parabola_and_stops() {
        let rng = &mut Seed(0).stream("test", 0);
        let (train, watched, test) = (examples(300, rng), examples(50, rng), examples(200, rng));
        let start = network(rng);
        let mut trained = start.clone();
        let epochs = USUAL.fit(&mut trained, &train, &watched, &mut rng.clone());
        let pass = &mut Pass::default();
        let (before, after) = (error(&start, &test, pass), error(&trained, &test, pass));
        assert!(after < 0.03 && before > 0.3, "{before} {after}");
        assert!((20..200).contains(&epochs), "{epochs}");
        // The same seed, the same bits.
        let mut again = start.clone();
        assert_eq!(USUAL.fit(&mut again, &train, &watched, &mut rng.clone()), epochs);
        assert_eq!(again, trained);
    }

    /// A descent that runs away leaves the state before it.
    #[test]
    fn the_best_state_is_kept() {
        let rng = &mut Seed(1).stream("test", 0);
        let (train, watched) = (examples(100, rng), examples(30, rng));
        let start = network(rng);
        let wild = Training { rate: 1e30, clip: None, ..USUAL };
        for watched in [&watched, &Examples::default()] {
            let mut trained = start.clone();
            assert_eq!(wild.fit(&mut trained, &train, watched, rng), PATIENCE);
            assert_eq!(trained, start);
        }
        // Nothing to watch: all epochs, and the last state.
        let mut trained = start.clone();
        let epochs = Training { epochs: 30, ..USUAL }.fit(&mut trained, &train, &Examples::default(), rng);
        assert!(epochs == 30 && error(&trained, &train, &mut Pass::default()) < 0.2);
    }

    #[test]
    fn gradients_are_cut_to_their_length() {
        let mut gradient = [6.0, 8.0];
        USUAL.clip(&mut gradient);
        assert_eq!(gradient, [3.0, 4.0]);
        USUAL.clip(&mut gradient);
        assert_eq!(gradient, [3.0, 4.0]);
        let mut long = [6.0, 8.0];
        Training { clip: None, ..USUAL }.clip(&mut long);
        assert_eq!(long, [6.0, 8.0]);
    }
}
