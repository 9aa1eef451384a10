//! The standard normal distribution's mass of an interval, where speed counts more than the last digits: 1e-13.

use std::f64::consts::FRAC_1_SQRT_2;

use libm::erfc;
use thrifty_prob::{log_cdf, log_pdf};

/// Standard deviations beyond which the tail is below half a unit in the last place of 1.
pub(crate) const NEGLIGIBLE: f64 = 8.3;

/// Standard deviations beyond which the tail does not change a bit of a number from 1/2 to 1.
const INVISIBLE: f64 = 8.5;

/// Standard deviations beyond which the rounding of erfc's argument, magnified by the square, costs more than 1e-13.
const ERFC_TO: f64 = 25.0;

/// Width of an interval, times one more than its distance from 0, below which three terms of a series suffice.
const NARROW: f64 = 0.05;

/// `Φ(b) - Φ(a)`, 0 where `a ≥ b`, without cancellation in either tail.
#[must_use]
pub(crate) fn mass(a: f64, b: f64) -> f64 {
    // By symmetry the interval is turned to where its nearer end is the upper one.
    let (a, b) = if a + b > 0.0 { (-b, -a) } else { (a, b) };
    if a >= b {
        0.0
    } else if b < 0.0 {
        lower(b) - lower(a)
    } else {
        let above = if b > NEGLIGIBLE { 0.0 } else { lower(-b) };
        let below = if a < -INVISIBLE { 0.0 } else { lower(a) };
        1.0 - above - below
    }
}

/// `ln(Φ(b) - Φ(a))`, finite wherever the interval is not empty.
#[must_use]
pub(crate) fn log_mass(a: f64, b: f64) -> f64 {
    let (a, b) = if a + b > 0.0 { (-b, -a) } else { (a, b) };
    let (width, middle) = (b - a, 0.5 * (a + b));
    if a >= b {
        f64::NEG_INFINITY
    } else if width * (1.0 + middle.abs()) < NARROW {
        // ∫ φ = h φ(m) (1 + h² (m² - 1) / 24 + h⁴ (m⁴ - 6 m² + 3) / 1920 + …)
        let (h2, m2) = (width * width, middle * middle);
        let rest = h2 * ((m2 - 1.0) / 24.0 + h2 * (m2 * (m2 - 6.0) + 3.0) / 1920.0);
        width.ln() + log_pdf(middle) + rest.ln_1p()
    } else if b > -ERFC_TO {
        mass(a, b).ln()
    } else {
        let (low, high) = (log_cdf(a), log_cdf(b));
        high + (-(low - high).exp()).ln_1p()
    }
}

/// `Φ(z)` for z ≤ 0.
fn lower(z: f64) -> f64 {
    if z < -38.0 { 0.0 } else { 0.5 * erfc(-z * FRAC_1_SQRT_2) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thrifty_prob::cdf;

    #[test]
    fn intervals_against_the_exact_functions() {
        for (a, b) in [(-1.0, 2.0), (-3.0, -2.0), (2.0, 3.0), (-40.0, 40.0), (-24.0, -23.0), (0.1, 0.2)] {
            let (low, high) = if a > 0.0 { (-b, -a) } else { (a, b) };
            let exact: f64 = cdf(high) - cdf(low);
            assert!((mass(a, b) - exact).abs() <= 1e-13 * exact, "[{a}, {b}]");
            assert!((log_mass(a, b) - exact.ln()).abs() <= 1e-12, "[{a}, {b}]");
        }
        assert_eq!(mass(1.0, 1.0), 0.0);
        assert_eq!(log_mass(2.0, 1.0), f64::NEG_INFINITY);
        assert_eq!(log_mass(f64::NEG_INFINITY, f64::INFINITY), 0.0);
    }

    /// Tails that are left out would not change a bit.
    #[test]
    fn invisible_tails_leave_the_bits() {
        for value in [0.5, 0.5_f64.next_up(), 0.75, 1.0_f64.next_down(), 1.0] {
            assert_eq!(value - lower(-INVISIBLE), value);
        }
        for far in [8.2, 8.49, 8.51, 9.0, 40.0] {
            for near in [0.0, 1e-17, 1e-9, 0.3, 2.0, 8.0, 8.2] {
                assert_eq!(mass(-far, near), 1.0 - lower(-near) - lower(-far), "[-{far}, {near}]");
                assert_eq!(mass(-near, far), mass(-far, near));
            }
        }
    }

    #[test]
    fn narrow_and_far_intervals_join_without_a_step() {
        for middle in [0.0, 1.0, -7.0, 20.0, -24.9, -60.0] {
            let width = NARROW / (1.0 + f64::abs(middle));
            let of = |scale: f64| {
                let half = 0.5 * width * scale;
                log_mass(middle - half, middle + half) - (width * scale).ln()
            };
            assert!((of(1.0 + 1e-9) - of(1.0 - 1e-9)).abs() < 1e-10, "{middle}");
        }
        // Φ(-100) - Φ(-101) = Φ(-100) (1 - 1e-44).
        assert_eq!(log_mass(-101.0, -100.0), log_cdf(-100.0));
    }
}
