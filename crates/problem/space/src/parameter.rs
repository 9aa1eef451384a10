//! Parameters and their conditions.

use thrifty_domain::{Spacing, Variable};

use crate::axis::Axis;
use crate::{SpaceError, Value};

/// Largest number of levels. Level k of n is recovered from `(k + ½) / n` while the two roundings, together n · 2⁻⁵², are below ½.
const MOST_LEVELS: u128 = 1 << 51;

/// Largest level, in steps, on a logarithmic axis: `ln` and `exp` add about 100 roundings of 2⁻⁵³ relative to the level.
const MOST_LOG_STEPS: f64 = (1_u64 << 44) as f64;

/// Kind of a parameter: the set of its values.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Kind {
    /// Every number in `[low, high]`, searched linearly or on a log scale.
    Float {
        /// Smallest value.
        low: f64,
        /// Largest value.
        high: f64,
        /// True to search on a log scale.
        #[serde(default)]
        log: bool,
    },
    /// `low, low + step, …` up to `high`.
    StepFloat {
        /// Smallest value.
        low: f64,
        /// Upper bound of the values.
        high: f64,
        /// Distance between neighbouring values.
        step: f64,
    },
    /// `low, low + step, …` up to `high`, searched linearly or on a log scale.
    Int {
        /// Smallest value.
        low: i64,
        /// Upper bound of the values.
        high: i64,
        /// Distance between neighbouring values.
        step: i64,
        /// True to search on a log scale.
        #[serde(default)]
        log: bool,
    },
    /// One of several values without order.
    Categorical {
        /// The values.
        choices: Vec<Value>,
    },
}

/// Condition: a parameter is active only while an earlier discrete parameter has one of these values.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// Name of the earlier parameter.
    pub parent: String,
    /// Values of the parent under which this parameter is active.
    pub values: Vec<Value>,
}

/// One parameter of a space.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Set of its values.
    #[serde(flatten)]
    pub kind: Kind,
    /// Conditions of activity; all of them must hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<When>,
}

/// A parameter as it is written, with fields that it may not have. Fields that are flattened cannot refuse others.
#[derive(serde::Deserialize)]
struct Unchecked {
    name: String,
    #[serde(flatten)]
    fields: serde_json::Map<String, serde_json::Value>,
}

impl TryFrom<Unchecked> for Parameter {
    type Error = SpaceError;

    fn try_from(Unchecked { name, mut fields }: Unchecked) -> Result<Self, SpaceError> {
        let conditions = fields.remove("conditions").map_or_else(|| Ok(Vec::new()), serde_json::from_value);
        match (serde_json::from_value(fields.into()), conditions) {
            (Ok(kind), Ok(conditions)) => Ok(Self { name, kind, conditions }),
            (Err(error), _) | (_, Err(error)) => {
                Err(SpaceError::Unreadable { name, reason: error.to_string() })
            }
        }
    }
}

impl Parameter {
    /// Turns a float with equal bounds into a choice of one value.
    pub(crate) fn fix_single_value(&mut self) {
        if let Kind::Float { low, high, log } = self.kind
            && low == high
            && low.is_finite()
            && (!log || low > 0.0)
        {
            self.kind = Kind::Categorical { choices: vec![Value::Float(low)] };
        }
    }

    /// Checks the parameter alone and converts it to a variable without conditions.
    pub(crate) fn lower(&self) -> Result<Variable, SpaceError> {
        let name = || self.name.clone();
        let bounds = |low: f64, high: f64, log: bool| {
            if !(Axis { low, high, log }).is_measurable() {
                Err(SpaceError::InvalidBounds { name: name(), low, high })
            } else if log && low <= 0.0 {
                Err(SpaceError::NonPositiveLog { name: name(), low })
            } else {
                Ok(())
            }
        };
        match &self.kind {
            Kind::Float { low, high, log } => bounds(*low, *high, *log).map(|()| Variable::continuous()),
            Kind::StepFloat { low, high, step } => {
                bounds(*low, *high, false)?;
                let range = high - low;
                if !(*step > 0.0 && *step <= range * (1.0 + 1e-9)) {
                    return Err(SpaceError::InvalidStep { name: name(), step: *step, range });
                }
                self.stepped(step_count(*low, *high, *step), Spacing::Linear)
            }
            Kind::Int { low, high, step, log } => self.lower_int((*low, *high), *step, *log),
            Kind::Categorical { choices } => self.lower_categorical(choices),
        }
    }

    fn lower_int(&self, (low, high): (i64, i64), step: i64, log: bool) -> Result<Variable, SpaceError> {
        let name = || self.name.clone();
        if low > high {
            return Err(SpaceError::InvalidBounds { name: name(), low: low as f64, high: high as f64 });
        }
        let range = high.abs_diff(low);
        if step < 1 || step.unsigned_abs() > range.max(1) {
            return Err(SpaceError::InvalidStep { name: name(), step: step as f64, range: range as f64 });
        }
        if log && low < 1 {
            return Err(SpaceError::NonPositiveLog { name: name(), low: low as f64 });
        }
        let count = u128::from(range / step.unsigned_abs()) + 1;
        let first = low as f64 / step as f64;
        // A grid whose first level is less than half a step from 0 has no cell there on a log scale.
        if log && first <= 0.5 {
            let limit = 2.0 * low as f64;
            return Err(SpaceError::LogStepTooWide { name: name(), step: step as f64, limit });
        }
        let high = high as f64 / step as f64;
        if log && high > MOST_LOG_STEPS {
            return Err(SpaceError::LogGridTooLong { name: name(), high });
        }
        self.stepped(count, if log { Spacing::Log { first } } else { Spacing::Linear })
    }

    fn lower_categorical(&self, choices: &[Value]) -> Result<Variable, SpaceError> {
        let name = || self.name.clone();
        if choices.is_empty() {
            return Err(SpaceError::NoChoices { name: name() });
        }
        let infinite = |choice: &&Value| matches!(choice, Value::Float(c) if !c.is_finite());
        if let Some(choice) = choices.iter().find(infinite) {
            return Err(SpaceError::NonFiniteChoice { name: name(), choice: choice.clone() });
        }
        match choices.iter().enumerate().find(|(i, choice)| choices[..*i].contains(choice)) {
            Some((_, choice)) => Err(SpaceError::DuplicateChoice { name: name(), choice: choice.clone() }),
            None => Ok(Variable::one_hot(choices.len())),
        }
    }

    fn stepped(&self, count: u128, spacing: Spacing) -> Result<Variable, SpaceError> {
        if count > MOST_LEVELS {
            return Err(SpaceError::TooManyLevels { name: self.name.clone(), count });
        }
        Ok(thrifty_domain::VariableKind::Stepped { count: count as u64, spacing }.into())
    }
}

/// Number of levels from `low` to `high`. A range that is a whole number of steps up to rounding counts as one. If the steps are too small
/// to be counted, the result is the largest number.
pub(crate) fn step_count(low: f64, high: f64, step: f64) -> u128 {
    let steps = ((high - low) / step * (1.0 + 4.0 * f64::EPSILON) + 1e-9).floor() as u128;
    steps.saturating_add(1)
}
