//! Encoding of configurations as points of the cube, and decoding.
//!
//! Laws, tested on random spaces:
//! - discrete values are recovered exactly;
//! - floats are recovered to 4 ulp of the larger bound, or on a log scale to a relative error of 1e-13 (the `ln` of a range is below 710);
//! - `encode` returns a feasible point of the domain;
//! - `decode` of any point is valid;
//! - a second round trip of an encoded point changes no bit.

use thrifty_domain::{Domain, FILLER};

use crate::axis::Axis;
use crate::parameter::step_count;
use crate::{Config, Kind, Parameter, Space, SpaceError, Value};

impl Space {
    /// Encodes a configuration as a point that is feasible in [`Space::domain`].
    ///
    /// # Errors
    /// [`SpaceError`] names the parameter that is unknown, missing, inactive, of another type or out of range.
    pub fn encode(&self, config: &Config) -> Result<Vec<f64>, SpaceError> {
        self.require_known(config)?;
        let mut x = vec![FILLER; self.dim()];
        for (index, parameter) in self.parameters().iter().enumerate() {
            let name = &parameter.name;
            let active = self.whole().is_active(index, &x);
            match (config.get(name), active) {
                (None, true) => return Err(SpaceError::MissingParameter { name: name.clone() }),
                (Some(value), false) => {
                    return Err(SpaceError::InactiveParameter { name: name.clone(), value: value.clone() });
                }
                (None, false) => {}
                (Some(value), true) => write_value(self.whole(), index, parameter, value, &mut x)?,
            }
        }
        self.whole().snap(&mut x);
        Ok(x)
    }

    /// # Errors
    /// [`SpaceError::UnknownParameter`] for a configuration with an unknown name.
    pub(crate) fn require_known(&self, config: &Config) -> Result<(), SpaceError> {
        match config.iter().find(|(name, _)| !self.has(name)) {
            Some((name, _)) => Err(SpaceError::UnknownParameter { name: name.into() }),
            None => Ok(()),
        }
    }

    /// Decodes the feasible point nearest to `x` in the sense of [`Domain::snap`]. The result is valid for any `x`, including NaN.
    ///
    /// # Panics
    /// If `x` has another dimension than the space.
    #[must_use]
    pub fn decode(&self, x: &[f64]) -> Config {
        let mut x = x.to_vec();
        self.domain().snap(&mut x);
        let mut config = Config::new();
        for (index, parameter) in self.parameters().iter().enumerate() {
            if !self.domain().is_active(index, &x) {
                continue;
            }
            let value = match &parameter.kind {
                Kind::Float { low, high, log } => {
                    let u = x[self.domain().columns(index).start];
                    Value::Float(Axis { low: *low, high: *high, log: *log }.number(u))
                }
                _ => value_of(parameter, self.domain().level(index, &x).unwrap_or(0)),
            };
            config.insert(parameter.name.clone(), value);
        }
        config
    }

    /// The configuration at one quantile per parameter, each in `[0, 1]`: see [`Domain::at_quantiles`].
    ///
    /// ```
    /// use thrifty_space::Space;
    /// let space = Space::builder().categorical("kernel", ["rbf", "linear"]).float("c", 0.0, 10.0).build()?;
    /// let config = space.at_quantiles(&[0.7, 0.25]);
    /// assert_eq!((config.str("kernel")?, config.float("c")?), ("linear", 2.5));
    /// # Ok::<(), thrifty_space::SpaceError>(())
    /// ```
    ///
    /// # Panics
    /// If `u` does not have one number per parameter.
    #[must_use]
    pub fn at_quantiles(&self, u: &[f64]) -> Config {
        self.decode(&self.domain().at_quantiles(u))
    }

    /// Checks that a configuration belongs to this space.
    ///
    /// # Errors
    /// As [`Space::encode`].
    pub fn validate(&self, config: &Config) -> Result<(), SpaceError> {
        self.encode(config).map(|_| ())
    }
}

/// Writes the columns of a parameter's value; dependent columns follow with the next snap.
pub(crate) fn write_value(
    domain: &Domain,
    index: usize,
    parameter: &Parameter,
    value: &Value,
    x: &mut [f64],
) -> Result<(), SpaceError> {
    match parameter.kind {
        Kind::Float { low, high, log } => {
            x[domain.columns(index).start] = encode_float(&parameter.name, value, Axis { low, high, log })?;
        }
        _ => domain.write_level(index, level_of(parameter, value)?, x),
    }
    Ok(())
}

fn encode_float(name: &str, value: &Value, axis: Axis) -> Result<f64, SpaceError> {
    let Axis { low, high, .. } = axis;
    let number = number(name, value)?;
    if (low..=high).contains(&number) {
        Ok(axis.place(number))
    } else {
        Err(SpaceError::out_of_range(name, value, format!("a number in [{low}, {high}]")))
    }
}

fn number(name: &str, value: &Value) -> Result<f64, SpaceError> {
    value.number().ok_or_else(|| SpaceError::wrong_type(name, value, "a number"))
}

/// The level of a discrete parameter with this value.
pub(crate) fn level_of(parameter: &Parameter, value: &Value) -> Result<u64, SpaceError> {
    let name = &parameter.name;
    match &parameter.kind {
        Kind::Float { .. } => Err(SpaceError::wrong_type(name, value, "a discrete parameter")),
        Kind::StepFloat { low, high, step } => {
            let number = number(name, value)?;
            // Rounding of a value that was computed or written differently, such as 3 * 0.1 or 0.3.
            let rounding = 2.0 * f64::EPSILON * low.abs().max(high.abs());
            let within = (low - rounding..=high + rounding).contains(&number);
            let missed = |level: u64| (grid_value(*low, *high, *step, level) - number).abs();
            // On a long grid the quotient may round to a neighbour of the level.
            let last = step_count(*low, *high, *step).saturating_sub(1) as u64;
            let guess = (((number - low) / step).round() as u64).min(last);
            let level = (guess.saturating_sub(1)..=guess.saturating_add(1).min(last))
                .min_by(|&a, &b| missed(a).total_cmp(&missed(b)));
            match level {
                Some(level) if within && missed(level) <= rounding.max(1e-9 * step) => Ok(level),
                _ => Err(SpaceError::out_of_range(name, value, format!("{low}, {} … {high}", low + step))),
            }
        }
        Kind::Int { low, high, step, .. } => {
            let wrong = || SpaceError::wrong_type(name, value, "a whole number");
            let number = value.whole().ok_or_else(wrong)?;
            let offset = number.abs_diff(*low);
            if (*low..=*high).contains(&number) && offset.is_multiple_of(step.unsigned_abs()) {
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
            let level = value.position_in(choices).ok_or_else(|| {
                let all: Vec<String> = choices.iter().map(ToString::to_string).collect();
                SpaceError::out_of_range(name, value, format!("one of {}", all.join(", ")))
            })?;
            Ok(level as u64)
        }
    }
}

/// The value of a discrete parameter at a level; for a continuous one its lower bound.
fn value_of(parameter: &Parameter, level: u64) -> Value {
    match &parameter.kind {
        Kind::Float { low, .. } => Value::Float(*low),
        Kind::StepFloat { low, high, step } => Value::Float(grid_value(*low, *high, *step, level)),
        // Levels × step fits the range of the parameter; the sum may wrap through the other half of i64.
        Kind::Int { low, step, .. } => {
            Value::Int(low.wrapping_add_unsigned(level.wrapping_mul(step.unsigned_abs())))
        }
        Kind::Categorical { choices } => choices[level as usize].clone(),
    }
}

/// A parameter value in the form of [`Space::decode`]: whole numbers of a float become floats.
///
/// # Errors
/// [`SpaceError`] for a value that the parameter cannot have.
pub(crate) fn canonical(parameter: &Parameter, value: &Value) -> Result<Value, SpaceError> {
    match parameter.kind {
        Kind::Float { low, high, log } => {
            encode_float(&parameter.name, value, Axis { low, high, log })?;
            Ok(Value::Float(number(&parameter.name, value)?))
        }
        _ => Ok(value_of(parameter, level_of(parameter, value)?)),
    }
}

fn grid_value(low: f64, high: f64, step: f64, level: u64) -> f64 {
    (low + level as f64 * step).min(high)
}
