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
/// a category. Whole numbers of a range that a space cannot tell apart are floats, for which an axis is enough.
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
    let numbers: Option<Vec<f64>> = values.iter().map(|value| value.number()).collect();
    let Some(numbers) = numbers else { return choices(values) };
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let log = low > 0.0 && high / low >= LOG_RATIO;
    let whole = values.iter().all(|value| matches!(value, Value::Int(_)));
    let ranges = [
        whole.then_some(Kind::Int { low: low as i64, high: high as i64, step: 1, log }),
        Some(Kind::Float { low, high, log }),
        Some(Kind::Float { low, high, log: false }),
    ];
    let range = ranges.into_iter().flatten().find(|kind| low < high && is_valid(kind));
    range.unwrap_or_else(|| choices(values))
}

/// True for the values of a space.
fn is_valid(kind: &Kind) -> bool {
    Space::new(vec![Parameter { name: String::new(), kind: kind.clone(), conditions: Vec::new() }]).is_ok()
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

    /// Whole numbers over a wider range than a space can tell apart are numbers, and those without a finite ratio have no logarithmic axis.
    #[test]
    fn every_range_that_was_tried_is_a_space() {
        let (int, float) = (Value::Int, Value::Float);
        let wide = 1 << 44;
        for (values, expected) in [
            ([int(1), int(wide)], Kind::Int { low: 1, high: wide, step: 1, log: true }),
            ([int(1), int(wide + 1)], Kind::Float { low: 1.0, high: wide as f64 + 1.0, log: true }),
            ([int(1_000_000), int(100_000_000_000_000)], Kind::Float { low: 1e6, high: 1e14, log: true }),
            ([int(0), int(wide << 6)], Kind::Int { low: 0, high: wide << 6, step: 1, log: false }),
            ([int(0), int(wide << 8)], Kind::Float { low: 0.0, high: 2_f64.powi(52), log: false }),
            (
                [int(i64::MIN), int(i64::MAX)],
                Kind::Float { low: -2_f64.powi(63), high: 2_f64.powi(63), log: false },
            ),
            ([float(1e-300), float(1e300)], Kind::Float { low: 1e-300, high: 1e300, log: false }),
            ([float(-1e308), float(1e308)], Kind::Categorical { choices: vec![float(-1e308), float(1e308)] }),
        ] {
            let found = of(&values);
            assert_eq!(found, expected);
            let space = Space::new(vec![Parameter { name: "x".into(), kind: found, conditions: Vec::new() }]);
            for value in values {
                let mut config = Config::new();
                config.insert("x", value);
                space.as_ref().unwrap().validate(&config).unwrap();
            }
        }
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
