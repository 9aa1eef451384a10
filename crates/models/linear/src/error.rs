/// Why a linear model could not be made or learnt.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LinearError {
    /// Numbers that do not fit together.
    #[error("{what} has {found} entries, expected {expected}")]
    Length {
        /// Name of the list.
        what: &'static str,
        /// Length found.
        found: usize,
        /// Length expected.
        expected: usize,
    },
    /// A number that makes no sense.
    #[error("{what} {index} is {value}, expected {expected}")]
    Number {
        /// Name of the number.
        what: &'static str,
        /// Position in its list.
        index: usize,
        /// Its value.
        value: f64,
        /// Description of the valid values.
        expected: &'static str,
    },
    /// A covariance that is not one.
    #[error("covariance entries ({row}, {column}) are {upper} and {lower}, expected equal numbers")]
    NotSymmetric {
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// Above the diagonal.
        upper: f64,
        /// Below.
        lower: f64,
    },
    /// A covariance with a negative direction.
    #[error("the covariance is not positive semi-definite: pivot {pivot} is {value}")]
    Indefinite {
        /// Which.
        pivot: usize,
        /// Its value.
        value: f64,
    },
    /// An observation without noise of what is known already, with another value.
    #[error("a noiseless observation of {observed} where {expected} is certain")]
    Contradiction {
        /// Observed value.
        observed: f64,
        /// Value that was certain.
        expected: f64,
    },
    /// A covariance without an inverse where one is needed.
    #[error("a singular covariance has no information form")]
    Singular,
}

pub(crate) fn same_length(what: &'static str, found: usize, expected: usize) -> Result<(), LinearError> {
    if found == expected { Ok(()) } else { Err(LinearError::Length { what, found, expected }) }
}

pub(crate) fn all_finite(what: &'static str, values: &[f64]) -> Result<(), LinearError> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => {
            Err(LinearError::Number { what, index, value: values[index], expected: "a finite number" })
        }
    }
}

pub(crate) fn is_variance(what: &'static str, index: usize, value: f64) -> Result<(), LinearError> {
    if value >= 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(LinearError::Number { what, index, value, expected: "a finite number from 0" })
    }
}
