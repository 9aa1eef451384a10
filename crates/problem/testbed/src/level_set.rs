//! Level-set problems with known truth.

use std::fmt;
use std::sync::Arc;

use thrifty_sampling::{Seed, Stream};
use thrifty_space::{Config, Space, SpaceBuilder, SpaceError};
use thrifty_study::Outcome;

use crate::caligo::{Protocol, Yield, valley2_of, valley4, valley4_clipped};
use crate::functions as f;
use crate::{RandomFunction, Spectrum};

type Response = dyn Fn(&Config) -> Result<f64, SpaceError> + Send + Sync;

/// A function and a threshold; the task is to find the set where the function exceeds it.
///
/// The death valleys and `Caligo9` are of a protocol for oblivious transfer, above where it is secure; each has a signed
/// margin, and the response that a run returns, which is cut off below at 0 and rounded down (`clipped`). Published
/// definitions, with simple models of decoder and latency.
///
/// ```
/// use thrifty_testbed::LevelSetProblem;
/// let valley = LevelSetProblem::death_valley2();
/// let config = valley.space().decode(&[0.0, 0.0]);
/// assert!(valley.is_above(&config)?); // few errors, and an adversary that remembers half
/// # Ok::<(), thrifty_space::SpaceError>(())
/// ```
#[derive(Clone)]
pub struct LevelSetProblem {
    name: String,
    space: Space,
    threshold: f64,
    response: Arc<Response>,
}

impl fmt::Debug for LevelSetProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LevelSetProblem")
            .field("name", &self.name)
            .field("space", &self.space)
            .field("threshold", &self.threshold)
            .finish_non_exhaustive()
    }
}

fn valley4_space() -> SpaceBuilder {
    let valley = Space::builder().log_float("n", 512.0, 8192.0).float("Q", 0.01, 0.15);
    valley.float("r", 0.5, 0.99).float("R", 0.3, 0.9)
}

fn caligo9_space() -> SpaceBuilder {
    Space::builder()
        .float("r", 0.0, 1.0)
        .log_float("nu", 1e-3, 1.0)
        .log_float("wait", 1e5, 1e9)
        .float("weight", 0.501, 1.0)
        .log_float("efficiency", 1e-3, 1.0)
        .float("detector_error", 0.0, 0.1)
        .log_float("dark", 1e-8, 1e-3)
        .log_float("pairs", 1e4, 1e6)
        .categorical("reconciliation", ["baseline", "blind"])
}

fn protocol(config: &Config) -> Result<Yield, SpaceError> {
    let protocol = Protocol {
        r: config.float("r")?,
        storage: config.float("nu")?,
        wait: config.float("wait")?,
        weight: config.float("weight")?,
        efficiency: config.float("efficiency")?,
        detector_error: config.float("detector_error")?,
        dark: config.float("dark")?,
        pairs: config.float("pairs")?,
        blind: config.str("reconciliation")? == "blind",
    };
    Ok(protocol.evaluate())
}

impl LevelSetProblem {
    /// Any response over a space, with its threshold.
    pub fn new(
        name: &str,
        space: Space,
        threshold: f64,
        response: impl Fn(&Config) -> Result<f64, SpaceError> + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), space, threshold, response: Arc::new(response) }
    }

    /// A formula of the numbers in a box.
    fn in_box(name: &str, bounds: &[(f64, f64)], threshold: f64, value: fn(&[f64]) -> f64) -> Self {
        let space = Space::from_bounds(bounds)
            .unwrap_or_else(|error| unreachable!("the bounds of {name} are constants: {error}"));
        Self::new(name, space, threshold, move |config| Ok(value(&coordinates(config)?)))
    }

    fn on(
        name: &str,
        space: SpaceBuilder,
        threshold: f64,
        response: impl Fn(&Config) -> Result<f64, SpaceError> + Send + Sync + 'static,
    ) -> Self {
        let space =
            space.build().unwrap_or_else(|error| unreachable!("the space of {name} is constant: {error}"));
        Self::new(name, space, threshold, response)
    }

    /// Error rate `Q` and quality `r` of the adversary's memory at 4,096 bits and the best code: 20.6 % above.
    #[must_use]
    pub fn death_valley2() -> Self {
        Self::death_valley2_of(4096.0)
    }

    /// Problem of [`LevelSetProblem::death_valley2`] for another number of bits.
    #[must_use]
    pub fn death_valley2_of(bits: f64) -> Self {
        let space = Space::builder().float("Q", 0.01, 0.15).float("r", 0.5, 0.99);
        Self::on("DeathValley2", space, 0.0, move |config| {
            Ok(valley2_of(bits, config.float("Q")?, config.float("r")?))
        })
    }

    /// Bits `n`, `Q`, `r` and the code's rate `R`: the lesser of two margins, 3.3 % above.
    #[must_use]
    pub fn death_valley4() -> Self {
        Self::on("DeathValley4", valley4_space(), 0.0, |config| {
            let of = |name| config.float(name);
            Ok(valley4(of("n")?, of("Q")?, of("r")?, of("R")?))
        })
    }

    /// Problem of [`LevelSetProblem::death_valley4`] with the rate of an actual run: secure bits per bit, 0 in the
    /// valley.
    #[must_use]
    pub fn death_valley4_clipped() -> Self {
        Self::on("DeathValley4 clipped", valley4_space(), 0.0, |config| {
            let of = |name| config.float(name);
            Ok(valley4_clipped(of("n")?, of("Q")?, of("r")?, of("R")?))
        })
    }

    /// Eight numbers and a choice, a whole protocol: secure bits a pair, 4.8 % above, nearly all of it
    /// with blind reconciliation.
    #[must_use]
    pub fn caligo9() -> Self {
        Self::on("Caligo9", caligo9_space(), 0.0, |config| Ok(protocol(config)?.margin))
    }

    /// Problem of [`LevelSetProblem::caligo9`] with the rate of an actual run: whole secure bits, never negative.
    #[must_use]
    pub fn caligo9_clipped() -> Self {
        Self::on("Caligo9 clipped", caligo9_space(), 0.0, |config| Ok(protocol(config)?.clipped))
    }

    /// Branin's function above 80.
    #[must_use]
    pub fn branin() -> Self {
        Self::in_box("Branin > 80", &[(-5.0, 10.0), (0.0, 15.0)], 80.0, f::branin)
    }

    /// Himmelblau's function above 100: four basins below.
    #[must_use]
    pub fn himmelblau() -> Self {
        Self::in_box("Himmelblau > 100", &[(-5.0, 5.0); 2], 100.0, f::himmelblau)
    }

    /// Rosenbrock's function above 100 on [-2, 2] × [-1, 3]: a bent valley below.
    #[must_use]
    pub fn rosenbrock() -> Self {
        Self::in_box("Rosenbrock > 100", &[(-2.0, 2.0), (-1.0, 3.0)], 100.0, f::rosenbrock)
    }

    /// The logarithm of Goldstein and Price's function above that of 1,000.
    #[must_use]
    pub fn goldstein_price() -> Self {
        let threshold = 1000.0_f64.ln();
        Self::in_box("Goldstein-Price > 1000", &[(-2.0, 2.0); 2], threshold, f::log_goldstein_price)
    }

    /// A draw from a process on the unit cube, above its mean and half a standard deviation.
    #[must_use]
    pub fn draw(spectrum: Spectrum, lengthscales: &[f64], seed: Seed) -> Self {
        let drawn = RandomFunction::draw(spectrum, lengthscales, &mut seed.stream("level-set draw", 0));
        let name = match spectrum {
            Spectrum::SquaredExponential => "squared exponential draw".into(),
            Spectrum::Matern { twice_smoothness } => format!("Matérn-{twice_smoothness}/2 draw"),
        };
        Self::new(&name, Space::unit_cube(lengthscales.len()), 0.5, move |config| {
            Ok(drawn.value(&coordinates(config)?))
        })
    }

    /// A made-up lake along `x0` and over depth `x1`, both in [0, 1]: a layer of algae at a depth that wavers, in patches,
    /// above 0.5. Measured lakes are not in this repository.
    #[must_use]
    pub fn lake(seed: Seed) -> Self {
        let matern = Spectrum::Matern { twice_smoothness: 5 };
        let patches = RandomFunction::draw(matern, &[0.15, 0.1], &mut seed.stream("lake", 0));
        Self::new("lake", Space::unit_cube(2), 0.5, move |config| {
            let x = coordinates(config)?;
            let depth = 0.4 + 0.1 * (5.0 * x[0]).sin();
            let width = 0.12 + 0.05 * (3.0 * x[0]).cos();
            Ok((-((x[1] - depth) / width).powi(2)).exp() + 0.15 * patches.value(&x))
        })
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

    /// Threshold of the level set.
    #[must_use]
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// The true value of a configuration.
    ///
    /// # Errors
    /// [`SpaceError`] when the configuration is not of the space.
    pub fn truth(&self, config: &Config) -> Result<f64, SpaceError> {
        self.space.validate(config)?;
        (self.response)(config)
    }

    /// True if the true value is above the threshold.
    ///
    /// # Errors
    /// As [`LevelSetProblem::truth`].
    pub fn is_above(&self, config: &Config) -> Result<bool, SpaceError> {
        Ok(self.truth(config)? > self.threshold)
    }

    /// Outcome of an evaluation, which is the true value.
    pub fn evaluate(&self, config: &Config, _rng: &mut Stream) -> Outcome {
        match self.truth(config) {
            Ok(value) => Outcome::from(value),
            Err(error) => Outcome::failed(error.to_string()),
        }
    }
}

/// `x0, x1, …`
fn coordinates(config: &Config) -> Result<Vec<f64>, SpaceError> {
    (0..config.iter().count()).map(|i| config.float(&format!("x{i}"))).collect()
}
