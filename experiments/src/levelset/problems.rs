//! Problems on a grid, with the process that a model is given.

use thrifty_bo::KernelFamily;
use thrifty_domain::PointsRef;
use thrifty_levelset::FixedGp;
use thrifty_sampling::Seed;
use thrifty_testbed::{LevelSetProblem, Spectrum};

use crate::error::ExperimentError;
use crate::harness::stats::mean_and_std_dev;

/// Points along each axis of what is classified.
pub const SIDE: usize = 30;
/// Variance of the noise, on the standardised scale.
const NOISE: f64 = 1e-4;

/// A problem in two dimensions, with the lengthscale of the known process.
#[derive(Clone, Copy)]
pub struct Case {
    pub name: &'static str,
    make: fn(Seed) -> LevelSetProblem,
    /// On the unit square, of the Matérn-5/2 kernel.
    pub lengthscale: f64,
    /// Draws have mean 0 and variance 1, which a model may be given; else those of the grid, and twice the variance.
    draw: bool,
}

const fn case(name: &'static str, make: fn(Seed) -> LevelSetProblem, lengthscale: f64) -> Case {
    Case { name, make, lengthscale, draw: false }
}

const fn drawn(name: &'static str, make: fn(Seed) -> LevelSetProblem, lengthscale: f64) -> Case {
    Case { name, make, lengthscale, draw: true }
}

fn matern(twice_smoothness: u32, seed: Seed) -> LevelSetProblem {
    LevelSetProblem::draw(Spectrum::Matern { twice_smoothness }, &[0.25; 2], seed)
}

pub const CASES: [Case; 9] = [
    case("Branin > 80", |_| LevelSetProblem::branin(), 0.35),
    case("Himmelblau > 100", |_| LevelSetProblem::himmelblau(), 0.3),
    case("DeathValley2", |_| LevelSetProblem::death_valley2(), 0.5),
    case("Rosenbrock > 100", |_| LevelSetProblem::rosenbrock(), 0.5),
    case("Goldstein-Price > 1000", |_| LevelSetProblem::goldstein_price(), 0.3),
    drawn("Matérn-5/2 draw", |seed| matern(5, seed), 0.25),
    drawn(
        "squared exponential draw",
        |seed| LevelSetProblem::draw(Spectrum::SquaredExponential, &[0.25; 2], seed),
        0.25,
    ),
    drawn("Matérn-1/2 draw", |seed| matern(1, seed), 0.25),
    case("lake", LevelSetProblem::lake, 0.2),
];

/// A problem on its grid: the truth, and the process that is taken for known.
pub struct Field {
    pub problem: LevelSetProblem,
    pub model: FixedGp,
    pub values: Vec<f64>,
    pub truth: Vec<bool>,
    /// Noise variance of an observation.
    pub noise: f64,
}

impl Case {
    /// The problem; draws and lakes are of the seed.
    pub fn problem(&self, seed: Seed) -> LevelSetProblem {
        (self.make)(seed)
    }

    /// At the points of a grid on the unit cube.
    pub fn field(&self, seed: Seed, grid: PointsRef<'_>) -> Result<Field, ExperimentError> {
        let problem = self.problem(seed);
        let values = grid
            .rows()
            .map(|x| Ok(problem.truth(&problem.space().decode(x))?))
            .collect::<Result<Vec<f64>, ExperimentError>>()?;
        let (mean, scale) = if self.draw { (0.0, 1.0) } else { mean_and_std_dev(&values) };
        let variance = scale * scale;
        let model = FixedGp {
            family: KernelFamily::Matern52,
            lengthscales: vec![self.lengthscale; 2],
            variance: if self.draw { 1.0 } else { 2.0 * variance },
            mean,
            noise_variance: NOISE * variance,
        };
        let truth = values.iter().map(|value| *value > problem.threshold()).collect();
        Ok(Field { problem, noise: (NOISE * variance).sqrt(), model, values, truth })
    }
}
