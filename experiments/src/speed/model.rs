//! Models for which all tools are asked.

use thrifty_acquisition::{Acquisition, Analytic, LogExpectedImprovement};
use thrifty_gp::{Gp, GpPosterior, GpSettings, Mean, Noise};
use thrifty_kernel::{KernelError, Matern52, Scaled};
use thrifty_sampling::Seed;
use thrifty_surrogate::Posterior;

use super::data::Data;
use super::hyperparameters::{Bounds, Hyperparameters};
use crate::error::ExperimentError;

/// Variance × ARD Matérn-5/2 + noise, with zero mean: the one model that all tools share.
pub type Shared = Scaled<Matern52>;

impl Hyperparameters {
    /// The kernel at these values.
    pub fn kernel(&self) -> Result<Shared, ExperimentError> {
        let made = Matern52::new(self.lengthscales.clone()).and_then(|k| Scaled::new(k, self.variance));
        made.map_err(ExperimentError::measure("a kernel"))
    }

    /// The process at these values, to be learnt by maximum likelihood within bounds.
    pub fn learner(&self, bounds: &Bounds) -> Result<Gp<Shared>, ExperimentError> {
        let made: Result<Shared, KernelError> = Matern52::new(self.lengthscales.clone())
            .and_then(|k| k.with_bounds(bounds.lengthscale[0], bounds.lengthscale[1]))
            .and_then(|k| Scaled::new(k, self.variance))
            .and_then(|k| k.with_bounds(bounds.variance[0], bounds.variance[1]));
        let kernel = made.map_err(ExperimentError::measure("a kernel"))?;
        Ok(Gp::new(kernel).with_settings(plain(self.noise_within(bounds))))
    }

    /// The noise as a hyperparameter without a prior.
    pub fn noise_within(&self, bounds: &Bounds) -> Noise {
        Noise::Learned { start: self.noise, floor: bounds.noise[0], ceiling: bounds.noise[1], prior: None }
    }

    /// The posterior at these values.
    pub fn posterior(&self, data: &Data) -> Result<GpPosterior<Shared>, ExperimentError> {
        let gp = Gp::new(self.kernel()?).with_settings(plain(Noise::Fixed(self.noise)));
        gp.condition(data.points()?.as_ref(), &data.y).map_err(ExperimentError::measure("a posterior"))
    }

    /// The values of maximum likelihood from a start at these.
    pub fn fitted(&self, bounds: &Bounds, data: &Data) -> Result<Self, ExperimentError> {
        let posterior = self
            .learner(bounds)?
            .fit(data.points()?.as_ref(), &data.y, &mut Seed(0).stream("fit", 0))
            .map_err(ExperimentError::measure("a fit"))?;
        Ok(Self::of(&posterior))
    }

    /// The values of a posterior on targets as they are.
    pub fn of(posterior: &GpPosterior<Shared>) -> Self {
        let kernel = posterior.kernel();
        Self {
            variance: kernel.variance(),
            lengthscales: kernel.kernel().lengthscales().to_vec(),
            noise: posterior.noise_variance(),
        }
    }
}

/// Zero mean, targets as they are, no restarts.
fn plain(noise: Noise) -> GpSettings {
    GpSettings { noise, mean: Mean::Zero, standardize_targets: false, restarts: 0, ..GpSettings::default() }
}

/// Log expected improvement on the smallest target.
pub fn log_ei<'a>(posterior: &'a GpPosterior<Shared>, data: &Data) -> Analytic<'a, LogExpectedImprovement> {
    Analytic::new(posterior, LogExpectedImprovement { target: data.best() })
}

/// Log expected improvement at a point that some tool found; nothing for a point of another dimension.
pub fn log_ei_at(posterior: &GpPosterior<Shared>, data: &Data, point: &[f64]) -> Option<f64> {
    (point.len() == posterior.dim()).then(|| log_ei(posterior, data).value(point))
}
