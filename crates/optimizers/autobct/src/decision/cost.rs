//! Expected cost of a training run.

use thrifty_prob::h;

/// Expected cost of a training run whose cost is normal, where negative costs count as nothing: `E[T⁺]`.
///
/// ```text
/// Υ(m, s²) = s φ(m/s) + m Φ(m/s) = s h(m/s),   Υ(m, 0) = max(m, 0)
/// ```
///
/// To full relative accuracy where m is many standard deviations below 0. Source: `AutoBCT`, eq. after (2.12).
///
/// ```
/// assert!((thrifty_autobct::expected_cost(0.0, 1.0) - 0.398_942_280_401_432_7).abs() < 1e-16);
/// assert_eq!(thrifty_autobct::expected_cost(-1.0, 0.0), 0.0);
/// ```
#[must_use]
pub fn expected_cost(mean: f64, variance: f64) -> f64 {
    if variance > 0.0 {
        let std_dev = variance.sqrt();
        std_dev * h(mean / std_dev)
    } else {
        mean.max(0.0)
    }
}
