//! Expected reduction of pointwise uncertainty by one observation.

/// Posterior at one point of a field before an observation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointState {
    /// `u = (μ - h)/σ`.
    pub standardized: f64,
    /// σ > 0.
    pub std_dev: f64,
}

/// Expected reduction of a criterion at one point of a field, given the share ρ of its variance that observations explain.
///
/// ```text
/// ρ = 1 - σ²_after/σ²_before;   for one observation at x:  ρ = cov(f, f(x))² / (σ² (var f(x) + s))
/// ```
///
/// s is the variance of the noise. Normal observations move the mean by N(0, ρσ²) and leave the variance (1 - ρ)σ², so u, σ and ρ determine
/// the gain. A batch is treated like one observation, because ρ does not depend on the observed values.
pub trait ExpectedReduction: Send + Sync {
    /// The expected gain; 0 at ρ = 0.
    fn gain(&self, seen: PointState, explained: f64) -> f64;

    /// Derivative of the gain by ρ.
    fn slope(&self, seen: PointState, explained: f64) -> f64;

    /// Prepares for points that are used many times.
    fn prepare(&mut self, _seen: &[PointState]) {}

    /// Weighted sum over the prepared points, given ρ for each.
    fn sum(&self, seen: &[PointState], weights: &[f64], explained: &[f64]) -> f64 {
        let each = seen.iter().zip(weights).zip(explained);
        each.map(|((seen, weight), explained)| weight * self.gain(*seen, *explained)).sum()
    }

    /// True if gains are in units of the function: see [`Acquisition::has_unit`](crate::Acquisition::has_unit).
    fn has_unit(&self) -> bool {
        false
    }
}
