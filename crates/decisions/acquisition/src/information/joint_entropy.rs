//! Joint entropy search.

use thrifty_check::dimension;
use thrifty_domain::{Points, PointsRef};
use thrifty_prob::{log_truncated_variance_derivative, truncated_variance};
use thrifty_surrogate::{Description, JointPosterior, lookahead};

use crate::error::require_noise;
use crate::factory::described;
use crate::{
    Acquisition, AcquisitionError, AcquisitionFactory, Context, Minimizer, PathSearch, UtilityScale,
};
use crate::{LookaheadAcquisition, LookaheadGradient, LookaheadMoments, LookaheadUtility};

/// Joint entropy search: a lower bound on the mutual information, in nats, of a noisy observation and the pair of
/// minimiser and minimum.
///
/// ```text
/// JES(x) = ½ ln(σ² + s) - 1/2K Σ_k ln(s + u_k v(γ_k))
/// u_k = σ² - c_k²/v*_k,   m_k = μ + c_k (f*_k - μ*_k)/v*_k,   γ_k = (m_k - f*_k)/√u_k
/// ```
///
/// (x*_k, f*_k) are K sampled minimisers ([`minimizers_on`](crate::minimizers_on)). μ*_k and v*_k are the posterior moments at x*_k, and
/// `c_k` the covariance of f(x) and f(x*_k). v(γ) is the variance of a standard normal variable truncated above at γ. s is the variance of
/// the noise.
///
/// The posterior is conditioned on f(x*_k) = f*_k and truncated below at f*_k. It is then approximated by a normal distribution with the
/// remaining variance.
///
/// Without noise the value at a sampled minimiser would be infinite, so s is at least a millionth of the largest v*. The value is 0 at σ = 0.
/// Cost: the look-ahead at K anchors, and K terms per point.
/// Source: Hvarfner, Hutter & Nardi (2022); Tu et al. (2022) for the bound;
/// departures: minima, and no refit to the sampled optima.
#[derive(Debug, Clone)]
pub struct JointEntropySearch {
    minimizers: Vec<Conditioning>,
    noise_variance: f64,
}

/// Constants for conditioning on one sampled minimum.
#[derive(Debug, Clone, Copy)]
struct Conditioning {
    value: f64,
    /// (f* - μ*)/v*; 0 where v* is 0.
    shift: f64,
    /// 1/v*; 0 where v* is 0.
    precision: f64,
}

impl JointEntropySearch {
    /// Joint entropy search on a posterior with sampled minimisers, for observations with this noise variance.
    ///
    /// # Errors
    /// [`AcquisitionError`] for no minimisers, one of another dimension or not finite, or a noise variance that is
    /// negative or not finite.
    pub fn on<'a>(
        posterior: &'a dyn JointPosterior,
        minimizers: &[Minimizer],
        noise_variance: f64,
    ) -> Result<impl Acquisition + 'a, AcquisitionError> {
        let mut noise_variance = require_noise(noise_variance)?;
        let values: Vec<f64> = minimizers.iter().map(|minimizer| minimizer.value).collect();
        crate::error::require_finite("minimisers", &values)?;
        let mut anchors = Points::new(posterior.dim());
        for minimizer in minimizers {
            dimension("minimisers", minimizer.x.len(), posterior.dim())?;
            anchors.push(&minimizer.x);
        }
        crate::error::require_points("minimisers", anchors.as_ref(), posterior.dim())?;
        let (mut mean, mut variance) = (vec![0.0; values.len()], vec![0.0; values.len()]);
        posterior.predict_into(anchors.as_ref(), &mut mean, &mut variance);
        let largest = variance.iter().copied().fold(0.0, f64::max);
        noise_variance = noise_variance.max(1e-6 * largest);
        let conditioning = |((value, mean), variance): ((&f64, &f64), &f64)| {
            // A variance at rounding level contains no information about the minimizer.
            let precision = if *variance > 1e-10 * largest { 1.0 / variance } else { 0.0 };
            // The same holds for a variance whose reciprocal overflows.
            let precision = if precision.is_finite() { precision } else { 0.0 };
            Conditioning { value: *value, shift: (value - mean) * precision, precision }
        };
        let minimizers = values.iter().zip(&mean).zip(&variance).map(conditioning).collect();
        let anchors: PointsRef<'_> = anchors.as_ref();
        Ok(LookaheadAcquisition::new(
            lookahead(posterior, anchors, noise_variance),
            Self { minimizers, noise_variance },
        ))
    }
}

impl LookaheadUtility for JointEntropySearch {
    fn value(&self, ahead: LookaheadMoments<'_>) -> f64 {
        let (anchors, own) = ahead.split();
        if own <= 0.0 {
            return 0.0;
        }
        let of = |(at, c): (&Conditioning, &f64)| {
            let left = own - c * c * at.precision;
            let told = if left > 0.0 {
                left * truncated_variance((ahead.mean + c * at.shift - at.value) / left.sqrt())
            } else {
                0.0
            };
            (self.noise_variance + told).ln()
        };
        let after: f64 = self.minimizers.iter().zip(anchors).map(of).sum();
        0.5 * (ahead.variance.ln() - after / self.minimizers.len() as f64)
    }

    /// Value and its gradients.
    ///
    /// With `T = s + u v(γ)`: `dT = (v - γ v'/2) du + √u v' dm`.
    fn value_and_slopes(
        &self,
        ahead: LookaheadMoments<'_>,
        of_covariance: &mut [f64],
    ) -> (f64, LookaheadGradient) {
        let (anchors, own) = ahead.split();
        of_covariance.fill(0.0);
        if own <= 0.0 {
            return (0.0, LookaheadGradient::default());
        }
        let mut slopes = LookaheadGradient { mean: 0.0, variance: 0.5 / ahead.variance };
        let (mut of_own, mut after) = (0.0, 0.0);
        for ((at, c), slot) in self.minimizers.iter().zip(anchors).zip(of_covariance.iter_mut()) {
            let left = own - c * c * at.precision;
            if left.is_nan() || left <= 0.0 {
                after += self.noise_variance.ln();
                continue;
            }
            let root = left.sqrt();
            let gamma = (ahead.mean + c * at.shift - at.value) / root;
            let v = truncated_variance(gamma);
            let v_slope = v * log_truncated_variance_derivative(gamma);
            let told = self.noise_variance + left * v;
            after += told.ln();
            let weight = -0.5 / (told * self.minimizers.len() as f64);
            let bend = if v_slope == 0.0 { 0.0 } else { 0.5 * gamma * v_slope };
            let (by_left, by_mean) = (weight * (v - bend), weight * root * v_slope);
            slopes.mean += by_mean;
            of_own += by_left;
            *slot = by_mean * at.shift - 2.0 * by_left * c * at.precision;
        }
        of_covariance[anchors.len()] = of_own;
        (0.5 * (ahead.variance.ln() - after / self.minimizers.len() as f64), slopes)
    }
}

/// Factory of [`JointEntropySearch`].
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct JointEntropySearchFactory {
    /// Number of sampled minimisers.
    #[serde(rename = "minimisers", alias = "minimizers")]
    pub minimizers: usize,
}

impl AcquisitionFactory for JointEntropySearchFactory {
    fn build<'a>(&self, mut context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        let joint = context.joint()?;
        let minimizers = context.minimizers(&PathSearch::default(), self.minimizers)?;
        Ok(Box::new(JointEntropySearch::on(joint, &minimizers, context.noise_variance)?))
    }

    fn scale(&self) -> UtilityScale {
        UtilityScale::NonNegative
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        described("joint entropy search", self)
    }
}
