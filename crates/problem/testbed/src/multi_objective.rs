//! Multi-objective test problems.

use thrifty_sampling::Stream;
use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::{Measurement, Outcome};

use crate::{TestFunction, losses as f};

/// Several losses of d numbers in a box, minimised together, with a published reference point and the largest
/// hypervolume up to it.
///
/// Parameters are named `x0, x1, …`. A constraint holds where it is not positive.
/// Source of reference points and volumes: `BoTorch` 0.18; some volumes are approximations by long runs of NSGA-II,
/// which can be exceeded a little, as each constructor says.
///
/// ```
/// use thrifty_testbed::MultiObjectiveFunction;
/// let problem = MultiObjectiveFunction::zdt1(6);
/// // On the front all but the first number are 0.
/// assert_eq!(problem.losses(&[0.25, 0.0, 0.0, 0.0, 0.0, 0.0]), [0.25, 0.5]);
/// ```
#[derive(Debug, Clone)]
pub struct MultiObjectiveFunction {
    name: String,
    bounds: Vec<(f64, f64)>,
    space: Space,
    losses: Losses,
    constraint: Option<fn(&[f64], &[f64]) -> f64>,
    reference: Vec<f64>,
    max_hypervolume: f64,
}

/// Formulas with a fixed number of losses, and formulas that take the number as an argument.
#[derive(Debug, Clone, Copy)]
enum Losses {
    Two(fn(&[f64]) -> [f64; 2]),
    Three(fn(&[f64]) -> [f64; 3]),
    Any(fn(&[f64], usize) -> Vec<f64>),
}

impl MultiObjectiveFunction {
    fn new(
        name: &str,
        bounds: Vec<(f64, f64)>,
        losses: Losses,
        reference: &[f64],
        max_hypervolume: f64,
    ) -> Self {
        let space = Space::from_bounds(&bounds)
            .unwrap_or_else(|error| unreachable!("the bounds of {name} are constants: {error}"));
        let reference = reference.to_vec();
        Self { name: name.into(), bounds, space, losses, constraint: None, reference, max_hypervolume }
    }

    fn unit(name: &str, dim: usize, losses: Losses, reference: &[f64], max_hypervolume: f64) -> Self {
        Self::new(name, vec![(0.0, 1.0); dim], losses, reference, max_hypervolume)
    }

    /// Branin and Currin on the unit square. The volume is that of a long run. Source: Belakaria et al. (2019).
    #[must_use]
    pub fn branin_currin() -> Self {
        Self::unit("BraninCurrin", 2, Losses::Two(f::branin_currin), &[18.0, 6.0], 59.360_118_748_677_46)
    }

    /// Branin and Currin in a disk. The volume is that of a long run. Source: Daulton et al. (2020), with the disk of
    /// Gelbart et al. (2014).
    #[must_use]
    pub fn constrained_branin_currin() -> Self {
        let volume = 608.400_423_702_267_3;
        let losses = Losses::Two(f::branin_currin);
        let free = Self::unit("ConstrainedBraninCurrin", 2, losses, &[80.0, 12.0], volume);
        Self { constraint: Some(f::disk), ..free }
    }

    /// ZDT1: a convex front at `x1 = … = 0`. Source: Zitzler, Deb & Thiele (2000).
    ///
    /// # Panics
    /// When `dim` is below 2.
    #[must_use]
    pub fn zdt1(dim: usize) -> Self {
        assert!(dim >= 2, "ZDT1 of {dim} numbers, expected at least 2");
        Self::unit("ZDT1", dim, Losses::Two(f::zdt1), &[11.0; 2], 120.0 + 2.0 / 3.0)
    }

    /// ZDT2: a concave front at `x1 = … = 0`. Source: Zitzler, Deb & Thiele (2000).
    ///
    /// # Panics
    /// When `dim` is below 2.
    #[must_use]
    pub fn zdt2(dim: usize) -> Self {
        assert!(dim >= 2, "ZDT2 of {dim} numbers, expected at least 2");
        Self::unit("ZDT2", dim, Losses::Two(f::zdt2), &[11.0; 2], 120.0 + 1.0 / 3.0)
    }

    /// ZDT3: a front in five pieces at `x1 = … = 0`. Source: Zitzler, Deb & Thiele (2000), where the second loss is
    /// multiplied by g; `BoTorch` leaves that out, which changes the losses beside the front alone.
    ///
    /// # Panics
    /// When `dim` is below 2.
    #[must_use]
    pub fn zdt3(dim: usize) -> Self {
        assert!(dim >= 2, "ZDT3 of {dim} numbers, expected at least 2");
        Self::unit("ZDT3", dim, Losses::Two(f::zdt3), &[11.0; 2], 128.778_116_130_690_76)
    }

    /// DTLZ2 with m losses: the part of the unit sphere with positive coordinates. Source: Deb et al. (2005).
    ///
    /// ```text
    /// largest hypervolume = 1.1^m - V_m/2^m,   V_m the volume of the unit ball
    /// ```
    ///
    /// # Panics
    /// When there are fewer than 2 losses or fewer numbers than losses.
    #[must_use]
    pub fn dtlz2(dim: usize, objectives: usize) -> Self {
        assert!((2..=dim).contains(&objectives), "DTLZ2 with {objectives} losses of {dim} numbers");
        let volume = 1.1_f64.powi(objectives as i32) - f::ball(objectives) / (objectives as f64).exp2();
        Self::unit("DTLZ2", dim, Losses::Any(f::dtlz2), &vec![1.1; objectives], volume)
    }

    /// C2-DTLZ2 with two losses: DTLZ2 in balls around its corners and its middle. The volume is that of a long run.
    /// Source: Jain & Deb (2014), radius 0.2 as in `BoTorch`.
    ///
    /// # Panics
    /// When `dim` is below 2.
    #[must_use]
    pub fn c2_dtlz2(dim: usize) -> Self {
        let free = Self::dtlz2(dim, 2);
        let max_hypervolume = 0.399_640_630_372_354_4;
        Self { name: "C2-DTLZ2".into(), constraint: Some(f::corners_and_middle), max_hypervolume, ..free }
    }

    /// Mass, acceleration and intrusion of a car that crashes. The volume is that of a published front, which can be
    /// exceeded. Source: Liao et al. (2008), as RE3-5-4 in Tanabe & Ishibuchi (2020).
    #[must_use]
    pub fn vehicle_safety() -> Self {
        let reference = [1_864.720_22, 11.819_939_45, 0.290_399_938_4];
        let losses = Losses::Three(f::vehicle_safety);
        Self::new("VehicleSafety", vec![(1.0, 3.0); 5], losses, &reference, 246.816_070_811_870_02)
    }

    /// A protocol for oblivious transfer: less its rate, what reconciliation reveals, seconds, by the logarithms of waiting
    /// time (ns) and pairs, the share tested and the gap to capacity. A wait ruins the adversary's memory and costs time.
    /// The volume is that of a front of 38,168 points, a lower bound. Source: as [`LevelSetProblem`](crate::LevelSetProblem).
    #[must_use]
    pub fn caligo() -> Self {
        let bounds = vec![(5.0, 8.0), (4.0, 6.0), (0.01, 0.5), (0.0, 0.3)];
        let losses = Losses::Three(crate::caligo::trade_offs);
        Self::new("CaligoMO", bounds, losses, &[0.0, 3.0, 12.0], 5.977_531_612_993_929)
    }

    /// One of each: ZDT of 6 numbers, DTLZ2 of 6 numbers and 2 losses, C2-DTLZ2 of 4 numbers.
    #[must_use]
    pub fn all() -> Vec<Self> {
        vec![
            Self::branin_currin(),
            Self::zdt1(6),
            Self::zdt2(6),
            Self::zdt3(6),
            Self::dtlz2(6, 2),
            Self::vehicle_safety(),
            Self::c2_dtlz2(4),
            Self::constrained_branin_currin(),
            Self::caligo(),
        ]
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Search space.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Bounds of each variable.
    #[must_use]
    pub fn bounds(&self) -> &[(f64, f64)] {
        &self.bounds
    }

    /// Number of losses.
    #[must_use]
    pub fn objectives(&self) -> usize {
        self.reference.len()
    }

    /// The published reference point.
    #[must_use]
    pub fn reference(&self) -> &[f64] {
        &self.reference
    }

    /// The largest hypervolume up to the reference point.
    #[must_use]
    pub fn max_hypervolume(&self) -> f64 {
        self.max_hypervolume
    }

    /// The losses at a point of the box.
    #[must_use]
    pub fn losses(&self, x: &[f64]) -> Vec<f64> {
        match self.losses {
            Losses::Two(losses) => losses(x).to_vec(),
            Losses::Three(losses) => losses(x).to_vec(),
            Losses::Any(losses) => losses(x, self.objectives()),
        }
    }

    /// The constraint at a point of the box, if the problem has one: feasible where not positive.
    #[must_use]
    pub fn constraint(&self, x: &[f64]) -> Option<f64> {
        self.constraint.map(|constraint| constraint(x, &self.losses(x)))
    }

    /// True objectives and constraints of a configuration.
    ///
    /// # Errors
    /// [`SpaceError`] when the configuration is not of the space.
    pub fn truth(&self, config: &Config) -> Result<Measurement, SpaceError> {
        self.space.validate(config)?;
        let x: Vec<f64> =
            (0..self.bounds.len()).map(|i| config.float(&format!("x{i}"))).collect::<Result<_, _>>()?;
        let constraints = self.constraint(&x).into_iter().collect();
        Ok(Measurement { objectives: self.losses(&x), constraints, ..Measurement::default() })
    }

    /// Outcome of an evaluation, which is the true value.
    pub fn evaluate(&self, config: &Config, _rng: &mut Stream) -> Outcome {
        match self.truth(config) {
            Ok(measurement) => Outcome::from(measurement),
            Err(error) => Outcome::failed(error.to_string()),
        }
    }

    /// The configuration of a point.
    #[must_use]
    pub fn config(x: &[f64]) -> Config {
        TestFunction::config(x)
    }
}
