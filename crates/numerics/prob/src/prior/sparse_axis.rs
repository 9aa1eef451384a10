//! Sparse axes: the law of a lengthscale x whose inverse square is half-Cauchy.

use std::f64::consts::{LN_2, PI};

use super::ln_1p_square;

/// `ln(4 / (π s)) - 3 ln x - ln(1 + t²)`, `t = 1/(s x²)`.
pub(super) fn log_density(x: f64, scale: f64) -> f64 {
    let ln_t = -scale.ln() - 2.0 * x.ln();
    // t overflows close to 0, where ln(1 + t²) is 2 ln t.
    let ln_sum = if ln_t < 300.0 { ln_1p_square(1.0, ln_t.exp()) } else { 2.0 * ln_t };
    2.0 * LN_2 - PI.ln() - scale.ln() - 3.0 * x.ln() - ln_sum
}

/// `(4/(1 + 1/t²) - 3)/x`: 1/x far below the mode, -3/x far above it.
pub(super) fn derivative(x: f64, scale: f64) -> f64 {
    let inverse = scale * x * x;
    (4.0 / (1.0 + inverse * inverse) - 3.0) / x
}
