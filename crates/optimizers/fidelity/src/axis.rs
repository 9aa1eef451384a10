//! The fidelity parameter: its column, its range and its target.

use thrifty_domain::{FILLER, VariableKind};
use thrifty_space::{Config, Kind, Parameter, Space, Value};
use thrifty_study::OptimizerError;

/// The fidelity parameter of a space. Its values range from the cheapest to the target, the largest.
#[derive(Debug, Clone, PartialEq)]
pub struct FidelityAxis {
    name: String,
    /// Index among the parameters and among the variables of the domain.
    index: usize,
    /// Column of the encoded point.
    column: usize,
    /// Encoded cheapest value and target.
    ends: (f64, f64),
    /// Cheapest value and target.
    values: (f64, f64),
    is_logarithmic: bool,
    /// The target as a value of the parameter.
    target: Value,
}

impl FidelityAxis {
    /// The axis of the parameter `name`.
    ///
    /// # Errors
    /// [`OptimizerError::InvalidSetting`] names the parameter if it is not in the space, is no number, can be 0 or negative, has a single
    /// value, or is the parent or subject of a condition.
    pub fn new(space: &Space, name: &str) -> Result<Self, OptimizerError> {
        let invalid = |value: &str, expected: &str| OptimizerError::InvalidSetting {
            name: format!("fidelity {name}"),
            value: value.into(),
            expected: expected.into(),
        };
        let parameters = space.parameters();
        let index = parameters.iter().position(|parameter| parameter.name == name);
        let index = index.ok_or_else(|| invalid("missing", "a parameter of the space"))?;
        let parameter = &parameters[index];
        let is_parent = |other: &Parameter| other.conditions.iter().any(|condition| condition.parent == name);
        if !parameter.conditions.is_empty() || parameters.iter().any(is_parent) {
            return Err(invalid("conditional", "a parameter without conditions on it or by it"));
        }
        let ends = match space.domain().variables()[index].kind {
            VariableKind::Continuous => (0.0, 1.0),
            VariableKind::Stepped { count, spacing } if count > 1 => {
                (spacing.position(0, count), spacing.position(count - 1, count))
            }
            VariableKind::Stepped { .. } => return Err(invalid("a single value", "at least two values")),
            _ => return Err(invalid("categorical", "a number")),
        };
        let is_logarithmic =
            matches!(parameter.kind, Kind::Int { log: true, .. } | Kind::Float { log: true, .. });
        let column = space.domain().columns(index).start;
        let at = |end: f64| {
            let mut x = vec![FILLER; space.dim()];
            x[column] = end;
            space.decode(&x).get(name).cloned()
        };
        let unread = || invalid("unreadable", "a number");
        let target = at(ends.1).ok_or_else(unread)?;
        let low = at(ends.0).as_ref().and_then(Value::number).ok_or_else(unread)?;
        let high = target.number().ok_or_else(unread)?;
        if low <= 0.0 {
            return Err(invalid(
                &format!("from {low}"),
                "positive values, as costs are proportional to them",
            ));
        }
        let name = name.to_owned();
        Ok(Self { name, index, column, ends, values: (low, high), is_logarithmic, target })
    }

    /// Name of the parameter.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Index of the parameter among those of the space.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// Column of the parameter in an encoded point.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }

    /// Encoded cheapest value and target.
    #[must_use]
    pub fn ends(&self) -> (f64, f64) {
        self.ends
    }

    /// The target: the largest value.
    #[must_use]
    pub fn target(&self) -> f64 {
        self.values.1
    }

    /// The value of a configuration; NaN if it is missing or no number.
    #[must_use]
    pub fn value(&self, config: &Config) -> f64 {
        config.get(&self.name).and_then(Value::number).unwrap_or(f64::NAN)
    }

    /// True for a configuration at the target. Losses at lower fidelities are biased, so the best trial is the best among those at the target.
    #[must_use]
    pub fn is_at_target(&self, config: &Config) -> bool {
        self.value(config) >= self.target()
    }

    /// Position of a value on the axis, on the scale of the parameter: 0 at the cheapest, 1 at the target.
    #[must_use]
    pub fn position(&self, value: f64) -> f64 {
        let (low, high) = self.values;
        if self.is_logarithmic {
            (value / low).ln() / (high / low).ln()
        } else {
            (value - low) / (high - low)
        }
    }

    /// Logarithm of the value at an encoded point as a share of the target, and its derivative by the column.
    #[must_use]
    pub fn log_share(&self, encoded: f64) -> (f64, f64) {
        let ((low, high), (start, end)) = (self.values, self.ends);
        let t = ((encoded - start) / (end - start)).clamp(0.0, 1.0);
        if self.is_logarithmic {
            let length = (high / low).ln();
            ((t - 1.0) * length, length / (end - start))
        } else {
            let share = (low + t * (high - low)) / high;
            (share.ln(), (high - low) / (high * share * (end - start)))
        }
    }

    /// The configuration at the target.
    #[must_use]
    pub fn at_target(&self, config: &Config) -> Config {
        let mut config = config.clone();
        config.insert(self.name.clone(), self.target.clone());
        config
    }

    /// The configuration at another fidelity; `None` if the parameter cannot have this value.
    #[must_use]
    pub fn at(&self, space: &Space, config: &Config, value: u64) -> Option<Config> {
        let mut config = config.clone();
        let value = match self.target {
            Value::Int(_) => Value::Int(i64::try_from(value).ok()?),
            _ => Value::Float(value as f64),
        };
        config.insert(self.name.clone(), value);
        space.validate(&config).is_ok().then_some(config)
    }

    /// Moves an encoded point to the target.
    pub fn move_to_target(&self, x: &mut [f64]) {
        x[self.column] = self.ends.1;
    }
}
