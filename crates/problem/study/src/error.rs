//! Errors of optimisers, journals and studies.

use std::path::PathBuf;

use thrifty_check::InputError;

use crate::shared::LogError;
use crate::{Difference, MeasurementProblem, TrialId};

/// Error of an optimiser.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OptimizerError {
    /// A part of the optimiser failed.
    #[error("{what}: {source}")]
    Failed {
        /// The operation that failed.
        what: String,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A setting is out of its range.
    #[error("setting {name} is {value}, expected {expected}")]
    InvalidSetting {
        /// The setting.
        name: String,
        /// Its value.
        value: String,
        /// Description of the valid values.
        expected: String,
    },
}

impl OptimizerError {
    /// Wraps an error with the operation that failed.
    pub fn failed(
        what: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Failed { what: what.into(), source: source.into() }
    }

    /// An invalid setting of a group of settings, named by both: `rule.draws`.
    pub fn invalid_setting(group: &str, error: InputError) -> Self {
        match error {
            InputError::Number { name, value, expected } => Self::InvalidSetting {
                name: format!("{group}.{name}"),
                value: value.to_string(),
                expected: expected.into(),
            },
            other => Self::failed(format!("checking the setting {group}"), other),
        }
    }
}

/// Error of a journal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("journal {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// Another study is writing the file.
    #[error("journal {path} is in use by another study")]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// The file is not a journal, or its first line was truncated and differs from this study's.
    #[error("{path} is not a journal of this study; it is left as it is")]
    NotAJournal {
        /// The file.
        path: PathBuf,
    },
    /// The file was deleted, replaced, truncated or written to while the study had it open.
    #[error("journal {path} cannot be continued: {message}")]
    Changed {
        /// The file.
        path: PathBuf,
        /// The change that was detected.
        message: String,
    },
    /// The study already has its own trials, and the journal has others.
    #[error(
        "journal {path} has trials, and so has the study ({trials}): open the journal before the first trial"
    )]
    TwoHistories {
        /// The file.
        path: PathBuf,
        /// Trials of the study.
        trials: usize,
    },
    /// A line is damaged, missing, duplicated or out of order.
    #[error("journal {path}, line {line}: {message}")]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Its defect.
        message: String,
    },
    /// The lines are intact, but they contain another type of query than expected.
    #[error(
        "journal {path} has queries of another kind, such as single folds instead of configurations; it is not damaged"
    )]
    OtherQueries {
        /// The file.
        path: PathBuf,
    },
    /// The journal belongs to another study.
    #[error("journal {path} has {what} {found}, this study has {expected}")]
    Mismatch {
        /// The file.
        path: PathBuf,
        /// The property that differs: the format or the seed.
        what: &'static str,
        /// Its value in the journal.
        found: String,
        /// Its value in the study.
        expected: String,
    },
    /// The journal belongs to a study with another space, method or settings.
    #[error("journal {path} is of another study: {}", list(.differences))]
    Settings {
        /// The file.
        path: PathBuf,
        /// Every parameter and setting that differs.
        differences: Vec<Difference>,
    },
}

fn list(differences: &[Difference]) -> String {
    differences.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Error of a study. Its history is not lost.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// The optimiser failed.
    #[error(transparent)]
    Optimizer(#[from] OptimizerError),
    /// The journal failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The shared log failed.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The trial was handed out again after the lease had expired. Nothing was recorded.
    #[error("trial {} was handed out again: lease {fence} of {owner} has run out", .id.0)]
    LeaseLost {
        /// The trial.
        id: TrialId,
        /// Fencing number of the expired lease.
        fence: u64,
        /// Its owner.
        owner: String,
    },
    /// A trial that was never asked.
    #[error("trial {} was never asked", .0.0)]
    UnknownTrial(TrialId),
    /// A trial whose outcome was already reported.
    #[error("trial {} was told before", .0.0)]
    AlreadyTold(TrialId),
    /// A measurement that contradicts earlier ones, or has an invalid cost or noise. It is not recorded: the trial is still pending.
    #[error("trial {}: {problem}", .id.0)]
    InvalidMeasurement {
        /// The trial.
        id: TrialId,
        /// Its defect.
        problem: MeasurementProblem,
    },
    /// A study that starts with trials other than the known ones.
    #[error("trial {} of the study is not the known trial of this number", .id.0)]
    OtherBeginning {
        /// The first trial that differs.
        id: TrialId,
    },
    /// A stop rule with an invalid setting.
    #[error("stop rule {rule}: {value}, expected {expected}")]
    InvalidStopRule {
        /// The rule.
        rule: &'static str,
        /// Its value.
        value: f64,
        /// Description of the valid values.
        expected: &'static str,
    },
    /// A pruner with an invalid setting.
    #[error("pruner {pruner}: {name} is {value}, expected {expected}")]
    InvalidPruner {
        /// The pruner.
        pruner: &'static str,
        /// The setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Description of the valid values.
        expected: &'static str,
    },
    /// The optimiser waits although no trial is pending.
    #[error("the optimiser waits for a trial, but none is pending")]
    Stalled,
    /// A window or a number of threads is 0.
    #[error("{name} is 0, expected at least 1")]
    ZeroLanes {
        /// Name of the number.
        name: &'static str,
    },
}
