//! Trials that other libraries made, for [`Study::with_known`](thrifty_study::Study::with_known).

use serde::Deserialize;
use serde_json::Value as Json;
use thrifty_space::{Config, Kind, Parameter, Space, SpaceError, Value};
use thrifty_study::{Directions, Measurement, Outcome};

use crate::cell::float_text;
use crate::{Number, quoted};

/// Error of importing trials; none is imported then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// Text that is not JSON.
    #[error("not JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Text that is not CSV.
    #[error("not CSV: {0}")]
    Csv(#[from] csv::Error),
    /// A missing entry, or one of another type.
    #[error("trial {trial}: {problem}")]
    Trial {
        /// Its position in the file.
        trial: usize,
        /// The problem.
        problem: String,
    },
}

/// Configurations with their outcomes.
pub type KnownTrials = Vec<(Config, Outcome)>;

/// Hyperopt's trials: the JSON of `[t for t in trials.trials]`, of which `misc.vals` and `result` are read.
///
/// A choice stands there by its index. A parameter with one value may also stand there by that value, unless the value is a whole number
/// from 1 on, which could be the index of a choice that was fixed here. A trial that failed is a failure although it has a loss, and so is
/// one that ended without a finite number as its loss. Trials that are new, running or suspended are left out.
///
/// # Errors
/// [`ImportError`] names the trial and the parameter.
pub fn from_hyperopt(space: &Space, json: &str) -> Result<KnownTrials, ImportError> {
    let trials: Vec<Json> = serde_json::from_slice(&quoted(json.as_bytes()))?;
    let mut known = KnownTrials::new();
    for (trial, document) in trials.iter().enumerate() {
        let problem = |problem: String| ImportError::Trial { trial, problem };
        let result = &document["result"];
        if !result.is_object() {
            let expected = "it has no result, as trials of Hyperopt have: a table is read as .csv";
            return Err(problem(expected.into()));
        }
        let outcome = match result["status"].as_str() {
            Some("fail") => Outcome::failed("it failed in Hyperopt"),
            Some("new" | "running" | "suspended") => continue,
            _ => of_loss(&result["loss"]),
        };
        let values = &document["misc"]["vals"];
        let mut config = Config::new();
        for parameter in space.parameters() {
            // Not active: an empty list.
            let Some(value) = values[&parameter.name].get(0) else { continue };
            if !value.is_number() {
                return Err(problem(format!("{} is {value}, expected a number", parameter.name)));
            }
            let value = of_number(parameter, &value.to_string()).map_err(problem)?;
            config.insert(parameter.name.clone(), value);
        }
        space.validate(&config).map_err(|error| problem(error.to_string()))?;
        known.push((config, outcome.checked()));
    }
    Ok(known)
}

/// The outcome of a trial of Hyperopt that ended with this loss.
fn of_loss(loss: &Json) -> Outcome {
    match Number::deserialize(loss) {
        Ok(Number(loss)) => loss.into(),
        Err(_) => Outcome::failed(format!("its loss in Hyperopt is {loss}, expected a number")),
    }
}

/// Optuna's trials: the CSV of `study.trials_dataframe()`, of which `params_…`, `state` and `value`, or `values_0`, `values_1`, …, are read.
///
/// A choice stands there by its text, or as pandas writes it: `True` for `true`, and `32.0` for 32 in a column with gaps. An empty cell is
/// the empty text where that is a choice of an active parameter.
/// Trials that are running or waiting or were pruned are left out, and so are trials that failed before they had all their parameters; other
/// states than those of Optuna are refused. Values are in the user's units: those of a maximised objective become losses.
///
/// # Errors
/// [`ImportError`] names the trial and the parameter.
pub fn from_optuna(space: &Space, directions: &Directions, csv: &str) -> Result<KnownTrials, ImportError> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers()?.clone();
    let column = |name: &str| header.iter().position(|h| h == name);
    // Of several objectives there is a column each.
    let numbered = (0..).map(|at| format!("values_{at}")).take_while(|name| column(name).is_some());
    let values = if column("value").is_some() { vec!["value".to_owned()] } else { numbered.collect() };
    let mut known = KnownTrials::new();
    for (trial, record) in reader.records().enumerate() {
        let record = record?;
        let cell = |name: &str| column(name).and_then(|at| record.get(at)).filter(|text| !text.is_empty());
        let problem = |problem: String| ImportError::Trial { trial, problem };
        let outcome = match cell("state") {
            Some("FAIL") => Outcome::failed("it failed in Optuna"),
            Some("COMPLETE") | None => measured(&values, cell).map_err(problem)?,
            Some("RUNNING" | "WAITING" | "PRUNED") => continue,
            Some(other) => {
                let expected = "COMPLETE, FAIL, PRUNED, RUNNING or WAITING";
                return Err(problem(format!("state is {other:?}, expected {expected}")));
            }
        };
        let mut config = Config::new();
        for parameter in space.parameters() {
            let Some(text) = cell(&format!("params_{}", parameter.name)) else { continue };
            config.insert(parameter.name.clone(), of_text(parameter, text).map_err(problem)?);
        }
        let has_column = |name: &str| column(&format!("params_{name}")).is_some();
        let config = match completed(space, config, has_column) {
            Ok(config) => config,
            Err(SpaceError::MissingParameter { .. }) if matches!(outcome, Outcome::Failed(_)) => continue,
            Err(error) => return Err(problem(error.to_string())),
        };
        known.push((config, directions.flip_outcome(outcome)));
    }
    Ok(known)
}

/// The outcome of a complete trial of Optuna, whose objectives are in the columns `names`.
fn measured<'a>(names: &[String], cell: impl Fn(&str) -> Option<&'a str>) -> Result<Outcome, String> {
    if names.is_empty() {
        return Err("there is no column value, or values_0, values_1, …".into());
    }
    let value = |name: &String| number(name, cell(name).ok_or_else(|| format!("it has no {name}"))?);
    let objectives = names.iter().map(value).collect::<Result<_, _>>()?;
    Ok(Measurement { objectives, ..Measurement::default() }.into())
}

/// The value of a parameter that a cell stands for.
pub(crate) fn of_text(parameter: &Parameter, text: &str) -> Result<Value, String> {
    if let Kind::Categorical { choices } = &parameter.kind {
        return match chosen(choices, text).as_slice() {
            [choice] => Ok((*choice).clone()),
            [] => Err(format!("{} is {text:?}, not one of its choices", parameter.name)),
            several => {
                Err(format!("{} is {text:?}, which is {} of its choices", parameter.name, several.len()))
            }
        };
    }
    of_number(parameter, text)
}

/// The number in a cell; `name` is that of the column.
pub(crate) fn number(name: &str, text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| format!("{name} is {text:?}, expected a number"))
}

/// The choices that a text stands for: those of the same text in a table, else the same number, else the same truth value.
fn chosen<'a>(choices: &'a [Value], text: &str) -> Vec<&'a Value> {
    let number = text.parse::<f64>().ok();
    let is_number = |choice: &&Value| number.is_some() && choice.number() == number;
    let truth = match text {
        "True" | "TRUE" => Some(true),
        "False" | "FALSE" => Some(false),
        _ if number == Some(1.0) => Some(true),
        _ if number == Some(0.0) => Some(false),
        _ => None,
    };
    let is_truth = |choice: &&Value| matches!(choice, Value::Bool(value) if truth == Some(*value));
    let is_text = |choice: &&Value| match choice {
        Value::Float(value) => float_text(*value) == text,
        // A column of whole and other numbers has all of them as floats.
        Value::Int(value) if choices.contains(&Value::Float(*value as f64)) => {
            value.to_string() == text || float_text(*value as f64) == text
        }
        choice => choice.to_string() == text,
    };
    let all = |fits: &dyn Fn(&&Value) -> bool| choices.iter().filter(fits).collect::<Vec<_>>();
    let found = [all(&is_text), all(&is_number), all(&is_truth)];
    found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}

/// A configuration of the space: an active parameter whose cell is empty is the empty text, where that is one of its choices.
pub(crate) fn completed(
    space: &Space,
    mut config: Config,
    has_column: impl Fn(&str) -> bool,
) -> Result<Config, SpaceError> {
    let may_be_empty = |name: &str| {
        let parameter = space.parameters().iter().find(|parameter| parameter.name == name);
        parameter.is_some_and(|parameter| match &parameter.kind {
            Kind::Categorical { choices } => choices.contains(&Value::Str(String::new())),
            _ => false,
        })
    };
    loop {
        match space.validate(&config) {
            Err(SpaceError::MissingParameter { name }) if has_column(&name) && may_be_empty(&name) => {
                config.insert(name, "");
            }
            result => return result.map(|()| config),
        }
    }
}

/// Value of a parameter that is written as a number.
///
/// For a categorical parameter the number is the index of a choice. A number that is no index stands for the only choice, if it equals
/// it: `0.5` for the choices `[0.5]`.
fn of_number(parameter: &Parameter, text: &str) -> Result<Value, String> {
    let name = &parameter.name;
    let number = number(name, text)?;
    match &parameter.kind {
        Kind::Float { .. } | Kind::StepFloat { .. } => Ok(Value::Float(number)),
        Kind::Int { .. } => whole(name, text, number).map(Value::Int),
        Kind::Categorical { choices } => {
            let is_index = number.fract() == 0.0 && number >= 0.0;
            let is_only = choices.len() == 1 && Value::Float(number).position_in(choices).is_some();
            let choice =
                if is_index { choices.get(number as usize) } else { choices.first().filter(|_| is_only) };
            choice.cloned().ok_or_else(|| format!("{name} is {text}, not the index of a choice"))
        }
    }
}

/// The whole number that is written so, perhaps as a float.
fn whole(name: &str, text: &str, number: f64) -> Result<i64, String> {
    if let Ok(whole) = text.parse() {
        Ok(whole)
    } else if number.fract() != 0.0 {
        Err(format!("{name} is {text}, expected a whole number"))
    } else if number.abs() < (1_u64 << 63) as f64 {
        Ok(number as i64)
    } else {
        Err(format!("{name} is {text}, expected a whole number of 64 bits"))
    }
}
