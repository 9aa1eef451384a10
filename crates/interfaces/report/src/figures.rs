//! Figures of a study, one per file. Each takes a report and gives SVG, or the reason for which the study does not fit.

pub(crate) mod calibration;
pub(crate) mod contour;
pub(crate) mod curves;
pub(crate) mod densities;
pub(crate) mod distribution;
pub(crate) mod history;
pub(crate) mod importance;
pub(crate) mod parallel;
pub(crate) mod pareto;
pub(crate) mod slices;
pub(crate) mod surrogate;
pub(crate) mod timeline;

/// Series of measured trials that are not compared with those at the target.
const LOWER: &str = "lower fidelity";

/// Ratio of the largest to the smallest positive value from which an axis of objectives is logarithmic.
const LOG_RATIO: f64 = 1e3;

/// True for positive values that span many powers of ten.
fn is_wide(values: impl Iterator<Item = f64>) -> bool {
    let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)));
    low > 0.0 && low.is_finite() && high / low >= LOG_RATIO
}
