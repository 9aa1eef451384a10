//! Posterior Gaussian process with Student-t noise.

use thrifty_domain::PointsRef;
use thrifty_gp::{Conditioning, GpPosterior, Restart};
use thrifty_kernel::Kernel;
use thrifty_params::Param;
use thrifty_surrogate::{JOINT_LIMIT, JointPosterior, PathSampler, Posterior, PosteriorGradient};

use crate::weighting::Weighting;
use crate::{RobustError, StudentT};

/// A Gaussian process conditioned on observations with Student-t noise.
///
/// The approximation treats the weights as independent of the function. Intervals are therefore somewhat too narrow near observations that
/// may or may not be outliers.
#[derive(Debug, Clone)]
pub struct RobustPosterior<K> {
    process: GpPosterior<K>,
    /// Noise variance of a new observation, relative to that of an observation without residual.
    tails: f64,
    weighting: Weighting,
    params: Vec<Param>,
    restarts: Vec<Restart>,
    joint_limit: usize,
}

impl<K: Kernel> RobustPosterior<K> {
    pub(crate) fn new(
        process: GpPosterior<K>,
        student: &StudentT,
        weighting: Weighting,
        params: Vec<Param>,
        restarts: Vec<Restart>,
    ) -> Self {
        let tails = student.largest_weight() * student.normal_variance();
        Self { process, tails, weighting, params, restarts, joint_limit: JOINT_LIMIT }
    }

    /// Gaussian process posterior in which each observation has the noise variance σ²/w.
    #[must_use]
    pub fn process(&self) -> &GpPosterior<K> {
        &self.process
    }

    /// Mean weight of each observation, from 0 to (ν + 1)/ν; near 0 for an outlier. Observations added by
    /// [`RobustPosterior::with_observation`] have none.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weighting.weights
    }

    /// Lower bound of the log marginal likelihood on the scale of the model.
    #[must_use]
    pub fn evidence_bound(&self) -> f64 {
        self.weighting.evidence
    }

    /// Number of sweeps over the weights.
    #[must_use]
    pub fn sweeps(&self) -> usize {
        self.weighting.sweeps
    }

    /// True if the last sweep changed no weight by more than the tolerance.
    #[must_use]
    pub fn converged(&self) -> bool {
        self.weighting.converged
    }

    /// All learnable hyperparameters with their values.
    #[must_use]
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// Values of the hyperparameters, as input of [`RobustGp::warm_started`](crate::RobustGp::warm_started).
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

    /// Noise variance σ² ν/(ν + 1) of an observation without residual, on the scale of the targets. A fantasy has this noise.
    #[must_use]
    pub fn noise_variance(&self) -> f64 {
        self.process.noise_variance()
    }

    /// Variance of the normal noise with the same 95 % interval as the Student-t noise of a new observation
    /// ([`StudentT::normal_variance`]), on the scale of the targets.
    #[must_use]
    pub fn observed_noise_variance(&self) -> f64 {
        self.tails * self.process.noise_variance()
    }
}

impl<K: Kernel + Clone> RobustPosterior<K> {
    /// The posterior after one more observation, which is treated as no outlier. Hyperparameters and weights are unchanged.
    ///
    /// # Errors
    /// [`RobustError`] as [`GpPosterior::with_observation`].
    pub fn with_observation(&self, x: &[f64], y: f64) -> Result<Self, RobustError> {
        Ok(Self { process: self.process.with_observation(x, y)?, ..self.clone() })
    }
}

impl<K: Kernel> Posterior for RobustPosterior<K> {
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
