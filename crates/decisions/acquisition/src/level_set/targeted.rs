//! Targeted mean squared error.

use thrifty_prob::pdf;

use crate::Utility;

/// Targeted mean squared error: the variance, weighted by the density of the function at the threshold.
///
/// ```text
/// σ² N(h; μ, σ² + b²)
/// ```
///
/// b is the half-width of the zone of interest; 0 for the threshold itself. The value is 0 at σ = 0. Source: Picheny et al. (2010).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TargetedMeanSquaredError {
    /// h.
    pub threshold: f64,
    /// b ≥ 0.
    pub bandwidth: f64,
}

impl Utility for TargetedMeanSquaredError {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        self.value_and_slopes(mean, std_dev).0
    }

    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        if std_dev <= 0.0 {
            return (0.0, 0.0, 0.0);
        }
        let spread = std_dev.hypot(self.bandwidth);
        let z = (mean - self.threshold) / spread;
        let density = pdf(z);
        if density == 0.0 {
            return (0.0, 0.0, 0.0);
        }
        let share = std_dev / spread;
        let value = std_dev * share * density;
        let by_std_dev = share * density * (2.0 + share * share * (z * z - 1.0));
        (value, -share * share * z * density, by_std_dev)
    }

    fn has_unit(&self) -> bool {
        true
    }
}
