//! Hyperparameters as a point or as a distribution.

use thrifty_params::SliceSampler;

use crate::GpError;

/// Treatment of the hyperparameters of a [`GpSurrogate`](crate::GpSurrogate).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Learning {
    /// Their maximum a posteriori.
    #[default]
    MostProbable,
    /// Samples of their posterior: the model is a mixture of as many processes, and the data decide between stories such as noise and a
    /// rugged function.
    Sampled(Sampling),
}

/// Number of samples of the hyperparameters, which falls as the observations become more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sampling {
    /// Largest number of samples.
    pub members: usize,
    /// Samples times observations at most: the number of samples falls to 4.
    pub rows: usize,
    /// Number of observations beyond which the maximum of the density of the samples is taken, which is that on the scale of learning:
    /// the posterior of the hyperparameters is narrow then.
    pub until: usize,
}

impl Default for Sampling {
    /// 16 samples up to 40 observations, 6 at 100, and then the maximum.
    fn default() -> Self {
        Self { members: 16, rows: 640, until: 100 }
    }
}

/// Fewest samples.
const FEWEST: usize = 4;

/// Steps of a sample from one of fewer observations.
const STEPS: usize = 3;

/// Steps of a sample from the prior.
const BURN_IN: usize = 40;

impl Sampling {
    /// True if there is a sample at least; every fit asks.
    ///
    /// # Errors
    /// [`GpError::InvalidSetting`] for no samples.
    pub fn validate(self) -> Result<(), GpError> {
        if self.members == 0 {
            return Err(GpError::InvalidSetting {
                name: "samples of hyperparameters",
                value: 0.0,
                expected: "at least 1",
            });
        }
        Ok(())
    }

    /// The sampler for a number of observations; nothing where the maximum is taken.
    pub(crate) fn sampler(self, observations: usize) -> Option<SliceSampler> {
        let count = (self.rows / observations.max(1)).max(FEWEST).min(self.members);
        (observations <= self.until).then_some(SliceSampler { count, burn_in: BURN_IN, steps: STEPS })
    }
}

/// True for a setting that journals leave out.
pub(crate) fn is_default<T: Default + PartialEq>(setting: &T) -> bool {
    *setting == T::default()
}
