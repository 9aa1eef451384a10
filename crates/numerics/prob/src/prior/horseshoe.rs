//! Horseshoe prior: the mean of the two known bounds of its density, which has no closed form, as in `GPyTorch`.
//!
//! ```text
//! K/2 ln(1 + 4A) < p(x) < K ln(1 + 2A),   A = (scale/x)²,   K = 1/√(2π³)
//! ```
//!
//! Source: Carvalho, Polson & Scott (2010), theorem 1. Departure from `GPyTorch`: the bounds hold on the whole line
//! for scale 1, so on x > 0 the mean is multiplied by 2 / scale, a constant that makes it a density.

use std::f64::consts::{LN_2, PI};

use super::ln_1p_square;

/// Below this `scale / x` the first terms of the logarithms are all there is in double precision.
const FAR: f64 = 1e-8;

/// `ln((K/2 ln(1 + 4A) + K ln(1 + 2A)) / scale)`, in the limit of large x `ln(4KA / scale)`.
pub(super) fn log_density(x: f64, scale: f64) -> f64 {
    let t = scale / x;
    let ln_k = -0.5 * (2.0 * PI.powi(3)).ln();
    let ln_sum = if t < FAR { 2.0 * (LN_2 + scale.ln() - x.ln()) } else { sum(t).ln() };
    ln_k + ln_sum - scale.ln()
}

/// The derivative of [`log_density`], with `A/(1 + 4A)` as `1/(4 + 1/A)`.
pub(super) fn derivative(x: f64, scale: f64) -> f64 {
    let t = scale / x;
    if t < FAR {
        return -2.0 / x;
    }
    let r = (x / scale).powi(2);
    -4.0 / x * (1.0 / (4.0 + r) + 1.0 / (2.0 + r)) / sum(t)
}

/// `½ ln(1 + 4t²) + ln(1 + 2t²)`.
fn sum(t: f64) -> f64 {
    0.5 * ln_1p_square(4.0, t) + ln_1p_square(2.0, t)
}
