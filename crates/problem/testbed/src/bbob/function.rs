//! The noiseless functions f1 to f24.

use std::fmt;
use std::sync::Arc;

use thrifty_space::{Config, Space, SpaceError};

use super::error::BbobError;
use super::gallagher::Peaks;
use super::shape::Shape;
use super::{ill_conditioned, instance, moderate, multimodal, separable, weakly_structured};
use crate::Problem;

/// Numbers of the noiseless functions.
const FIRST: u8 = 1;
const LAST: u8 = 24;

/// Noiseless BBOB function on [-5, 5]^d, minimised.
///
/// ```text
/// f(x) = f_opt + excess(x),   excess(x_opt) = 0
/// ```
///
/// Parameters are named `x0, x1, …`. The optimal value is a number of two digits in [-1000, 1000] that differs between functions
/// and instances. Source: `hansen2009`; the instances are those of the COCO platform (`hansen2021`).
///
/// ```
/// use thrifty_testbed::Bbob;
/// let rastrigin = Bbob::new(3, 5, 1)?;
/// assert!((rastrigin.value(rastrigin.optimizer()) - rastrigin.minimum()).abs() < 1e-9);
/// # Ok::<(), thrifty_testbed::BbobError>(())
/// ```
#[derive(Clone)]
pub struct Bbob {
    function: u8,
    instance: u32,
    space: Space,
    shape: Arc<Shape>,
    minimum: f64,
}

impl Bbob {
    /// Function 1 to 24 of `dim` variables, at least 2.
    ///
    /// # Errors
    /// [`BbobError`] when there is no such function.
    pub fn new(function: u8, dim: usize, instance: u32) -> Result<Self, BbobError> {
        if !(FIRST..=LAST).contains(&function) {
            return Err(BbobError::UnknownFunction { function, first: FIRST, last: LAST });
        }
        // Two functions share the instances of a relative.
        let family = match function {
            4 => 3,
            18 => 17,
            other => other,
        };
        let shape = |seed| shape(function, seed, dim);
        Self::of(function, dim, instance::seed(family.into(), instance), instance, shape)
    }

    /// A function by its shape at a seed.
    pub(super) fn of(
        function: u8,
        dim: usize,
        seed: u64,
        instance: u32,
        shape: impl Fn(u64) -> Shape,
    ) -> Result<Self, BbobError> {
        if dim < 2 {
            return Err(BbobError::Dimension { dim });
        }
        let space = Space::from_bounds(&vec![(-5.0, 5.0); dim])
            .unwrap_or_else(|error| unreachable!("the bounds are constants: {error}"));
        let minimum = instance::optimum(seed);
        Ok(Self { function, instance, space, shape: Arc::new(shape(seed)), minimum })
    }

    /// Number in the testbed.
    #[must_use]
    pub fn function(&self) -> u8 {
        self.function
    }

    /// Number of the instance.
    #[must_use]
    pub fn instance(&self) -> u32 {
        self.instance
    }

    /// Name in `hansen2009` or `hansen2009noisy`.
    #[must_use]
    pub fn title(&self) -> &'static str {
        title(self.function)
    }

    /// Value above the minimum.
    #[must_use]
    pub fn excess(&self, x: &[f64]) -> f64 {
        self.shape.excess(x)
    }

    /// The value at a point.
    #[must_use]
    pub fn value(&self, x: &[f64]) -> f64 {
        self.minimum + self.excess(x)
    }

    /// The smallest value.
    #[must_use]
    pub fn minimum(&self) -> f64 {
        self.minimum
    }

    /// A point of the smallest value.
    #[must_use]
    pub fn optimizer(&self) -> &[f64] {
        &self.shape.optimizer
    }

    /// The point of a configuration.
    ///
    /// # Errors
    /// [`SpaceError`] when the configuration is not of the space.
    pub fn point(&self, config: &Config) -> Result<Vec<f64>, SpaceError> {
        self.space.validate(config)?;
        (0..self.space.dim()).map(|i| config.float(&format!("x{i}"))).collect()
    }
}

/// Shape of a noiseless function.
fn shape(function: u8, seed: u64, dim: usize) -> Shape {
    match function {
        1 => separable::sphere(seed, dim),
        2 => separable::ellipsoid(seed, dim),
        3 => separable::rastrigin(seed, dim),
        4 => separable::bueche_rastrigin(seed, dim),
        5 => separable::linear_slope(seed, dim),
        6 => moderate::attractive_sector(seed, dim),
        7 => moderate::step_ellipsoid(seed, dim).penalized(1.0),
        8 => moderate::rosenbrock(seed, dim),
        9 => moderate::rotated_rosenbrock(seed, dim),
        10 => ill_conditioned::rotated_ellipsoid(seed, dim, 1e6),
        11 => ill_conditioned::discus(seed, dim),
        12 => ill_conditioned::bent_cigar(seed, dim),
        13 => ill_conditioned::sharp_ridge(seed, dim),
        14 => ill_conditioned::different_powers(seed, dim),
        15 => multimodal::rotated_rastrigin(seed, dim),
        16 => multimodal::weierstrass(seed, dim),
        17 => multimodal::schaffer(seed, dim, 10.0).penalized(10.0),
        18 => multimodal::schaffer(seed, dim, 1000.0).penalized(10.0),
        19 => multimodal::griewank_rosenbrock(seed, dim, 10.0),
        20 => weakly_structured::schwefel(seed, dim),
        21 => Peaks::hundred().shape(seed, dim).penalized(1.0),
        22 => Peaks::twenty().shape(seed, dim).penalized(1.0),
        23 => weakly_structured::katsuura(seed, dim),
        _ => weakly_structured::lunacek(seed, dim),
    }
}

fn title(function: u8) -> &'static str {
    match function {
        1 | 101..=103 | 107..=109 => "sphere",
        2 => "ellipsoid",
        3 => "Rastrigin",
        4 => "Büche–Rastrigin",
        5 => "linear slope",
        6 => "attractive sector",
        7 | 113..=115 => "step ellipsoid",
        8 | 104..=106 | 110..=112 => "Rosenbrock",
        9 => "rotated Rosenbrock",
        10 | 116..=118 => "rotated ellipsoid",
        11 => "discus",
        12 => "bent cigar",
        13 => "sharp ridge",
        14 | 119..=121 => "different powers",
        15 => "rotated Rastrigin",
        16 => "Weierstrass",
        17 | 122..=124 => "Schaffer F7",
        18 => "ill-conditioned Schaffer F7",
        19 | 125..=127 => "Griewank–Rosenbrock",
        20 => "Schwefel",
        21 | 128..=130 => "Gallagher, 101 peaks",
        22 => "Gallagher, 21 peaks",
        23 => "Katsuura",
        _ => "Lunacek bi-Rastrigin",
    }
}

impl fmt::Debug for Bbob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bbob")
            .field("function", &self.function)
            .field("dim", &self.space.dim())
            .field("instance", &self.instance)
            .finish_non_exhaustive()
    }
}

impl Problem for Bbob {
    fn name(&self) -> String {
        format!("BBOB f{}, d = {}, instance {}", self.function, self.space.dim(), self.instance)
    }

    fn space(&self) -> &Space {
        &self.space
    }

    fn optimum(&self) -> f64 {
        self.minimum
    }

    fn truth(&self, config: &Config) -> Result<f64, SpaceError> {
        Ok(self.value(&self.point(config)?))
    }

    /// Value above the minimum, without the rounding of a difference.
    fn regret(&self, config: &Config) -> Result<f64, SpaceError> {
        Ok(self.excess(&self.point(config)?))
    }
}
