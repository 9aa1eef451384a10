//! Surrogates whose hyperparameters are samples of their posterior.

use thrifty_kernel::Kernel;
use thrifty_sampling::Stream;
use thrifty_surrogate::{FittedSurrogate, Mixture, SurrogateError};

use crate::error::failed;
use crate::training::Training;
use crate::{Gp, GpSurrogate, Learning};

impl GpSurrogate {
    /// The mixture of processes with sampled hyperparameters; `None` if the settings use the maximum at this number of observations.
    ///
    /// `earlier` are the concatenated hyperparameters of the samples of an earlier fit. A sample whose covariance cannot be factored is
    /// dropped, and the mixture counts it.
    pub(crate) fn sampled(
        &self,
        process: &Gp<Box<dyn Kernel>>,
        training: &Training<'_>,
        earlier: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Option<Box<dyn FittedSurrogate>>, SurrogateError> {
        let Learning::Sampled(sampling) = self.learning else { return Ok(None) };
        sampling.validate().map_err(failed)?;
        let data = training.data();
        let Some(sampler) = sampling.sampler(training.count()) else { return Ok(None) };
        let size = process.num_params();
        let earlier: Vec<Vec<f64>> = match earlier {
            Some(values) if size > 0 && values.len().is_multiple_of(size) => {
                values.chunks_exact(size).map(<[f64]>::to_vec).collect()
            }
            _ => Vec::new(),
        };
        let processes = process
            .sample_with_noise(data.x, data.y, &data.noise_variances(), &sampler, &earlier, rng)
            .map_err(failed)?;
        let lost = sampler.count.saturating_sub(processes.len());
        let member = |posterior| -> (f64, Box<dyn FittedSurrogate>) {
            (1.0, Box::new(training.fitted(posterior, training.count()).into_sample()))
        };
        let mixture = Mixture::new(processes.into_iter().map(member).collect())?;
        Ok(Some(Box::new(mixture.with_lost_members(lost))))
    }
}
