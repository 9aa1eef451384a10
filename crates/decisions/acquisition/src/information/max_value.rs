//! Max-value entropy search, for minima.

use thrifty_prob::{inverse_mills, log_cdf, log_h_derivative};

use thrifty_surrogate::Description;

use crate::error::require_finite;
use crate::factory::described;
use crate::{
    Acquisition, AcquisitionError, AcquisitionFactory, Analytic, Context, MinValueSampler, Utility,
    UtilityScale,
};

/// `½ ln 2π`.
const HALF_LN_TAU: f64 = 0.918_938_533_204_672_7;

/// Max-value entropy search: mutual information, in nats, of a noiseless observation and the minimum y*.
///
/// ```text
/// MES = 1/K Σ_k [γ_k φ(γ_k) / 2Φ(γ_k) - ln Φ(γ_k)],   γ_k = (μ - y*_k)/σ
/// d term/dγ = -(r/2) (1 + γ (γ + r)),   r = φ/Φ
/// ```
///
/// The average is over K sampled minima y*_k. [`Gumbel::minima`](crate::Gumbel::minima) samples them cheaply,
/// [`minima_among`](crate::minima_among) and [`minima_on`](crate::minima_on) accurately. The value is 0 at σ = 0. The observation is
/// treated as noiseless; under noise use [`Gibbon`](crate::Gibbon).
///
/// Cost: K terms per point. Source: Wang & Jegelka (2017), eq. 6; departures: minima, and for γ < 0 a form in which the squares of both
/// parts have cancelled.
#[derive(Debug, Clone, PartialEq)]
pub struct MaxValueEntropySearch {
    minima: Vec<f64>,
}

impl MaxValueEntropySearch {
    /// Max-value entropy search for these sampled minima.
    ///
    /// # Errors
    /// [`AcquisitionError`] for none, or one that is not finite.
    pub fn new(minima: Vec<f64>) -> Result<Self, AcquisitionError> {
        require_finite("minima", &minima)?;
        Ok(Self { minima })
    }

    /// The sampled minima.
    #[must_use]
    pub fn minima(&self) -> &[f64] {
        &self.minima
    }
}

/// `γ r/2 - ln Φ(γ)`.
fn term(gamma: f64) -> f64 {
    if gamma.is_infinite() {
        return if gamma > 0.0 { 0.0 } else { f64::INFINITY };
    }
    let r = inverse_mills(-gamma);
    if gamma < 0.0 {
        // r = t + w with t = -γ: the squares cancel.
        let w = 1.0 / log_h_derivative(gamma);
        0.5 * gamma * w + HALF_LN_TAU + r.ln()
    } else {
        0.5 * gamma * r - log_cdf(gamma)
    }
}

/// `-(r/2) (1 + γ w)` with `w = γ + r`. For γ far below 0, `1 + γ w` is the share of the variance that remains, `v + w²`.
fn slope(gamma: f64) -> f64 {
    if gamma.is_infinite() {
        return 0.0;
    }
    let (r, w) = (inverse_mills(-gamma), 1.0 / log_h_derivative(gamma));
    if r == 0.0 {
        return 0.0;
    }
    let kept = if gamma < 0.0 { thrifty_prob::truncated_variance(gamma) + w * w } else { 1.0 + gamma * w };
    -0.5 * r * kept
}

impl Utility for MaxValueEntropySearch {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        if std_dev <= 0.0 {
            return 0.0;
        }
        let terms = self.minima.iter().map(|minimum| term((mean - minimum) / std_dev));
        terms.sum::<f64>() / self.minima.len() as f64
    }

    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        if std_dev <= 0.0 {
            return (0.0, 0.0, 0.0);
        }
        let (mut by_mean, mut by_std_dev) = (0.0, 0.0);
        for minimum in &self.minima {
            let gamma = (mean - minimum) / std_dev;
            let slope = slope(gamma) / std_dev;
            by_mean += slope;
            by_std_dev -= if slope == 0.0 { 0.0 } else { gamma * slope };
        }
        let count = self.minima.len() as f64;
        (self.value(mean, std_dev), by_mean / count, by_std_dev / count)
    }
}

/// Factory of [`MaxValueEntropySearch`].
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct MaxValueEntropySearchFactory {
    /// Sampler of the minima.
    pub minima: MinValueSampler,
}

impl AcquisitionFactory for MaxValueEntropySearchFactory {
    fn build<'a>(&self, mut context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        let utility = MaxValueEntropySearch::new(self.minima.sample(&mut context)?)?;
        Ok(Box::new(Analytic::new(context.posterior, utility)))
    }

    fn scale(&self) -> UtilityScale {
        UtilityScale::NonNegative
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        described("max-value entropy search", self)
    }
}
