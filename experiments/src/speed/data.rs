//! Data of one size.

use thrifty_domain::Points;
use thrifty_sampling::Seed;
use thrifty_testbed::{Problem, TestFunction};

use super::hyperparameters::Hyperparameters;
use crate::error::ExperimentError;

/// Number of variables.
pub const DIM: usize = 6;

/// Points, standardised targets, and the posterior whose acquisition is maximised.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Data {
    pub x: Vec<Vec<f64>>,
    pub y: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posterior: Option<Hyperparameters>,
}

impl Data {
    /// `n` uniform points with values of Hartmann-6, blurred by noise of deviation 0.05 so that the likelihood
    /// has its maximum inside the bounds.
    pub fn noisy_hartmann6(n: usize, seed: Seed) -> Result<Self, ExperimentError> {
        let problem = TestFunction::hartmann6();
        let x = uniform(n, seed);
        let mut noise = seed.stream("noise", n as u64);
        let mut y = Vec::with_capacity(n);
        for point in &x {
            let value = problem.truth(&problem.space().decode(point))?;
            // Twelve uniforms less six have variance 1 and are normal enough for noise.
            let normal = (0..12).map(|_| noise.uniform()).sum::<f64>() - 6.0;
            y.push(value + 0.05 * normal);
        }
        let mean = y.iter().sum::<f64>() / n as f64;
        let std_dev = (y.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64).sqrt();
        y.iter_mut().for_each(|v| *v = (*v - mean) / std_dev);
        Ok(Self { x, y, posterior: None })
    }

    /// The points as the models take them.
    pub fn points(&self) -> Result<Points, ExperimentError> {
        Points::from_rows(&self.x).map_err(ExperimentError::measure("the inputs"))
    }

    /// The smallest target: what an improvement improves on.
    pub fn best(&self) -> f64 {
        self.y.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

/// Uniform points.
pub fn uniform(n: usize, seed: Seed) -> Vec<Vec<f64>> {
    let mut rng = seed.stream("points", n as u64);
    (0..n).map(|_| (0..DIM).map(|_| rng.uniform()).collect()).collect()
}
