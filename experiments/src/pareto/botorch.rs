//! `BoTorch` as a method of a study: a process that receives the data and answers with a point.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, Best, Fingerprint, History, Optimizer, OptimizerError, Outcome, Suggestion, TrialId,
};

use crate::error::ExperimentError;

const COMMON: &str = include_str!("../../peers/common.py");
const SCRIPT: &str = include_str!("../../peers/botorch_pareto.py");

/// `BoTorch`'s noisy expected hypervolume improvement in its logarithmic form, one point at a time.
pub struct Botorch {
    space: Space,
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    /// Folder of the scripts for as long as the process runs.
    _folder: TempDir,
}

impl Botorch {
    /// Starts the interpreter.
    pub fn start(
        python: &Path,
        space: Space,
        reference: &[f64],
        seed: Seed,
    ) -> Result<Self, ExperimentError> {
        let folder = tempfile::tempdir().map_err(ExperimentError::io("a temporary folder"))?;
        for (name, text) in [("common.py", COMMON), ("botorch_pareto.py", SCRIPT)] {
            let path = folder.path().join(name);
            std::fs::write(&path, text).map_err(ExperimentError::io(&path))?;
        }
        let mut process = Command::new(python)
            .arg(folder.path().join("botorch_pareto.py"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(ExperimentError::io(python))?;
        let (Some(to), Some(from)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(ExperimentError::failed("the interpreter has no standard input or output"));
        };
        let mut started = Self { space, process, to, from: BufReader::new(from), _folder: folder };
        started.say(&First { seed: seed.0 & 0xffff_ffff, reference }).map_err(ExperimentError::failed)?;
        Ok(started)
    }

    /// The first interpreter that can do this, or why none can.
    pub fn find(python: &[PathBuf]) -> Result<&Path, String> {
        let mut why = "no interpreter was named with --python".into();
        for python in python {
            match Self::missing(python) {
                None => return Ok(python),
                Some(reason) => why = reason,
            }
        }
        Err(why)
    }

    /// Reason why the interpreter cannot do this, if it cannot.
    fn missing(python: &Path) -> Option<String> {
        let tried = Self::start(python, Space::unit_cube(1), &[1.0, 1.0], Seed(0));
        let answer = tried.map_err(|error| error.to_string()).and_then(|mut started| {
            let ends = [0.0, 0.3, 1.0];
            let losses = ends.map(|x: f64| [x, 1.0 - x]);
            started.suggestion(&Known {
                x: ends.map(|x| vec![x]).into(),
                objectives: losses.iter().map(<[f64; 2]>::as_slice).collect(),
                constraints: vec![&[]; ends.len()],
            })
        });
        answer.err()
    }

    fn say(&mut self, what: &impl Serialize) -> Result<(), String> {
        let line = serde_json::to_string(what).map_err(|error| error.to_string())?;
        let sent = writeln!(self.to, "{line}").and_then(|()| self.to.flush());
        sent.map_err(|error| format!("the process does not listen: {error}"))
    }

    fn suggestion(&mut self, known: &Known<'_>) -> Result<Vec<f64>, String> {
        // A process without the package has ended with its own message, which is the better one.
        let told = self.say(known);
        let mut line = String::new();
        self.from.read_line(&mut line).map_err(|error| error.to_string())?;
        if line.is_empty() {
            told?;
            return Err("the process ended without an answer".into());
        }
        let answer: Answer =
            serde_json::from_str(&line).map_err(|error| format!("{error} in its answer {line:?}"))?;
        match answer.missing {
            Some(why) => Err(why),
            None => Ok(answer.x),
        }
    }
}

impl Drop for Botorch {
    fn drop(&mut self) {
        // It ends by itself at the end of its input; nothing can be done about a process that is gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Optimizer for Botorch {
    type Query = Config;
    type Recommendation = Best<Config>;

    fn ask(&mut self, history: &History<Config>, _: TrialId) -> Result<Ask<Config>, OptimizerError> {
        let mut known = Known::default();
        for trial in history.trials() {
            if let Some(found) = trial.outcome.as_ref().and_then(Outcome::measurement) {
                let x = self.space.encode(&trial.query);
                known.x.push(x.map_err(|error| OptimizerError::failed("encoding for BoTorch", error))?);
                known.objectives.push(&found.objectives);
                known.constraints.push(&found.constraints);
            }
        }
        let x = self.suggestion(&known).map_err(|said| OptimizerError::failed("BoTorch", said))?;
        if x.len() != self.space.dim() {
            let said = format!("it answered with {} numbers, expected {}", x.len(), self.space.dim());
            return Err(OptimizerError::failed("BoTorch", said));
        }
        Ok(Ask::Evaluate(Suggestion::new(self.space.decode(&x))))
    }

    fn recommend(&mut self, _: &History<Config>) -> Result<Option<Best<Config>>, OptimizerError> {
        Ok(None)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("BoTorch"))
    }
}

#[derive(Serialize)]
struct First<'a> {
    seed: u64,
    reference: &'a [f64],
}

#[derive(Serialize, Default)]
struct Known<'a> {
    x: Vec<Vec<f64>>,
    objectives: Vec<&'a [f64]>,
    constraints: Vec<&'a [f64]>,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    x: Vec<f64>,
    missing: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_an_interpreter_it_says_which() {
        let said = Botorch::find(&["first-python".into(), "no-such-python".into()]).unwrap_err();
        assert!(said.contains("no-such-python"), "{said}");
    }

    #[test]
    #[cfg(unix)]
    fn an_interpreter_that_answers_nothing_is_named() {
        // `true` ends at once: neither a package nor an answer.
        let said = Botorch::find(&["/bin/true".into()]).unwrap_err();
        assert!(said.contains("process"), "{said}");
    }
}
