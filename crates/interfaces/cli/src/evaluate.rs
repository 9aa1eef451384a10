//! Evaluation of a configuration by the command of a study file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use thrifty_space::Config;
use thrifty_study::{Context, Directions, Outcome};

use crate::error::CliError;
use crate::outcome::parse;
use crate::process::{self, End};
use crate::report_line::ReportLine;
use crate::running::Running;
use crate::study_file::{Limits, StudyFile};
use crate::template::Template;

/// Environment variable with the path of a file that replaces the output, if the command writes it.
const RESULT: &str = "THRIFTY_RESULT";

/// Runs the command and reads its result.
pub(crate) struct Evaluator {
    program: PathBuf,
    template: Template,
    folder: PathBuf,
    limits: Limits,
    running: Running,
    results: PathBuf,
    directions: Directions,
}

impl Evaluator {
    /// # Errors
    /// [`CliError::Command`] when the file has no command, or the program does not exist.
    pub(crate) fn new(file: &StudyFile, running: Running) -> Result<Self, CliError> {
        let template = file.template.clone();
        let template = template.ok_or_else(|| CliError::Command("the study file has none".into()))?;
        let mut results = file.journal.as_os_str().to_owned();
        if file.store.is_some() {
            // On a file system that several machines share, each process has files of its own.
            results.push(format!(".{}", std::process::id()));
        }
        results.push(".result");
        Ok(Self {
            program: template.program(&file.folder)?,
            template,
            folder: file.folder.clone(),
            limits: file.limits,
            running,
            directions: file.directions.clone(),
            results: std::path::absolute(&results)
                .map_err(|source| CliError::File { path: results.into(), source })?,
        })
    }

    /// Evaluates a configuration: the measurement, or the reason of the failure.
    pub(crate) fn evaluate(&self, config: &Config, context: &mut Context<'_>) -> Outcome {
        match self.measure(config, context) {
            Ok(outcome) => outcome,
            Err(problem) => Outcome::failed(problem),
        }
    }

    fn measure(&self, config: &Config, context: &mut Context<'_>) -> Result<Outcome, String> {
        let trial = context.id.0;
        // What every program takes for a seed: numpy has 32 bits, R and Java have a sign.
        let seed = context.noise().bits() >> 33;
        let arguments = self.template.arguments(config, trial, seed).map_err(|error| error.to_string())?;
        let mut result = self.results.as_os_str().to_owned();
        result.push(format!(".{trial}"));
        let result = PathBuf::from(result);
        remove(&result)?;
        let variables = [
            ("THRIFTY_TRIAL", trial.to_string().into()),
            ("THRIFTY_SEED", seed.to_string().into()),
            (RESULT, result.clone().into_os_string()),
        ];
        let run = process::run(
            &self.program,
            &arguments[1..],
            &self.folder,
            &variables,
            self.limits,
            &self.running,
            &mut |ReportLine { step, value }| {
                let loss = self.directions.first().flip(value);
                context.report(step, loss).is_ok() && !context.should_prune()
            },
        );
        let written = read(&result);
        remove(&result)?;
        let ended = run.map_err(|error| format!("{}: {error}", self.program.display()))?;
        let status = match ended.end {
            End::Exited(status) => status,
            End::Stopped => return Ok(context.pruned()),
            End::OutOfTime => {
                let seconds = self.limits.seconds.unwrap_or_default();
                return Err(format!("killed after {seconds} s"));
            }
        };
        if !status.success() {
            let last = ended.stderr.text;
            let last = if last.is_empty() { last } else { format!(": {last}") };
            let result = written.ok().flatten().unwrap_or(ended.stdout.text);
            return Ok(failed(&result, format!("{status}{last}")));
        }
        let text = match written? {
            Some(text) => text,
            None if ended.stdout.text.is_empty() => {
                return Err("printed nothing, expected a number or a JSON object on the last line".into());
            }
            None if ended.stdout.is_cut => {
                return Err(format!(
                    "the last line of the output is longer than 16 MiB: write the result to the file in {RESULT}"
                ));
            }
            None => ended.stdout.text,
        };
        self.told(&text, context)
    }

    /// The outcome that a result tells, after its reports.
    fn told(&self, text: &str, context: &mut Context<'_>) -> Result<Outcome, String> {
        let printed = parse(text).map_err(|problem| format!("the result {problem}"))?;
        let (reports, outcome) = printed.into_losses(&self.directions);
        for (step, loss) in reports {
            context.report(step, loss).map_err(|error| error.to_string())?;
        }
        Ok(outcome)
    }
}

/// The failure of a command that ended with an error: the one that its result tells, else `reason`, with the cost that the result has.
fn failed(result: &str, reason: String) -> Outcome {
    match parse(result).map(|printed| printed.outcome) {
        Ok(told @ Outcome::Failed(_)) => told,
        Ok(other) => {
            Outcome::failed(reason).with_cost(other.cost().filter(|cost| cost.is_finite() && *cost >= 0.0))
        }
        Err(_) => Outcome::failed(reason),
    }
}

/// Text of a file with a result; nothing if the command wrote none. Bytes that are no text are no result either: they stay to be shown.
fn read(path: &Path) -> Result<Option<String>, String> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

/// Removes the file with the result of an earlier run of the trial.
fn remove(path: &Path) -> Result<(), String> {
    match std::fs::remove_file(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}
