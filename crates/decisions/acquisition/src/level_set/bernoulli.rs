//! Bernoulli variance of the classification at a point.

use thrifty_prob::{cdf, inverse_mills, log_cdf, pdf};

use super::margin::{slopes_of, standardized};
use crate::Utility;

/// Variance of the indicator of f > h: `p(1 - p)`, `p = Φ(z)`, `z = (μ - h)/σ`.
///
/// It is largest where the mean is on the threshold, even if the point is nearly certain. Used alone, it therefore returns to points
/// already evaluated. It is 0 at σ = 0. Source: Bect et al. (2012).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BernoulliVariance {
    /// h.
    pub threshold: f64,
}

/// Logarithm of [`BernoulliVariance`]; it has a gradient where the variance underflows. Minus infinity at σ = 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogBernoulliVariance {
    /// h.
    pub threshold: f64,
}

/// Entropy of the indicator of f > h, in nats: `-p ln p - (1 - p) ln(1 - p)`.
///
/// It has the same caveat and ranks points in the same order as [`BernoulliVariance`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BernoulliEntropy {
    /// h.
    pub threshold: f64,
}

/// Logarithm of [`BernoulliEntropy`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogBernoulliEntropy {
    /// h.
    pub threshold: f64,
}

/// `Φ(z) Φ(-z)`.
pub(super) fn bernoulli_variance(z: f64) -> f64 {
    cdf(z) * cdf(-z)
}

/// Entropy at p = Φ(z), in nats.
pub(super) fn bernoulli_entropy(z: f64) -> f64 {
    let (low, high) = (-z.abs(), z.abs());
    let q = cdf(low);
    if q == 0.0 { 0.0 } else { -q * log_cdf(low) - cdf(high) * log_cdf(high) }
}

/// `ln H = ln q + ln(-ln q - (1 - q) ln(1 - q)/q)`, where q is the smaller probability.
fn log_bernoulli_entropy(z: f64) -> f64 {
    let low = -z.abs();
    let (q, log_q) = (cdf(low), log_cdf(low));
    if log_q == f64::NEG_INFINITY {
        return log_q;
    }
    // -(1 - q) ln(1 - q)/q tends to 1.
    let rest = if q > 1e-300 { -(1.0 - q) * log_cdf(-low) / q } else { 1.0 };
    log_q + (rest - log_q).ln()
}

impl Utility for BernoulliVariance {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        bernoulli_variance(standardized(mean, std_dev, self.threshold))
    }

    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        let z = standardized(mean, std_dev, self.threshold);
        let (by_mean, by_std_dev) = slopes_of(pdf(z) * (cdf(-z) - cdf(z)), z, std_dev);
        (bernoulli_variance(z), by_mean, by_std_dev)
    }
}

impl Utility for LogBernoulliVariance {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        let z = standardized(mean, std_dev, self.threshold);
        log_cdf(z) + log_cdf(-z)
    }

    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        let z = standardized(mean, std_dev, self.threshold);
        let by_z = if z.is_finite() { inverse_mills(-z) - inverse_mills(z) } else { 0.0 };
        let (by_mean, by_std_dev) = slopes_of(by_z, z, std_dev);
        (self.value(mean, std_dev), by_mean, by_std_dev)
    }
}

impl Utility for BernoulliEntropy {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        bernoulli_entropy(standardized(mean, std_dev, self.threshold))
    }

    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        let z = standardized(mean, std_dev, self.threshold);
        let density = pdf(z);
        let by_z = if density > 0.0 { density * (log_cdf(-z) - log_cdf(z)) } else { 0.0 };
        let (by_mean, by_std_dev) = slopes_of(by_z, z, std_dev);
        (bernoulli_entropy(z), by_mean, by_std_dev)
    }
}

impl Utility for LogBernoulliEntropy {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        log_bernoulli_entropy(standardized(mean, std_dev, self.threshold))
    }

    /// `φ(z) ln((1 - p)/p)/H`, as `r(z) ln(..)/(H/q)` with the Mills ratio of the smaller probability.
    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        let z = standardized(mean, std_dev, self.threshold);
        let value = log_bernoulli_entropy(z);
        let by_z = if z.is_finite() {
            let low = -z.abs();
            let relative = (value - log_cdf(low)).exp();
            inverse_mills(-low) * (log_cdf(-z) - log_cdf(z)) / relative
        } else {
            0.0
        };
        let (by_mean, by_std_dev) = slopes_of(by_z, z, std_dev);
        (value, by_mean, by_std_dev)
    }
}
