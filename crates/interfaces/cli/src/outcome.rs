//! Outcomes as text: a number, or JSON.

use serde::Deserialize;
use thrifty_results::{Number, quoted};
use thrifty_study::{Directions, Measurement, Outcome};

use crate::number::Whole;

/// Output of a command: an outcome and intermediate values, in the user's units.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Printed {
    /// A measurement, or a failure that the command reports itself.
    pub(crate) outcome: Outcome,
    /// Steps and values.
    pub(crate) reports: Vec<(u64, f64)>,
}

impl Printed {
    /// Intermediate values as losses, and the outcome of losses. A number that is not finite makes it a failure.
    pub(crate) fn into_losses(self, directions: &Directions) -> (Vec<(u64, f64)>, Outcome) {
        let reports = self.reports.into_iter().map(|(step, value)| (step, directions.first().flip(value)));
        (reports.collect(), directions.flip_outcome(self.outcome))
    }
}

/// The JSON form. Unknown keys are errors.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Object {
    objective: Option<Number>,
    objectives: Option<Vec<Number>>,
    failed: Option<String>,
    #[serde(default)]
    constraints: Vec<Number>,
    cost: Option<Number>,
    noise_variance: Option<Number>,
    #[serde(default)]
    reports: Vec<(Whole, Number)>,
}

/// Reads a number such as `0.25`, or an object such as `{"objective": 0.25, "cost": 3}` or `{"failed": "diverged", "cost": 3}`.
///
/// Numbers may be `NaN`, `Infinity` and `-Infinity`; whether such a value is allowed at its place is a matter of the study.
///
/// # Errors
/// A sentence with the text.
pub(crate) fn parse(text: &str) -> Result<Printed, String> {
    let text = text.trim();
    if let Ok(value) = text.parse::<f64>() {
        return Ok(Printed { outcome: value.into(), reports: Vec::new() });
    }
    if !text.starts_with('{') {
        return Err(format!("{} is neither a number nor a JSON object", shortened(text)));
    }
    let object: Object = serde_json::from_slice(&quoted(text.as_bytes()))
        .map_err(|error| format!("{}: {error}", shortened(text)))?;
    let Object { objective, objectives, failed, constraints, cost, noise_variance, reports } = object;
    let all = |numbers: Vec<Number>| numbers.into_iter().map(|Number(value)| value).collect::<Vec<_>>();
    let one = |number: Option<Number>| number.map(|Number(value)| value);
    let (constraints, cost, noise_variance) = (all(constraints), one(cost), one(noise_variance));
    let measured = |objectives: Vec<Number>| {
        Measurement { objectives: all(objectives), constraints, cost, noise_variance }.into()
    };
    let outcome = match (objective, objectives, failed) {
        (Some(objective), None, None) => measured(vec![objective]),
        (None, Some(objectives), None) if !objectives.is_empty() => measured(objectives),
        (None, None, Some(_)) if cost.is_some_and(|cost| !(cost.is_finite() && cost >= 0.0)) => {
            return Err(format!("{}: expected a finite cost from 0", shortened(text)));
        }
        (None, None, Some(reason)) => Outcome::failed(reason).with_cost(cost),
        _ => return Err(format!("{}: expected one of objective, objectives and failed", shortened(text))),
    };
    let reports = reports.into_iter().map(|(Whole(step), Number(value))| (step, value));
    Ok(Printed { outcome, reports: reports.collect() })
}

/// The beginning of a text, quoted.
fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    let short: String = text.chars().take(MOST).collect();
    if short.len() < text.len() { format!("{short:?}…") } else { format!("{short:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_objects_are_read() {
        assert_eq!(parse(" 2.5e-1\n").unwrap().outcome, 0.25.into());
        assert!(parse("nan").unwrap().outcome.objective().unwrap().is_nan());
        let text = r#"{"objectives": [1, 2.5], "constraints": [-1], "cost": 3, "noise_variance": 0.5, "reports": [[1, 4], [2.0, 3]]}"#;
        let printed = parse(text).unwrap();
        assert_eq!(
            printed.outcome,
            Outcome::Measured(Measurement {
                objectives: vec![1.0, 2.5],
                constraints: vec![-1.0],
                cost: Some(3.0),
                noise_variance: Some(0.5)
            })
        );
        assert_eq!(printed.reports, [(1, 4.0), (2, 3.0)]);
        assert_eq!(parse(r#"{"objective": 7}"#).unwrap().outcome, 7.0.into());
        let printed = parse(r#"{"objective": 7, "reports": [[1, NaN], [2, Infinity], [3, 0.5]]}"#).unwrap();
        assert!(printed.reports[0].1.is_nan() && printed.reports[1..] == [(2, f64::INFINITY), (3, 0.5)]);
        assert_eq!(printed.outcome, 7.0.into());
        let diverged = parse(r#"{"objective": NaN, "cost": 3}"#).unwrap().outcome.checked();
        assert_eq!(diverged.cost(), Some(3.0));
        assert!(matches!(diverged, Outcome::Failed(_)));
        let failed = |text| parse(text).unwrap().outcome;
        assert_eq!(failed(r#"{"failed": "diverged"}"#), Outcome::failed("diverged"));
        assert_eq!(failed(r#"{"failed": "late", "cost": 3}"#), Outcome::failed("late").with_cost(3.0));
    }

    #[test]
    fn other_text_is_refused_with_the_text() {
        for (text, part) in [
            ("", "\"\" is neither"),
            ("loss: 3", "\"loss: 3\" is neither"),
            (r#"{"loss": 3}"#, "unknown field `loss`"),
            (r#"{"objective": 3, "objectives": [3]}"#, "one of objective, objectives and failed"),
            (r#"{"objective": 3, "failed": "no"}"#, "one of objective, objectives and failed"),
            (r#"{"objectives": []}"#, "one of objective, objectives and failed"),
            (r#"{"cost": 1}"#, "one of objective, objectives and failed"),
            (r#"{"failed": "late", "cost": -3}"#, "expected a finite cost from 0"),
            (r#"{"failed": "late", "cost": Infinity}"#, "expected a finite cost from 0"),
            (r#"{"failed": NaN, "objective": "1"}"#, "invalid value: string \"1\", expected a number"),
            (r#"{"objective": "#, "EOF"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        let long = parse(&"x".repeat(200)).unwrap_err();
        assert!(long.contains('…') && long.len() < 150, "{long}");
    }
}
