//! Targeted integrated mean squared error.

use thrifty_prob::pdf;

use super::expected_reduction::{ExpectedReduction, PointState};

/// Targeted integrated mean squared error: the variance, weighted by the density of the function at the threshold for each point.
///
/// ```text
/// gain = W ρσ²,   W = N(h; μ, σ² + b²)
/// ```
///
/// The weights W are those of the current posterior, as in the source. An observation is credited for the variance that it removes, not for
/// moving means away from the threshold. Source: Picheny et al. (2010).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TargetedVariance {
    /// b ≥ 0, half the width of the zone of interest.
    pub bandwidth: f64,
}

impl ExpectedReduction for TargetedVariance {
    fn gain(&self, seen: PointState, explained: f64) -> f64 {
        self.slope(seen, explained) * explained
    }

    fn slope(&self, seen: PointState, _: f64) -> f64 {
        let spread = seen.std_dev.hypot(self.bandwidth);
        let share = seen.std_dev / spread;
        // σ²/√(σ² + b²), so that small standard deviations do not underflow in between.
        seen.std_dev * share * pdf(seen.standardized * share)
    }

    fn has_unit(&self) -> bool {
        true
    }
}
