//! A Python process that runs the script of the other libraries.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::error::ExperimentError;

const COMMON: &str = include_str!("../../peers/common.py");
const SCRIPT: &str = include_str!("../../peers/judged.py");

/// An interpreter that runs the script. It takes one study after the other.
pub struct Process {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    /// Folder of the scripts for as long as the process runs.
    _folder: TempDir,
}

impl Process {
    /// Starts an interpreter.
    pub fn start(python: &Path) -> Result<Self, ExperimentError> {
        let folder = tempfile::tempdir().map_err(ExperimentError::io("a temporary folder"))?;
        for (name, text) in [("common.py", COMMON), ("judged.py", SCRIPT)] {
            let path = folder.path().join(name);
            std::fs::write(&path, text).map_err(ExperimentError::io(&path))?;
        }
        let mut child = Command::new(python)
            .arg(folder.path().join("judged.py"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("PYTHONHASHSEED", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(ExperimentError::io(python))?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(ExperimentError::failed("the interpreter has no standard input or output"));
        };
        Ok(Self { child, to, from: BufReader::new(from), _folder: folder })
    }

    /// Sends a message that has no answer.
    pub fn send(&mut self, message: &impl Serialize) -> Result<(), String> {
        let line = serde_json::to_string(message).map_err(|error| error.to_string())?;
        let sent = writeln!(self.to, "{line}").and_then(|()| self.to.flush());
        sent.map_err(|error| format!("the process does not read: {error}"))
    }

    /// The answer to a message; a failure of the peer is an error.
    pub fn answer(&mut self, message: &impl Serialize) -> Result<Answer, String> {
        // A process that has ended left a message of its own, which is the better one.
        let sent = self.send(message);
        let mut line = String::new();
        self.from.read_line(&mut line).map_err(|error| error.to_string())?;
        if line.is_empty() {
            sent?;
            return Err("the process ended without an answer".into());
        }
        let answer: Answer =
            serde_json::from_str(&line).map_err(|error| format!("{error} in its answer {line:?}"))?;
        match answer.failed {
            Some(why) => Err(why),
            None => Ok(answer),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A number for each parameter, of a choice its position; none for a parameter that is not active.
pub type Point = Vec<Option<f64>>;

/// Answer of the script.
#[derive(Deserialize)]
pub struct Answer {
    pub x: Option<Point>,
    /// Random seed with which the peer wants the point evaluated, where it has one.
    pub seed: Option<u64>,
    pub cpu: Option<f64>,
    pub version: Option<String>,
    pub missing: Option<String>,
    pub unsupported: Option<String>,
    failed: Option<String>,
}
