use thrifty_sampling::{MAX_SOBOL_DIM, Seed, Sobol};
use thrifty_space::{Config, Space, SpaceError};

/// What is evaluated before there is a model.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InitialDesign {
    /// Scrambled Sobol points: twice as many as the cube has columns, at least 4.
    #[default]
    Automatic,
    /// So many scrambled Sobol points.
    Sobol(usize),
    /// So many uniform points.
    Random(usize),
    /// These configurations in order.
    Given(Vec<Config>),
}

impl InitialDesign {
    /// Number of configurations.
    #[must_use]
    pub fn len(&self, space: &Space) -> usize {
        match self {
            Self::Automatic => (2 * space.dim()).max(4),
            Self::Sobol(count) | Self::Random(count) => *count,
            Self::Given(configs) => configs.len(),
        }
    }

    /// Configuration `index` of run `run`: from the first points of a sequence, or beyond its end a uniform point.
    ///
    /// # Errors
    /// [`SpaceError`] when a given configuration is not of the space.
    pub fn config(&self, space: &Space, seed: Seed, run: u64, index: usize) -> Result<Config, SpaceError> {
        let uniform = || space.sample(&mut seed.child("design", run).stream("uniform", index as u64));
        match self {
            Self::Given(configs) if run == 0 && index < configs.len() => {
                space.validate(&configs[index])?;
                Ok(configs[index].clone())
            }
            Self::Automatic | Self::Sobol(_) if index < self.len(space) && space.dim() <= MAX_SOBOL_DIM => {
                let mut sobol = Sobol::scrambled(space.dim(), &mut seed.stream("design", run));
                Ok(space.decode(sobol.take(index + 1).row(index)))
            }
            _ => Ok(uniform()),
        }
    }
}
