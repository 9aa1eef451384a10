use thrifty_prob::pdf;

use super::gain::{Gain, Seen};

/// The targeted integrated mean squared error: variance, weighted by how likely each point is on the threshold.
///
/// ```text
/// gain = W ρσ²,   W = N(h; μ, σ² + b²)
/// ```
///
/// The weights are those of today's belief, as in the source: an observation is credited with the variance that it
/// takes, not with moving means off the threshold. Source: Picheny et al. (2010).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TargetedVariance {
    /// b ≥ 0, half the width of the zone of interest.
    pub bandwidth: f64,
}

impl Gain for TargetedVariance {
    fn gain(&self, seen: Seen, explained: f64) -> f64 {
        self.slope(seen, explained) * explained
    }

    fn slope(&self, seen: Seen, _: f64) -> f64 {
        let spread = seen.deviation.hypot(self.bandwidth);
        let share = seen.deviation / spread;
        // σ²/√(σ² + b²): small deviations do not underflow on the way.
        seen.deviation * share * pdf(seen.standardised * share)
    }
}
