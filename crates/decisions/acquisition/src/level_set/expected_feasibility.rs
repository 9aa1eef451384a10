//! Expected feasibility function.

use thrifty_prob::{cdf, h};

use super::margin::standardized;
use crate::Utility;

/// Expected feasibility: the expected amount by which the function is within ε = ασ of the threshold h.
///
/// ```text
/// E[max(ε - |f - h|, 0)] = σ [H(α - |z|) - 2 H(-|z|) + H(-α - |z|)],   z = (μ - h)/σ,   H(x) = φ(x) + xΦ(x)
/// ```
///
/// Differences of expected improvements replace the source's twelve terms, so nothing cancels in the tails. It is 0 at σ = 0.
/// Source: Bichon et al. (2008), α = 2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedFeasibility {
    /// h.
    pub threshold: f64,
    /// α > 0.
    pub alpha: f64,
}

impl Utility for ExpectedFeasibility {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        if std_dev <= 0.0 {
            return 0.0;
        }
        let z = -standardized(mean, std_dev, self.threshold).abs();
        std_dev * (h(z + self.alpha) - 2.0 * h(z) + h(z - self.alpha))
    }

    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        if std_dev <= 0.0 {
            return (0.0, 0.0, 0.0);
        }
        let z = standardized(mean, std_dev, self.threshold);
        let low = -z.abs();
        let by_low = cdf(low + self.alpha) - 2.0 * cdf(low) + cdf(low - self.alpha);
        let value = self.value(mean, std_dev);
        (value, -by_low * z.signum(), value / std_dev - low * by_low)
    }

    fn has_unit(&self) -> bool {
        true
    }
}
