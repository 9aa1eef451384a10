//! Scaled complementary error function.

use std::f64::consts::{FRAC_2_SQRT_PI, SQRT_2};

use libm::erfc;

use crate::normal::mills_ratio;

/// `2 exp(x²)` is infinite from here on.
const OVERFLOW_BELOW: f64 = -27.0;

/// The scaled complementary error function, to a few ulp.
///
/// ```text
/// erfcx(x) = exp(x²) erfc(x) = √(2/π) R(√2 x)   with the Mills ratio R
/// ```
///
/// Falls like `1 / (x √π)`; infinite below about -26.6.
///
/// ```
/// assert!((thrifty_prob::erfcx(1e10) * 1e10 * std::f64::consts::PI.sqrt() - 1.0).abs() < 1e-15);
/// ```
#[must_use]
pub fn erfcx(x: f64) -> f64 {
    if x >= 0.0 {
        FRAC_2_SQRT_PI / SQRT_2 * mills_ratio(SQRT_2 * x)
    } else if x < OVERFLOW_BELOW {
        f64::INFINITY
    } else {
        // The rounding error of x² would be magnified by x²: carry it along.
        let square = x * x;
        square.exp() * (1.0 + x.mul_add(x, -square)) * erfc(x)
    }
}
