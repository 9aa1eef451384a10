//! Configurations to points of the cube and back.
//!
//! Laws, tested on random spaces: discrete values come back exactly; floats to 4 ulp of the larger bound, or
//! relative to themselves on a log scale to 1e-13 (`ln` of the range of doubles is 1,400); `encode` is feasible
//! in the domain; `decode` of any point is valid; a second round trip of an encoded point changes no bit.

use thrifty_domain::FILLER;

use crate::{Config, Kind, Parameter, Space, SpaceError, Value};

impl Space {
    /// The point of a configuration: feasible in [`Space::domain`].
    ///
    /// # Errors
    /// [`SpaceError`] names the parameter that is unknown, missing, inactive, of another type or out of range.
    pub fn encode(&self, config: &Config) -> Result<Vec<f64>, SpaceError> {
        if let Some((name, _)) =
            config.iter().find(|(name, _)| self.parameters().iter().all(|p| p.name != *name))
        {
            return Err(SpaceError::UnknownParameter { name: name.into() });
        }
        let mut x = vec![FILLER; self.dim()];
        for (index, parameter) in self.parameters().iter().enumerate() {
            let name = &parameter.name;
            let active = self.domain().is_active(index, &x);
            let columns = self.domain().columns(index);
            match (config.get(name), active) {
                (None, true) => return Err(SpaceError::MissingParameter { name: name.clone() }),
                (Some(value), false) => {
                    return Err(SpaceError::InactiveParameter { name: name.clone(), value: value.clone() });
                }
                (None, false) => {}
                (Some(value), true) => match parameter.kind {
                    Kind::Float { low, high, log } => {
                        x[columns.start] = encode_float(name, value, low, high, log)?;
                    }
                    _ => self.domain().set_level(index, level_of(parameter, value)?, &mut x),
                },
            }
        }
        self.domain().snap(&mut x);
        Ok(x)
    }

    /// The configuration of the feasible point nearest to `x` in the sense of
    /// [`Domain::snap`](thrifty_domain::Domain::snap): valid for any `x`, NaN included.
    ///
    /// # Panics
    /// When `x` is not of the space's dimension.
    #[must_use]
    pub fn decode(&self, x: &[f64]) -> Config {
        let mut x = x.to_vec();
        self.domain().snap(&mut x);
        let mut config = Config::new();
        for (index, parameter) in self.parameters().iter().enumerate() {
            if !self.domain().is_active(index, &x) {
                continue;
            }
            let level = self.domain().level(index, &x).unwrap_or(0);
            let value = match &parameter.kind {
                Kind::Float { low, high, log } => {
                    let u = x[self.domain().columns(index).start];
                    Value::Float(decode_float(u, *low, *high, *log))
                }
                Kind::StepFloat { low, high, step } => Value::Float((low + level as f64 * step).min(*high)),
                Kind::Int { low, step, .. } => {
                    // Levels × step fit the range of the parameter; the sum may pass through the far half of i64.
                    Value::Int(low.wrapping_add((level.wrapping_mul(step.unsigned_abs())) as i64))
                }
                Kind::Categorical { choices } => choices[level as usize].clone(),
            };
            config.insert(parameter.name.clone(), value);
        }
        config
    }

    /// Whether a configuration is of this space.
    ///
    /// # Errors
    /// As [`Space::encode`].
    pub fn validate(&self, config: &Config) -> Result<(), SpaceError> {
        self.encode(config).map(|_| ())
    }
}

fn encode_float(name: &str, value: &Value, low: f64, high: f64, log: bool) -> Result<f64, SpaceError> {
    let number = match value {
        Value::Float(number) => *number,
        Value::Int(number) => *number as f64,
        other => return Err(SpaceError::wrong_type(name, other, "a number")),
    };
    if !(low..=high).contains(&number) {
        return Err(SpaceError::out_of_range(name, value, format!("a number in [{low}, {high}]")));
    }
    let u = if log { (number / low).ln() / (high / low).ln() } else { (number - low) / (high - low) };
    let u = u.clamp(0.0, 1.0);
    // Rounding on the way back may land on a neighbouring double; the second trip must stay where it is.
    let settled = |u: f64| {
        let back = decode_float(u, low, high, log);
        if log { (back / low).ln() / (high / low).ln() } else { (back - low) / (high - low) }.clamp(0.0, 1.0)
    };
    let mut u = u;
    for _ in 0..4 {
        let next = settled(u);
        if next == u {
            break;
        }
        u = next;
    }
    Ok(u)
}

fn decode_float(u: f64, low: f64, high: f64, log: bool) -> f64 {
    let value = if u == 1.0 {
        high
    } else if log {
        low * (u * (high / low).ln()).exp()
    } else {
        low + u * (high - low)
    };
    value.clamp(low, high)
}

/// The level of a discrete parameter that has this value.
pub(crate) fn level_of(parameter: &Parameter, value: &Value) -> Result<u64, SpaceError> {
    let name = &parameter.name;
    match &parameter.kind {
        Kind::Float { .. } => Err(SpaceError::wrong_type(name, value, "a discrete parameter")),
        Kind::StepFloat { low, high, step } => {
            let number = match value {
                Value::Float(number) => *number,
                Value::Int(number) => *number as f64,
                other => return Err(SpaceError::wrong_type(name, other, "a number")),
            };
            let level = ((number - low) / step).round();
            let on_grid = (low + level * step).min(*high);
            if (low..=high).contains(&&number) && (on_grid - number).abs() <= 1e-9 * step {
                Ok(level as u64)
            } else {
                Err(SpaceError::out_of_range(name, value, format!("{low}, {} … {high}", low + step)))
            }
        }
        Kind::Int { low, high, step, .. } => {
            let Value::Int(number) = value else {
                return Err(SpaceError::wrong_type(name, value, "a whole number"));
            };
            let offset = number.abs_diff(*low);
            if (low..=high).contains(&number) && offset.is_multiple_of(step.unsigned_abs()) {
                Ok(offset / step.unsigned_abs())
            } else {
                Err(SpaceError::out_of_range(
                    name,
                    value,
                    format!("a whole number from {low} to {high} by {step}"),
                ))
            }
        }
        Kind::Categorical { choices } => {
            if let Some(level) = choices.iter().position(|choice| choice == value) {
                Ok(level as u64)
            } else {
                let all: Vec<String> = choices.iter().map(ToString::to_string).collect();
                Err(SpaceError::out_of_range(name, value, format!("one of {}", all.join(", "))))
            }
        }
    }
}
