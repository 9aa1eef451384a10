//! GIBBON, a lower bound on the information about the minimum.

use thrifty_domain::PointsRef;
use thrifty_linalg::{Cholesky, Matrix};
use thrifty_prob::{log_truncated_variance_derivative, truncated_variance, truncation_loss};
use thrifty_surrogate::{Description, JointPosterior, factor_covariance, lookahead};

use crate::error::{require_finite, require_noise, require_points};
use crate::factory::described;
use crate::{
    Acquisition, AcquisitionError, AcquisitionFactory, Analytic, Context, MinValueSampler, Utility,
    UtilityScale,
};
use crate::{LookaheadAcquisition, LookaheadGradient, LookaheadMoments, LookaheadUtility};

/// GIBBON: a lower bound on the mutual information, in nats, of a noisy observation and the minimum y*.
///
/// ```text
/// G = -1/2K Σ_k ln(1 - ρ² r_k (γ_k + r_k)),   γ_k = (μ - y*_k)/σ,   r = φ/Φ,   ρ² = σ²/(σ² + s)
/// ```
///
/// s is the variance of the noise, and y*_k are K sampled minima, as for [`MaxValueEntropySearch`](crate::MaxValueEntropySearch). The
/// observation given y* is approximated by a normal distribution with the variance of the truncated one. A normal distribution has the
/// largest entropy for its variance, so this is a lower bound. The value is 0 at σ = 0.
///
/// Cost: K terms per point. Source: Moss et al. (2021) for one point; departure: minima.
#[derive(Debug, Clone, PartialEq)]
pub struct Gibbon {
    minima: Vec<f64>,
    noise_variance: f64,
}

impl Gibbon {
    /// GIBBON for these sampled minima and observations with this noise variance.
    ///
    /// # Errors
    /// [`AcquisitionError`] for no minima, one that is not finite, or a noise variance that is negative or not
    /// finite.
    pub fn new(minima: Vec<f64>, noise_variance: f64) -> Result<Self, AcquisitionError> {
        require_finite("minima", &minima)?;
        Ok(Self { minima, noise_variance: require_noise(noise_variance)? })
    }

    /// `-½ ln(1 - ρ² (1 - v))`, v the truncated variance.
    fn term(&self, gamma: f64, variance: f64) -> f64 {
        let loss = truncation_loss(gamma);
        let relative = self.noise_variance / variance;
        if loss < 0.5 {
            -0.5 * (-loss / (1.0 + relative)).ln_1p()
        } else {
            0.5 * ((1.0 + relative) / (relative + truncated_variance(gamma))).ln()
        }
    }
}

impl Utility for Gibbon {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        let variance = std_dev * std_dev;
        if variance <= 0.0 {
            return 0.0;
        }
        let terms = self.minima.iter().map(|minimum| self.term((mean - minimum) / std_dev, variance));
        terms.sum::<f64>() / self.minima.len() as f64
    }

    /// Value and its derivatives with respect to mean and standard deviation.
    ///
    /// With `D = s + σ² v`: `∂/∂γ = -σ² v'/2D`; the derivative by σ at fixed γ is `σ/(σ² + s) - σ v/D`.
    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        let variance = std_dev * std_dev;
        if variance <= 0.0 {
            return (0.0, 0.0, 0.0);
        }
        let relative = self.noise_variance / variance;
        let (mut by_mean, mut by_std_dev) = (0.0, 0.0);
        for minimum in &self.minima {
            let gamma = (mean - minimum) / std_dev;
            let v = truncated_variance(gamma);
            let share = if relative == 0.0 { 1.0 } else { v / (relative + v) };
            let by_gamma = -0.5 * share * log_truncated_variance_derivative(gamma);
            by_mean += by_gamma / std_dev;
            let itself = (1.0 / (1.0 + relative) - share) / std_dev;
            by_std_dev += itself - if by_gamma == 0.0 { 0.0 } else { gamma * by_gamma / std_dev };
        }
        let count = self.minima.len() as f64;
        (self.value(mean, std_dev), by_mean / count, by_std_dev / count)
    }
}

/// [`Gibbon`] of a point in addition to pending points: the information gained beyond them.
///
/// ```text
/// G(x) + ½ ln(1 - c(x)ᵀ (Σ_P + s I)⁻¹ c(x) / (σ² + s))
/// ```
///
/// c(x) are the covariances of x with the pending points P, and `Σ_P` is theirs. The second term is the contribution of x to `½ ln |R|`,
/// where R is the correlation matrix of the observations of the batch. Points chosen one by one maximise the utility of the batch greedily.
/// The value is negative where x repeats a pending point. Values of different batch sizes cannot be compared.
///
/// Cost: P² flops per point, in addition to the look-ahead. Source: Moss et al. (2021) for batches.
#[derive(Debug)]
pub struct GibbonBatch {
    single: Gibbon,
    pending: Option<Cholesky>,
}

impl Gibbon {
    /// The acquisition given pending points; without any, that of the point alone.
    ///
    /// # Errors
    /// [`AcquisitionError`] for pending points of another dimension, or a covariance of theirs that cannot be
    /// factored.
    pub fn beside<'a>(
        self,
        posterior: &'a dyn JointPosterior,
        pending: PointsRef<'_>,
    ) -> Result<impl Acquisition + 'a, AcquisitionError> {
        require_points("pending points", pending, posterior.dim())?;
        let m = pending.len();
        let mut covariance = vec![0.0; m * m];
        posterior.covariance_into(pending, &mut covariance);
        let noise_variance = self.noise_variance;
        let matrix =
            Matrix::from_fn(m, m, |i, j| covariance[i * m + j] + if i == j { noise_variance } else { 0.0 });
        let known = m == 0 || (0..m).all(|i| matrix[(i, i)] < f64::MIN_POSITIVE);
        let factor = (!known)
            .then(|| factor_covariance(&matrix, posterior.prior_scale()))
            .transpose()
            .map_err(|source| AcquisitionError::Covariance { name: "pending points", source })?;
        let utility = GibbonBatch { single: self, pending: factor };
        Ok(LookaheadAcquisition::new(lookahead(posterior, pending, noise_variance), utility))
    }
}

impl GibbonBatch {
    /// Variance of the observation given the pending ones, relative to that without them; and `(Σ_P + s I)⁻¹ c`.
    fn remains(&self, ahead: LookaheadMoments<'_>, anchors: &[f64]) -> (f64, Vec<f64>) {
        let mut solved = anchors.to_vec();
        let Some(factor) = &self.pending else { return (1.0, vec![0.0; anchors.len()]) };
        factor.solve_in_place(&mut solved);
        let told: f64 = anchors.iter().zip(&solved).map(|(c, q)| c * q).sum();
        ((1.0 - told / ahead.variance).clamp(0.0, 1.0), solved)
    }
}

impl LookaheadUtility for GibbonBatch {
    fn value(&self, ahead: LookaheadMoments<'_>) -> f64 {
        let (anchors, own) = ahead.split();
        if ahead.variance <= 0.0 {
            return 0.0;
        }
        let (remains, _) = self.remains(ahead, anchors);
        self.single.value(ahead.mean, own.sqrt()) + 0.5 * remains.ln()
    }

    fn value_and_slopes(
        &self,
        ahead: LookaheadMoments<'_>,
        of_covariance: &mut [f64],
    ) -> (f64, LookaheadGradient) {
        let (anchors, own) = ahead.split();
        of_covariance.fill(0.0);
        if ahead.variance <= 0.0 {
            return (0.0, LookaheadGradient::default());
        }
        let std_dev = own.sqrt();
        let (value, by_mean, by_std_dev) = self.single.value_and_slopes(ahead.mean, std_dev);
        let (remains, solved) = self.remains(ahead, anchors);
        let mut slopes = LookaheadGradient { mean: by_mean, variance: 0.0 };
        if remains > 0.0 {
            let left = remains * ahead.variance;
            of_covariance.iter_mut().zip(&solved).for_each(|(slot, q)| *slot = -q / left);
            slopes.variance = 0.5 * (1.0 - remains) / left;
        }
        if std_dev > 0.0 {
            of_covariance[anchors.len()] = by_std_dev / (2.0 * std_dev);
        }
        (value + 0.5 * remains.ln(), slopes)
    }
}

/// Factory of [`Gibbon`].
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct GibbonFactory {
    /// Sampler of the minima.
    pub minima: MinValueSampler,
}

impl AcquisitionFactory for GibbonFactory {
    fn build<'a>(&self, mut context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        let utility = Gibbon::new(self.minima.sample(&mut context)?, context.noise_variance)?;
        Ok(Box::new(Analytic::new(context.posterior, utility)))
    }

    fn scale(&self) -> UtilityScale {
        UtilityScale::NonNegative
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        described("gibbon", self)
    }
}
