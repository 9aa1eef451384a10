//! Rows of trials.

use serde::Serialize;
use thrifty_study::{Directions, History, Outcome, Trial};

use crate::cell::{Cell, flatten};
use crate::{ResultsError, Table};

/// Names that columns of a query may not take.
const RESERVED: [&str; 10] = [
    "trial",
    "state",
    "objective",
    "constraint",
    "cost",
    "noise_variance",
    "failure",
    "last_step",
    "ask_seconds",
    "evaluate_seconds",
];

impl Table {
    /// The trials of a history: a row per trial, in the order of asking.
    ///
    /// | column | type | content |
    /// |---|---|---|
    /// | `trial` | whole number | number of the trial |
    /// | `state` | text | `measured`, `failed`, `unrelated` (it failed for a reason that has nothing to do with the query), `pruned` or `running` |
    /// | `objective`, or `objective.0`, … | number | one column where a measurement has one objective |
    /// | `constraint.0`, … | number | at most 0 where it holds |
    /// | `cost` | number | as reported, of failed and pruned trials too; failed attempts that were made again are not in the table |
    /// | `noise_variance` | number | as reported |
    /// | parameters | as in the query | parts of a nested query are joined by `.`; a name that is a column of this table gets `query.` before it |
    /// | `failure` | text | reason of a failed trial |
    /// | `last_step` | whole number | last step of a pruned trial |
    /// | `reports` | whole number | number of intermediate values |
    /// | `diagnostics.…` | number | numbers that the optimiser gave with the suggestion |
    /// | `ask_seconds`, `evaluate_seconds` | number | wall-clock time |
    ///
    /// Objectives are in the user's units: where the history names a direction to maximise, its losses are negated. Diagnostics are those
    /// of the optimiser, which minimises. A column that no trial has a value for is left out, and so are numbers that are not finite.
    ///
    /// # Errors
    /// [`ResultsError::Query`] for a query that has no JSON form.
    pub fn of<Q: Serialize>(history: &History<Q>) -> Result<Self, ResultsError> {
        let rows = history.trials().iter().map(|trial| row(trial, history.directions()));
        let rows = rows.collect::<Result<_, _>>()?;
        Ok(Self::of_rows(rows))
    }

    /// Intermediate values: a row per report with the columns `trial`, `step` and `value`, in the order of trials. Values have
    /// the direction of the first objective.
    #[must_use]
    pub fn of_reports<Q>(history: &History<Q>) -> Self {
        let rows = history.trials().iter().flat_map(|trial| {
            trial.reports.iter().map(|(step, value)| {
                let mut row = vec![named("trial", whole(trial.id.0)), named("step", whole(*step))];
                row.extend(finite("value".into(), history.directions().first().flip(*value)));
                row
            })
        });
        Self::of_rows(rows.collect())
    }
}

fn row<Q: Serialize>(trial: &Trial<Q>, directions: &Directions) -> Result<Vec<(String, Cell)>, ResultsError> {
    let mut row = vec![named("trial", whole(trial.id.0)), named("state", text(state(trial)))];
    let outcome = trial.outcome.as_ref();
    let measured = outcome.and_then(Outcome::measurement);
    if let Some(measured) = measured {
        match directions.flip(&measured.objectives).as_slice() {
            [objective] => row.extend(finite("objective".into(), *objective)),
            several => row.extend(numbered("objective", several)),
        }
        row.extend(numbered("constraint", &measured.constraints));
    }
    row.extend(outcome.and_then(Outcome::cost).and_then(|cost| finite("cost".into(), cost)));
    let noise_variance = measured.and_then(|measured| measured.noise_variance);
    row.extend(noise_variance.and_then(|noise| finite("noise_variance".into(), noise)));
    let source = |source| ResultsError::Query { trial: trial.id.0, source };
    let mut query = Vec::new();
    flatten("", &serde_json::to_value(&trial.query).map_err(source)?, &mut query);
    row.extend(query.into_iter().map(|(name, cell)| (column_of(&name), cell)));
    match outcome {
        Some(Outcome::Failed(failure)) => row.push(named("failure", Cell::Text(failure.to_string()))),
        Some(Outcome::Pruned { last_step, .. }) => row.push(named("last_step", whole(*last_step))),
        _ => {}
    }
    if !trial.reports.is_empty() {
        row.push(named("reports", whole(trial.reports.len() as u64)));
    }
    row.extend(
        trial.diagnostics.iter().filter_map(|(name, value)| finite(format!("diagnostics.{name}"), *value)),
    );
    row.extend(finite("ask_seconds".into(), trial.timing.ask));
    if outcome.is_some() {
        row.extend(finite("evaluate_seconds".into(), trial.timing.evaluate));
    }
    Ok(row)
}

/// State of a trial in one word.
fn state<Q>(trial: &Trial<Q>) -> &'static str {
    let is_unrelated = trial.outcome.as_ref().is_some_and(Outcome::is_unrelated);
    if is_unrelated { "unrelated" } else { trial.state() }
}

/// The column of a parameter.
pub(crate) fn column_of(name: &str) -> String {
    if taken(name) { format!("query.{name}") } else { name.into() }
}

/// True if a parameter of this name would be taken for a column of the table.
fn taken(name: &str) -> bool {
    let first = name.split('.').next().unwrap_or(name);
    RESERVED.contains(&name) || matches!(first, "objective" | "constraint" | "diagnostics" | "reports")
}

fn named(name: &str, cell: Cell) -> (String, Cell) {
    (name.into(), cell)
}

fn text(text: &str) -> Cell {
    Cell::Text(text.into())
}

fn whole(number: u64) -> Cell {
    i64::try_from(number).map_or(Cell::Float(number as f64), Cell::Int)
}

fn finite(name: String, value: f64) -> Option<(String, Cell)> {
    value.is_finite().then_some((name, Cell::Float(value)))
}

fn numbered(name: &str, values: &[f64]) -> Vec<(String, Cell)> {
    values.iter().enumerate().filter_map(|(i, value)| finite(format!("{name}.{i}"), *value)).collect()
}
