//! The study file: a TOML description of a study.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use thrifty_fidelity::FidelityAxis;
use thrifty_pruning::PrunerKind;
use thrifty_space::{Config, Space};
use thrifty_study::Directions;
use thrifty_units::from_tables;

use crate::direction::directions;
use crate::error::CliError;
use crate::method::Method;
use crate::parameters::{ParameterEntry, entries, space};
use crate::pruning::pruner;
use crate::shared::{Store, StoreEntry};
use crate::template::{Part, Template};
use crate::transfer::TransferEntry;

/// Content of a study file. Unknown keys are errors.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    /// The command that evaluates a configuration.
    command: Option<Vec<Part>>,
    /// Direction of each objective.
    direction: Option<toml::Value>,
    /// Root of all randomness.
    #[serde(default)]
    seed: u64,
    /// The journal; the name of the study file with `.jsonl` by default.
    journal: Option<PathBuf>,
    /// The store, instead of a journal.
    store: Option<StoreEntry>,
    /// Trials that run at the same time.
    #[serde(default = "one")]
    workers: usize,
    #[serde(default)]
    stop: Stop,
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    optimizer: Method,
    /// The rule that stops running trials early.
    #[serde(default, deserialize_with = "pruner")]
    pruning: Option<PrunerKind>,
    /// Configurations, or parts of them, that are asked first.
    #[serde(default)]
    queue: Vec<Config>,
    /// A file with trials that the study begins with.
    known: Option<PathBuf>,
    /// Earlier studies of related tasks.
    transfer: Option<TransferEntry>,
    #[serde(deserialize_with = "entries")]
    parameters: Vec<ParameterEntry>,
}

fn one() -> usize {
    1
}

/// Limits of the study, which ends with the first that is reached.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stop {
    /// Trials in all.
    pub(crate) trials: Option<usize>,
    /// Wall-clock seconds.
    pub(crate) seconds: Option<f64>,
    /// Sum of the measured costs.
    pub(crate) cost: Option<f64>,
    /// An objective at or below this value; at or above it where the objective is maximised.
    pub(crate) target: Option<f64>,
    /// Measured trials in a row without a better objective.
    pub(crate) patience: Option<usize>,
    /// Failed trials in a row; without a number as many as make it likely that the command is broken.
    pub(crate) failures: Option<usize>,
}

/// Limits of one trial.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limits {
    /// Wall-clock seconds; then the process and its children are killed and the trial fails.
    pub(crate) seconds: Option<f64>,
    /// Address space of each process in megabytes (10⁶ bytes).
    pub(crate) memory_mb: Option<u64>,
    /// Further attempts at a trial that failed.
    #[serde(default)]
    pub(crate) retries: usize,
}

/// A checked study.
#[derive(Debug, Clone)]
pub(crate) struct StudyFile {
    /// Folder of the file, in which the command runs.
    pub(crate) folder: PathBuf,
    /// The command, if there is one.
    pub(crate) template: Option<Template>,
    /// Directions of the objectives.
    pub(crate) directions: Directions,
    /// Root of all randomness.
    pub(crate) seed: u64,
    /// The journal.
    pub(crate) journal: PathBuf,
    /// The store, instead of the journal.
    pub(crate) store: Option<Store>,
    /// Trials that run at the same time.
    pub(crate) workers: usize,
    /// Stop rules.
    pub(crate) stop: Stop,
    /// Limits of one trial.
    pub(crate) limits: Limits,
    /// The optimiser.
    pub(crate) method: Method,
    /// The rule that stops running trials early, for losses.
    pub(crate) pruner: Option<PrunerKind>,
    /// Configurations, or parts of them, that are asked first.
    pub(crate) queue: Vec<Config>,
    /// A file with trials that the study begins with.
    pub(crate) known: Option<PathBuf>,
    /// Earlier studies of related tasks.
    pub(crate) transfer: Option<TransferEntry>,
    /// The space.
    pub(crate) space: Space,
    /// The fidelity axis of a multi-fidelity study.
    pub(crate) fidelity: Option<FidelityAxis>,
}

impl StudyFile {
    /// Reads and checks a study file; `store` is an address that replaces the file's.
    ///
    /// # Errors
    /// [`CliError`] names the file and the key, the parameter or the placeholder.
    pub(crate) fn read(path: &Path, store: Option<&str>) -> Result<Self, CliError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| CliError::File { path: path.into(), source })?;
        // No table of TOML begins so.
        if text.starts_with('{') {
            return Err(CliError::IsJournal(path.into()));
        }
        let content: Content = toml::Deserializer::parse(&text)
            .and_then(from_tables)
            .map_err(|error| CliError::Toml { path: path.into(), error: Box::new(error) })?;
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        content.check()?;
        let journal =
            folder.join(content.journal.unwrap_or_else(|| {
                PathBuf::from(path.file_name().unwrap_or_default()).with_extension("jsonl")
            }));
        let store = Store::new(content.store, store, path)?;
        let space = space(&content.parameters)?;
        let fidelity = content.optimizer.fidelity(&space)?;
        let template = content.command.map(|parts| Template::new(parts, &content.parameters)).transpose()?;
        let known = content.known.map(|path| folder.join(path));
        let directions = content.optimizer.directions(directions(content.direction.as_ref())?)?;
        Ok(Self {
            folder,
            template,
            seed: content.seed,
            journal,
            store,
            workers: content.workers,
            stop: content.stop,
            limits: content.limits,
            method: content.optimizer,
            pruner: content.pruning.map(|pruner| pruner.directed(directions.first())),
            directions,
            queue: content.queue,
            known,
            transfer: content.transfer,
            space,
            fidelity,
        })
    }
}

impl Content {
    /// Checks the numbers that no other type checks.
    fn check(&self) -> Result<(), CliError> {
        let invalid = |name: &str, value: String, expected: &str| {
            Err(CliError::Setting { name: name.into(), value, expected: expected.into() })
        };
        if self.parameters.is_empty() {
            return invalid("parameters", "empty".into(), "at least one parameter");
        }
        if self.workers == 0 {
            return invalid("workers", "0".into(), "a whole number from 1");
        }
        if self.stop.failures == Some(0) {
            return invalid("stop.failures", "0".into(), "a whole number from 1");
        }
        if self.stop.trials == Some(0) {
            return invalid("stop.trials", "0".into(), "a whole number from 1");
        }
        let duration =
            |seconds: f64| std::time::Duration::try_from_secs_f64(seconds).is_ok() && seconds > 0.0;
        for (name, seconds) in [("stop.seconds", self.stop.seconds), ("limits.seconds", self.limits.seconds)]
        {
            match seconds {
                Some(seconds) if !duration(seconds) => {
                    return invalid(name, seconds.to_string(), "a positive number of seconds");
                }
                _ => {}
            }
        }
        if let Some(target) = self.stop.target.filter(|target| target.is_nan()) {
            return invalid("stop.target", target.to_string(), "a number");
        }
        if let Some(cost) = self.stop.cost.filter(|cost| !(cost.is_finite() && *cost > 0.0)) {
            return invalid("stop.cost", cost.to_string(), "a positive number");
        }
        if self.stop.patience == Some(0) {
            return invalid("stop.patience", "0".into(), "a whole number from 1");
        }
        if self.limits.memory_mb == Some(0) {
            return invalid("limits.memory_mb", "0".into(), "a whole number from 1");
        }
        Ok(())
    }
}
