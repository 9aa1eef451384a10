//! Autoencoders of small pictures, in place of the paper's networks.

use std::sync::Arc;

use thrifty_domain::Points;
use thrifty_learners::network::{Activation, Dense, Examples, Initializer, Loss, Pass, Rule, Training};
use thrifty_sampling::Seed;

use super::task::{Task, Trained};
use crate::error::ExperimentError;
use crate::harness::stats::{mean_and_std_dev, quantile};

/// An autoencoder of some size.
pub struct Autoencoder {
    pub data: Arc<Tumours>,
    /// True if the width of the code is controlled as well; else it is 2.
    pub with_code: bool,
    pub epochs: usize,
}

/// Tumours that a dependency ships, 30 numbers each. A network learns to repeat benign ones through a narrow code; what it
/// repeats badly is called malignant.
pub struct Tumours {
    /// Benign ones, two in three.
    train: Points,
    /// The other benign ones, and all malignant ones.
    benign: Points,
    malignant: Points,
}

/// Share of malignant ones that is judged by. All are tested and counted with the weight that makes up this share: what
/// leaving out most of them comes to on average.
const RARE: f64 = 0.03;
/// Share of the benign ones trained on that are repeated worse than the threshold.
const BEYOND: f64 = 0.05;

impl Tumours {
    pub fn new(seed: Seed) -> Self {
        let set = smartcore::dataset::breast_cancer::load_dataset();
        let row = |at: usize| -> Vec<f64> {
            set.data[at * set.num_features..][..set.num_features].iter().map(|v| f64::from(*v)).collect()
        };
        let target = &set.target;
        let of = |class: u32| (0..set.num_samples).filter(move |at| target[*at] == class);
        let mut benign: Vec<usize> = of(BENIGN).collect();
        seed.stream("tumours", 0).shuffle(&mut benign);
        let (train, rest) = benign.split_at(benign.len() * 2 / 3);
        let moments: Vec<(f64, f64)> = (0..set.num_features)
            .map(|c| mean_and_std_dev(&train.iter().map(|at| row(*at)[c]).collect::<Vec<f64>>()))
            .collect();
        let points = |rows: &[usize]| {
            let mut points = Points::new(set.num_features);
            for &at in rows {
                let scaled: Vec<f64> = row(at).iter().zip(&moments).map(|(v, (m, s))| (v - m) / s).collect();
                points.push(&scaled);
            }
            points
        };
        let malignant: Vec<usize> = of(1 - BENIGN).collect();
        Self { train: points(train), benign: points(rest), malignant: points(&malignant) }
    }
}

const BENIGN: u32 = 1;

/// Widths from one end to the other: ⌈scale⌉ layers from ⌈20 scale⌉ down to the code in equal steps, and back.
fn widths(scale: f64, code: usize, ends: usize) -> Vec<usize> {
    let (layers, largest) = (scale.ceil(), (20.0 * scale).ceil());
    let width = |k: usize| (largest + (code as f64 - largest) * k as f64 / layers).floor() as usize;
    let encoder: Vec<usize> = (0..layers as usize).map(width).collect();
    let decoder = encoder.iter().rev().copied();
    [ends].into_iter().chain(encoder.iter().copied()).chain([code]).chain(decoder).chain([ends]).collect()
}

/// Squared errors of repetition, one a row.
fn errors(network: &Dense, rows: &Points) -> Vec<f64> {
    let mut pass = Pass::default();
    let repeated = network.forward(rows.as_flat(), &mut pass);
    let error = |(z, x): (&[f64], &[f64])| z.iter().zip(x).map(|(z, x)| (z - x).powi(2)).sum::<f64>();
    repeated.chunks_exact(rows.dim()).zip(rows.rows()).map(error).collect()
}

/// `F_β` with β = 6 from the shares of both kinds that are called malignant. Source: (4.25).
fn f_score(found: f64, mistaken: f64) -> f64 {
    let (hits, alarms) = (RARE * found, (1.0 - RARE) * mistaken);
    if hits == 0.0 {
        return 0.0;
    }
    let (precision, beta) = (hits / (hits + alarms), 36.0);
    (1.0 + beta) * precision * found / (beta * precision + found)
}

impl Autoencoder {
    /// Scale and code.
    fn sizes(&self, control: &[f64]) -> (f64, usize) {
        let code = if self.with_code { (1.0 + 9.0 * control[1]).round() as usize } else { 2 };
        (1.0 + 9.0 * control[0], code)
    }
}

impl Task for Autoencoder {
    fn train(&self, control: &[f64], seed: Seed) -> Result<Trained, ExperimentError> {
        let (scale, code) = self.sizes(control);
        let rng = &mut seed.stream("autoencoder", 0);
        let train = &self.data.train;
        let examples = Examples { x: train.clone(), targets: train.clone() };
        let sizes = widths(scale, code, train.dim());
        let mut network = Dense::new(&sizes, Activation::Tanh, Initializer::GlorotUniform, rng);
        let training =
            Training { loss: Loss::Squared, rule: Rule::Adam, rate: 0.003, batch: 32, epochs: self.epochs };
        let operations = training.fit(&mut network, &examples, rng);
        let threshold = quantile(&errors(&network, train), 1.0 - BEYOND);
        let beyond = |rows: &Points| {
            errors(&network, rows).iter().filter(|error| **error > threshold).count() as f64
                / rows.len() as f64
        };
        let score = f_score(beyond(&self.data.malignant), beyond(&self.data.benign));
        Ok(Trained { score, operations })
    }

    fn meaning(&self, control: &[f64]) -> String {
        let (scale, code) = self.sizes(control);
        format!("scale {scale:.2}, code {code}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_the_papers() {
        // The paper's own example, with the data at both ends.
        assert_eq!(widths(1.9, 1, 30), [30, 38, 19, 1, 19, 38, 30]);
        assert_eq!(widths(1.0, 2, 30), [30, 20, 2, 20, 30]);
        assert_eq!(widths(10.0, 10, 30).len(), 23);
    }

    #[test]
    fn the_f_score_by_hand() {
        assert_eq!(f_score(0.0, 0.1), 0.0);
        assert!((f_score(1.0, 0.0) - 1.0).abs() < 1e-15);
        // All are called malignant: precision 0.03, recall 1.
        assert!((f_score(1.0, 1.0) - 37.0 * 0.03 / (36.0 * 0.03 + 1.0)).abs() < 1e-15);
    }

    #[test]
    fn most_tumours_are_benign() {
        let data = Tumours::new(Seed(0));
        assert_eq!((data.train.len(), data.benign.len(), data.malignant.len()), (238, 119, 212));
    }
}
