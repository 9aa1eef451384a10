//! Errors of spaces and configurations.

use thrifty_domain::DomainError;

use crate::Value;

/// Error of building a space, or of a configuration that does not belong to it.
#[derive(Debug, Clone, thiserror::Error, PartialEq)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the fields are
pub enum SpaceError {
    /// The space cannot be serialized as JSON.
    #[error("the space cannot be written: {reason}")]
    Unwritable {
        /// The reason.
        reason: String,
    },
    /// A parameter that was written with a field that its kind does not have, without one that it needs, or with a field of another type.
    #[error("parameter {name} cannot be read: {reason}")]
    Unreadable { name: String, reason: String },
    /// A space without parameters.
    #[error("a space needs at least one parameter")]
    Empty,
    /// Two parameters have the same name.
    #[error("parameter {name} is defined twice")]
    DuplicateName { name: String },
    /// Bounds that are empty, inverted, not finite, or too far apart for a float (on a log scale: their ratio).
    #[error("parameter {name} has bounds [{}, {}], expected low <= high, finite and a finite range", short(*low), short(*high))]
    InvalidBounds { name: String, low: f64, high: f64 },
    /// A logarithmic scale needs positive bounds.
    #[error("parameter {name} is on a log scale from {}, expected a positive lower bound", short(*low))]
    NonPositiveLog { name: String, low: f64 },
    /// A step that is not positive or wider than the range.
    #[error("parameter {name} has step {}, expected a positive number of at most {}", short(*step), short(*range))]
    InvalidStep { name: String, step: f64, range: f64 },
    /// A step on a log scale so large that the first level is at most half a step from 0.
    #[error("parameter {name} has step {step} on a log scale, expected less than {limit}")]
    LogStepTooWide { name: String, step: f64, limit: f64 },
    /// More levels than a float can distinguish.
    #[error("parameter {name} has {count} levels, at most 2^51 can be told apart")]
    TooManyLevels { name: String, count: u128 },
    /// A logarithmic grid so long that neighbours at its end coincide.
    #[error("parameter {name} is on a log scale up to {high} steps, at most 2^44 can be told apart")]
    LogGridTooLong { name: String, high: f64 },
    /// A categorical parameter without choices.
    #[error("parameter {name} has no choices")]
    NoChoices { name: String },
    /// A choice that occurs twice.
    #[error("parameter {name} has the choice {choice} twice")]
    DuplicateChoice { name: String, choice: Value },
    /// A choice that is NaN, which equals nothing, or infinite, which JSON cannot represent.
    #[error("parameter {name} has the choice {choice}, expected finite numbers")]
    NonFiniteChoice { name: String, choice: Value },
    /// A condition on a parameter that is not an earlier discrete one.
    #[error("parameter {name} depends on {parent}, expected an earlier discrete parameter")]
    InvalidParent { name: String, parent: String },
    /// A condition on a value that the parent cannot have, or without values.
    #[error("parameter {name} depends on {parent} being {value}, which it cannot be")]
    InvalidCondition { name: String, parent: String, value: String },
    /// [`SpaceBuilder::when`](crate::SpaceBuilder::when) before any parameter.
    #[error("a condition on {parent} before any parameter")]
    ConditionWithoutParameter { parent: String },
    /// A configuration names a parameter that the space does not have.
    #[error("unknown parameter {name}")]
    UnknownParameter { name: String },
    /// A configuration lacks an active parameter.
    #[error("parameter {name} is missing")]
    MissingParameter { name: String },
    /// A configuration sets a parameter whose conditions do not hold.
    #[error("parameter {name} is set to {value} but its conditions do not hold")]
    InactiveParameter { name: String, value: Value },
    /// A given value depends on a parameter that is not given.
    #[error("parameter {name} is given but {parent}, on which it depends, is not")]
    OpenCondition { name: String, parent: String },
    /// A value of another type.
    #[error("parameter {name} is {value}, expected {expected}")]
    WrongType { name: String, value: Value, expected: &'static str },
    /// A value out of range, off the grid or not among the choices.
    #[error("parameter {name} is {value}, expected {expected}")]
    OutOfRange { name: String, value: Value, expected: String },
    /// The resulting domain is invalid.
    #[error(transparent)]
    Domain(#[from] DomainError),
}

impl SpaceError {
    pub(crate) fn wrong_type(name: &str, value: &Value, expected: &'static str) -> Self {
        Self::WrongType { name: name.into(), value: value.clone(), expected }
    }

    pub(crate) fn out_of_range(name: &str, value: &Value, expected: impl Into<String>) -> Self {
        Self::OutOfRange { name: name.into(), value: value.clone(), expected: expected.into() }
    }
}

/// Number with an exponent if it is very small or large: 1e-300, not 300 digits.
fn short(value: f64) -> String {
    let text = format!("{value:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extreme_bounds_have_an_exponent() {
        let error = SpaceError::InvalidBounds { name: "x".into(), low: 1e-300, high: -4.0 };
        let expected = "parameter x has bounds [1e-300, -4], expected low <= high, finite and a finite range";
        assert_eq!(error.to_string(), expected);
        assert_eq!([short(0.25), short(3.0), short(1e300)], ["0.25", "3", "1e300"]);
    }
}
