//! Everything about a study that must survive, as text.

use std::fmt::Write;

use thrifty::study::{History, Trial};

/// One line per trial: query, diagnostics, memo, reports and outcome to the last bit, without times.
///
/// The debug form of a float is the shortest text that reads back as the same bits; only NaN has more than one.
pub fn trace<Q: std::fmt::Debug>(history: &History<Q>) -> Vec<String> {
    history.trials().iter().map(line).collect()
}

fn line<Q: std::fmt::Debug>(trial: &Trial<Q>) -> String {
    let mut text = suggestion(trial);
    let _ = write!(text, " {:?} {:?}", trial.reports, trial.outcome);
    text
}

/// The part of a trial that the optimiser decided.
pub fn suggestion<Q: std::fmt::Debug>(trial: &Trial<Q>) -> String {
    format!("{} {:?} {:?} {:?}", trial.id.0, trial.query, trial.diagnostics, trial.memo)
}
