//! Straddle heuristic.

use thrifty_sampling::Stream;

use crate::Utility;

/// Straddle: favors points that are uncertain and close to the threshold h.
///
/// ```text
/// κσ - |μ - h|
/// ```
///
/// With κ = √β it is also the ambiguity `min(U - h, h - L)` of the interval `[L, U] = μ ± √β σ`. It is negative where the interval excludes
/// the threshold. Source: Bryan et al. (2005), κ = 1.96.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Straddle {
    /// h.
    pub threshold: f64,
    /// κ ≥ 0.
    pub kappa: f64,
}

impl Utility for Straddle {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        self.kappa * std_dev - (mean - self.threshold).abs()
    }

    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        let margin = mean - self.threshold;
        let sign = if margin == 0.0 { 0.0 } else { margin.signum() };
        (self.value(mean, std_dev), -sign, self.kappa)
    }

    fn has_unit(&self) -> bool {
        true
    }
}

/// Straddle with a random width, never negative.
///
/// ```text
/// max(√β σ - |μ - h|, 0),   β ~ χ²₂
/// ```
///
/// One draw is used for all points of a step. The mean width does not grow with the number of steps. The theoretical guarantees hold
/// without a tuned width. Source: Inatsu et al. (2024).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RandomizedStraddle {
    /// h.
    pub threshold: f64,
    /// β ≥ 0.
    pub beta: f64,
}

impl RandomizedStraddle {
    /// Randomised straddle with β drawn from χ²₂: `-2 ln(1 - u)` for a uniform u.
    #[must_use]
    pub fn drawn(threshold: f64, rng: &mut Stream) -> Self {
        Self { threshold, beta: -2.0 * (-rng.uniform()).ln_1p() }
    }

    fn straddle(self) -> Straddle {
        Straddle { threshold: self.threshold, kappa: self.beta.sqrt() }
    }
}

impl Utility for RandomizedStraddle {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        self.straddle().value(mean, std_dev).max(0.0)
    }

    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        let (value, by_mean, by_std_dev) = self.straddle().value_and_slopes(mean, std_dev);
        if value > 0.0 { (value, by_mean, by_std_dev) } else { (0.0, 0.0, 0.0) }
    }

    fn has_unit(&self) -> bool {
        true
    }
}
