//! Development problems: a function on the unit cube, its minimum and the noise of its evaluations.

use rand_distr::{Distribution, StandardNormal};
use thrifty_optim::Lbfgsb;
use thrifty_sampling::{Sobol, Stream};
use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::Outcome;
use thrifty_testbed::Problem;

use crate::error::ExperimentError;
use crate::harness::stats::quantile;

/// A function on the unit cube with a minimum that is known, or found by a long search.
pub struct Development {
    pub(super) name: String,
    pub(super) space: Space,
    pub(super) function: Box<dyn Fn(&[f64]) -> f64 + Send + Sync>,
    pub(super) optimum: f64,
    pub(super) noise: Noise,
}

/// Noise of evaluations, in the units of a draw of standard deviation 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Noise {
    /// Normal noise with this standard deviation; none if it is 0.
    Normal(f64),
    /// Student-t noise with two degrees of freedom, whose variance is infinite, on this scale.
    HeavyTails(f64),
    /// Normal noise with this standard deviation, and a standard deviation of 10 in one evaluation of twenty.
    Outliers(f64),
}

impl Noise {
    fn draw(self, rng: &mut Stream) -> f64 {
        let z: f64 = StandardNormal.sample(rng);
        match self {
            Self::Normal(std_dev) => std_dev * z,
            // The square root of an exponential number is that of half a chi-squared one with two degrees of freedom.
            Self::HeavyTails(scale) => scale * z / (-(1.0 - rng.uniform()).ln()).sqrt(),
            Self::Outliers(std_dev) => {
                if rng.uniform() < 0.05 {
                    10.0 * z
                } else {
                    std_dev * z
                }
            }
        }
    }
}

impl Development {
    /// A function on the unit cube with its minimum.
    pub fn new(
        name: &str,
        dim: usize,
        function: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
        optimum: f64,
    ) -> Self {
        let (name, space) = (name.to_owned(), Space::unit_cube(dim));
        Self { name, space, function: Box::new(function), optimum, noise: Noise::Normal(0.0) }
    }

    /// Replaces the noise.
    pub fn set_noise(&mut self, noise: Noise) {
        self.noise = noise;
    }

    /// The local minimum below a configuration.
    pub fn descended(&self, config: &Config) -> Result<f64, ExperimentError> {
        descended(&self.function, &self.space.encode(config)?)
    }

    /// Difference between the median of 1,024 Sobol points and the minimum.
    pub fn spread(&self, rng: &mut Stream) -> f64 {
        let points = Sobol::scrambled(self.space.dim(), rng).take(1024);
        let values: Vec<f64> = points.rows().map(|point| (self.function)(point)).collect();
        quantile(&values, 0.5) - self.optimum
    }
}

impl Problem for Development {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn space(&self) -> &Space {
        &self.space
    }

    fn optimum(&self) -> f64 {
        self.optimum
    }

    fn truth(&self, config: &Config) -> Result<f64, SpaceError> {
        let x =
            (0..self.space.dim()).map(|d| config.float(&format!("x{d}"))).collect::<Result<Vec<f64>, _>>()?;
        Ok((self.function)(&x))
    }

    fn evaluate(&self, config: &Config, rng: &mut Stream) -> Outcome {
        let noise = self.noise.draw(rng);
        match self.truth(config) {
            Ok(value) => Outcome::from(value + noise),
            Err(error) => Outcome::failed(error.to_string()),
        }
    }
}

/// The least value of a long search: 4096 Sobol points, the best 20 of them descended.
pub fn searched(f: &dyn Fn(&[f64]) -> f64, dim: usize, rng: &mut Stream) -> Result<f64, ExperimentError> {
    let points = Sobol::scrambled(dim, rng).take(4096);
    let mut ranked: Vec<(f64, &[f64])> = points.rows().map(|p| (f(p), p)).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut best = ranked[0].0;
    for (_, start) in ranked.iter().take(20) {
        best = best.min(descended(f, start)?);
    }
    Ok(best)
}

/// The local minimum below a point, by L-BFGS-B with central differences.
fn descended(f: &dyn Fn(&[f64]) -> f64, start: &[f64]) -> Result<f64, ExperimentError> {
    let by_differences = |x: &[f64], gradient: &mut [f64]| {
        for d in 0..x.len() {
            let (mut up, mut down) = (x.to_vec(), x.to_vec());
            (up[d], down[d]) = (x[d] + 1e-6, x[d] - 1e-6);
            gradient[d] = (f(&up) - f(&down)) / 2e-6;
        }
        f(x)
    };
    let found = Lbfgsb::default()
        .minimize(by_differences, start, &vec![(0.0, 1.0); start.len()])
        .map_err(ExperimentError::failed)?;
    Ok(found.value)
}
