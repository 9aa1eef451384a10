//! Hyperparameters as a point estimate or as samples.

use thrifty_params::SliceSampler;

use crate::GpError;

/// Treatment of the hyperparameters of a [`GpSurrogate`](crate::GpSurrogate).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Learning {
    /// Maximum a posteriori estimate.
    #[default]
    MostProbable,
    /// Samples of the posterior: the model is a mixture of as many processes. The data then decide between explanations such as noise and a
    /// rugged function.
    Sampled(Sampling),
}

/// Number of samples of the hyperparameters; it falls as the number of observations grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sampling {
    /// Largest number of samples.
    pub members: usize,
    /// Largest product of the numbers of samples and observations; it reduces the number of samples, to no less than 4.
    pub rows: usize,
    /// Number of observations beyond which the maximum on the learning scale replaces the samples. The posterior of the hyperparameters is
    /// narrow then.
    pub until: usize,
}

impl Default for Sampling {
    /// 16 samples up to 40 observations, 6 at 100, and the maximum beyond.
    fn default() -> Self {
        Self { members: 16, rows: 640, until: 100 }
    }
}

/// Smallest number of samples.
const FEWEST: usize = 4;

/// Number of sampler steps from a sample for fewer observations.
const STEPS: usize = 3;

/// Number of sampler steps from the prior.
const BURN_IN: usize = 40;

impl Sampling {
    /// Checks that there is at least one sample; every fit calls it.
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

    /// The sampler for a number of observations; `None` where the maximum is used.
    pub(crate) fn sampler(self, observations: usize) -> Option<SliceSampler> {
        let count = (self.rows / observations.max(1)).max(FEWEST).min(self.members);
        (observations <= self.until).then_some(SliceSampler { count, burn_in: BURN_IN, steps: STEPS })
    }
}

/// True for a setting that journals leave out.
pub(crate) fn is_default<T: Default + PartialEq>(setting: &T) -> bool {
    *setting == T::default()
}
