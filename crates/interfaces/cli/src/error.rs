//! Errors of the command line.

use std::path::PathBuf;

use thrifty_space::SpaceError;
use thrifty_study::shared::LogError;
use thrifty_study::{JournalError, OptimizerError, StudyError};
use thrifty_units::in_words;

/// One sentence for the user. The process ends with exit code 1.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// A file that cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A study file that is no valid TOML, or has unknown, missing or wrong keys.
    #[error("{}: {}", path.display(), in_words(&error.to_string(), None))]
    Toml {
        /// The study file.
        path: PathBuf,
        /// Place and reason. It is no `source`, which would be printed once more, in the words of Rust.
        error: Box<toml::de::Error>,
    },
    /// A parameter of the study file that is not valid.
    #[error("parameter {name}: {problem}")]
    Parameter {
        /// Its name.
        name: String,
        /// The defect.
        problem: String,
    },
    /// A command of the study file that cannot be used.
    #[error("command: {0}")]
    Command(String),
    /// A setting of the study file or an argument that is not valid.
    #[error("{name} is {value}, expected {expected}")]
    Setting {
        /// Name of the setting.
        name: String,
        /// Its value.
        value: String,
        /// The values that are allowed.
        expected: String,
    },
    /// A setting of the method that has no meaning in the user's units.
    #[error("optimizer.settings.{0}")]
    Units(#[from] thrifty_units::UnitsError),
    /// Settings of the method that are not valid.
    #[error("[optimizer.settings] of {method}: {entry}: {reason}")]
    MethodSettings {
        /// The method.
        method: String,
        /// Key and value; all of them where no single one is at fault.
        entry: String,
        /// The reason, and the key.
        reason: String,
    },
    /// Known trials that cannot be read.
    #[error("{}: {source}", path.display())]
    Known {
        /// The file.
        path: PathBuf,
        /// Trial and reason.
        source: Box<thrifty_results::ImportError>,
    },
    /// Known trials of a study with other directions.
    #[error("{}: its directions are {found}, those of this study are {expected}; a table (.csv) has the user's units", path.display())]
    KnownDirections {
        /// The journal.
        path: PathBuf,
        /// Its directions.
        found: String,
        /// The directions of the study file.
        expected: String,
    },
    /// An earlier study that does not fit this one.
    #[error(transparent)]
    EarlierStudy(#[from] thrifty_bo::EarlierStudyError),
    /// An earlier study that no model can be fitted to.
    #[error(transparent)]
    Transfer(#[from] thrifty_bo::TransferError),
    /// A file that exists and would be overwritten.
    #[error("{} exists; it was left as it is", .0.display())]
    Exists(PathBuf),
    /// A journal that does not exist.
    #[error("{}: no trials yet, there is no such file", .0.display())]
    NoTrials(PathBuf),
    /// A journal, or other JSON, in the place of a study file.
    #[error("{} is no study file but JSON, as a journal is: give the study file", .0.display())]
    IsJournal(PathBuf),
    /// No trial was measured.
    #[error("no trial was measured: {states}{example}")]
    NothingMeasured {
        /// Numbers of trials by their states, in words.
        states: String,
        /// The first failure, in words.
        example: String,
    },
    /// An outcome on the command line that cannot be read.
    #[error("the outcome cannot be read: {0}")]
    Outcome(String),
    /// A line of the input of `thrifty serve` that is no request.
    #[error("the request cannot be read: {}", in_words(&.0.to_string(), None))]
    Request(serde_json::Error),
    /// The optimiser waits for trials that other processes evaluate.
    #[error("the optimiser waits for running trials: tell their outcomes first")]
    Waiting,
    /// A trial in a store that was told without its lease.
    #[error("the study is in a store: give --lease with what `thrifty ask` printed with the trial")]
    NeedsLease,
    /// A trial that this process did not ask.
    #[error("trial {0} was not asked here: its outcome is recorded by the process that asked it")]
    NotAskedHere(u64),
    /// The store.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The space.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// The optimiser.
    #[error(transparent)]
    Optimizer(#[from] OptimizerError),
    /// The study.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The table of trials.
    #[error(transparent)]
    Results(#[from] thrifty_results::ResultsError),
    /// The report or a figure.
    #[error(transparent)]
    Report(#[from] thrifty_report::ReportError),
    /// Output as JSON.
    #[error("output: {0}")]
    Json(#[from] serde_json::Error),
    /// Output that cannot be written.
    #[error("output: {0}")]
    Output(#[from] std::io::Error),
}

/// An error with the causes behind it, in one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}
