//! Figures of predictions against observations.

use crate::{LinePlot, Series};

/// Predictions against what was observed, with two standard deviations of each; good ones lie on the diagonal.
///
/// Means, variances (with the noise) and observations of n points; leave-one-out predictions among others.
#[must_use]
pub fn predicted_against_observed(title: &str, mean: &[f64], variance: &[f64], observed: &[f64]) -> LinePlot {
    let low = observed.iter().copied().fold(f64::INFINITY, f64::min);
    let high = observed.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let bar = |((y, m), v): ((&f64, &f64), &f64)| (*y, m - 2.0 * v.sqrt(), m + 2.0 * v.sqrt());
    let predictions = Series {
        bars: observed.iter().zip(mean).zip(variance).map(bar).collect(),
        ..Series::dots(
            "predicted ± 2 standard deviations",
            observed.iter().copied().zip(mean.iter().copied()).collect(),
        )
    };
    LinePlot {
        title: title.into(),
        x_label: "observed".into(),
        y_label: "predicted".into(),
        series: vec![predictions, Series::line("equal", vec![(low, low), (high, high)])],
        ..LinePlot::default()
    }
}

/// Residuals in units of their predicted standard deviation, in the order of the observations, between the lines at ±1.96
/// that should hold 95 % of them.
#[must_use]
pub fn standardized_residuals(title: &str, standardized: &[f64]) -> LinePlot {
    let last = standardized.len().saturating_sub(1) as f64;
    let level = |label: &str, z: f64| Series::line(label, vec![(0.0, z), (last, z)]);
    let dots = standardized.iter().enumerate().map(|(i, z)| (i as f64, *z)).collect();
    LinePlot {
        title: title.into(),
        x_label: "observation".into(),
        y_label: "residual / standard deviation".into(),
        series: vec![Series::dots("residuals", dots), level("±1.96", 1.96), level("", -1.96)],
        ..LinePlot::default()
    }
}
