//! Problems with noise, shifts and other wrappers.

use rand_distr::{Distribution, StandardNormal};
use thrifty_sampling::Stream;
use thrifty_space::{Config, Kind, Space, SpaceError, Value};
use thrifty_study::Outcome;

use crate::Problem;

/// A problem whose evaluations carry normal noise; the truth has none.
#[derive(Debug, Clone)]
pub struct Noisy<P> {
    /// The problem without noise.
    pub problem: P,
    /// Standard deviation of the noise.
    pub std_dev: f64,
}

/// A problem moved in its space: every float parameter by its own offset, bounds included.
#[derive(Debug, Clone)]
pub struct Shifted<P> {
    problem: P,
    space: Space,
    offsets: Vec<(String, f64)>,
}

/// The negative of a problem: its largest value is what was the smallest. For testing who flips what.
#[derive(Debug, Clone)]
pub struct Maximized<P>(pub P);

/// A problem whose evaluations fail now and then, depending on the trial's stream alone.
#[derive(Debug, Clone)]
pub struct Failing<P> {
    /// The problem that never fails.
    pub problem: P,
    /// Share of evaluations that fail.
    pub rate: f64,
}

impl<P: Problem> Problem for Noisy<P> {
    fn name(&self) -> String {
        format!("{} with noise {}", self.problem.name(), self.std_dev)
    }

    fn space(&self) -> &Space {
        self.problem.space()
    }

    fn optimum(&self) -> f64 {
        self.problem.optimum()
    }

    fn truth(&self, config: &Config) -> Result<f64, SpaceError> {
        self.problem.truth(config)
    }

    fn evaluate(&self, config: &Config, rng: &mut Stream) -> Outcome {
        let mut outcome = self.problem.evaluate(config, rng);
        if let Outcome::Measured(measurement) = &mut outcome {
            for objective in &mut measurement.objectives {
                let noise: f64 = StandardNormal.sample(rng);
                *objective += self.std_dev * noise;
            }
        }
        outcome.checked()
    }
}

impl<P: Problem> Shifted<P> {
    /// Moves the named float parameters.
    ///
    /// # Errors
    /// [`SpaceError`] for an unknown parameter, one that is not a float on a linear scale, or an offset that is
    /// not finite.
    pub fn new(problem: P, offsets: &[(&str, f64)]) -> Result<Self, SpaceError> {
        let mut parameters = problem.space().parameters().to_vec();
        for (name, offset) in offsets {
            let parameter = parameters.iter_mut().find(|p| p.name == *name);
            let parameter = parameter.ok_or_else(|| SpaceError::UnknownParameter { name: (*name).into() })?;
            if let Kind::Float { low, high, log: false } = &mut parameter.kind {
                *low += offset;
                *high += offset;
            } else {
                let (name, value) = ((*name).into(), Value::Float(*offset));
                return Err(SpaceError::WrongType { name, value, expected: "the shift of a linear float" });
            }
        }
        let space = Space::new(parameters)?;
        Ok(Self { problem, space, offsets: offsets.iter().map(|(name, v)| ((*name).into(), *v)).collect() })
    }

    /// The configuration of the problem inside, moved back within its bounds against rounding.
    fn back(&self, config: &Config) -> Result<Config, SpaceError> {
        self.space.validate(config)?;
        let mut inner = config.clone();
        for (name, offset) in &self.offsets {
            if config.get(name).is_some() {
                let mut value = config.float(name)? - offset;
                if let Some(Kind::Float { low, high, .. }) =
                    self.problem.space().parameters().iter().find(|p| &p.name == name).map(|p| &p.kind)
                {
                    value = value.clamp(*low, *high);
                }
                inner.insert(name.clone(), value);
            }
        }
        Ok(inner)
    }
}

impl<P: Problem> Problem for Shifted<P> {
    fn name(&self) -> String {
        format!("shifted {}", self.problem.name())
    }

    fn space(&self) -> &Space {
        &self.space
    }

    fn optimum(&self) -> f64 {
        self.problem.optimum()
    }

    fn truth(&self, config: &Config) -> Result<f64, SpaceError> {
        self.problem.truth(&self.back(config)?)
    }

    fn evaluate(&self, config: &Config, rng: &mut Stream) -> Outcome {
        match self.back(config) {
            Ok(inner) => self.problem.evaluate(&inner, rng),
            Err(error) => Outcome::failed(error.to_string()),
        }
    }
}

impl<P: Problem> Problem for Maximized<P> {
    fn name(&self) -> String {
        format!("maximised {}", self.0.name())
    }

    fn space(&self) -> &Space {
        self.0.space()
    }

    fn optimum(&self) -> f64 {
        -self.0.optimum()
    }

    fn truth(&self, config: &Config) -> Result<f64, SpaceError> {
        Ok(-self.0.truth(config)?)
    }

    fn evaluate(&self, config: &Config, rng: &mut Stream) -> Outcome {
        let mut outcome = self.0.evaluate(config, rng);
        if let Outcome::Measured(measurement) = &mut outcome {
            measurement.objectives.iter_mut().for_each(|objective| *objective = -*objective);
        }
        outcome
    }

    fn regret(&self, config: &Config) -> Result<f64, SpaceError> {
        self.0.regret(config)
    }
}

impl<P: Problem> Problem for Failing<P> {
    fn name(&self) -> String {
        format!("{} failing {}", self.problem.name(), self.rate)
    }

    fn space(&self) -> &Space {
        self.problem.space()
    }

    fn optimum(&self) -> f64 {
        self.problem.optimum()
    }

    fn truth(&self, config: &Config) -> Result<f64, SpaceError> {
        self.problem.truth(config)
    }

    fn evaluate(&self, config: &Config, rng: &mut Stream) -> Outcome {
        if rng.uniform() < self.rate {
            return Outcome::failed("failed as it was told to");
        }
        self.problem.evaluate(config, rng)
    }
}
