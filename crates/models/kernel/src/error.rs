/// Why a kernel could not be built.
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
    /// A kernel of lengthscales without a dimension.
    #[error("a kernel needs at least one lengthscale")]
    NoLengthscales,
    /// Two parts of a composition take points of different dimension.
    #[error("parts of a kernel take points of dimension {left} and {right}")]
    DimensionMismatch {
        /// Dimension of the left part.
        left: usize,
        /// Dimension of the right part.
        right: usize,
    },
}

pub(crate) fn require_positive(name: impl Fn() -> String, value: f64) -> Result<(), KernelError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(KernelError::NotPositive { name: name(), value })
    }
}

pub(crate) fn common_dim(left: Option<usize>, right: Option<usize>) -> Result<(), KernelError> {
    match (left, right) {
        (Some(left), Some(right)) if left != right => Err(KernelError::DimensionMismatch { left, right }),
        _ => Ok(()),
    }
}
