//! Gaussian process with Student-t noise, after data.

use thrifty_domain::PointsRef;
use thrifty_gp::{GpPosterior, Restart};
use thrifty_kernel::Kernel;
use thrifty_params::Param;
use thrifty_surrogate::{JointPosterior, PathSampler, Posterior, PosteriorGradient};

use crate::weighting::Weighting;
use crate::{RobustError, StudentT};

/// A Gaussian process after observations with Student-t noise.
///
/// The approximation treats the weights as independent of the function, so intervals are somewhat too narrow near observations that may or may not be outliers.
#[derive(Debug, Clone)]
pub struct RobustPosterior<K> {
    process: GpPosterior<K>,
    /// Noise of a new observation in units of that of one without residual.
    tails: f64,
    weighting: Weighting,
    params: Vec<Param>,
    restarts: Vec<Restart>,
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
        Self { process, tails, weighting, params, restarts }
    }

    /// Gaussian process posterior in which each observation has the noise variance σ²/w.
    #[must_use]
    pub fn process(&self) -> &GpPosterior<K> {
        &self.process
    }

    /// Mean weight of each observation, from 0 to (ν + 1)/ν: near 0 for an outlier. Those of later [`RobustPosterior::with_observation`] have none.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weighting.weights
    }

    /// Lower bound of the log marginal likelihood on the scale of the model.
    #[must_use]
    pub fn evidence_bound(&self) -> f64 {
        self.weighting.evidence
    }

    /// Sweeps over the weights.
    #[must_use]
    pub fn sweeps(&self) -> usize {
        self.weighting.sweeps
    }

    /// True if the last sweep changed no weight by more than the tolerance.
    #[must_use]
    pub fn converged(&self) -> bool {
        self.weighting.converged
    }

    /// All hyperparameters that were open to learning, with their values.
    #[must_use]
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// The values alone: what [`RobustGp::warm_started`](crate::RobustGp::warm_started) takes.
    #[must_use]
    pub fn hyperparameters(&self) -> Vec<f64> {
        self.params.iter().map(|p| p.value).collect()
    }

    /// Result of every start of the fit; empty after conditioning alone.
    #[must_use]
    pub fn restarts(&self) -> &[Restart] {
        &self.restarts
    }

    /// Noise variance σ² ν/(ν + 1) of an observation without residual, on the scale of the targets: that of a fantasy.
    #[must_use]
    pub fn noise_variance(&self) -> f64 {
        self.process.noise_variance()
    }

    /// Variance of the normal noise whose 95 % interval is that of the Student-t noise of a new observation ([`StudentT::normal_variance`]), on
    /// the scale of the targets.
    #[must_use]
    pub fn observed_noise_variance(&self) -> f64 {
        self.tails * self.process.noise_variance()
    }
}

impl<K: Kernel + Clone> RobustPosterior<K> {
    /// The posterior after one more observation that is taken to be no outlier, with hyperparameters and weights as they are.
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
