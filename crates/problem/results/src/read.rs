//! Trials of a table in CSV.

use csv::StringRecord;
use thrifty_space::{Config, Space};
use thrifty_study::{Directions, Failure, FailureReason, Measurement, Outcome};

use crate::import::{completed, from_optuna, number, of_text};
use crate::trials::column_of;
use crate::{ImportError, KnownTrials};

/// The trials of a table in CSV: one that [`Table::write_csv`](crate::Table::write_csv) wrote, or any with a column for each parameter and
/// `objective`.
///
/// | column | content |
/// |---|---|
/// | parameters | values by their text; empty where a parameter is not active, and for the empty text |
/// | `objective`, or `objective.0`, … | in the user's units: losses, or what is maximised by `directions` |
/// | `constraint.0`, …, `noise_variance` | as in [`Measurement`]; may be missing; a variance is from 0 |
/// | `cost` | of a trial, whatever came of it, from 0; may be missing, and NaN where the trial failed or was pruned |
/// | `state` | may be missing; `failed`, `unrelated` and `pruned` trials need no objective, `running` ones are left out |
/// | `failure`, `last_step` | reason of a failed trial, last step of a pruned one |
///
/// Other columns are ignored. Objectives that are maximised become losses. An objective that is not finite makes a failed trial.
///
/// # Errors
/// [`ImportError`] names the row, from 0, and the column. A text that is the text of several choices, such as `true` of the truth value and
/// of the word, is refused.
pub fn from_csv(space: &Space, directions: &Directions, csv: &str) -> Result<KnownTrials, ImportError> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let columns = Columns::new(space, reader.headers()?);
    let mut known = KnownTrials::new();
    for (trial, record) in reader.records().enumerate() {
        let (record, problem) = (record?, |problem: String| ImportError::Trial { trial, problem });
        let Some(outcome) = columns.outcome(&record).map_err(problem)? else { continue };
        let mut config = Config::new();
        for (parameter, at) in space.parameters().iter().zip(&columns.parameters) {
            if let Some(text) = cell(&record, *at) {
                config.insert(parameter.name.clone(), of_text(parameter, text).map_err(problem)?);
            }
        }
        let names = space.parameters().iter().zip(&columns.parameters);
        let has_column =
            |name: &str| names.clone().any(|(parameter, at)| parameter.name == name && at.is_some());
        let config = completed(space, config, has_column).map_err(|error| problem(error.to_string()))?;
        known.push((config, directions.flip_outcome(outcome)));
    }
    Ok(known)
}

/// The trials of a table in CSV of either kind: [`from_optuna`] where a column of no parameter begins with `params_` and no column is an
/// objective, else [`from_csv`].
///
/// # Errors
/// As these.
pub fn from_table(space: &Space, directions: &Directions, csv: &str) -> Result<KnownTrials, ImportError> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers()?;
    let is_own = |name: &str| space.parameters().iter().any(|parameter| column_of(&parameter.name) == name);
    let has_objective = header.iter().any(|name| name == "objective" || name == "objective.0");
    let has_params = header.iter().any(|name| name.starts_with("params_") && !is_own(name));
    let read = if has_params && !has_objective { from_optuna } else { from_csv };
    read(space, directions, csv)
}

/// Positions of the columns, by their names.
struct Columns {
    parameters: Vec<Option<usize>>,
    objectives: Vec<(String, usize)>,
    constraints: Vec<(String, usize)>,
    state: Option<usize>,
    failure: Option<usize>,
    last_step: Option<usize>,
    cost: Option<usize>,
    noise_variance: Option<usize>,
}

/// A cell that is not empty.
fn cell(record: &StringRecord, at: Option<usize>) -> Option<&str> {
    at.and_then(|at| record.get(at)).filter(|text| !text.is_empty())
}

impl Columns {
    fn new(space: &Space, header: &StringRecord) -> Self {
        let position = |name: &str| header.iter().position(|column| column == name);
        let numbered = |name: &str| -> Vec<(String, usize)> {
            let names = (0..).map(|i| format!("{name}.{i}"));
            names.map_while(|name| position(&name).map(|at| (name, at))).collect()
        };
        let one = position("objective").map(|at| ("objective".to_owned(), at));
        let parameters = space.parameters().iter();
        Self {
            parameters: parameters.map(|parameter| position(&column_of(&parameter.name))).collect(),
            objectives: one.map_or_else(|| numbered("objective"), |one| vec![one]),
            constraints: numbered("constraint"),
            state: position("state"),
            failure: position("failure"),
            last_step: position("last_step"),
            cost: position("cost"),
            noise_variance: position("noise_variance"),
        }
    }

    /// The outcome of a row; nothing for a trial that is running.
    fn outcome(&self, record: &StringRecord) -> Result<Option<Outcome>, String> {
        let reason = || cell(record, self.failure).unwrap_or("it failed elsewhere");
        let outcome = match cell(record, self.state) {
            Some("running") => return Ok(None),
            Some("failed") => Outcome::failed(reason()),
            Some("unrelated") => Outcome::unrelated(reason()),
            Some("pruned") => {
                let text = cell(record, self.last_step).unwrap_or("0");
                let last_step = text.parse();
                Outcome::pruned(
                    last_step.map_err(|_| format!("last_step is {text:?}, expected a whole number"))?,
                )
            }
            Some("measured") | None => self.measurement(record)?.into(),
            Some(other) => {
                let expected = "measured, failed, unrelated, pruned or running";
                return Err(format!("state is {other:?}, expected {expected}"));
            }
        };
        // A cost that is not known may be NaN. It is left out unless the trial was measured.
        match outcome.with_cost(one("cost", record, self.cost)?).checked() {
            Outcome::Failed(Failure { reason: FailureReason::Invalid(problem), .. }) => {
                Err(problem.to_string())
            }
            outcome => Ok(Some(outcome)),
        }
    }

    /// The measurement of a row, without its cost.
    fn measurement(&self, record: &StringRecord) -> Result<Measurement, String> {
        if self.objectives.is_empty() {
            return Err("there is no column objective or objective.0".into());
        }
        let all = |columns: &[(String, usize)]| -> Result<Vec<f64>, String> {
            let of = |(name, at): &(String, usize)| {
                let text = cell(record, Some(*at)).ok_or_else(|| format!("{name} is empty"))?;
                number(name, text)
            };
            columns.iter().map(of).collect()
        };
        Ok(Measurement {
            objectives: all(&self.objectives)?,
            constraints: all(&self.constraints)?,
            cost: None,
            noise_variance: one("noise_variance", record, self.noise_variance)?,
        })
    }
}

/// The number in a cell, which may be empty.
fn one(name: &str, record: &StringRecord, at: Option<usize>) -> Result<Option<f64>, String> {
    cell(record, at).map(|text| number(name, text)).transpose()
}
