//! Test functions with known optima.

use thrifty_space::{Config, Space, SpaceError};

use crate::Problem;
use crate::functions as f;

/// A function of d numbers in a box, minimised, with its optimum to 1e-12.
///
/// Parameters are named `x0, x1, …`.
#[derive(Debug, Clone)]
pub struct TestFunction {
    name: String,
    bounds: Vec<(f64, f64)>,
    space: Space,
    value: fn(&[f64]) -> f64,
    optimum: f64,
    optimizers: Vec<Vec<f64>>,
}

const PI: f64 = std::f64::consts::PI;
const HARTMANN3: [f64; 3] = [0.114_588_876_673_595_81, 0.555_648_894_613_973_6, 0.852_546_984_623_447_6];
pub(crate) const HARTMANN6: [f64; 6] = [
    0.201_689_511_028_065_84,
    0.150_010_691_820_334_02,
    0.476_873_974_143_041_2,
    0.275_332_430_488_582_4,
    0.311_651_616_609_474_8,
    0.657_300_534_067_675_6,
];
pub(crate) const CAMEL: [f64; 2] = [0.089_842_013_100_473_36, -0.712_656_402_950_801_3];
pub(crate) const STYBLINSKI_TANG: f64 = -2.903_534_027_771_177;

impl TestFunction {
    pub(crate) fn new(
        name: &str,
        bounds: Vec<(f64, f64)>,
        value: fn(&[f64]) -> f64,
        optimum: f64,
        optimizers: &[&[f64]],
    ) -> Self {
        let space = Space::from_bounds(&bounds)
            .unwrap_or_else(|error| unreachable!("the bounds of {name} are constants: {error}"));
        let optimizers = optimizers.iter().map(|x| x.to_vec()).collect();
        Self { name: name.into(), bounds, space, value, optimum, optimizers }
    }

    /// Branin on [-5, 10] × [0, 15]: three global minima. Source: Dixon & Szegö (1978).
    #[must_use]
    pub fn branin() -> Self {
        let optimizers: [&[f64]; 3] = [&[-PI, 12.275], &[PI, 2.275], &[3.0 * PI, 2.475]];
        Self::new("Branin", vec![(-5.0, 10.0), (0.0, 15.0)], f::branin, 10.0 / (8.0 * PI), &optimizers)
    }

    /// Hartmann in 3 dimensions on the unit cube: four minima. Source: Dixon & Szegö (1978).
    #[must_use]
    pub fn hartmann3() -> Self {
        Self::new("Hartmann3", vec![(0.0, 1.0); 3], f::hartmann3, -3.862_779_787_332_662_4, &[&HARTMANN3])
    }

    /// Hartmann in 6 dimensions on the unit cube: six minima. Source: Dixon & Szegö (1978).
    #[must_use]
    pub fn hartmann6() -> Self {
        Self::new("Hartmann6", vec![(0.0, 1.0); 6], f::hartmann6, -3.322_368_011_415_514, &[&HARTMANN6])
    }

    /// Ackley on [-32.768, 32.768]^d: a needle in an egg box. Source: Ackley (1987).
    #[must_use]
    pub fn ackley(dim: usize) -> Self {
        Self::new("Ackley", vec![(-32.768, 32.768); dim], f::ackley, 0.0, &[&vec![0.0; dim]])
    }

    /// Rosenbrock on [-5, 10]^d: a curved valley. Source: Rosenbrock (1960).
    #[must_use]
    pub fn rosenbrock(dim: usize) -> Self {
        Self::new("Rosenbrock", vec![(-5.0, 10.0); dim], f::rosenbrock, 0.0, &[&vec![1.0; dim]])
    }

    /// Forrester on [0, 1]: one local and one global minimum. Source: Forrester, Sóbester & Keane (2008).
    #[must_use]
    pub fn forrester() -> Self {
        Self::new(
            "Forrester",
            vec![(0.0, 1.0)],
            f::forrester,
            -6.020_740_055_767_083,
            &[&[0.757_248_757_699_4]],
        )
    }

    /// `-x sin x` on [0, 10]: the toy of `brofos2014`, as a minimisation.
    #[must_use]
    pub fn x_sin_x() -> Self {
        Self::new("x sin x", vec![(0.0, 10.0)], f::x_sin_x, -7.916_727_371_587_782, &[&[7.978_665_712_413_2]])
    }

    /// `WangFreitas` on [0, 1]: a wide minimum that hides a spike. Source: Wang & de Freitas (2014), as in De Ath et
    /// al. (2021).
    #[must_use]
    pub fn wang_freitas() -> Self {
        Self::new("WangFreitas", vec![(0.0, 1.0)], f::wang_freitas, -4.000_000_000_000_026, &[&[0.9]])
    }

    /// Goldstein–Price on [-2, 2]². Source: Goldstein & Price (1971).
    #[must_use]
    pub fn goldstein_price() -> Self {
        Self::new("GoldsteinPrice", vec![(-2.0, 2.0); 2], f::goldstein_price, 3.0, &[&[0.0, -1.0]])
    }

    /// Six-hump camel on [-3, 3] × [-2, 2]: two global minima. Source: Dixon & Szegö (1978).
    #[must_use]
    pub fn six_hump_camel() -> Self {
        let bounds = vec![(-3.0, 3.0), (-2.0, 2.0)];
        Self::new(
            "SixHumpCamel",
            bounds,
            f::six_hump_camel,
            -1.031_628_453_489_877_4,
            &[&CAMEL, &CAMEL.map(|v| -v)],
        )
    }

    /// Cosines on [0, 5]²: a bowl with ripples. Source: Gonzalez et al. (2016), as in De Ath et al. (2021).
    #[must_use]
    pub fn cosines() -> Self {
        Self::new("Cosines", vec![(0.0, 5.0); 2], f::cosines, -1.6, &[&[0.3125, 0.3125]])
    }

    /// Styblinski–Tang on [-5, 5]^d: 2^d minima. Source: Styblinski & Tang (1990).
    #[must_use]
    pub fn styblinski_tang(dim: usize) -> Self {
        let optimum = -39.166_165_703_771_41 * dim as f64;
        Self::new(
            "StyblinskiTang",
            vec![(-5.0, 5.0); dim],
            f::styblinski_tang,
            optimum,
            &[&vec![STYBLINSKI_TANG; dim]],
        )
    }

    /// All functions by their names at their usual dimension (2 for Ackley, Rosenbrock and Styblinski–Tang, logarithms
    /// included).
    #[must_use]
    pub fn all() -> Vec<Self> {
        vec![
            Self::branin(),
            Self::hartmann3(),
            Self::hartmann6(),
            Self::ackley(2),
            Self::rosenbrock(2),
            Self::forrester(),
            Self::x_sin_x(),
            Self::wang_freitas(),
            Self::goldstein_price(),
            Self::six_hump_camel(),
            Self::cosines(),
            Self::styblinski_tang(2),
            Self::log_goldstein_price(),
            Self::log_six_hump_camel(),
            Self::log_hartmann6(),
            Self::log_rosenbrock(2),
            Self::log_styblinski_tang(2),
        ]
    }

    /// The function with a name, upper and lower case alike.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|function| function.name.eq_ignore_ascii_case(name))
    }

    /// The value at a point of the box.
    #[must_use]
    pub fn value(&self, x: &[f64]) -> f64 {
        (self.value)(x)
    }

    /// Bounds of each variable.
    #[must_use]
    pub fn bounds(&self) -> &[(f64, f64)] {
        &self.bounds
    }

    /// The points of the smallest value.
    #[must_use]
    pub fn optimizers(&self) -> &[Vec<f64>] {
        &self.optimizers
    }

    /// The point of a configuration.
    ///
    /// # Errors
    /// [`SpaceError`] when the configuration is not of the space.
    pub fn point(&self, config: &Config) -> Result<Vec<f64>, SpaceError> {
        self.space.validate(config)?;
        (0..self.bounds.len()).map(|i| config.float(&format!("x{i}"))).collect()
    }

    /// The configuration of a point.
    #[must_use]
    pub fn config(x: &[f64]) -> Config {
        let mut config = Config::new();
        for (i, value) in x.iter().enumerate() {
            config.insert(format!("x{i}"), *value);
        }
        config
    }
}

impl Problem for TestFunction {
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
        Ok(self.value(&self.point(config)?))
    }
}
