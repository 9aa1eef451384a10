//! Posterior Gaussian process for censored responses.

use thrifty_domain::PointsRef;
use thrifty_gp::{Conditioning, GpPosterior, Restart};
use thrifty_kernel::Kernel;
use thrifty_params::Param;
use thrifty_surrogate::{JOINT_LIMIT, JointPosterior, PathSampler, Posterior, PosteriorGradient};

use crate::CensoredError;

/// Log likelihood and convergence of the approximation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Convergence {
    pub(crate) log_likelihood: f64,
    pub(crate) sweeps: usize,
    pub(crate) converged: bool,
}

/// A Gaussian process conditioned on values and bounds.
///
/// Normal approximation of the posterior of the latent function, without noise. It is accurate where bounds hold with high probability. If
/// a single bound cuts deep into the distribution, the exact posterior is skewed; the approximation is symmetric.
#[derive(Debug, Clone)]
pub struct CensoredPosterior<K> {
    process: GpPosterior<K>,
    account: Convergence,
    params: Vec<Param>,
    restarts: Vec<Restart>,
    joint_limit: usize,
}

impl<K: Kernel> CensoredPosterior<K> {
    pub(crate) fn new(
        process: GpPosterior<K>,
        account: Convergence,
        params: Vec<Param>,
        restarts: Vec<Restart>,
    ) -> Self {
        Self { process, account, params, restarts, joint_limit: JOINT_LIMIT }
    }

    /// Gaussian process posterior on the pseudo-observations; bounds without effect are left out.
    #[must_use]
    pub fn process(&self) -> &GpPosterior<K> {
        &self.process
    }

    /// Approximate log marginal likelihood of the responses on the scale of the model: a density for values, a probability for bounds.
    #[must_use]
    pub fn log_likelihood(&self) -> f64 {
        self.account.log_likelihood
    }

    /// Number of sweeps over the bounds; 0 without bounds.
    #[must_use]
    pub fn sweeps(&self) -> usize {
        self.account.sweeps
    }

    /// True if the changes in the last sweep were within the tolerance. If not, use more sweeps or a smaller step, and use predictions with care.
    #[must_use]
    pub fn converged(&self) -> bool {
        self.account.converged
    }

    /// All learnable hyperparameters with their values.
    #[must_use]
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// Values of the hyperparameters, as input of [`CensoredGp::warm_started`](crate::CensoredGp::warm_started).
    #[must_use]
    pub fn hyperparameters(&self) -> Vec<f64> {
        self.params.iter().map(|p| p.value).collect()
    }

    /// The posterior of a surrogate: with the restarts of the fit that learnt its hyperparameters, and the limit of joint distributions by its
    /// conditioning.
    pub(crate) fn of_surrogate(self, restarts: &[Restart], conditioning: Conditioning) -> Self {
        Self { restarts: restarts.to_vec(), joint_limit: conditioning.limit(), ..self }
    }

    /// Largest number of observed points of which joint distributions are to be computed.
    pub(crate) fn joint_limit(&self) -> usize {
        self.joint_limit
    }

    /// Results of all restarts of the fit; empty after conditioning alone.
    #[must_use]
    pub fn restarts(&self) -> &[Restart] {
        &self.restarts
    }

    /// Variance of the common noise on the scale of the responses.
    #[must_use]
    pub fn noise_variance(&self) -> f64 {
        self.process.noise_variance()
    }
}

impl<K: Kernel + Clone> CensoredPosterior<K> {
    /// The posterior after one more value. Hyperparameters and pseudo-observations are unchanged. The likelihood does not include the new value.
    ///
    /// # Errors
    /// [`CensoredError`] as [`GpPosterior::with_observation`].
    pub fn with_observation(&self, x: &[f64], y: f64) -> Result<Self, CensoredError> {
        Ok(Self { process: self.process.with_observation(x, y)?, ..self.clone() })
    }
}

impl<K: Kernel> Posterior for CensoredPosterior<K> {
    fn dim(&self) -> usize {
        self.process.dim()
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        self.process.predict_into(x, mean, variance);
    }

    fn mean_into(&self, x: PointsRef<'_>, mean: &mut [f64]) {
        self.process.mean_into(x, mean);
    }

    fn gradient(&self) -> Option<&dyn PosteriorGradient> {
        self.process.gradient()
    }

    fn joint(&self) -> Option<&dyn JointPosterior> {
        self.process.joint()
    }

    fn paths(&self) -> Option<&dyn PathSampler> {
        self.process.paths()
    }
}
