//! Reports of a running command.

use serde::Deserialize;

/// An intermediate value, printed as a line such as `{"step": 3, "value": 0.5}`.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReportLine {
    pub(crate) step: u64,
    pub(crate) value: f64,
}

impl ReportLine {
    /// The report in a line of output, if it is one.
    pub(crate) fn of(line: &[u8]) -> Option<Self> {
        let line = line.trim_ascii();
        // Most lines are none, and need no parser.
        if line.starts_with(b"{") { serde_json::from_slice(line).ok() } else { None }
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
        for line in [
            "",
            "{",
            "0.5",
            r#"{"step": 3}"#,
            r#"{"step": -1, "value": 1}"#,
            r#"{"objective": 1}"#,
            r#"{"step": 1, "value": 1, "more": 1}"#,
        ] {
            assert_eq!(ReportLine::of(line.as_bytes()), None, "{line}");
        }
    }
}
