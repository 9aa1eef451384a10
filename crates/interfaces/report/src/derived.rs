//! Spaces derived from trials, for journals without a study file.

use std::collections::BTreeSet;

use thrifty_space::{Config, Kind, Parameter, Space, Value};
use thrifty_study::History;

use crate::ReportError;

/// Ratio of the largest to the smallest positive value from which an axis is logarithmic.
const LOG_RATIO: f64 = 500.0;

/// The smallest space without conditions that has the values of all trials.
///
/// Numbers span the range that was tried, logarithmic if they are positive and span almost three powers of ten; everything else is
/// a category.
pub(crate) fn space(history: &History<Config>) -> Result<Space, ReportError> {
    let configs: Vec<&Config> = history.trials().iter().map(|trial| &trial.query).collect();
    let names: BTreeSet<&str> =
        configs.iter().flat_map(|config| config.iter().map(|(name, _)| name)).collect();
    if names.is_empty() {
        return Err(ReportError::NoTrials);
    }
    let parameter = |name: &str| {
        let values: Vec<&Value> = configs.iter().filter_map(|config| config.get(name)).collect();
        Parameter { name: name.to_owned(), kind: kind(&values), conditions: Vec::new() }
    };
    Ok(Space::new(names.into_iter().map(parameter).collect())?)
}

fn kind(values: &[&Value]) -> Kind {
    let numbers: Option<Vec<f64>> = values
        .iter()
        .map(|value| match value {
            Value::Float(number) => Some(*number),
            Value::Int(number) => Some(*number as f64),
            _ => None,
        })
        .collect();
    let Some(numbers) = numbers else { return choices(values) };
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let log = low > 0.0 && high / low >= LOG_RATIO;
    let whole = values.iter().all(|value| matches!(value, Value::Int(_)));
    if low == high {
        choices(values)
    } else if whole {
        Kind::Int { low: low as i64, high: high as i64, step: 1, log }
    } else {
        Kind::Float { low, high, log }
    }
}

/// Every value once, in the order of the trials.
fn choices(values: &[&Value]) -> Kind {
    let mut choices: Vec<Value> = Vec::new();
    for value in values {
        if !choices.contains(value) {
            choices.push((*value).clone());
        }
    }
    Kind::Categorical { choices }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[Value]) -> Kind {
        kind(&values.iter().collect::<Vec<_>>())
    }

    /// Numbers that vary span a range, of whole numbers if all are whole; a number that never changed is a choice.
    #[test]
    fn numbers_are_ranges_unless_they_are_one() {
        let (int, float) = (Value::Int, Value::Float);
        assert_eq!(of(&[int(3), int(-2), int(7)]), Kind::Int { low: -2, high: 7, step: 1, log: false });
        assert_eq!(of(&[int(3), float(-2.0)]), Kind::Float { low: -2.0, high: 3.0, log: false });
        assert_eq!(of(&[int(4), int(4)]), Kind::Categorical { choices: vec![int(4)] });
        assert_eq!(of(&[float(0.5), float(0.5)]), Kind::Categorical { choices: vec![float(0.5)] });
        assert_eq!(of(&[int(3), true.into()]), Kind::Categorical { choices: vec![int(3), true.into()] });
    }

    /// Positive numbers whose largest is 500 times the smallest: from there on the axis is logarithmic.
    #[test]
    fn wide_ranges_of_positive_numbers_are_logarithmic() {
        for (low, high, expected) in [(1, 500, true), (1, 499, false), (2, 1000, true), (0, 500, false)] {
            let Kind::Int { log, .. } = of(&[Value::Int(low), Value::Int(high)]) else {
                panic!("whole numbers")
            };
            assert_eq!(log, expected, "{low} to {high}");
        }
    }
}
