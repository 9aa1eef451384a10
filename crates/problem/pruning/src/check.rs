//! Checks of settings.

use thrifty_study::StudyError;

/// Refuses a setting unless it is valid.
pub(crate) fn require(
    is_valid: bool,
    pruner: &'static str,
    name: &'static str,
    value: f64,
    expected: &'static str,
) -> Result<(), StudyError> {
    if is_valid { Ok(()) } else { Err(StudyError::InvalidPruner { pruner, name, value, expected }) }
}
