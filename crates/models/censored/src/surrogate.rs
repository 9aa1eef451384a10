//! Censored Gaussian processes as surrogates.

use thrifty_domain::Domain;
use thrifty_gp::GpSurrogate;
use thrifty_kernel::Kernel;
use thrifty_sampling::Stream;
use thrifty_surrogate::{Description, FittedSurrogate, Observations, Posterior, Surrogate, SurrogateError};

use crate::{CensoredGp, CensoredPosterior, Propagation, Response};

/// Gaussian-process surrogate of left-censored responses: a target at or below `floor` is the inequality f(x) + ε ≤ floor.
///
/// The function continues below the floor as smoothly as above it, and the noise is normal before the cut. For losses that are
/// cut off above, negate them. Failures that an optimiser imputes at or below the floor count as bounds too.
///
/// Cost: some 10 passes of O(b³) for b targets at the floor per evaluation of the likelihood, beside the O(n³) of [`GpSurrogate`].
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CensoredGpSurrogate {
    /// Smallest response that is observed as it is.
    pub floor: f64,
    /// Kernel and settings of the process.
    pub process: GpSurrogate,
    /// Settings of expectation propagation.
    #[serde(default)]
    pub propagation: Propagation,
}

impl CensoredGpSurrogate {
    /// The default process above a floor.
    #[must_use]
    pub fn above(floor: f64) -> Self {
        Self { floor, process: GpSurrogate::default(), propagation: Propagation::default() }
    }
}

/// Name of the surrogate in errors and journals.
const NAME: &str = "censored gaussian process";

impl Surrogate for CensoredGpSurrogate {
    fn fit(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let responses: Vec<Response> = data.y.iter().map(|y| Response::clipped(*y, self.floor)).collect();
        let mut process =
            CensoredGp::new(self.process.process_for(domain, data.x)?).with_propagation(self.propagation);
        if let Some(warm_start) = warm_start {
            process = process.warm_started(warm_start.to_vec());
        }
        let fitted = process.fit_with_noise(data.x, &responses, &data.noise_variances(), rng);
        Ok(Box::new(fitted.map_err(|error| SurrogateError::failed(NAME, error))?))
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        Description::new(NAME, self).map_err(|error| SurrogateError::failed(NAME, error))
    }
}

impl<K: Kernel + Clone + 'static> FittedSurrogate for CensoredPosterior<K> {
    fn posterior(&self) -> &dyn Posterior {
        self
    }

    fn hyperparameters(&self) -> Vec<f64> {
        self.hyperparameters()
    }

    fn noise_variance(&self) -> f64 {
        self.noise_variance()
    }

    fn fantasize(&self, x: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let conditioned = self.with_observation(x, y).map_err(|error| SurrogateError::failed(NAME, error))?;
        Ok(Box::new(conditioned))
    }
}
