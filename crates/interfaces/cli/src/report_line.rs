//! Reports of a running command.

use serde::Deserialize;
use thrifty_results::{Number, quoted};

use crate::number::Whole;

/// An intermediate value, printed as a line such as `{"step": 3, "value": 0.5}`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ReportLine {
    pub(crate) step: u64,
    pub(crate) value: f64,
}

impl ReportLine {
    /// The report in a line of output, if it is one.
    pub(crate) fn of(line: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Line {
            step: Whole,
            value: Number,
        }

        let line = line.trim_ascii();
        // Most lines are none, and need no parser.
        if !line.starts_with(b"{") {
            return None;
        }
        let Line { step: Whole(step), value: Number(value) } = serde_json::from_slice(&quoted(line)).ok()?;
        Some(Self { step, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_step_and_value_are_reports() {
        assert_eq!(
            ReportLine::of(b" {\"step\": 3, \"value\": -5e-1}\n"),
            Some(ReportLine { step: 3, value: -0.5 })
        );
        let value =
            |text: &str| ReportLine::of(text.as_bytes()).map(|ReportLine { step, value }| (step, value));
        assert!(
            value(r#"{"step": 3, "value": NaN}"#).is_some_and(|(step, value)| step == 3 && value.is_nan())
        );
        assert_eq!(value(r#"{"step": 3, "value": "Infinity"}"#), Some((3, f64::INFINITY)));
        assert_eq!(value(r#"{"step": 3, "value": Infinity}"#), Some((3, f64::INFINITY)));
        assert_eq!(value(r#"{"value": -Infinity, "step": 3}"#), Some((3, f64::NEG_INFINITY)));
        assert_eq!(value(r#"{"step": 3.0, "value": 1}"#), Some((3, 1.0)));
        assert_eq!(value(r#"{"step": 18446744073709551615, "value": 1}"#), Some((u64::MAX, 1.0)));
        for line in [
            r#"{"step": 3.5, "value": 1}"#,
            r#"{"step": 1e300, "value": 1}"#,
            "",
            "{",
            "0.5",
            r#"{"step": 3}"#,
            r#"{"step": -1, "value": 1}"#,
            r#"{"objective": 1}"#,
            r#"{"step": 1, "value": 1, "more": 1}"#,
            r#"{"step": 1, "value": null}"#,
            r#"{"step": 1, "value": "nan"}"#,
            r#"{"step": NaN, "value": 1}"#,
            r#"{"step": 1, "value": NaN, "more": 1}"#,
            r#"{"objective": NaN}"#,
        ] {
            assert_eq!(ReportLine::of(line.as_bytes()), None, "{line}");
        }
    }
}
