//! Numbers of reference files, and distances between numbers.

use serde_json::Value;
use thrifty_domain::Points;

/// A number, or the decimal string of one.
pub(crate) fn number(value: &Value) -> Result<f64, String> {
    let text = |v: &Value| v.as_str().and_then(|s| s.parse().ok());
    value.as_f64().or_else(|| text(value)).ok_or_else(|| format!("{value} is not a number"))
}

/// All numbers in nested arrays.
pub(crate) fn numbers(value: &Value) -> Result<Vec<f64>, String> {
    match value {
        Value::Array(values) => values.iter().map(numbers).collect::<Result<Vec<_>, _>>().map(|v| v.concat()),
        value => Ok(vec![number(value)?]),
    }
}

/// The rows of an array; none when it is not there.
pub(crate) fn rows(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// An array of points.
pub(crate) fn points(value: &Value) -> Result<Points, String> {
    let rows = rows(value).iter().map(numbers).collect::<Result<Vec<_>, _>>()?;
    Points::from_rows(&rows).map_err(text)
}

/// An error as text.
#[allow(clippy::needless_pass_by_value)] // for map_err
pub(crate) fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Error relative to the truth, absolute below `floor`.
pub(crate) fn relative(found: f64, truth: f64, floor: f64) -> f64 {
    if found == truth { 0.0 } else { (found - truth).abs() / truth.abs().max(floor) }
}

/// Worst error of numbers relative to the largest of them; infinite where their lengths differ or one is NaN.
pub fn relative_to_largest(found: &[f64], truth: &[f64], floor: f64) -> f64 {
    if found.len() != truth.len() {
        return f64::INFINITY;
    }
    let scale = truth.iter().fold(floor, |m: f64, v| m.max(v.abs()));
    found
        .iter()
        .zip(truth)
        .map(|(f, t)| if f == t { 0.0 } else { (f - t).abs() / scale })
        .fold(0.0, |m: f64, e| if e.is_nan() { f64::INFINITY } else { m.max(e) })
}
