use thrifty_domain::PointsRef;
use thrifty_kernel::{Kernel, Matern12, Matern32, Matern52, Radial, Scaled, SquaredExponential, Stationary};
use thrifty_prob::Prior;
use thrifty_sampling::Stream;
use thrifty_surrogate::Surrogate;

use crate::data::{self, ScaledData};
use crate::{GpError, GpPosterior, GpSettings, fit};

/// A Gaussian process before data: a kernel, and what is assumed besides.
#[derive(Debug, Clone)]
pub struct Gp<K> {
    kernel: K,
    settings: GpSettings,
    /// Hyperparameters of an earlier fit, as [`GpPosterior::hyperparameters`] gives them.
    warm: Option<Vec<f64>>,
}

impl Gp<Scaled<Matern52>> {
    /// Twice differentiable functions: the default. See [`Gp::stationary`].
    #[must_use]
    pub fn matern52(dim: usize) -> Self {
        Self::stationary(dim)
    }
}

impl Gp<Scaled<Matern32>> {
    /// Once differentiable functions. See [`Gp::stationary`].
    #[must_use]
    pub fn matern32(dim: usize) -> Self {
        Self::stationary(dim)
    }
}

impl Gp<Scaled<Matern12>> {
    /// Continuous functions. See [`Gp::stationary`].
    #[must_use]
    pub fn matern12(dim: usize) -> Self {
        Self::stationary(dim)
    }
}

impl Gp<Scaled<SquaredExponential>> {
    /// Infinitely smooth functions. See [`Gp::stationary`].
    #[must_use]
    pub fn squared_exponential(dim: usize) -> Self {
        Self::stationary(dim)
    }
}

impl<R: Radial> Gp<Scaled<Stationary<R>>> {
    /// A process on the unit cube with one lengthscale a dimension and default settings.
    ///
    /// Lengthscales: within `[0.01, 100]` from ½√d, prior log-normal(√2 + ½ ln d, √3), which grows with the
    /// dimension as distances do (Hvarfner, Hellsten & Nardi 2024). Variance, on standardised targets: within
    /// `[1e-3, 1e3]` from 1, prior log-normal(0, 1).
    #[must_use]
    pub fn stationary(dim: usize) -> Self {
        let d = dim.max(1) as f64;
        let lengthscale_prior = Prior::LogNormal { mu: 2_f64.sqrt() + 0.5 * d.ln(), sigma: 3_f64.sqrt() };
        let kernel = Stationary::<R>::new(vec![0.5 * d.sqrt(); dim.max(1)])
            .and_then(|kernel| kernel.with_prior(lengthscale_prior).with_bounds(0.01, 100.0))
            .and_then(|kernel| Scaled::new(kernel, 1.0))
            .and_then(|kernel| {
                kernel.with_prior(Prior::LogNormal { mu: 0.0, sigma: 1.0 }).with_bounds(1e-3, 1e3)
            })
            .unwrap_or_else(|error| unreachable!("constants are valid: {error}"));
        Self::new(kernel)
    }
}

impl<K: Kernel + Clone> Gp<K> {
    /// A process with default settings.
    #[must_use]
    pub fn new(kernel: K) -> Self {
        Self { kernel, settings: GpSettings::default(), warm: None }
    }

    /// The same process with other settings.
    #[must_use]
    pub fn with_settings(mut self, settings: GpSettings) -> Self {
        self.settings = settings;
        self
    }

    /// What is assumed and how it is learnt.
    #[must_use]
    pub fn settings(&self) -> &GpSettings {
        &self.settings
    }

    /// The kernel before data.
    #[must_use]
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// Starts the next fit from hyperparameters of an earlier one instead of the kernel's own; values of
    /// another number are ignored, values outside the bounds move to them.
    #[must_use]
    pub fn warm_started(mut self, hyperparameters: Vec<f64>) -> Self {
        self.warm = Some(hyperparameters);
        self
    }

    /// Learns the hyperparameters by maximum a posteriori and conditions on the data.
    ///
    /// # Errors
    /// [`GpError`]: empty or mismatched data, anything not finite, a bad setting, numerical breakdown.
    pub fn fit(&self, x: PointsRef<'_>, y: &[f64], rng: &mut Stream) -> Result<GpPosterior<K>, GpError> {
        self.fit_with_noise(x, y, &vec![0.0; y.len()], rng)
    }

    /// [`Gp::fit`] where each observation has a noise of known variance (squared units of the targets), which
    /// adds to the noise of the settings.
    ///
    /// # Errors
    /// As [`Gp::fit`], and for a variance that is negative or not finite.
    pub fn fit_with_noise(
        &self,
        x: PointsRef<'_>,
        y: &[f64],
        variances: &[f64],
        rng: &mut Stream,
    ) -> Result<GpPosterior<K>, GpError> {
        let data = self.checked(x, y, variances)?;
        let (learnt, restarts) = fit::learn(&self.kernel, &self.settings, &data, self.warm.as_deref(), rng)?;
        GpPosterior::new(learnt, data, &self.settings.jitter, restarts)
    }

    /// Conditions on the data with the hyperparameters as they are: the kernel's and the settings' own, or
    /// those of the warm start.
    ///
    /// # Errors
    /// As [`Gp::fit`].
    pub fn condition(&self, x: PointsRef<'_>, y: &[f64]) -> Result<GpPosterior<K>, GpError> {
        self.condition_with_noise(x, y, &vec![0.0; y.len()])
    }

    /// [`Gp::condition`] with noise as in [`Gp::fit_with_noise`].
    ///
    /// # Errors
    /// As [`Gp::fit_with_noise`].
    pub fn condition_with_noise(
        &self,
        x: PointsRef<'_>,
        y: &[f64],
        variances: &[f64],
    ) -> Result<GpPosterior<K>, GpError> {
        let data = self.checked(x, y, variances)?;
        let learnt = fit::as_given(&self.kernel, &self.settings, &data, self.warm.as_deref());
        GpPosterior::new(learnt, data, &self.settings.jitter, Vec::new())
    }

    fn checked(&self, x: PointsRef<'_>, y: &[f64], variances: &[f64]) -> Result<ScaledData, GpError> {
        self.settings.validate()?;
        if x.is_empty() && y.is_empty() {
            return Err(GpError::Empty);
        }
        data::check(self.kernel.dim(), x, y, variances)?;
        Ok(ScaledData::new(x, y, variances, &self.settings))
    }
}

impl<K: Kernel + Clone> Surrogate for Gp<K> {
    type Posterior = GpPosterior<K>;
    type Error = GpError;

    fn fit(&mut self, x: PointsRef<'_>, y: &[f64], rng: &mut Stream) -> Result<GpPosterior<K>, GpError> {
        Gp::fit(self, x, y, rng)
    }
}
