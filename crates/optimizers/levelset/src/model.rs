use thrifty_bo::{Fitted, KernelFamily, Model, ModelError};
use thrifty_domain::{Domain, PointsRef};
use thrifty_gp::{Gp, GpSettings, Mean, Noise};
use thrifty_kernel::{
    Kernel, KernelError, Matern12Profile, Matern32Profile, Matern52Profile, Scaled,
    SquaredExponentialProfile, Stationary, StationaryProfile,
};
use thrifty_sampling::Stream;
use thrifty_study::{Fingerprint, OptimizerError};

/// A Gaussian process whose hyperparameters are known: nothing is learnt but the function.
///
/// What theorems on level sets assume; and intervals of different steps may be intersected. All numbers are on the
/// scale of the observations, lengthscales on the unit cube.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct FixedGp {
    /// Which kernel.
    pub family: KernelFamily,
    /// One a column of the unit cube.
    pub lengthscales: Vec<f64>,
    /// Prior variance.
    pub variance: f64,
    /// Prior mean.
    pub mean: f64,
    /// Variance of the noise.
    pub noise: f64,
}

impl FixedGp {
    fn kernel<R: StationaryProfile>(&self) -> Result<Scaled<Stationary<R>>, KernelError> {
        Scaled::new(Stationary::<R>::new(self.lengthscales.clone())?, self.variance)
    }

    fn condition<R: StationaryProfile>(
        &self,
        x: PointsRef<'_>,
        y: &[f64],
    ) -> Result<Box<dyn Fitted>, ModelError> {
        let settings = GpSettings {
            noise: Noise::Fixed(self.noise),
            mean: Mean::Fixed(self.mean),
            normalise_inputs: false,
            standardise_targets: false,
            ..GpSettings::default()
        };
        Ok(Box::new(Gp::new(self.kernel::<R>()?).with_settings(settings).condition(x, y)?))
    }

    /// Prior covariances between points: n×n, row-major. For [`theory`](crate::theory).
    ///
    /// # Errors
    /// [`KernelError`] for a lengthscale or variance that makes no sense.
    pub fn covariance(&self, x: PointsRef<'_>) -> Result<Vec<f64>, KernelError> {
        let kernel: Box<dyn Kernel> = match self.family {
            KernelFamily::SquaredExponential => Box::new(self.kernel::<SquaredExponentialProfile>()?),
            KernelFamily::Matern12 => Box::new(self.kernel::<Matern12Profile>()?),
            KernelFamily::Matern32 => Box::new(self.kernel::<Matern32Profile>()?),
            KernelFamily::Matern52 => Box::new(self.kernel::<Matern52Profile>()?),
        };
        Ok(x.rows().flat_map(|a| x.rows().map(|b| kernel.eval(a, b)).collect::<Vec<f64>>()).collect())
    }
}

impl Model for FixedGp {
    fn fit(
        &self,
        _: &Domain,
        x: PointsRef<'_>,
        y: &[f64],
        _: Option<&[f64]>,
        _: &mut Stream,
    ) -> Result<Box<dyn Fitted>, ModelError> {
        match self.family {
            KernelFamily::SquaredExponential => self.condition::<SquaredExponentialProfile>(x, y),
            KernelFamily::Matern12 => self.condition::<Matern12Profile>(x, y),
            KernelFamily::Matern32 => self.condition::<Matern32Profile>(x, y),
            KernelFamily::Matern52 => self.condition::<Matern52Profile>(x, y),
        }
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Fingerprint::new("fixed gaussian process").with("model", self)
    }
}
