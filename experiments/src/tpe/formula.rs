//! A problem that is a formula.

use thrifty_space::{Config, Space, SpaceError};
use thrifty_testbed::Problem;

/// A problem that is a formula over named parameters, 0 at its best.
pub struct Formula {
    pub name: String,
    pub space: Space,
    pub value: Value,
}

impl Problem for Formula {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn space(&self) -> &Space {
        &self.space
    }

    fn optimum(&self) -> f64 {
        0.0
    }

    fn truth(&self, config: &Config) -> Result<f64, SpaceError> {
        (self.value)(config)
    }
}

/// Value of a configuration.
pub type Value = Box<dyn Fn(&Config) -> Result<f64, SpaceError> + Send + Sync>;
