//! Targeted integrated mean squared error.

use thrifty_prob::pdf;

use super::expected_reduction::{ExpectedReduction, PointState};

/// The targeted integrated mean squared error: variance, weighted by how likely each point is on the threshold.
///
/// ```text
/// gain = W ρσ²,   W = N(h; μ, σ² + b²)
/// ```
///
/// The weights are those of the present posterior, as in the source: an observation is credited with the variance that it
/// takes, not with moving means off the threshold. Source: Picheny et al. (2010).
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
        // σ²/√(σ² + b²): small standard deviations do not underflow on the way.
        seen.std_dev * share * pdf(seen.standardized * share)
    }

    fn has_unit(&self) -> bool {
        true
    }
}
