//! Errors of kernels.

use std::ops::Range;

use crate::Kernel;

/// Error of a kernel: parameters it cannot be built with, or points on which it is not a covariance.
#[derive(Debug, Clone, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum KernelError {
    /// A parameter that must be positive and finite is not.
    #[error("{name} is {value}, expected a positive finite number")]
    NotPositive {
        /// The parameter, with its index.
        name: String,
        /// Its value.
        value: f64,
    },
    /// A correlation is not strictly between 0 and 1.
    #[error("{name} is {value}, expected a number strictly between 0 and 1")]
    NotBetween0And1 {
        /// The parameter, with its index.
        name: String,
        /// Its value.
        value: f64,
    },
    /// A lower bound lies above the upper one.
    #[error("bounds of {name} are [{low}, {high}], expected the lower one first")]
    EmptyBounds {
        /// The parameter.
        name: String,
        /// Lower bound.
        low: f64,
        /// Upper bound.
        high: f64,
    },
    /// Columns that are missing, repeated, or too many for the kernel.
    #[error("columns {columns:?}: {problem}")]
    Columns {
        /// The columns.
        columns: Vec<usize>,
        /// The fault.
        problem: String,
    },
    /// Hyperparameters of a file that are not those of the kernel.
    #[error("{problem}")]
    Hyperparameters {
        /// The fault.
        problem: String,
    },
    /// A kernel of lengthscales without a dimension.
    #[error("a kernel needs at least one lengthscale")]
    NoLengthscales,
    /// Two parts of a composition take points of different dimension, or one needs a column that the points of the other do not have.
    #[error("parts of a kernel take points of dimension {left} and {right}")]
    DimensionMismatch {
        /// Dimension of the left part.
        left: usize,
        /// Dimension of the right part.
        right: usize,
    },
    /// The points are not of the kernel's dimension, or do not have a column that it needs.
    #[error("points of dimension {found}, the kernel takes {expected}")]
    PointDimension {
        /// Dimension of the kernel.
        expected: usize,
        /// Dimension of the points.
        found: usize,
    },
    /// A covariance is NaN or infinite.
    #[error("k(x, y) is {value} at x = {x:?}, y = {y:?}, expected a finite number")]
    NotFinite {
        /// The first point.
        x: Vec<f64>,
        /// The second point.
        y: Vec<f64>,
        /// Their covariance.
        value: f64,
    },
    /// The variance at a point is negative.
    #[error("variance at {x:?} is {variance}, expected at least 0")]
    NegativeVariance {
        /// The point.
        x: Vec<f64>,
        /// Its variance.
        variance: f64,
    },
    /// The covariance of two points depends on their order.
    #[error("k(x, y) is {covariance} but k(y, x) is {mirrored} at x = {x:?}, y = {y:?}")]
    Asymmetric {
        /// The first point.
        x: Vec<f64>,
        /// The second point.
        y: Vec<f64>,
        /// k(x, y).
        covariance: f64,
        /// k(y, x).
        mirrored: f64,
    },
    /// Two points covary more than their variances allow: the kernel is not positive semi-definite.
    #[error("k(x, y) is {covariance} at x = {x:?}, y = {y:?}, whose variances allow at most {limit} in size")]
    CovarianceTooLarge {
        /// The first point.
        x: Vec<f64>,
        /// The second point.
        y: Vec<f64>,
        /// Their covariance.
        covariance: f64,
        /// √(k(x, x) k(y, y)).
        limit: f64,
    },
}

pub(crate) fn require_positive(name: impl Fn() -> String, value: f64) -> Result<(), KernelError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(KernelError::NotPositive { name: name(), value })
    }
}

pub(crate) fn require_between_0_and_1(name: impl Fn() -> String, value: f64) -> Result<(), KernelError> {
    if value > 0.0 && value < 1.0 {
        Ok(())
    } else {
        Err(KernelError::NotBetween0And1 { name: name(), value })
    }
}

/// Checks that columns are distinct and as many as the kernel takes.
pub(crate) fn require_columns(columns: &[usize], dim: Option<usize>) -> Result<(), KernelError> {
    let fail = |problem: String| Err(KernelError::Columns { columns: columns.to_vec(), problem });
    let mut sorted = columns.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    match dim {
        _ if columns.is_empty() => fail("expected at least one".into()),
        _ if sorted.len() < columns.len() => fail("expected each only once".into()),
        Some(dim) if dim != columns.len() => fail(format!("the kernel takes {dim} of them")),
        _ => Ok(()),
    }
}

/// Checks blocks of columns, one per parameter.
pub(crate) fn require_blocks(blocks: &[Range<usize>], values: usize) -> Result<(), KernelError> {
    let columns: Vec<usize> = blocks.iter().cloned().flatten().collect();
    require_columns(&columns, None)?;
    let problem = if blocks.iter().any(Range::is_empty) {
        "expected no empty block".into()
    } else if blocks.len() != values {
        format!("{} blocks with {values} values", blocks.len())
    } else {
        return Ok(());
    };
    Err(KernelError::Columns { columns, problem })
}

/// Checks that a kernel takes points of this dimension.
pub(crate) fn require_dim(kernel: &impl Kernel, dim: usize) -> Result<(), KernelError> {
    match kernel.expected_dim(dim) {
        expected if expected == dim => Ok(()),
        expected => Err(KernelError::DimensionMismatch { left: expected, right: dim }),
    }
}

/// Checks that two kernels take the same points.
pub(crate) fn common_dim(left: &impl Kernel, right: &impl Kernel) -> Result<(), KernelError> {
    let Some(dim) = left.dim().or(right.dim()) else { return Ok(()) };
    let (left, right) = (left.expected_dim(dim), right.expected_dim(dim));
    if left == right { Ok(()) } else { Err(KernelError::DimensionMismatch { left, right }) }
}
