//! The key `direction` of a study file.

use thrifty_study::{Direction, Directions};

use crate::error::CliError;

/// Directions of the objectives: a name, or a list of names with one per objective. Without the key every objective is minimised.
///
/// # Errors
/// [`CliError::Setting`] with the value that is none.
pub(crate) fn directions(value: Option<&toml::Value>) -> Result<Directions, CliError> {
    let invalid = || CliError::Setting {
        name: "direction".into(),
        value: serde_json::to_string(&value).unwrap_or_default(),
        expected: "\"minimize\" or \"maximize\", or a list with one of them for each objective".into(),
    };
    let direction = |name: &toml::Value| match name.as_str() {
        Some("minimize") => Ok(Direction::Minimize),
        Some("maximize") => Ok(Direction::Maximize),
        _ => Err(invalid()),
    };
    match value {
        None => Ok(Directions::default()),
        Some(toml::Value::Array(names)) if !names.is_empty() => {
            Ok(Directions::new(names.iter().map(direction).collect::<Result<_, _>>()?))
        }
        Some(name) => Ok(Directions::new(vec![direction(name)?])),
    }
}
