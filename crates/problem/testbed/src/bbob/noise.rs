//! Noise models of `hansen2009noisy`.

use rand_distr::{Distribution, StandardNormal};
use thrifty_sampling::Stream;

/// Below this value above the optimum there is no noise.
const TOLERANCE: f64 = 1e-8;

/// Distribution of an evaluation given its noiseless value above the optimum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BbobNoise {
    /// Log-normal factor: `f exp(beta N)`.
    Gaussian {
        /// Standard deviation of the logarithm.
        beta: f64,
    },
    /// Uniform factor that is worse near the optimum: `f U^beta max(1, (10⁹/f)^(alpha U'))`.
    Uniform {
        /// Exponent of the growth near the optimum.
        alpha: f64,
        /// Exponent of the uniform number.
        beta: f64,
    },
    /// Seldom outliers: `f + alpha max(0, 1000 + [U < p] N / |N'|)`.
    Cauchy {
        /// Scale of the outliers.
        alpha: f64,
        /// Probability of an outlier.
        p: f64,
    },
}

impl BbobNoise {
    /// Model of a function of the noisy suite: moderate for f101 to f106, else severe; Gaussian, uniform and Cauchy in turn.
    pub(super) fn of(function: u8, dim: usize) -> Self {
        let moderate = function <= 106;
        let alpha = 0.49 + 1.0 / dim as f64;
        match ((function - 101) % 3, moderate) {
            (0, true) => Self::Gaussian { beta: 0.01 },
            (0, false) => Self::Gaussian { beta: 1.0 },
            (1, true) => Self::Uniform { alpha: 0.01 * alpha, beta: 0.01 },
            (1, false) => Self::Uniform { alpha, beta: 1.0 },
            (_, true) => Self::Cauchy { alpha: 0.01, p: 0.05 },
            (_, false) => Self::Cauchy { alpha: 1.0, p: 0.2 },
        }
    }

    /// A draw for an excess above the optimum. `1.01·10⁻⁸` is added where there is noise.
    #[must_use]
    pub fn sample(&self, excess: f64, rng: &mut Stream) -> f64 {
        let uniform = [rng.uniform(), rng.uniform()];
        let noisy =
            self.of_numbers(excess, uniform, [StandardNormal.sample(rng), StandardNormal.sample(rng)]);
        if excess < TOLERANCE { excess } else { noisy + 1.01 * TOLERANCE }
    }

    /// The value that two uniform and two normal numbers give.
    fn of_numbers(&self, excess: f64, uniform: [f64; 2], normal: [f64; 2]) -> f64 {
        match *self {
            Self::Gaussian { beta } => excess * (beta * normal[0]).exp(),
            Self::Uniform { alpha, beta } => {
                let growth = (1e9 / (excess + 1e-99)).powf(alpha * uniform[1]);
                excess * uniform[0].powf(beta) * growth.max(1.0)
            }
            Self::Cauchy { alpha, p } => {
                let outlier = if uniform[0] < p { normal[0] / (normal[1].abs() + 1e-199) } else { 0.0 };
                excess + alpha * (1000.0 + outlier).max(0.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::{NoisyBbob, random};
    use super::*;

    /// The platform draws each number of a problem from the next seed, uniform and normal ones apart, from 31 on.
    #[test]
    fn values_are_those_of_the_coco_platform() {
        let golden = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/bbob.json"));
        let golden: Value = serde_json::from_str(golden).unwrap();
        let numbers = |value: &Value| -> Vec<f64> {
            value.as_array().unwrap().iter().filter_map(Value::as_f64).collect()
        };
        let points: Vec<Vec<f64>> = golden["points"]["5"].as_array().unwrap().iter().map(numbers).collect();
        let rows = golden["noisy"].as_array().unwrap();
        assert_eq!(rows.len(), 30);
        for (number, row) in (101..).zip(rows) {
            let function = NoisyBbob::new(number, 5, 2).unwrap();
            let (mut of_uniform, mut of_normal) = (30, 30);
            let mut uniform = || {
                of_uniform += 1;
                random::uniform(1, of_uniform)[0]
            };
            let mut normal = || {
                of_normal += 1;
                random::normal(1, of_normal)[0]
            };
            for (x, expected) in points.iter().zip(numbers(&row["values"])) {
                let (u, z) = match function.noise() {
                    BbobNoise::Gaussian { .. } => ([0.0; 2], [normal(), 0.0]),
                    BbobNoise::Uniform { .. } => ([uniform(), uniform()], [0.0; 2]),
                    BbobNoise::Cauchy { .. } => ([uniform(), 0.0], [normal(), normal()]),
                };
                let truth = function.noiseless();
                let noisy = function.noise().of_numbers(truth.excess(x), u, z) + 1.01 * TOLERANCE;
                let found = truth.minimum() + noisy;
                let off = (found - expected).abs() / expected.abs().max(1.0);
                assert!(off < 1e-10, "f{number} at {x:?}: {found}, expected {expected}");
            }
        }
    }
}
