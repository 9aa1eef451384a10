//! Outcomes as text: a number, or JSON.

use serde::Deserialize;
use thrifty_study::{Directions, Measurement, Outcome};

/// Output of a command: a measurement and intermediate values, in the user's units.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Printed {
    /// The measurement.
    pub(crate) measurement: Measurement,
    /// Steps and values.
    pub(crate) reports: Vec<(u64, f64)>,
}

impl Printed {
    /// Intermediate values as losses, and the outcome of losses. A number that is not finite makes it a failure.
    pub(crate) fn into_losses(self, directions: &Directions) -> (Vec<(u64, f64)>, Outcome) {
        let reports = self.reports.into_iter().map(|(step, value)| (step, directions.first().flip(value)));
        (reports.collect(), directions.flip_outcome(Outcome::Measured(self.measurement)))
    }
}

/// The JSON form. Unknown keys are errors.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Object {
    objective: Option<f64>,
    objectives: Option<Vec<f64>>,
    #[serde(default)]
    constraints: Vec<f64>,
    cost: Option<f64>,
    noise_variance: Option<f64>,
    #[serde(default)]
    reports: Vec<(u64, f64)>,
}

/// Reads a number such as `0.25`, or an object such as `{"objective": 0.25, "cost": 3}`.
///
/// # Errors
/// A sentence with the text.
pub(crate) fn parse(text: &str) -> Result<Printed, String> {
    let text = text.trim();
    if let Ok(value) = text.parse::<f64>() {
        let measurement = Measurement { objectives: vec![value], ..Measurement::default() };
        return Ok(Printed { measurement, reports: Vec::new() });
    }
    if !text.starts_with('{') {
        return Err(format!("{} is neither a number nor a JSON object", shortened(text)));
    }
    let object: Object =
        serde_json::from_str(text).map_err(|error| format!("{}: {error}", shortened(text)))?;
    let objectives = match (object.objective, object.objectives) {
        (Some(objective), None) => vec![objective],
        (None, Some(objectives)) if !objectives.is_empty() => objectives,
        _ => return Err(format!("{}: expected either objective or objectives", shortened(text))),
    };
    Ok(Printed {
        measurement: Measurement {
            objectives,
            constraints: object.constraints,
            cost: object.cost,
            noise_variance: object.noise_variance,
        },
        reports: object.reports,
    })
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
        assert_eq!(parse(" 2.5e-1\n").unwrap().measurement.objectives, [0.25]);
        assert!(parse("nan").unwrap().measurement.objectives[0].is_nan());
        let text = r#"{"objectives": [1, 2.5], "constraints": [-1], "cost": 3, "noise_variance": 0.5, "reports": [[1, 4], [2, 3]]}"#;
        let printed = parse(text).unwrap();
        assert_eq!(
            printed.measurement,
            Measurement {
                objectives: vec![1.0, 2.5],
                constraints: vec![-1.0],
                cost: Some(3.0),
                noise_variance: Some(0.5)
            }
        );
        assert_eq!(printed.reports, [(1, 4.0), (2, 3.0)]);
        assert_eq!(parse(r#"{"objective": 7}"#).unwrap().measurement.objectives, [7.0]);
    }

    #[test]
    fn other_text_is_refused_with_the_text() {
        for (text, part) in [
            ("", "\"\" is neither"),
            ("loss: 3", "\"loss: 3\" is neither"),
            (r#"{"loss": 3}"#, "unknown field `loss`"),
            (r#"{"objective": 3, "objectives": [3]}"#, "either objective or objectives"),
            (r#"{"objectives": []}"#, "either objective or objectives"),
            (r#"{"cost": 1}"#, "either objective or objectives"),
            (r#"{"objective": "#, "EOF"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        let long = parse(&"x".repeat(200)).unwrap_err();
        assert!(long.contains('…') && long.len() < 150, "{long}");
    }
}
