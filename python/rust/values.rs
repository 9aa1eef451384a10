//! Configurations as numbers: one per parameter, the index of a choice, nothing where a parameter is inactive.

use pyo3::prelude::*;
use thrifty::space::{Config, Kind, Space, Value};

use crate::boundary::{guarded, invalid};

/// A whole or a real number of Python. Whole numbers beyond 2⁵³ keep their value.
#[derive(Debug, Clone, Copy, PartialEq, FromPyObject, IntoPyObject)]
pub(crate) enum Number {
    /// A whole number, or the index of a choice.
    Int(i64),
    /// A real number.
    Float(f64),
}

impl Number {
    fn float(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            Self::Float(value) => value,
        }
    }
}

/// One number per parameter of a space, in its order.
pub(crate) type Numbers = Vec<Option<Number>>;

/// The space of its JSON form.
pub(crate) fn space(json: &str) -> PyResult<Space> {
    serde_json::from_str(json).map_err(invalid)
}

/// The reason for which a space is none, if there is one.
#[pyfunction]
pub(crate) fn check_space(py: Python<'_>, space_json: &str) -> PyResult<Option<String>> {
    guarded(py, || Ok(serde_json::from_str::<Space>(space_json).err().map(|error| error.to_string())))
}

/// The reason for which numbers are no configuration of a space, if there is one.
#[pyfunction]
pub(crate) fn check_config(py: Python<'_>, space_json: &str, values: Numbers) -> PyResult<Option<String>> {
    guarded(py, || {
        let space = space(space_json)?;
        Ok(space.validate(&config(&space, &values)?).err().map(|error| error.to_string()))
    })
}

/// The configuration of numbers. Missing ones are left out; nothing is validated beyond their kind.
pub(crate) fn config(space: &Space, numbers: &[Option<Number>]) -> PyResult<Config> {
    let parameters = space.parameters();
    if numbers.len() != parameters.len() {
        return Err(invalid(format!("{} values for {} parameters", numbers.len(), parameters.len())));
    }
    let mut config = Config::new();
    for (parameter, number) in parameters.iter().zip(numbers) {
        let Some(number) = *number else { continue };
        let name = &parameter.name;
        let value = match (&parameter.kind, number) {
            (Kind::Float { .. } | Kind::StepFloat { .. }, number) => Value::Float(number.float()),
            (Kind::Int { .. }, Number::Int(value)) => Value::Int(value),
            (Kind::Categorical { choices }, Number::Int(index)) => {
                let choice = usize::try_from(index).ok().and_then(|index| choices.get(index));
                choice.ok_or_else(|| invalid(format!("{name}: choice {index} of {}", choices.len())))?.clone()
            }
            (_, Number::Float(value)) => {
                return Err(invalid(format!("{name} is {value}, expected a whole number")));
            }
        };
        config.insert(name.clone(), value);
    }
    Ok(config)
}

/// The numbers of a configuration.
pub(crate) fn numbers(space: &Space, config: &Config) -> Numbers {
    let number = |parameter: &thrifty::space::Parameter| {
        let value = config.get(&parameter.name)?;
        Some(match (&parameter.kind, value) {
            (Kind::Categorical { choices }, value) => Number::Int(value.position_in(choices)? as i64),
            (_, Value::Int(value)) => Number::Int(*value),
            (_, Value::Float(value)) => Number::Float(*value),
            _ => return None,
        })
    };
    space.parameters().iter().map(number).collect()
}
