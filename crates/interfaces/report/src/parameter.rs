//! Parameters as axes of figures and features of forests.

use thrifty_figures::{Axis, ParallelAxis};
use thrifty_space::{Kind, Parameter, Value};
use thrifty_trees::FeatureDistribution;

/// Whole numbers up to this many are single values of a feature; more are an interval.
const SINGLE_VALUES: u64 = 1000;

/// A parameter as an axis.
#[derive(Debug, Clone)]
pub(crate) struct ParameterAxis {
    pub(crate) name: String,
    pub(crate) scale: Scale,
    /// Values of a short grid, as places of the unit interval; none on a long grid or a continuous axis.
    grid: Vec<f64>,
}

/// Numbers between two ends, or names.
#[derive(Debug, Clone)]
pub(crate) enum Scale {
    Numeric(Axis),
    Names(Vec<Value>),
}

impl ParameterAxis {
    pub(crate) fn of(parameter: &Parameter) -> Self {
        let axis = |low: f64, high: f64, log: bool| {
            Scale::Numeric(Axis { label: parameter.name.clone(), low, high, log })
        };
        let (scale, grid) = match &parameter.kind {
            Kind::Float { low, high, log } => (axis(*low, *high, *log), Vec::new()),
            // The axis ends at the last value, which may lie below the upper bound.
            Kind::StepFloat { low, high, step } => {
                let range = (high - low) / step;
                let steps = (range + 1e-9).floor();
                // The bound itself, where it is on the grid, is free of the rounding of the sum.
                let last = if range - steps < 1e-9 { *high } else { low + steps * step };
                (axis(*low, last, false), multiples(*low, *step, steps as u64))
            }
            Kind::Int { low, high, step, log } => {
                let (range, step) = (high.abs_diff(*low), step.unsigned_abs());
                let last = high.saturating_sub_unsigned(range % step);
                // Evenly spaced values alone are a grid; those of a logarithmic range are places of an interval.
                let grid = if *log { Vec::new() } else { multiples(*low as f64, step as f64, range / step) };
                (axis(*low as f64, last as f64, *log), grid)
            }
            Kind::Categorical { choices } => (Scale::Names(choices.clone()), Vec::new()),
        };
        let mut found = Self { name: parameter.name.clone(), scale, grid: Vec::new() };
        found.grid = grid.into_iter().filter_map(|value| found.place(&Value::Float(value))).collect();
        found
    }

    /// Place of a value: in the unit interval on a numeric axis, the index of a name.
    pub(crate) fn place(&self, value: &Value) -> Option<f64> {
        match &self.scale {
            Scale::Numeric(axis) => {
                let value = value.number()?;
                let share = if axis.log {
                    (value / axis.low).ln() / (axis.high / axis.low).ln()
                } else {
                    (value - axis.low) / (axis.high - axis.low)
                };
                // A range of one value has it in the middle.
                Some(if axis.low < axis.high { share.clamp(0.0, 1.0) } else { 0.5 })
            }
            Scale::Names(names) => value.position_in(names).map(|at| at as f64),
        }
    }

    /// Coordinate of a value in a plot: the number, or the index of a name.
    pub(crate) fn coordinate(&self, value: &Value) -> Option<f64> {
        match &self.scale {
            Scale::Numeric(_) => value.number(),
            Scale::Names(_) => self.place(value),
        }
    }

    /// The numeric axis, if it is one with more than one value.
    pub(crate) fn numeric(&self) -> Option<&Axis> {
        match &self.scale {
            Scale::Numeric(axis) if axis.low < axis.high => Some(axis),
            _ => None,
        }
    }

    /// Names of the choices; none of a numeric parameter.
    pub(crate) fn names(&self) -> Vec<String> {
        match &self.scale {
            Scale::Numeric(_) => Vec::new(),
            Scale::Names(names) => names.iter().map(text).collect(),
        }
    }

    /// Number of values of a short grid; `None` on a long grid or a continuous axis, and for choices.
    pub(crate) fn values(&self) -> Option<usize> {
        (!self.grid.is_empty()).then_some(self.grid.len())
    }

    /// True for a parameter with choices.
    pub(crate) fn is_named(&self) -> bool {
        matches!(self.scale, Scale::Names(_))
    }

    pub(crate) fn parallel(&self) -> ParallelAxis {
        match &self.scale {
            Scale::Numeric(axis) => ParallelAxis::Numeric(axis.clone()),
            Scale::Names(_) => ParallelAxis::Names(self.name.clone(), self.names()),
        }
    }

    /// The place of an inactive parameter, as a feature: the middle of its values.
    pub(crate) fn filler(&self) -> f64 {
        match &self.scale {
            Scale::Numeric(_) => 0.5,
            Scale::Names(names) => 0.5 * (names.len() as f64 - 1.0),
        }
    }

    /// The distribution of the places over the space: uniform on the scale of the parameter, by value on an evenly spaced grid.
    pub(crate) fn distribution(&self) -> FeatureDistribution {
        match &self.scale {
            Scale::Names(names) => {
                FeatureDistribution::Values((0..names.len()).map(|at| at as f32).collect())
            }
            Scale::Numeric(_) if !self.grid.is_empty() => {
                FeatureDistribution::Values(self.grid.iter().map(|place| *place as f32).collect())
            }
            Scale::Numeric(_) => FeatureDistribution::Uniform { low: 0.0, high: 1.0 },
        }
    }
}

/// Text of a value: a float has an exponent where it is very small or large.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::Float(value) => format!("{value:?}"),
        other => other.to_string(),
    }
}

/// The values of a short grid.
fn multiples(low: f64, step: f64, steps: u64) -> Vec<f64> {
    if steps < SINGLE_VALUES { (0..=steps).map(|k| low + k as f64 * step).collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use thrifty_space::Space;

    use super::*;

    /// A choice of numbers is found by its number.
    #[test]
    fn a_choice_is_found_by_its_number() {
        let space = Space::builder().categorical("n", [16, 32]).build().unwrap();
        let axis = ParameterAxis::of(&space.parameters()[0]);
        assert_eq!([Value::Int(32), Value::Float(32.0)].map(|value| axis.place(&value)), [Some(1.0); 2]);
        assert_eq!(axis.place(&Value::Float(32.5)), None);
    }

    /// Places of the values of a grid of floats and of integers: evenly spaced from 0 to 1, also those that a forest takes as features,
    /// and also where the upper bound is not on the grid.
    #[test]
    fn values_of_a_grid_are_evenly_spaced() {
        let builder = Space::builder().step_float("float", 1.0, 9.0, 2.0).step_int("int", 1, 9, 2);
        let builder = builder.step_float("float below", 1.0, 10.5, 2.0).step_int("int below", 1, 10, 2);
        for parameter in builder.build().unwrap().parameters() {
            let axis = ParameterAxis::of(parameter);
            let places = [1.0, 3.0, 5.0, 7.0, 9.0].map(|value| axis.place(&Value::Float(value)));
            let even = [0.0, 0.25, 0.5, 0.75, 1.0];
            assert_eq!(places, even.map(Some), "{}", parameter.name);
            let features = FeatureDistribution::Values(even.map(|place| place as f32).to_vec());
            assert_eq!(axis.distribution(), features, "{}", parameter.name);
            assert_eq!(axis.values(), Some(5), "{}", parameter.name);
        }
    }
}
