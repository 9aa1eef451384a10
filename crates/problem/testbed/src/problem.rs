//! The trait of problems with a known optimum.

use thrifty_sampling::Stream;
use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::Outcome;

/// Something to minimise whose best value is known.
pub trait Problem: Send + Sync {
    /// Its name.
    fn name(&self) -> String;

    /// Search space.
    fn space(&self) -> &Space;

    /// The smallest true value.
    fn optimum(&self) -> f64;

    /// The true value of a configuration.
    ///
    /// # Errors
    /// [`SpaceError`] when the configuration is not of the space.
    fn truth(&self, config: &Config) -> Result<f64, SpaceError>;

    /// Outcome of an evaluation: the true value where nothing else is said. Noise comes from `rng`, the trial's own stream.
    fn evaluate(&self, config: &Config, rng: &mut Stream) -> Outcome {
        let _ = rng;
        match self.truth(config) {
            Ok(value) => Outcome::from(value),
            Err(error) => Outcome::failed(error.to_string()),
        }
    }

    /// Regret: the true value of a configuration minus the optimum.
    ///
    /// # Errors
    /// As [`Problem::truth`].
    fn regret(&self, config: &Config) -> Result<f64, SpaceError> {
        Ok(self.truth(config)? - self.optimum())
    }
}
