//! The noisy functions f101 to f130.

use thrifty_sampling::Stream;
use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::Outcome;

use super::error::BbobError;
use super::function::Bbob;
use super::gallagher::Peaks;
use super::noise::BbobNoise;
use super::shape::Shape;
use super::{ill_conditioned, instance, moderate, multimodal, separable};
use crate::Problem;

/// Numbers of the noisy functions.
const FIRST: u8 = 101;
const LAST: u8 = 130;

/// Noisy BBOB function on [-5, 5]^d; the truth has no noise.
///
/// An evaluation is a draw of its [`BbobNoise`]. Outside of the box 100 times the boundary penalty is added to the truth.
/// Source: `hansen2009noisy`; departure: the penalties of single functions are left out, as in the COCO platform (`hansen2021`).
#[derive(Debug, Clone)]
pub struct NoisyBbob {
    truth: Bbob,
    noise: BbobNoise,
}

impl NoisyBbob {
    /// Function 101 to 130 of `dim` variables, at least 2.
    ///
    /// # Errors
    /// [`BbobError`] when there is no such function.
    pub fn new(function: u8, dim: usize, instance: u32) -> Result<Self, BbobError> {
        if !(FIRST..=LAST).contains(&function) {
            return Err(BbobError::UnknownFunction { function, first: FIRST, last: LAST });
        }
        let (family, shape) = base(function);
        let seed = instance::seed(family, instance);
        let truth = Bbob::of(function, dim, seed, instance, |seed| shape(seed, dim).penalized(100.0))?;
        Ok(Self { truth, noise: BbobNoise::of(function, dim) })
    }

    /// The function without noise.
    #[must_use]
    pub fn noiseless(&self) -> &Bbob {
        &self.truth
    }

    /// Distribution of an evaluation.
    #[must_use]
    pub fn noise(&self) -> BbobNoise {
        self.noise
    }
}

/// Noiseless function whose instances are shared, and the shape.
fn base(function: u8) -> (u64, fn(u64, usize) -> Shape) {
    match function {
        101..=103 | 107..=109 => (1, separable::sphere),
        104..=106 | 110..=112 => (8, moderate::rosenbrock),
        113..=115 => (7, moderate::step_ellipsoid),
        116..=118 => (10, |seed, dim| ill_conditioned::rotated_ellipsoid(seed, dim, 1e4)),
        119..=121 => (14, ill_conditioned::different_powers),
        122..=124 => (17, |seed, dim| multimodal::schaffer(seed, dim, 10.0)),
        125..=127 => (19, |seed, dim| multimodal::griewank_rosenbrock(seed, dim, 1.0)),
        _ => (21, |seed, dim| Peaks::hundred().shape(seed, dim)),
    }
}

impl Problem for NoisyBbob {
    fn name(&self) -> String {
        self.truth.name()
    }

    fn space(&self) -> &Space {
        self.truth.space()
    }

    fn optimum(&self) -> f64 {
        self.truth.optimum()
    }

    fn truth(&self, config: &Config) -> Result<f64, SpaceError> {
        self.truth.truth(config)
    }

    fn evaluate(&self, config: &Config, rng: &mut Stream) -> Outcome {
        match self.truth.regret(config) {
            Ok(excess) => Outcome::from(self.optimum() + self.noise.sample(excess, rng)).checked(),
            Err(error) => Outcome::failed(error.to_string()),
        }
    }

    fn regret(&self, config: &Config) -> Result<f64, SpaceError> {
        self.truth.regret(config)
    }
}
