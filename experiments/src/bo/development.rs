//! Development problems: a function of encoded configurations, its minimum and the noise of its evaluations.

use rand_distr::{Distribution, StandardNormal};
use thrifty_optim::{Lbfgsb, Minimum};
use thrifty_sampling::{Sobol, Stream};
use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::{Measurement, Outcome};
use thrifty_testbed::{Problem, TestFunction};

use crate::error::ExperimentError;
use crate::harness::stats::quantile;

/// A function of encoded configurations with a minimum that is known, or found by a long search. Most are on the unit cube.
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
    /// Normal noise with one standard deviation, and in one evaluation of twenty with another one.
    Outliers { std_dev: f64, far: f64 },
    /// Normal noise whose standard deviation grows along the first parameter, by equal factors, and whose variance is reported with each
    /// evaluation.
    Reported { low: f64, high: f64 },
}

/// Noise in shares of the range of a function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Share {
    /// [`Noise::Normal`] with this standard deviation.
    Even(f64),
    /// Growing along the first parameter, and reported: [`Noise::Reported`].
    Reported { low: f64, high: f64 },
    /// [`Noise::HeavyTails`] on this scale.
    HeavyTails(f64),
    /// [`Noise::Outliers`] with this standard deviation, and twice the range in one evaluation of twenty.
    Outliers(f64),
}

impl Share {
    pub fn label(self) -> String {
        let percent = |share: f64| format!("{}", (1e3 * share).round() / 10.0);
        match self {
            Self::Even(share) => format!("noise {} %", percent(share)),
            Self::Reported { low, high } => {
                format!("reported noise {} to {} %", percent(low), percent(high))
            }
            Self::HeavyTails(share) => format!("Student-t noise {} %", percent(share)),
            Self::Outliers(share) => format!("outliers and noise {} %", percent(share)),
        }
    }

    pub fn of(self, range: f64) -> Noise {
        match self {
            Self::Even(share) => Noise::Normal(range * share),
            Self::Reported { low, high } => Noise::Reported { low: range * low, high: range * high },
            Self::HeavyTails(share) => Noise::HeavyTails(range * share),
            Self::Outliers(share) => Noise::Outliers { std_dev: range * share, far: 2.0 * range },
        }
    }
}

impl Noise {
    /// The variance that is reported where the first parameter has this value, if one is.
    fn reported_variance(self, first: f64) -> Option<f64> {
        let Self::Reported { low, high } = self else { return None };
        Some((low * (high / low).powf(first)).powi(2))
    }

    fn draw(self, first: f64, rng: &mut Stream) -> f64 {
        let z: f64 = StandardNormal.sample(rng);
        match self {
            Self::Normal(std_dev) => std_dev * z,
            Self::Reported { .. } => self.reported_variance(first).unwrap_or(0.0).sqrt() * z,
            // The square root of an exponential number is that of half a chi-squared one with two degrees of freedom.
            Self::HeavyTails(scale) => scale * z / (-(1.0 - rng.uniform()).ln()).sqrt(),
            Self::Outliers { std_dev, far } => {
                if rng.uniform() < 0.05 {
                    far * z
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

    /// A published function, its box scaled to the unit cube.
    pub fn published(name: &str, function: &TestFunction) -> Self {
        let (function, optimum, dim) = (function.clone(), function.optimum(), function.bounds().len());
        let scaled = move |u: &[f64]| {
            let sides = function.bounds().iter();
            let x: Vec<f64> = sides.zip(u).map(|((low, high), u)| low + (high - low) * u).collect();
            function.value(&x)
        };
        Self::new(name, dim, scaled, optimum)
    }

    /// Replaces the noise.
    pub fn set_noise(&mut self, noise: Noise) {
        self.noise = noise;
    }

    /// The local minimum below a configuration.
    pub fn descended(&self, config: &Config) -> Result<f64, ExperimentError> {
        Ok(descended(&self.function, &self.space.encode(config)?)?.value)
    }

    /// Difference between the largest value of a long search and the minimum.
    pub fn range(&self, rng: &mut Stream) -> Result<f64, ExperimentError> {
        let negated = |x: &[f64]| -(self.function)(x);
        Ok(-searched(&negated, self.space.dim(), rng)? - self.optimum)
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
        Ok((self.function)(&self.space.encode(config)?))
    }

    fn evaluate(&self, config: &Config, rng: &mut Stream) -> Outcome {
        let measured = self.space.encode(config).map(|x| {
            let noise = self.noise.draw(x[0], rng);
            let noise_variance = self.noise.reported_variance(x[0]);
            Measurement { noise_variance, ..Measurement::from((self.function)(&x) + noise) }
        });
        measured.map_or_else(|error| Outcome::failed(error.to_string()), Outcome::from)
    }
}

/// The least value of a long search: 4096 Sobol points, the best 20 of them descended.
pub fn searched(f: &dyn Fn(&[f64]) -> f64, dim: usize, rng: &mut Stream) -> Result<f64, ExperimentError> {
    let points = Sobol::scrambled(dim, rng).take(4096);
    let mut ranked: Vec<(f64, &[f64])> = points.rows().map(|p| (f(p), p)).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut best = ranked[0].0;
    for (_, start) in ranked.iter().take(20) {
        best = best.min(descended(f, start)?.value);
    }
    Ok(best)
}

/// The local minimum below a point, by L-BFGS-B with central differences.
pub(super) fn descended(f: &dyn Fn(&[f64]) -> f64, start: &[f64]) -> Result<Minimum, ExperimentError> {
    let by_differences = |x: &[f64], gradient: &mut [f64]| {
        for d in 0..x.len() {
            let (mut up, mut down) = (x.to_vec(), x.to_vec());
            (up[d], down[d]) = (x[d] + 1e-6, x[d] - 1e-6);
            gradient[d] = (f(&up) - f(&down)) / 2e-6;
        }
        f(x)
    };
    Lbfgsb::default()
        .minimize(by_differences, start, &vec![(0.0, 1.0); start.len()])
        .map_err(ExperimentError::failed)
}

#[cfg(test)]
mod tests {
    use thrifty_sampling::Seed;

    use super::*;

    /// The spread of evaluations is what they report: 0.01 at one end, 0.5 at the other, and their geometric mean between.
    #[test]
    fn reported_variances_are_those_of_the_noise() {
        let mut problem = Development::new("flat", 1, |_| 3.0, 3.0);
        problem.set_noise(Noise::Reported { low: 0.01, high: 0.5 });
        let mut rng = Seed(1).stream("noise", 0);
        for (x, expected) in [(0.0, 1e-4), (0.5, 5e-3), (1.0, 0.25)] {
            let config = problem.space.decode(&[x]);
            let count = 4000;
            let mut sum = 0.0;
            for _ in 0..count {
                let outcome = problem.evaluate(&config, &mut rng);
                let measured = outcome.measurement().unwrap();
                assert!((measured.noise_variance.unwrap() / expected - 1.0).abs() < 1e-12);
                sum += (measured.objectives[0] - 3.0).powi(2);
            }
            assert!((sum / f64::from(count) / expected - 1.0).abs() < 0.15, "{x}");
        }
        problem.set_noise(Noise::Normal(0.1));
        let outcome = problem.evaluate(&problem.space.decode(&[0.5]), &mut rng);
        assert_eq!(outcome.measurement().unwrap().noise_variance, None);
    }

    #[test]
    fn the_range_is_from_the_least_to_the_largest_value() {
        let problem = Development::new("bowl", 1, |x| (x[0] - 0.3).powi(2) - 1.0, -1.0);
        let range = problem.range(&mut Seed(1).stream("range", 0)).unwrap();
        assert!((range - 0.49).abs() < 1e-9, "{range}");
    }
}
