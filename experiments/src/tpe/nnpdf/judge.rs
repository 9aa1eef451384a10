//! Ensembles held against the law.

use thrifty_sampling::Seed;

use super::law::{BEYOND, Closure, Datum, Law, WITHIN, cells};
use super::training::{Hyperparameters, Model};

/// Trains replicas, each on data with fresh noise, with fresh initialisation and data for validation.
pub fn judge(h: &Hyperparameters, closure: &Closure, replicas: usize, seed: Seed) -> Judgement {
    let models: Vec<Model> = (0..replicas)
        .map(|replica| {
            let rng = &mut seed.stream("replica", replica as u64);
            let mut data: Vec<Datum> = closure.training.iter().map(|d| d.replica(rng)).collect();
            rng.shuffle(&mut data);
            let validation = data.split_off(data.len() - data.len() / VALIDATION);
            Model::train(h, &data, &validation, rng)
        })
        .collect();
    let predictions = |x: &[f64]| -> Vec<Vec<f64>> { models.iter().map(|model| model.predict(x)).collect() };
    let distance = |range| {
        let x: Vec<f64> = cells(range, POINTS).collect();
        Distance::of(closure.law, &x, &predictions(&x))
    };
    let x: Vec<f64> = cells((0.02, BEYOND.1), 150).collect();
    let all = predictions(&x);
    let at = |(i, &x): (usize, &f64)| {
        let (mean, square) = moments(&all, i);
        (x, mean, square.sqrt())
    };
    Judgement {
        within: distance(WITHIN),
        beyond: distance(BEYOND),
        curve: x.iter().enumerate().map(at).collect(),
    }
}

/// Distance of an ensemble of networks from the law, per point, in units of the data's variance.
///
/// ```text
/// bias = mean_x [(f̄(x) - law(x))² - s²(x) / M] / σ²(x),   variance = mean_x s²(x) / σ²(x)
/// ```
/// f̄ and s² are mean and variance (over M - 1) of M replicas; what they add to the square of the mean by being
/// few is taken off, so that the bias is that of endlessly many and may come out below 0.
#[derive(serde::Serialize, serde::Deserialize, Debug, Clone, Copy, PartialEq)]
pub struct Distance {
    pub bias: f64,
    pub variance: f64,
}

impl Distance {
    /// Distance of predictions at `x`, one row per replica.
    pub fn of(law: Law, x: &[f64], predictions: &[Vec<f64>]) -> Self {
        let replicas = predictions.len() as f64;
        let (mut bias, mut variance) = (0.0, 0.0);
        for (i, &x) in x.iter().enumerate() {
            let (mean, square) = moments(predictions, i);
            let unit = law.std_dev(x).powi(2);
            bias += ((mean - law.value(x)).powi(2) - square / replicas) / unit;
            variance += square / unit;
        }
        Self { bias: bias / x.len() as f64, variance: variance / x.len() as f64 }
    }
}

/// Mean and variance of the replicas at point `i`.
fn moments(predictions: &[Vec<f64>], i: usize) -> (f64, f64) {
    let n = predictions.len() as f64;
    let mean = predictions.iter().map(|p| p[i]).sum::<f64>() / n;
    let squares = predictions.iter().map(|p| (p[i] - mean).powi(2)).sum::<f64>();
    (mean, squares / (n - 1.0).max(1.0))
}

/// An ensemble held against the law.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Judgement {
    pub within: Distance,
    pub beyond: Distance,
    /// x, mean, deviation over all of both ranges.
    pub curve: Vec<(f64, f64, f64)>,
}

/// Points of each range at which an ensemble is judged: none of them has a datum of the scan's test sets.
const POINTS: usize = 50;
/// Every so many training data one is for early stopping.
const VALIDATION: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use rand_distr::{Distribution, StandardNormal};

    /// Predictions 2 σ off with a spread of 0.5 σ: bias 4, variance ¼.
    #[test]
    fn of_known_replicas() {
        let law = Law::Oscillating;
        let x: Vec<f64> = cells(WITHIN, 400).collect();
        let rng = &mut Seed(7).stream("test", 0);
        let predictions: Vec<Vec<f64>> = (0..8)
            .map(|_| {
                let off = |x: &f64| {
                    let z: f64 = StandardNormal.sample(rng);
                    law.value(*x) + law.std_dev(*x) * (2.0 + 0.5 * z)
                };
                x.iter().map(off).collect()
            })
            .collect();
        let Distance { bias, variance } = Distance::of(law, &x, &predictions);
        assert!((bias - 4.0).abs() < 0.15, "{bias}");
        assert!((variance - 0.25).abs() < 0.03, "{variance}");
    }

    /// The law itself with noise: no bias whatever the number of replicas.
    #[test]
    fn few_replicas_are_no_bias() {
        let law = Law::Step;
        let x: Vec<f64> = cells(BEYOND, 2000).collect();
        let rng = &mut Seed(8).stream("test", 0);
        let mut noisy = || -> Vec<f64> {
            x.iter().map(|x| law.value(*x) + law.std_dev(*x) * f64::from(rng.uniform() < 0.5)).collect()
        };
        let predictions: Vec<Vec<f64>> = (0..2).map(|_| noisy()).collect();
        let Distance { bias, variance } = Distance::of(law, &x, &predictions);
        assert!((bias - 0.25).abs() < 0.05 && (variance - 0.25).abs() < 0.05, "{bias} {variance}");
    }
}
