//! Moments of truncated normal variables.

use crate::{inverse_mills, log_h_derivative};

/// Argument below which `1 - r (z + r)` loses digits.
const FRACTION_FROM: f64 = -3.0;

/// Loss of variance of a standard normal variable that is truncated above at z.
///
/// ```text
/// 1 - Var(Z | Z < z) = r (z + r),   r = φ(z)/Φ(z)
/// ```
///
/// From 0 far above to 1 far below, to a few ulp: the small numbers of the upper tail as well.
#[must_use]
pub fn truncation_loss(z: f64) -> f64 {
    if z == f64::INFINITY {
        return 0.0;
    }
    // z + r = h/Φ: without cancellation.
    if z == f64::NEG_INFINITY { 1.0 } else { inverse_mills(-z) / log_h_derivative(z) }
}

/// `Var(Z | Z < z)` of a standard normal variable: to about 1e-15, however far below.
///
/// ```text
/// v = 1 - r (z + r);   below -3 with t = -z and Laplace's c_k = k/(t + c_{k+1}):
/// v = (t + 2c_2 - c_3) / ((t + c_2)² (t + c_3))
/// ```
///
/// 1 far above, z⁻² far below.
///
/// ```
/// assert!((thrifty_prob::truncated_variance(0.0) - (1.0 - 2.0 / std::f64::consts::PI)).abs() < 1e-15);
/// ```
#[must_use]
pub fn truncated_variance(z: f64) -> f64 {
    if z > FRACTION_FROM {
        return 1.0 - truncation_loss(z);
    }
    // Here z⁻² is exact, and the denominator below would overflow in the end.
    if z < -1e60 {
        return (1.0 / z).powi(2);
    }
    let (t, second, third) = fractions(z);
    (t + 2.0 * second - third) / ((t + second).powi(2) * (t + third))
}

/// `d ln v / dz` of [`truncated_variance`].
///
/// ```text
/// dv/dz = r (w² - v),   w = z + r
/// ```
#[must_use]
pub fn log_truncated_variance_derivative(z: f64) -> f64 {
    if z.is_infinite() {
        return 0.0;
    }
    let r = inverse_mills(-z);
    // Nothing is cut off; far above the square of w would overflow.
    if r == 0.0 {
        return 0.0;
    }
    if z > FRACTION_FROM {
        let (w, v) = (1.0 / log_h_derivative(z), truncated_variance(z));
        return r * (w * w - v) / v;
    }
    // w² - v = w² · 2(c_3 - c_2)/(t + c_3).
    let (t, second, third) = fractions(z);
    r * 2.0 * (third - second) / (t + 2.0 * second - third)
}

/// t and the second and third fraction.
fn fractions(z: f64) -> (f64, f64, f64) {
    let t = -z;
    let terms = 14 + (460.0 / (t * t)) as u32;
    let mut third = 0.0;
    for k in (3..=terms).rev() {
        third = f64::from(k) / (t + third);
    }
    (t, 2.0 / (t + third), third)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_meet_and_slopes_are_slopes() {
        let below = truncated_variance(-3.0);
        assert!((below - (1.0 - truncation_loss(-3.0))).abs() < 1e-14 * below);
        for z in [-1e8_f64, -50.0, -8.0, -3.5, -2.0, 0.0, 1.0, 4.0] {
            let step = 1e-5 * z.abs().max(1.0);
            let at = |z: f64| truncated_variance(z).ln();
            let slope = (at(z + step) - at(z - step)) / (2.0 * step);
            let found = log_truncated_variance_derivative(z);
            assert!((found - slope).abs() < 1e-9 + 1e-6 * slope.abs(), "{z}: {found} {slope}");
        }
        assert!((truncated_variance(-1e8) * 1e16 - 1.0).abs() < 1e-15);
        assert_eq!(truncated_variance(f64::INFINITY), 1.0);
        assert_eq!(truncated_variance(f64::NEG_INFINITY), 0.0);
        for z in [-9e59_f64, -1.1e60, -1e103, -1e150] {
            assert!((truncated_variance(z) * z * z - 1.0).abs() < 1e-15, "{z}");
        }
    }
}
