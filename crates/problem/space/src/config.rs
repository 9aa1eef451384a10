//! Configurations: one value per active parameter.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::{SpaceError, Value};

/// Configuration: values of all active parameters, by name.
///
/// Serialized as a map.
#[derive(Debug, Clone, PartialEq, Default)]
// Sorted by name. A study keeps one configuration per trial, and a list needs a third of the memory of a tree.
pub struct Config(Vec<(Box<str>, Value)>);

impl Config {
    /// A configuration without parameters.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of a parameter; `None` if it is not set.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.place(name).ok().map(|at| &self.0[at].1)
    }

    /// Sets a parameter.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        let (name, value) = (name.into().into_boxed_str(), value.into());
        match self.place(&name) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (name, value)),
        }
    }

    /// Removes a value and returns it; `None` if it is not set.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.place(name).ok().map(|at| self.0.remove(at).1)
    }

    /// Names and values, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// Numeric value of a parameter; whole numbers are converted.
    ///
    /// # Errors
    /// [`SpaceError`] when the parameter is not set or not a number.
    pub fn float(&self, name: &str) -> Result<f64, SpaceError> {
        let value = self.require(name)?;
        value.number().ok_or_else(|| SpaceError::wrong_type(name, value, "a number"))
    }

    /// Integer value of a parameter; 1.0 counts as an integer.
    ///
    /// # Errors
    /// [`SpaceError`] when the parameter is not set or not a whole number.
    pub fn int(&self, name: &str) -> Result<i64, SpaceError> {
        let value = self.require(name)?;
        value.whole().ok_or_else(|| SpaceError::wrong_type(name, value, "a whole number"))
    }

    /// String value of a parameter.
    ///
    /// # Errors
    /// [`SpaceError`] when the parameter is not set or not a string.
    pub fn str(&self, name: &str) -> Result<&str, SpaceError> {
        match self.require(name)? {
            Value::Str(value) => Ok(value),
            other => Err(SpaceError::wrong_type(name, other, "a string")),
        }
    }

    /// Boolean value of a parameter.
    ///
    /// # Errors
    /// [`SpaceError`] when the parameter is not set or not a truth value.
    pub fn bool(&self, name: &str) -> Result<bool, SpaceError> {
        match self.require(name)? {
            Value::Bool(value) => Ok(*value),
            other => Err(SpaceError::wrong_type(name, other, "true or false")),
        }
    }

    /// Index of a name, or the index where it would be inserted.
    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(other, _)| (**other).cmp(name))
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

impl Serialize for Config {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Config {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries)
    }
}

struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Config;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map from names of parameters to values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Config, A::Error> {
        let mut config = Config::new();
        while let Some((name, value)) = entries.next_entry::<String, Value>()? {
            config.insert(name, value);
        }
        Ok(config)
    }
}
