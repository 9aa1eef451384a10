//! Trials that a study file begins with, from a file of another study.

use std::path::Path;

use thrifty_results::{ImportError, KnownTrials, from_hyperopt, from_table};
use thrifty_space::{Config, Space};
use thrifty_study::{Directions, History};

use crate::error::CliError;

/// The trials in a file: a journal (`.jsonl`), trials of Hyperopt (`.json`), or a table (`.csv`), as
/// [`from_table`] reads it.
///
/// The objectives of a table are in the user's units. A journal and trials of Hyperopt hold losses: a journal must have the same directions.
///
/// # Errors
/// [`CliError`] names the file, and the trial and the column in it, or the directions, or the setting `key` where a file of this kind is
/// not read.
pub(crate) fn read(
    key: &str,
    space: &Space,
    path: &Path,
    directions: &Directions,
) -> Result<KnownTrials, CliError> {
    let text =
        || std::fs::read_to_string(path).map_err(|source| CliError::File { path: path.into(), source });
    let named = |source: ImportError| CliError::Known { path: path.into(), source: Box::new(source) };
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("jsonl") => {
            let history = journal(path, directions)?;
            let ended = history.trials().iter();
            Ok(ended.filter_map(|trial| Some((trial.query.clone(), trial.outcome.clone()?))).collect())
        }
        Some("json") => from_hyperopt(space, &text()?).map_err(named),
        Some("csv") => from_table(space, directions, &text()?).map_err(named),
        _ => Err(unexpected(key, path, "a file that ends with .jsonl, .csv or .json")),
    }
}

/// The trials of a file with which a study begins.
///
/// # Errors
/// Those of [`read`], and [`CliError::Setting`] for a file without trials that ended, which is most often another file than the one that
/// was meant.
pub(crate) fn read_some(
    space: &Space,
    path: &Path,
    directions: &Directions,
) -> Result<KnownTrials, CliError> {
    let known = read("known", space, path, directions)?;
    if known.is_empty() {
        return Err(unexpected("known", path, "a file with trials that ended"));
    }
    Ok(known)
}

fn unexpected(key: &str, path: &Path, expected: &str) -> CliError {
    CliError::Setting { name: key.into(), value: path.display().to_string(), expected: expected.into() }
}

/// The history of a journal whose losses mean the same as those of this study.
///
/// # Errors
/// [`CliError`] names the file, and the directions.
pub(crate) fn journal(path: &Path, directions: &Directions) -> Result<History<Config>, CliError> {
    let history: History<Config> = History::read(path)?;
    if losses_differ(history.directions(), directions) {
        return Err(CliError::KnownDirections {
            path: path.into(),
            found: history.directions().names(),
            expected: directions.names(),
        });
    }
    Ok(history)
}

/// True if the losses of two studies do not mean the same.
fn losses_differ(a: &Directions, b: &Directions) -> bool {
    let count = a.as_slice().len().max(b.as_slice().len());
    (0..count).any(|objective| a.of(objective) != b.of(objective))
}
