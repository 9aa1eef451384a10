//! Standard normal density and distribution function, with logarithms.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2, TAU};

use libm::erfc;

use crate::tail::tail;

/// `ln √(2π)`.
pub(crate) const LN_SQRT_TAU: f64 = 0.918_938_533_204_672_7;

/// Below this the error of the argument of erfc costs more than the Mills ratio.
const ERFC_FROM: f64 = -2.0;

/// The square from which on the density is zero.
const UNDERFLOW: f64 = 1500.0;

/// Standard normal density, to 2 ulp down to the subnormal numbers.
///
/// ```text
/// φ(z) = exp(-z²/2) / √(2π)
/// ```
#[must_use]
pub fn pdf(z: f64) -> f64 {
    // The rounding error of z² would be magnified by z²/2: carry it along.
    let square = z * z;
    let rest = if square < UNDERFLOW { z.mul_add(z, -square) } else { 0.0 };
    (-0.5 * square).exp() * (1.0 - 0.5 * rest) / TAU.sqrt()
}

/// Logarithm of the standard normal density.
#[must_use]
pub fn log_pdf(z: f64) -> f64 {
    -0.5 * z * z - LN_SQRT_TAU
}

/// Standard normal distribution function, to a few ulp in the lower tail as well.
///
/// ```text
/// Φ(z) = φ(z) R(-z) for z < -2,   ½ erfc(-z/√2) above
/// ```
#[must_use]
pub fn cdf(z: f64) -> f64 {
    if z < ERFC_FROM { pdf(z) * mills_ratio(-z) } else { upper(-z) }
}

/// `ln Φ(z)`, finite for every finite z.
#[must_use]
pub fn log_cdf(z: f64) -> f64 {
    if z < ERFC_FROM {
        log_pdf(z) + mills_ratio(-z).ln()
    } else if z < 0.0 {
        cdf(z).ln()
    } else {
        (-cdf(-z)).ln_1p()
    }
}

/// The Mills ratio `R(z) = (1 - Φ(z)) / φ(z)`; infinite below about -38.
#[must_use]
pub fn mills_ratio(z: f64) -> f64 {
    if z >= 0.0 { 1.0 / (z + tail(z)) } else { upper(z) / pdf(z) }
}

/// The inverse Mills ratio `φ(z) / (1 - Φ(z))`: the hazard of the normal distribution.
#[must_use]
pub fn inverse_mills(z: f64) -> f64 {
    if z >= 0.0 { z + tail(z) } else { pdf(z) / cdf(-z) }
}

/// `1 - Φ(z) = ½ erfc(z/√2)`, corrected to first order for the rounding of its argument.
fn upper(z: f64) -> f64 {
    /// `1/√2` minus its double.
    const REST: f64 = -4.833_646_656_726_457e-17;
    let argument = z * FRAC_1_SQRT_2;
    let lost = z.mul_add(FRAC_1_SQRT_2, -argument) + z * REST;
    let correction = if argument.is_finite() { SQRT_2 * pdf(z) * lost } else { 0.0 };
    0.5 * erfc(argument) - correction
}
