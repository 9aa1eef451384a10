//! Losses drawn from processes, with folds around them.

use std::sync::Arc;

use rand_distr::{Distribution, StandardNormal};
use thrifty_cv::FoldQuery;
use thrifty_kernel::{Matern52, Scaled};
use thrifty_sampling::{Seed, Stream};
use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::Outcome;

use super::problem::{FoldProblem, point};
use crate::bo::development::searched;
use crate::bo::problems::drawn;
use crate::error::ExperimentError;

/// Folds around a true loss on the unit cube: the truth is the mean over the folds.
pub struct Drawn {
    space: Space,
    folds: Vec<Function>,
    /// Least mean over the folds.
    optimum: f64,
    /// Deviation of the observation noise.
    noise: f64,
}

pub(super) type Function = Arc<dyn Fn(&[f64]) -> f64 + Send + Sync>;

/// Folds of every synthetic problem.
pub const FOLDS: usize = 10;

/// Deviations of the folds of a draw from a true loss of standard deviation 1.
#[derive(Debug, Clone, Copy)]
pub struct Deviations {
    pub std_dev: f64,
    /// Lengthscale of the deviations, as a multiple of √d; that of the true loss is 0.25 √d.
    pub lengthscale: f64,
    /// Standard deviation of the observation noise.
    pub noise: f64,
}

impl Drawn {
    /// True loss and deviations all drawn from Gaussian processes.
    pub fn new(dim: usize, std_devs: Deviations, seed: Seed) -> Result<Self, ExperimentError> {
        let mut rng = seed.stream("problem", 0);
        let common = function(dim, 1.0, 0.25, &mut rng)?;
        Self::around(dim, &common, std_devs, &mut rng)
    }

    /// Drawn deviations around a true loss.
    pub fn around(
        dim: usize,
        common: &Function,
        std_devs: Deviations,
        rng: &mut Stream,
    ) -> Result<Self, ExperimentError> {
        let variance = std_devs.std_dev * std_devs.std_dev;
        let mut folds: Vec<Function> = Vec::new();
        for _ in 0..FOLDS {
            let (common, own) = (common.clone(), function(dim, variance, std_devs.lengthscale, rng)?);
            folds.push(Arc::new(move |x| common(x) + own(x)));
        }
        let mean = |x: &[f64]| mean(&folds, x);
        let optimum = searched(&mean, dim, rng)?;
        Ok(Self { space: Space::unit_cube(dim), folds, optimum, noise: std_devs.noise })
    }

    /// Folds that are known functions.
    pub fn of(dim: usize, folds: Vec<Function>, optimum: f64, noise: f64) -> Self {
        Self { space: Space::unit_cube(dim), folds, optimum, noise }
    }
}

/// A function drawn from a Matérn-5/2 process with about this lengthscale times √d.
pub(super) fn function(
    dim: usize,
    variance: f64,
    lengthscale: f64,
    rng: &mut Stream,
) -> Result<Function, ExperimentError> {
    let scale = lengthscale * (dim as f64).sqrt();
    let lengthscales = (0..dim).map(|_| scale * (0.7 + 0.6 * rng.uniform())).collect();
    let unit = Matern52::new(lengthscales).map_err(ExperimentError::failed)?;
    let kernel = Scaled::new(unit, variance).map_err(ExperimentError::failed)?;
    Ok(Arc::new(drawn(&kernel, rng)?))
}

pub(super) fn mean(folds: &[Function], x: &[f64]) -> f64 {
    folds.iter().map(|fold| fold(x)).sum::<f64>() / folds.len() as f64
}

impl FoldProblem for Drawn {
    fn space(&self) -> &Space {
        &self.space
    }

    fn folds(&self) -> usize {
        self.folds.len()
    }

    fn loss(&self, query: &FoldQuery, rng: &mut Stream) -> Result<Outcome, SpaceError> {
        let noise: f64 = StandardNormal.sample(rng);
        Ok((self.folds[query.fold](&point(&self.space, &query.config)?) + self.noise * noise).into())
    }

    fn regret(&self, config: &Config) -> Result<f64, SpaceError> {
        Ok((mean(&self.folds, &point(&self.space, config)?) - self.optimum).max(0.0))
    }
}
