//! Violations of the laws of a kernel.

use std::fmt;

/// The laws of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Law {
    /// Parameters: as many as are announced, of different names, finite and within their bounds, set as they are given.
    Parameters,
    /// Covariances are finite numbers.
    Finite,
    /// `k(x, y) = k(y, x)`.
    Symmetry,
    /// Matrices equal their pairs.
    Matrices,
    /// Covariance matrices are positive semi-definite.
    Semidefinite,
    /// Derivatives with respect to parameters equal differences.
    ParameterGradients,
    /// Derivatives with respect to a point equal differences.
    InputGradients,
    /// Lists of pairs have the same bits as one pair after the other.
    Sequences,
    /// Random features multiply to the kernel on average.
    Features,
}

/// A law that a kernel breaks, and where.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Violation {
    /// The law.
    pub law: Law,
    /// The quantity, such as `k(y, x)` or `∂k(x, y)/∂ period`.
    pub quantity: String,
    /// Its value.
    pub found: f64,
    /// The value that the law demands, or the bound; 0 where any finite number will do.
    pub expected: f64,
    /// The points that show it: x, then y.
    pub points: Vec<Vec<f64>>,
}

impl std::error::Error for Violation {}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { law, quantity, found, expected, points } = self;
        write!(f, "{law:?}: {quantity} is {found}, expected ")?;
        match law {
            Law::Finite => write!(f, "a finite number")?,
            _ => write!(f, "{expected}")?,
        }
        match points.as_slice() {
            [] => Ok(()),
            [x] => write!(f, ", at x = {x:?}"),
            [x, y] => write!(f, ", at x = {x:?}, y = {y:?}"),
            many => write!(f, ", at the {} points {many:?}", many.len()),
        }
    }
}

impl Violation {
    pub(super) fn new(law: Law, quantity: String, found: f64, expected: f64, points: &[&[f64]]) -> Self {
        let points = points.iter().map(|point| point.to_vec()).collect();
        Self { law, quantity, found, expected, points }
    }
}

/// Holds a quantity to its value, to `tolerance` relative to 1 and the value. NaN is never close.
pub(super) fn close(
    (found, expected): (f64, f64),
    tolerance: f64,
    law: Law,
    quantity: impl FnOnce() -> String,
    points: &[&[f64]],
) -> Result<(), Violation> {
    if (found - expected).abs() <= tolerance * (1.0 + expected.abs()) {
        return Ok(());
    }
    Err(Violation::new(law, quantity(), found, expected, points))
}
