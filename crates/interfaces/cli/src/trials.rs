//! Trials of a study, shown and exported.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};
use thrifty_check::counted;
use thrifty_results::Table;
use thrifty_space::Config;
use thrifty_study::{History, JournalError};

use crate::args::{Format, Source};
use crate::commands::{load, print, write_file, write_out};
use crate::error::CliError;
use crate::recommendation;
use crate::study_file::StudyFile;
use crate::summary;

/// A history that is shown trial by trial.
enum Shown {
    Configs(History<Config>, Option<Box<StudyFile>>),
    /// Queries of another kind, such as single folds.
    Others(History<Value>),
}

impl Shown {
    /// # Errors
    /// As [`load`].
    fn load(source: &Source) -> Result<Self, CliError> {
        match load(source) {
            // Of a pipe there is nothing left to be read again.
            Err(CliError::Journal(JournalError::OtherQueries { path })) if path.is_file() => {
                Ok(Self::Others(History::read(&path)?))
            }
            loaded => {
                let (history, file) = loaded?;
                Ok(Self::Configs(history, file.map(Box::new)))
            }
        }
    }
}

/// `thrifty show`: counts, the best, and all trials.
pub(crate) fn show(source: &Source, json: bool) -> Result<(), CliError> {
    match Shown::load(source)? {
        Shown::Configs(history, file) => {
            let best = summary::best(&history).ok();
            let recommended =
                file.as_ref().map_or(Value::Null, |file| recommendation::recommended(file, &history));
            let lines = best.as_ref().map(|best| {
                let words = summary::best_as_text(best, &history);
                recommendation::lines(file.as_deref(), &words, best, &recommended)
            });
            show_trials(&history, json!({ "best": best, "recommended": recommended }), lines, json)
        }
        // The smallest loss of a fold does not make its configuration the best.
        Shown::Others(history) => show_trials(&history, json!({ "best": null }), None, json),
    }
}

/// Prints counts, the best in `lines`, and all trials; as JSON the counts and the trials join `value`.
fn show_trials<Q: Serialize>(
    history: &History<Q>,
    mut value: Value,
    lines: Option<String>,
    json: bool,
) -> Result<(), CliError> {
    let counts = summary::counts(history);
    let table = Table::of(history)?;
    let count = |state: &str| counts[state].to_string();
    let mut text = format!(
        "{}: {} measured, {} failed, {} pruned, {} running\n",
        counted(history.len(), "trials"),
        count("measured"),
        count("failed"),
        count("pruned"),
        count("running")
    );
    if let Some(lines) = lines {
        text.push_str(&lines);
        text.push('\n');
    }
    (value["counts"], value["trials"]) = (counts, json!(table));
    summary::add_directions(&mut value, history.directions());
    // Numbers of the optimiser and times are in the JSON and in exports.
    let is_time = |name: &str| matches!(name, "ask_seconds" | "evaluate_seconds");
    let table = table.with_columns(|name| !name.starts_with("diagnostics.") && !is_time(name));
    print(json, &value, &format!("{text}\n{table}"))
}

/// `thrifty export`: all trials, or all intermediate values, as CSV or JSON.
pub(crate) fn export(
    source: &Source,
    format: Format,
    output: Option<&Path>,
    reports: bool,
) -> Result<(), CliError> {
    let (table, file) = match Shown::load(source)? {
        Shown::Configs(history, file) => (table_of(&history, reports)?, file),
        Shown::Others(history) => (table_of(&history, reports)?, None),
    };
    let mut text = Vec::new();
    match format {
        Format::Csv => table.write_csv(&mut text)?,
        Format::Json => table.write_json(&mut text)?,
    }
    match output {
        Some(output) => write_file(source, file.as_deref(), output, &text),
        None => write_out(&text),
    }
}

/// All trials of a history, or all intermediate values.
fn table_of<Q: Serialize>(history: &History<Q>, reports: bool) -> Result<Table, CliError> {
    Ok(if reports { Table::of_reports(history) } else { Table::of(history)? })
}
