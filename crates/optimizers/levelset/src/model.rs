//! Gaussian process with known hyperparameters.

use thrifty_domain::{Domain, PointsRef};
use thrifty_gp::{Gp, GpError, GpPosterior, GpSettings, KernelFamily, Mean, Noise};
use thrifty_kernel::{
    Kernel, KernelError, Matern12Profile, Matern32Profile, Matern52Profile, Scaled,
    SquaredExponentialProfile, Stationary, StationaryProfile,
};
use thrifty_sampling::Stream;
use thrifty_surrogate::{Description, FittedSurrogate, Observations, Surrogate, SurrogateError};

/// A Gaussian process with known hyperparameters.
///
/// Theorems on level sets assume this model, and it allows intersecting intervals of different steps. All numbers are on the scale of the
/// observations; lengthscales are on the unit cube.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixedGp {
    /// Kernel family.
    pub family: KernelFamily,
    /// Lengthscales, one per column of the unit cube.
    pub lengthscales: Vec<f64>,
    /// Prior variance.
    pub variance: f64,
    /// Prior mean.
    pub mean: f64,
    /// Variance of the noise; named `noise` in files.
    #[serde(rename = "noise", alias = "noise_variance")]
    pub noise_variance: f64,
}

impl FixedGp {
    fn kernel<R: StationaryProfile>(&self) -> Result<Scaled<Stationary<R>>, KernelError> {
        Scaled::new(Stationary::<R>::new(self.lengthscales.clone())?, self.variance)
    }

    fn boxed_kernel(&self) -> Result<Box<dyn Kernel>, KernelError> {
        Ok(match self.family {
            KernelFamily::SquaredExponential => Box::new(self.kernel::<SquaredExponentialProfile>()?),
            KernelFamily::Matern12 => Box::new(self.kernel::<Matern12Profile>()?),
            KernelFamily::Matern32 => Box::new(self.kernel::<Matern32Profile>()?),
            KernelFamily::Matern52 => Box::new(self.kernel::<Matern52Profile>()?),
        })
    }

    fn condition(
        &self,
        kernel: Box<dyn Kernel>,
        data: Observations<'_>,
    ) -> Result<GpPosterior<Box<dyn Kernel>>, GpError> {
        let settings = GpSettings {
            noise: Noise::Fixed(self.noise_variance),
            mean: Mean::Fixed(self.mean),
            normalize_inputs: false,
            standardize_targets: false,
            ..GpSettings::default()
        };
        let process = Gp::new(kernel).with_settings(settings);
        process.condition_with_noise(data.x, data.y, &data.noise_variances())
    }

    /// Prior covariances between points: n×n, row-major. For [`theory`](crate::theory).
    ///
    /// # Errors
    /// [`KernelError`] for an invalid lengthscale or variance.
    pub fn covariance(&self, x: PointsRef<'_>) -> Result<Vec<f64>, KernelError> {
        let kernel = self.boxed_kernel()?;
        Ok(x.rows().flat_map(|a| x.rows().map(|b| kernel.eval(a, b)).collect::<Vec<f64>>()).collect())
    }
}

/// Name of the surrogate in errors and journals.
const NAME: &str = "fixed gaussian process";

impl Surrogate for FixedGp {
    fn fit(
        &self,
        _: &Domain,
        data: Observations<'_>,
        _: Option<&[f64]>,
        _: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let kernel = self.boxed_kernel().map_err(|error| SurrogateError::failed(NAME, error))?;
        let posterior = self.condition(kernel, data).map_err(|error| SurrogateError::failed(NAME, error))?;
        Ok(Box::new(posterior))
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        Description::new(NAME, self).map_err(|error| SurrogateError::failed(NAME, error))
    }
}
