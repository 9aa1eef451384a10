use rand_distr::{Distribution, StandardNormal};
use thrifty_cv::FoldQuery;
use thrifty_kernel::{Matern52, Scaled};
use thrifty_sampling::{Seed, Stream};
use thrifty_space::{Config, Space, SpaceError};

use crate::bo::problems::{drawn, searched};
use crate::error::ExperimentError;

type Function = Box<dyn Fn(&[f64]) -> f64 + Send + Sync>;

/// A true loss and folds around it, all drawn from Gaussian processes on the unit cube.
pub struct Drawn {
    pub space: Space,
    folds: Vec<Function>,
    /// Least mean over the folds.
    optimum: f64,
    noise: f64,
}

/// Folds, and how their deviations compare with the true loss of deviation 1.
pub const FOLDS: usize = 10;
const DEVIATION: f64 = 0.5;
const NOISE: f64 = 0.05;

impl Drawn {
    /// A draw of so many dimensions.
    pub fn new(dim: usize, seed: Seed) -> Result<Self, ExperimentError> {
        let mut rng = seed.stream("problem", 0);
        let function = |variance: f64, lengthscale: f64, rng: &mut Stream| {
            let lengthscales = (0..dim).map(|_| lengthscale * (0.7 + 0.6 * rng.uniform())).collect();
            let unit = Matern52::new(lengthscales).map_err(ExperimentError::failed)?;
            drawn(&Scaled::new(unit, variance).map_err(ExperimentError::failed)?, rng)
        };
        let common = std::sync::Arc::new(function(1.0, 0.25 * (dim as f64).sqrt(), &mut rng)?);
        let mut folds: Vec<Function> = Vec::new();
        for _ in 0..FOLDS {
            let (common, own) =
                (common.clone(), function(DEVIATION * DEVIATION, 0.6 * (dim as f64).sqrt(), &mut rng)?);
            folds.push(Box::new(move |x| common(x) + own(x)));
        }
        let mean = |x: &[f64]| folds.iter().map(|fold| fold(x)).sum::<f64>() / FOLDS as f64;
        let optimum = searched(&mean, dim, &mut rng)?;
        Ok(Self { space: Space::unit_cube(dim), folds, optimum, noise: NOISE })
    }

    fn point(&self, config: &Config) -> Result<Vec<f64>, SpaceError> {
        (0..self.space.dim()).map(|d| config.float(&format!("x{d}"))).collect()
    }

    /// How far the mean over all folds is above its least value.
    pub fn regret(&self, config: &Config) -> Result<f64, SpaceError> {
        let x = self.point(config)?;
        let mean = self.folds.iter().map(|fold| fold(&x)).sum::<f64>() / FOLDS as f64;
        Ok((mean - self.optimum).max(0.0))
    }

    /// One model fit.
    pub fn loss(&self, query: &FoldQuery, rng: &mut Stream) -> Result<f64, SpaceError> {
        let noise: f64 = StandardNormal.sample(rng);
        Ok(self.folds[query.fold % FOLDS](&self.point(&query.config)?) + self.noise * noise)
    }
}
