//! A line that a tool prints.

use super::hyperparameters::Hyperparameters;
use super::tasks::{Operation, Task};

/// Result of a tool for one task.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
pub struct Line {
    #[serde(rename = "task")]
    pub operation: Operation,
    pub n: usize,
    pub m: Option<usize>,
    pub seed: Option<u64>,
    pub cpu_ms: Option<f64>,
    pub repeats: Option<usize>,
    /// Numbers that must be the same whoever finds them.
    #[serde(default)]
    pub values: Vec<f64>,
    /// Hyperparameters of a fit.
    #[serde(flatten)]
    pub hyperparameters: Option<Hyperparameters>,
    /// Point of the maximum.
    pub point: Option<Vec<f64>>,
    /// Smallest value of a whole run.
    pub best: Option<f64>,
    /// Reason why something is not to be compared.
    pub note: Option<String>,
    /// Reason why the tool does not offer the task.
    pub unsupported: Option<String>,
    /// Error of the task.
    pub failed: Option<String>,
}

impl Line {
    /// Time of a task, without findings.
    pub fn timed(task: &Task, cpu_ms: f64, repeats: usize) -> Self {
        Self {
            operation: task.operation,
            n: task.n,
            m: task.m,
            seed: task.seed,
            cpu_ms: Some(cpu_ms),
            repeats: Some(repeats),
            values: Vec::new(),
            hyperparameters: None,
            point: None,
            best: None,
            note: None,
            unsupported: None,
            failed: None,
        }
    }
}

/// Output of a peer's script.
#[derive(Debug, PartialEq, serde::Deserialize)]
#[serde(untagged)]
enum Said {
    Missing { missing: String },
    Version { version: String },
    Result(Box<Line>),
}

/// A tool and all its output.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tool {
    pub name: String,
    pub version: String,
    pub lines: Vec<Line>,
    /// Reason why it, or a part of it, is not there.
    pub missing: Option<String>,
}

impl Tool {
    /// Reads what a script printed; lines that are not results are counted and left out.
    pub fn parse(name: &str, text: &str) -> Self {
        let mut tool = Self { name: name.into(), ..Self::default() };
        let mut unreadable = 0;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            match serde_json::from_str(line) {
                Ok(Said::Missing { missing }) => tool.missing = Some(missing),
                Ok(Said::Version { version }) => tool.version = version,
                Ok(Said::Result(line)) => tool.lines.push(*line),
                Err(_) => unreadable += 1,
            }
        }
        if unreadable > 0 {
            tool.missing.get_or_insert(format!("{unreadable} lines could not be read"));
        }
        tool
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_versions_and_noise_are_told_apart() {
        let text = r#"{"version": "1.2"}
{"task": "fit", "n": 25, "cpu_ms": 2.5, "repeats": 3, "lengthscales": [0.5, 2.0], "variance": 1.0, "noise": 0.01}
{"task": "predict", "n": 25, "m": 1000, "unsupported": "no"}

a warning
{"task": "predict", "n": 25, "cpu_ms": NaN}
"#;
        let tool = Tool::parse("peer", text);
        assert_eq!((tool.version.as_str(), tool.lines.len()), ("1.2", 2));
        assert_eq!(tool.missing.as_deref(), Some("2 lines could not be read"));
        let fit = &tool.lines[0];
        assert_eq!((fit.operation, fit.n, fit.cpu_ms), (Operation::Fit, 25, Some(2.5)));
        assert_eq!(fit.hyperparameters.as_ref().unwrap().lengthscales, [0.5, 2.0]);
        assert_eq!(tool.lines[1].m, Some(1000));
        assert_eq!(tool.lines[1].hyperparameters, None);
    }

    #[test]
    fn a_missing_package_is_named() {
        let tool = Tool::parse("peer", r#"{"missing": "No module named 'peer'"}"#);
        assert_eq!(tool.missing.as_deref(), Some("No module named 'peer'"));
        assert!(tool.lines.is_empty());
    }
}
