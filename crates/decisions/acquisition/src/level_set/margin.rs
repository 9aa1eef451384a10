//! Standardized margins to a threshold.

/// Standardised margin `(μ - h)/σ`. At σ = 0 it is infinite with the sign of the mean's side; a mean on the threshold counts as below.
pub(super) fn standardized(mean: f64, std_dev: f64, threshold: f64) -> f64 {
    let margin = mean - threshold;
    if std_dev > 0.0 {
        margin / std_dev
    } else if margin > 0.0 {
        f64::INFINITY
    } else {
        f64::NEG_INFINITY
    }
}

/// Product in which 0 times infinity is 0: a zero weight removes an infinite slope.
pub(super) fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// Slopes by μ and σ of `s(z)`, `z = (μ - h)/σ`.
pub(super) fn slopes_of(by_z: f64, z: f64, std_dev: f64) -> (f64, f64) {
    if std_dev > 0.0 { (by_z / std_dev, -product(by_z, z) / std_dev) } else { (0.0, 0.0) }
}
