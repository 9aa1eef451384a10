//! Configurations: one value per active parameter.

use std::collections::BTreeMap;
use std::fmt;

use crate::{SpaceError, Value};

/// One setting of every active parameter, by name.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Config(BTreeMap<String, Value>);

impl Config {
    /// A configuration without parameters.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of a parameter, if it is set.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Sets a parameter.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        self.0.insert(name.into(), value.into());
    }

    /// Removes a value and returns it, if it was there.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name)
    }

    /// Names and values in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// A number; whole numbers convert.
    ///
    /// # Errors
    /// [`SpaceError`] when the parameter is not set or not a number.
    pub fn float(&self, name: &str) -> Result<f64, SpaceError> {
        match self.require(name)? {
            Value::Float(value) => Ok(*value),
            Value::Int(value) => Ok(*value as f64),
            other => Err(SpaceError::wrong_type(name, other, "a number")),
        }
    }

    /// A whole number.
    ///
    /// # Errors
    /// [`SpaceError`] when the parameter is not set or not a whole number.
    pub fn int(&self, name: &str) -> Result<i64, SpaceError> {
        match self.require(name)? {
            Value::Int(value) => Ok(*value),
            other => Err(SpaceError::wrong_type(name, other, "a whole number")),
        }
    }

    /// A name.
    ///
    /// # Errors
    /// [`SpaceError`] when the parameter is not set or not a string.
    pub fn str(&self, name: &str) -> Result<&str, SpaceError> {
        match self.require(name)? {
            Value::Str(value) => Ok(value),
            other => Err(SpaceError::wrong_type(name, other, "a string")),
        }
    }

    /// True or false.
    ///
    /// # Errors
    /// [`SpaceError`] when the parameter is not set or not a truth value.
    pub fn bool(&self, name: &str) -> Result<bool, SpaceError> {
        match self.require(name)? {
            Value::Bool(value) => Ok(*value),
            other => Err(SpaceError::wrong_type(name, other, "true or false")),
        }
    }

    fn require(&self, name: &str) -> Result<&Value, SpaceError> {
        self.get(name).ok_or_else(|| SpaceError::MissingParameter { name: name.into() })
    }
}

impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.0.iter().enumerate() {
            write!(f, "{}{name} = {value}", if at == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
