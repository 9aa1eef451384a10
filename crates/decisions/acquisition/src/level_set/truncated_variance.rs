//! Truncated variance reduction.

use super::expected_reduction::{ExpectedReduction, PointState};

/// Truncated variance reduction: variances count only above a limit.
///
/// ```text
/// gain = max(βσ², η²) - max(β(1 - ρ)σ², η²)
/// ```
///
/// Use undecided points for the field. η is lowered in epochs, as soon as √β σ ≤ (1 + δ)η at all of them. If costs differ, divide by the
/// cost of an observation. Source: Bogunovic et al. (2016), algorithm 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TruncatedVariance {
    /// β > 0.
    pub beta: f64,
    /// η ≥ 0.
    pub eta: f64,
}

impl ExpectedReduction for TruncatedVariance {
    fn gain(&self, seen: PointState, explained: f64) -> f64 {
        let (now, floor) = (self.beta * seen.std_dev.powi(2), self.eta * self.eta);
        (now - floor).min(now * explained).max(0.0)
    }

    fn slope(&self, seen: PointState, explained: f64) -> f64 {
        let now = self.beta * seen.std_dev.powi(2);
        if now * (1.0 - explained) > self.eta * self.eta { now } else { 0.0 }
    }

    fn has_unit(&self) -> bool {
        true
    }
}
