//! Optuna's pruners on the same curves and the same draws.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::error::ExperimentError;

const SCRIPT: &str = include_str!("../../peers/optuna_pruning.py");

/// One set of curves, the draws of every replication and the loss that each has to reach.
#[derive(Serialize)]
pub struct Request<'a> {
    pub name: &'static str,
    pub curves: &'a [Vec<f64>],
    pub draws: Vec<Vec<usize>>,
    pub targets: Vec<f64>,
    /// Epochs after which a run ends.
    pub epochs: usize,
}

/// Epochs that one pruner of Optuna needed on one set, by replication.
#[derive(Deserialize)]
pub struct Answer {
    pub set: String,
    pub pruner: String,
    pub epochs: Vec<usize>,
    pub version: String,
}

/// Epochs by set and pruner, and Optuna's version; or why there are none.
pub type Answers = Result<(BTreeMap<(String, String), Vec<usize>>, String), String>;

/// Runs the script with the first interpreter that can.
///
/// # Errors
/// [`ExperimentError`] when the request cannot be written. A missing Optuna is an answer.
pub fn run(python: &[PathBuf], request: &[Request<'_>]) -> Result<Answers, ExperimentError> {
    let text = serde_json::to_vec(request).map_err(ExperimentError::measure("the curves"))?;
    let mut answers = Err("no interpreter was named with --python".into());
    for python in python {
        answers = run_with(python, &text)?;
        if answers.is_ok() {
            break;
        }
    }
    Ok(answers)
}

/// Runs the script with one interpreter.
fn run_with(python: &Path, text: &[u8]) -> Result<Answers, ExperimentError> {
    let child = Command::new(python)
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return Ok(Err(format!("{} does not start: {error}", python.display()))),
    };
    if let Some(mut input) = child.stdin.take() {
        // A script that ended early says why below.
        let _ = input.write_all(text);
    }
    let output = child.wait_with_output().map_err(ExperimentError::io(python))?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        return Ok(Err(error.trim_end().lines().last().unwrap_or("it failed").into()));
    }
    let mut found = BTreeMap::new();
    let mut of = String::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Answer { set, pruner, epochs, version } =
            serde_json::from_str(line).map_err(ExperimentError::measure("an answer of Optuna"))?;
        found.insert((set, pruner), epochs);
        of = version;
    }
    Ok(Ok((found, of)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_an_interpreter_the_last_reason_is_given() {
        assert_eq!(run(&[], &[]).unwrap().unwrap_err(), "no interpreter was named with --python");
        let why = run(&["no-such-python".into(), "no-other-python".into()], &[]).unwrap().unwrap_err();
        assert!(why.starts_with("no-other-python does not start"), "{why}");
    }

    /// A first interpreter without Optuna is no reason not to ask the second.
    #[test]
    #[cfg(unix)]
    fn interpreters_are_tried_in_order() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let interpreter = folder.path().join("interpreter");
        let answer = r#"{"set": "a", "pruner": "ASHA", "epochs": [3], "version": "1"}"#;
        std::fs::write(&interpreter, format!("#!/bin/sh\necho '{answer}'\n")).unwrap();
        std::fs::set_permissions(&interpreter, std::fs::Permissions::from_mode(0o700)).unwrap();
        let (found, version) = run(&["/bin/false".into(), interpreter], &[]).unwrap().unwrap();
        assert_eq!((found[&("a".into(), "ASHA".into())].as_slice(), version.as_str()), (&[3][..], "1"));
    }
}
