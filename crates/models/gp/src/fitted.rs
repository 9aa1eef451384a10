//! Posterior Gaussian processes as fitted surrogates.

use std::sync::Arc;

use thrifty_kernel::Kernel;
use thrifty_surrogate::{FittedSurrogate, Posterior, Prediction, SurrogateError};

use crate::error::failed;
use crate::left_out::LeftOut;
use crate::{Conditioning, GpPosterior};

/// Leave-one-out predictions of a process.
fn predictions<K: Kernel>(posterior: &GpPosterior<K>) -> Vec<Prediction> {
    posterior.leave_one_out().into_iter().map(|(mean, variance)| Prediction { mean, variance }).collect()
}

/// A posterior process with the number of observations that its hyperparameters were learnt from.
pub(crate) struct FittedGp {
    pub(crate) posterior: GpPosterior<Box<dyn Kernel>>,
    pub(crate) learnt_from: usize,
    /// Observations that the posterior was not conditioned on; `None` if there are none.
    pub(crate) left_out: Option<Arc<LeftOut>>,
    pub(crate) conditioning: Conditioning,
    /// True for one of several samples; its hyperparameters are stored with few digits.
    pub(crate) is_sample: bool,
}

impl FittedGp {
    /// Marks the process as one of several samples of the hyperparameters.
    pub(crate) fn into_sample(self) -> Self {
        Self { is_sample: true, ..self }
    }
}

/// Rounds a number to five significant digits. As a start of a sampler it is as good, and half as long to write.
fn five_digits(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

impl FittedSurrogate for FittedGp {
    fn posterior(&self) -> &dyn Posterior {
        &self.posterior
    }

    fn hyperparameters(&self) -> Vec<f64> {
        let values = self.posterior.hyperparameters();
        if self.is_sample { values.into_iter().map(five_digits).collect() } else { values }
    }

    fn learnt_from(&self) -> Option<usize> {
        Some(self.learnt_from)
    }

    fn joint_limit(&self) -> usize {
        self.conditioning.limit()
    }

    fn noise_variance(&self) -> f64 {
        self.posterior.noise_variance()
    }

    fn leave_one_out(&self) -> Option<Vec<Prediction>> {
        let kept = predictions(&self.posterior);
        Some(match &self.left_out {
            Some(left_out) => left_out.merged(&self.posterior, kept),
            None => kept,
        })
    }

    /// `None` if the posterior leaves out observations: there are many then, and one hardly changes anything.
    fn leave_one_out_change(&self, change: &[f64]) -> Option<Vec<f64>> {
        if self.left_out.is_some() { None } else { self.posterior.leave_one_out_change(change) }
    }

    fn fantasize(&self, x: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let posterior = self.posterior.with_observation(x, y).map_err(failed)?;
        Ok(Box::new(Self {
            posterior,
            learnt_from: self.learnt_from,
            left_out: self.left_out.clone(),
            conditioning: self.conditioning,
            is_sample: self.is_sample,
        }))
    }
}

impl<K: Kernel + Clone + 'static> FittedSurrogate for GpPosterior<K> {
    fn posterior(&self) -> &dyn Posterior {
        self
    }

    fn hyperparameters(&self) -> Vec<f64> {
        self.hyperparameters()
    }

    fn noise_variance(&self) -> f64 {
        self.noise_variance()
    }

    fn leave_one_out(&self) -> Option<Vec<Prediction>> {
        Some(predictions(self))
    }

    fn leave_one_out_change(&self, change: &[f64]) -> Option<Vec<f64>> {
        self.leave_one_out_change(change)
    }

    fn fantasize(&self, x: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        Ok(Box::new(self.with_observation(x, y).map_err(failed)?))
    }
}
