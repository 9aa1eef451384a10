//! Checks of input: one error and one wording for numbers, lengths and dimensions that make no sense.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! Every check returns [`InputError`], which names the argument, the value and what is expected. The error enum of a crate has a
//! variant `Input(#[from] InputError)`, so that `?` is all a caller writes. Names of lists are plural in [`length`] and [`not_empty`],
//! and singular where an entry is meant.

/// A count with its noun, for messages. `nouns` is a regular plural.
///
/// ```
/// use thrifty_check::counted;
/// assert_eq!([0, 1, 2].map(|n| counted(n, "objectives")), ["0 objectives", "1 objective", "2 objectives"]);
/// ```
#[must_use]
pub fn counted(count: usize, nouns: &str) -> String {
    let noun = if count == 1 { nouns.strip_suffix('s').unwrap_or(nouns) } else { nouns };
    format!("{count} {noun}")
}

/// Input that makes no sense.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// A number outside its range.
    #[error("{name} is {value}, expected {expected}")]
    Number {
        /// The argument or setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The range.
        expected: &'static str,
    },
    /// An entry of a list outside its range.
    #[error("{name} {index} is {value}, expected {expected}")]
    Entry {
        /// An entry of the list, singular.
        name: &'static str,
        /// Its position.
        index: usize,
        /// Its value.
        value: f64,
        /// The range.
        expected: &'static str,
    },
    /// A list of another length.
    #[error("{found} {name}, expected {expected}")]
    Length {
        /// The entries of the list, plural.
        name: &'static str,
        /// Number found.
        found: usize,
        /// Number expected.
        expected: usize,
    },
    /// Points of another dimension.
    #[error("{name} of dimension {found}, expected {expected}")]
    Dimension {
        /// The points.
        name: &'static str,
        /// Their dimension.
        found: usize,
        /// Dimension expected.
        expected: usize,
    },
    /// An empty list where something is needed.
    #[error("no {name}, expected at least one")]
    Empty {
        /// The entries of the list, plural.
        name: &'static str,
    },
}

/// Text of the range of finite numbers.
const FINITE: &str = "a finite number";
/// Text of the range of variances.
const VARIANCE: &str = "a finite number from 0";

/// A finite number of which some condition holds; returns it.
///
/// # Errors
/// [`InputError::Number`] if the condition is false, or the number is NaN or infinite.
pub fn number(
    name: &'static str,
    value: f64,
    holds: bool,
    expected: &'static str,
) -> Result<f64, InputError> {
    if holds && value.is_finite() { Ok(value) } else { Err(InputError::Number { name, value, expected }) }
}

/// A finite number above 0; returns it.
///
/// # Errors
/// [`InputError::Number`] for any other.
pub fn positive(name: &'static str, value: f64) -> Result<f64, InputError> {
    number(name, value, value > 0.0, "a positive finite number")
}

/// A variance, finite and at least 0; returns it.
///
/// # Errors
/// [`InputError::Number`] for any other number.
pub fn variance(name: &'static str, value: f64) -> Result<f64, InputError> {
    number(name, value, value >= 0.0, VARIANCE)
}

/// A list of finite numbers, which may be empty.
///
/// # Errors
/// [`InputError::Entry`] names the first entry that is NaN or infinite.
pub fn all_finite(name: &'static str, values: &[f64]) -> Result<(), InputError> {
    entries(name, values, f64::is_finite, FINITE)
}

/// A list of variances, finite and at least 0, which may be empty.
///
/// # Errors
/// [`InputError::Entry`] names the first entry that is none.
pub fn variances(name: &'static str, values: &[f64]) -> Result<(), InputError> {
    entries(name, values, |value| value >= 0.0 && value.is_finite(), VARIANCE)
}

/// A list whose entries all fulfil a condition; it may be empty.
///
/// # Errors
/// [`InputError::Entry`] names the first entry that does not.
pub fn entries(
    name: &'static str,
    values: &[f64],
    holds: impl Fn(f64) -> bool,
    expected: &'static str,
) -> Result<(), InputError> {
    match values.iter().position(|value| !holds(*value)) {
        Some(index) => Err(InputError::Entry { name, index, value: values[index], expected }),
        None => Ok(()),
    }
}

/// A list of this length.
///
/// # Errors
/// [`InputError::Length`] for another length.
pub fn length(name: &'static str, found: usize, expected: usize) -> Result<(), InputError> {
    if found == expected { Ok(()) } else { Err(InputError::Length { name, found, expected }) }
}

/// Points of this dimension.
///
/// # Errors
/// [`InputError::Dimension`] for another dimension.
pub fn dimension(name: &'static str, found: usize, expected: usize) -> Result<(), InputError> {
    if found == expected { Ok(()) } else { Err(InputError::Dimension { name, found, expected }) }
}

/// A list with at least one entry.
///
/// # Errors
/// [`InputError::Empty`] without any.
pub fn not_empty(name: &'static str, found: usize) -> Result<(), InputError> {
    if found > 0 { Ok(()) } else { Err(InputError::Empty { name }) }
}
