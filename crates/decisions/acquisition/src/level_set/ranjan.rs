//! Ranjan's improvement for contours.

use thrifty_prob::{cdf, h};

use super::margin::standardized;
use crate::Utility;

/// Ranjan's improvement: expected feasibility with squares.
///
/// ```text
/// E[max(ε² - (f - h)², 0)] = σ² [2αH(x) - S(x) + S(x') + 2αH(x')],   ε = ασ,   x = α - |z|,   x' = -α - |z|
/// H(x) = E[(x + Z)₊] = φ + xΦ,   S(x) = E[(x + Z)₊²] = Φ + xH
/// ```
///
/// The square is expanded about its nearer edge, so the tails lose digits only in proportion to |z|, not to its third power. The value is 0
/// at σ = 0. Source: Ranjan, Bingham & Michailidis (2008), α = 2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RanjanImprovement {
    /// h.
    pub threshold: f64,
    /// α > 0.
    pub alpha: f64,
}

fn square(x: f64) -> f64 {
    cdf(x) + x * h(x)
}

impl RanjanImprovement {
    /// The bracket at -|z|, and its derivative in |z|.
    fn bracket(&self, size: f64) -> (f64, f64) {
        let (near, far) = (self.alpha - size, -self.alpha - size);
        let value = 2.0 * self.alpha * (h(near) + h(far)) - square(near) + square(far);
        let slope = -2.0 * self.alpha * (cdf(near) + cdf(far)) + 2.0 * (h(near) - h(far));
        (value.max(0.0), slope)
    }
}

impl Utility for RanjanImprovement {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        self.value_and_slopes(mean, std_dev).0
    }

    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        if std_dev <= 0.0 {
            return (0.0, 0.0, 0.0);
        }
        let z = standardized(mean, std_dev, self.threshold);
        let (bracket, slope) = self.bracket(z.abs());
        let by_std_dev = std_dev * (2.0 * bracket - z.abs() * slope);
        (std_dev * std_dev * bracket, std_dev * slope * z.signum(), by_std_dev)
    }

    fn has_unit(&self) -> bool {
        true
    }
}
