//! Functions drawn from stationary processes.

use rand_distr::{ChiSquared, Distribution, StandardNormal};
use std::f64::consts::TAU;
use thrifty_sampling::Stream;

/// Stationary process from which a [`RandomFunction`] is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Spectrum {
    /// The squared exponential covariance: frequencies are normal.
    SquaredExponential,
    /// The Matérn covariance of smoothness ν: frequencies are of Student's t with 2ν degrees of freedom.
    Matern {
        /// 2ν, at least 1: 1, 3 and 5 are the usual ones.
        twice_smoothness: u32,
    },
}

/// A draw from a Gaussian process of mean 0 and variance 1, nearly, as a sum of cosines that can be evaluated anywhere.
///
/// ```text
/// f(x) = √(2/F) Σ_i w_i cos(ω_i·x + b_i),   w ~ N(0, 1),  b ~ U(0, 2π),  ω_i of the spectral density of the covariance
/// ```
///
/// Its covariance over draws is that of the process exactly; it is normal as F grows. Source: Rahimi & Recht (2007).
#[derive(Debug, Clone, PartialEq)]
pub struct RandomFunction {
    dim: usize,
    /// Rows of ω.
    frequencies: Vec<f64>,
    phases: Vec<f64>,
    weights: Vec<f64>,
}

/// Cosines F.
const FEATURES: usize = 1024;

impl RandomFunction {
    /// A draw with these lengthscales, one a coordinate.
    ///
    /// # Panics
    /// For no or no positive lengthscales, or a Matérn spectrum with twice its smoothness 0.
    #[must_use]
    pub fn draw(spectrum: Spectrum, lengthscales: &[f64], rng: &mut Stream) -> Self {
        let dim = lengthscales.len();
        assert!(dim > 0 && lengthscales.iter().all(|l| *l > 0.0), "lengthscales are {lengthscales:?}");
        let tails = match spectrum {
            Spectrum::SquaredExponential => None,
            Spectrum::Matern { twice_smoothness } => {
                let freedom = f64::from(twice_smoothness);
                let law = ChiSquared::new(freedom);
                Some((law.unwrap_or_else(|_| panic!("twice the smoothness is {twice_smoothness}")), freedom))
            }
        };
        let mut frequencies = Vec::with_capacity(FEATURES * dim);
        for _ in 0..FEATURES {
            let stretch = tails.as_ref().map_or(1.0, |(law, freedom)| (freedom / law.sample(rng)).sqrt());
            for lengthscale in lengthscales {
                let normal: f64 = StandardNormal.sample(rng);
                frequencies.push(stretch * normal / lengthscale);
            }
        }
        let phases = (0..FEATURES).map(|_| TAU * rng.uniform()).collect();
        let scale = (2.0 / FEATURES as f64).sqrt();
        let weight = |_| {
            let normal: f64 = StandardNormal.sample(rng);
            scale * normal
        };
        let weights = (0..FEATURES).map(weight).collect();
        Self { dim, frequencies, phases, weights }
    }

    /// Its value.
    ///
    /// # Panics
    /// When the point is of another dimension.
    #[must_use]
    pub fn value(&self, x: &[f64]) -> f64 {
        assert_eq!(x.len(), self.dim, "a point of {} numbers for {}", x.len(), self.dim);
        let rows = self.frequencies.chunks_exact(self.dim).zip(self.phases.iter().zip(&self.weights));
        rows.map(|(row, (phase, weight))| {
            weight * (row.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() + phase).cos()
        })
        .sum()
    }
}
