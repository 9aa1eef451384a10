use thrifty_domain::PointsRef;
use thrifty_kernel::{Kernel, Matern12, Matern32, Matern52, Radial, Scaled, SquaredExponential, Stationary};
use thrifty_prob::Prior;
use thrifty_sampling::Stream;
use thrifty_surrogate::Surrogate;

use crate::fit::{self, ScaledData};
use crate::{GpError, GpPosterior, GpSettings};

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
        let data = self.checked(x, y)?;
        let (learnt, restarts) = fit::learn(&self.kernel, &self.settings, &data, self.warm.as_deref(), rng)?;
        GpPosterior::new(learnt, data, &self.settings, restarts)
    }

    /// Conditions on the data with the hyperparameters as they are: the kernel's and the settings' own, or
    /// those of the warm start.
    ///
    /// # Errors
    /// As [`Gp::fit`].
    pub fn condition(&self, x: PointsRef<'_>, y: &[f64]) -> Result<GpPosterior<K>, GpError> {
        let data = self.checked(x, y)?;
        let learnt = fit::as_given(&self.kernel, &self.settings, &data, self.warm.as_deref());
        GpPosterior::new(learnt, data, &self.settings, Vec::new())
    }

    fn checked(&self, x: PointsRef<'_>, y: &[f64]) -> Result<ScaledData, GpError> {
        self.settings.validate()?;
        if x.is_empty() && y.is_empty() {
            return Err(GpError::Empty);
        }
        if x.len() != y.len() {
            return Err(GpError::LengthMismatch { points: x.len(), targets: y.len() });
        }
        match self.kernel.dim() {
            Some(expected) if expected != x.dim() => {
                return Err(GpError::DimensionMismatch { found: x.dim(), expected });
            }
            _ => {}
        }
        x.require_finite()?;
        if let Some(index) = y.iter().position(|v| !v.is_finite()) {
            return Err(GpError::NonFiniteTarget { index, value: y[index] });
        }
        Ok(ScaledData::new(x, y, &self.settings))
    }
}

impl<K: Kernel + Clone> Surrogate for Gp<K> {
    type Posterior = GpPosterior<K>;
    type Error = GpError;

    fn fit(&mut self, x: PointsRef<'_>, y: &[f64], rng: &mut Stream) -> Result<GpPosterior<K>, GpError> {
        Gp::fit(self, x, y, rng)
    }
}
