//! Coding of configurations as columns.

use std::collections::BTreeMap;

use thrifty_prob::{cdf, quantile};
use thrifty_space::{Config, Kind, Parameter, Space, SpaceError, Value};

use crate::density::prior::{dimension, from_origin, origin};
use crate::{Dimension, GridEnds, ParameterPrior, TpeError};

/// A space as estimators see it: a dimension a parameter, and when it is active.
#[derive(Debug, Clone)]
pub(crate) struct Coding {
    pub(crate) parameters: Vec<Coded>,
    /// Internal values of the parameters whose value is given.
    given: Vec<Option<f64>>,
}

/// One parameter.
#[derive(Debug, Clone)]
pub(crate) struct Coded {
    parameter: Parameter,
    pub(crate) dimension: Dimension,
    /// Earlier parameters and the internal values of theirs under which this one is active.
    pub(crate) conditions: Vec<(usize, Vec<f64>)>,
    has_prior: bool,
    /// True if others are active or not by its value.
    pub(crate) decides: bool,
}

impl Coding {
    pub(crate) fn new(
        space: &Space,
        priors: &BTreeMap<String, ParameterPrior>,
        ends: GridEnds,
    ) -> Result<Self, TpeError> {
        let known = |name: &String| space.parameters().iter().any(|p| p.name == *name);
        if let Some(name) = priors.keys().find(|name| !known(name)) {
            let problem = "the space has no such parameter".into();
            return Err(TpeError::InvalidPrior { name: name.clone(), problem });
        }
        let mut parameters: Vec<Coded> = Vec::new();
        for parameter in space.parameters() {
            let prior = priors.get(&parameter.name);
            let conditions = parameter.conditions.iter().filter_map(|when| {
                let parent = parameters.iter().position(|p| p.parameter.name == when.parent)?;
                let values = when.values.iter().filter_map(|v| parameters[parent].internal(v));
                Some((parent, values.collect()))
            });
            let conditions = conditions.collect();
            let dimension = dimension(parameter, prior, ends)?;
            let has_prior = prior.is_some();
            let is_parent =
                |other: &Parameter| other.conditions.iter().any(|when| when.parent == parameter.name);
            let decides = space.parameters().iter().any(is_parent);
            parameters.push(Coded {
                parameter: parameter.clone(),
                dimension,
                conditions,
                has_prior,
                decides,
            });
        }
        let given = vec![None; parameters.len()];
        Ok(Self { parameters, given })
    }

    /// The coding in which some values are given: they are neither drawn nor spread.
    pub(crate) fn given(&self, values: &Config) -> Self {
        let internal = |coded: &Coded| coded.internal(values.get(&coded.parameter.name)?);
        Self { given: self.parameters.iter().map(internal).collect(), ..self.clone() }
    }

    /// The internal value of a parameter that is given.
    pub(crate) fn given_value(&self, index: usize) -> Option<f64> {
        self.given[index]
    }

    pub(crate) fn len(&self) -> usize {
        self.parameters.len()
    }

    /// True if a parameter is active given the internal values of those before it.
    pub(crate) fn is_active(&self, index: usize, values: &[f64]) -> bool {
        self.parameters[index].conditions.iter().all(|(parent, allowed)| allowed.contains(&values[*parent]))
    }

    /// Internal values of a configuration, NaN where a parameter is not active.
    pub(crate) fn encode(&self, space: &Space, config: &Config) -> Result<Vec<f64>, SpaceError> {
        space.validate(config)?;
        let internal = |coded: &Coded| {
            config.get(&coded.parameter.name).and_then(|value| coded.internal(value)).unwrap_or(f64::NAN)
        };
        Ok(self.parameters.iter().map(internal).collect())
    }

    /// The configuration of internal values.
    pub(crate) fn decode(&self, values: &[f64]) -> Config {
        let mut config = Config::new();
        for (coded, value) in self.parameters.iter().zip(values).filter(|(_, value)| !value.is_nan()) {
            config.insert(coded.parameter.name.clone(), coded.value(*value));
        }
        config
    }

    /// Internal values at a point of the unit cube, one column a parameter, spread according to the prior.
    pub(crate) fn spread(&self, cube: &[f64]) -> Vec<f64> {
        let mut values = vec![f64::NAN; self.len()];
        for (index, (coded, u)) in self.parameters.iter().zip(cube).enumerate() {
            if self.is_active(index, &values) {
                values[index] = self.given[index].unwrap_or_else(|| coded.spread(*u));
            }
        }
        values
    }
}

impl Coded {
    /// Internal value of a number, which for a choice is its index.
    pub(crate) fn internal_number(&self, number: f64) -> f64 {
        self.dimension.internal(number - origin(&self.parameter.kind) as f64)
    }

    fn internal(&self, value: &Value) -> Option<f64> {
        if let Kind::Categorical { choices } = &self.parameter.kind {
            return value.position_in(choices).map(|index| index as f64);
        }
        let number = match (&self.parameter.kind, value) {
            (kind @ Kind::Int { .. }, Value::Int(whole)) => from_origin(*whole, kind),
            (kind @ Kind::Int { .. }, value) => from_origin(value.number()? as i64, kind),
            (_, value) => value.number()?,
        };
        let internal = match (&self.parameter.kind, &self.dimension) {
            // A value may miss its step by rounding: 3 · 0.1 is not 0.3.
            (Kind::StepFloat { .. }, Dimension::Numeric(axis)) => {
                axis.grid.map_or(number, |grid| grid.nearest(number))
            }
            (_, dimension) => dimension.internal(number),
        };
        // Zeros of both signs are equal.
        Some(internal + 0.0)
    }

    fn value(&self, internal: f64) -> Value {
        match &self.parameter.kind {
            Kind::Float { low, high, .. } => {
                let value = match &self.dimension {
                    Dimension::Numeric(axis) => axis.value(internal),
                    Dimension::Categorical(_) => internal,
                };
                Value::Float(value.clamp(*low, *high))
            }
            Kind::StepFloat { low, high, step } => {
                let level = ((internal - low) / step).round().max(0.0);
                Value::Float((low + level * step).min(*high))
            }
            Kind::Int { low, high, step, .. } => {
                let last = high.abs_diff(*low) / step.unsigned_abs();
                let first = from_origin(*low, &self.parameter.kind);
                let level = (((internal - first) / *step as f64).round().max(0.0) as u64).min(last);
                Value::Int(low.wrapping_add_unsigned(level.wrapping_mul(step.unsigned_abs())))
            }
            Kind::Categorical { choices } => {
                choices[(internal.max(0.0) as usize).min(choices.len() - 1)].clone()
            }
        }
    }

    /// The internal value below which the prior has a share of `u`.
    fn spread(&self, u: f64) -> f64 {
        match &self.dimension {
            Dimension::Categorical(choices) => {
                let mut left = u;
                let below = |p: &f64| {
                    left -= p;
                    left < 0.0
                };
                let last = choices.len() - 1;
                choices.probabilities().iter().position(below).unwrap_or(last) as f64
            }
            Dimension::Numeric(axis) => {
                let (low, high) = axis.bounds;
                let latent = if self.has_prior {
                    let end = |bound: f64| (bound - axis.prior_mean) / axis.prior_sd;
                    let (a, b) = (end(low), end(high));
                    // In the tail with the digits: above the mean the lower one is 1.
                    let z = if a > 0.0 {
                        -quantile(cdf(-b) + (1.0 - u) * (cdf(-a) - cdf(-b)))
                    } else {
                        quantile(cdf(a) + u * (cdf(b) - cdf(a)))
                    };
                    (axis.prior_mean + axis.prior_sd * z).clamp(low, high)
                } else {
                    low + u * (high - low)
                };
                axis.grid.map_or(latent, |grid| grid.nearest(axis.value(latent)))
            }
        }
    }
}
