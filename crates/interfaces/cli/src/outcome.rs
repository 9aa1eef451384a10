//! Outcomes as text: a number, or JSON.

use serde::Deserialize;
use thrifty_study::{Directions, Measurement, Outcome};

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
    objective: Option<f64>,
    objectives: Option<Vec<f64>>,
    failed: Option<String>,
    #[serde(default)]
    constraints: Vec<f64>,
    cost: Option<f64>,
    noise_variance: Option<f64>,
    #[serde(default)]
    reports: Vec<(u64, f64)>,
}

/// Reads a number such as `0.25`, or an object such as `{"objective": 0.25, "cost": 3}` or `{"failed": "diverged", "cost": 3}`.
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
    let object: Object =
        serde_json::from_str(text).map_err(|error| format!("{}: {error}", shortened(text)))?;
    let Object { objective, objectives, failed, constraints, cost, noise_variance, reports } = object;
    let measured = |objectives| Measurement { objectives, constraints, cost, noise_variance }.into();
    let outcome = match (objective, objectives, failed) {
        (Some(objective), None, None) => measured(vec![objective]),
        (None, Some(objectives), None) if !objectives.is_empty() => measured(objectives),
        (None, None, Some(_)) if cost.is_some_and(|cost| cost < 0.0) => {
            return Err(format!("{}: expected a cost from 0", shortened(text)));
        }
        (None, None, Some(reason)) => Outcome::failed(reason).with_cost(cost),
        _ => return Err(format!("{}: expected one of objective, objectives and failed", shortened(text))),
    };
    Ok(Printed { outcome, reports })
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
        let text = r#"{"objectives": [1, 2.5], "constraints": [-1], "cost": 3, "noise_variance": 0.5, "reports": [[1, 4], [2, 3]]}"#;
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
            (r#"{"failed": "late", "cost": -3}"#, "expected a cost from 0"),
            (r#"{"objective": "#, "EOF"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        let long = parse(&"x".repeat(200)).unwrap_err();
        assert!(long.contains('…') && long.len() < 150, "{long}");
    }
}
