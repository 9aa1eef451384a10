//! Builder of search spaces.

use crate::{Kind, Parameter, Space, SpaceError, Value, When};

/// Collects parameters; errors are reported by [`SpaceBuilder::build`].
#[derive(Debug, Clone, Default)]
pub struct SpaceBuilder {
    parameters: Vec<Parameter>,
    misplaced: Option<String>,
}

impl SpaceBuilder {
    /// A number in `[low, high]`.
    #[must_use]
    pub fn float(self, name: &str, low: f64, high: f64) -> Self {
        self.add(name, Kind::Float { low, high, log: false })
    }

    /// A positive number in `[low, high]`, searched on a log scale.
    #[must_use]
    pub fn log_float(self, name: &str, low: f64, high: f64) -> Self {
        self.add(name, Kind::Float { low, high, log: true })
    }

    /// `low, low + step, …` up to `high`.
    #[must_use]
    pub fn step_float(self, name: &str, low: f64, high: f64, step: f64) -> Self {
        self.add(name, Kind::StepFloat { low, high, step })
    }

    /// A whole number in `[low, high]`.
    #[must_use]
    pub fn int(self, name: &str, low: i64, high: i64) -> Self {
        self.step_int(name, low, high, 1)
    }

    /// A positive whole number in `[low, high]`, searched on a log scale.
    #[must_use]
    pub fn log_int(self, name: &str, low: i64, high: i64) -> Self {
        self.add(name, Kind::Int { low, high, step: 1, log: true })
    }

    /// `low, low + step, …` up to `high`.
    #[must_use]
    pub fn step_int(self, name: &str, low: i64, high: i64, step: i64) -> Self {
        self.add(name, Kind::Int { low, high, step, log: false })
    }

    /// One of several values without order.
    #[must_use]
    pub fn categorical<V: Into<Value>>(self, name: &str, choices: impl IntoIterator<Item = V>) -> Self {
        self.add(name, Kind::Categorical { choices: choices.into_iter().map(Into::into).collect() })
    }

    /// Makes the last added parameter active only while the earlier parameter `parent` has one of `values`.
    #[must_use]
    pub fn when<V: Into<Value>>(mut self, parent: &str, values: impl IntoIterator<Item = V>) -> Self {
        let condition = When { parent: parent.into(), values: values.into_iter().map(Into::into).collect() };
        match self.parameters.last_mut() {
            Some(parameter) => parameter.conditions.push(condition),
            None => self.misplaced = Some(parent.into()),
        }
        self
    }

    /// Builds the space.
    ///
    /// # Errors
    /// [`SpaceError`] names the parameter and its defect.
    pub fn build(self) -> Result<Space, SpaceError> {
        match self.misplaced {
            Some(parent) => Err(SpaceError::ConditionWithoutParameter { parent }),
            None => Space::new(self.parameters),
        }
    }

    fn add(mut self, name: &str, kind: Kind) -> Self {
        self.parameters.push(Parameter { name: name.into(), kind, conditions: Vec::new() });
        self
    }
}
