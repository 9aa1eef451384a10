//! Summaries of a study: counts, best trials, and both as JSON.

use serde_json::{Value, json};
use thrifty_check::counted;
use thrifty_search::ParetoSet;
use thrifty_space::Config;
use thrifty_study::{Directions, Failure, History, Outcome, StopReason, Trial};

use crate::error::CliError;

/// The best trials, in the user's units: one with one objective, the Pareto set with several.
///
/// Of a multi-fidelity study only trials at the target are compared.
///
/// # Errors
/// [`CliError::NothingMeasured`] with the first failure; [`CliError::Optimizer`] for measurements that contradict each
/// other.
pub(crate) fn best(history: &History<Config>) -> Result<Value, CliError> {
    let objectives =
        history.trials().iter().find_map(|t| Some(t.outcome.as_ref()?.measurement()?.objectives.len()));
    match objectives {
        None => Err(nothing_measured(history)),
        Some(1) => Ok(history.best().map_or(
            Value::Null,
            |(trial, loss)| json!({ "trial": trial.id, "objective": history.directions().first().flip(loss), "config": trial.query }),
        )),
        Some(_) => {
            let set = ParetoSet::of(history)?;
            let member = |m: &thrifty_search::ParetoMember| json!({ "trial": m.trial, "objectives": history.directions().flip(&m.objectives), "config": m.config });
            Ok(set.members.iter().map(member).collect())
        }
    }
}

/// Error of a study without a measured trial.
fn nothing_measured(history: &History<Config>) -> CliError {
    let failures: Vec<&Failure> = history.trials().iter().filter_map(failure).collect();
    let example = failures.first().map_or(String::new(), |failure| format!("; the first: {failure}"));
    let states: Vec<String> = ["failed", "pruned", "running"]
        .map(|state| (count(history, state), state))
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, state)| format!("{count} {state}"))
        .collect();
    let states = if states.is_empty() { "there are none".into() } else { states.join(", ") };
    CliError::NothingMeasured { states, example }
}

fn failure(trial: &Trial<Config>) -> Option<&Failure> {
    match &trial.outcome {
        Some(Outcome::Failed(failure)) => Some(failure),
        _ => None,
    }
}

/// Adds the directions to an object, unless everything is minimised.
pub(crate) fn add_directions(object: &mut Value, directions: &Directions) {
    if !directions.all_minimize() {
        object["directions"] = json!(directions);
    }
}

/// Counts of trials by their state.
pub(crate) fn counts<Q>(history: &History<Q>) -> Value {
    json!({
        "trials": history.len(),
        "measured": count(history, "measured"),
        "failed": count(history, "failed"),
        "pruned": count(history, "pruned"),
        "running": count(history, "running"),
    })
}

/// Number of trials in a state.
fn count<Q>(history: &History<Q>, state: &str) -> usize {
    history.trials().iter().filter(|trial| trial.state() == state).count()
}

/// Values by their names, as `x = 0.3, solver = adam`.
pub(crate) fn config_as_text(config: &Value) -> String {
    let parameters = config.as_object().into_iter().flatten().map(|(name, value)| match value.as_str() {
        Some(text) => format!("{name} = {text}"),
        None => format!("{name} = {value}"),
    });
    parameters.collect::<Vec<_>>().join(", ")
}

/// Reason for which a study with measured trials has no best one.
fn no_best(history: &History<Config>) -> &'static str {
    let measured = || history.trials().iter().filter_map(|t| Some((t, t.outcome.as_ref()?.measurement()?)));
    if !measured().any(|(_, measured)| measured.is_feasible()) {
        "no trial satisfies the constraints"
    } else if !measured().any(|(trial, _)| history.is_comparable(&trial.query)) {
        "no trial at the target fidelity yet"
    } else {
        "no trial at the target fidelity satisfies the constraints"
    }
}

/// Best trials of a history in lines of text.
pub(crate) fn best_as_text(best: &Value, history: &History<Config>) -> String {
    let line = |entry: &Value| {
        let value = if entry["objective"].is_null() { &entry["objectives"] } else { &entry["objective"] };
        format!("trial {}: {value}  ({})", entry["trial"], config_as_text(&entry["config"]))
    };
    match best {
        Value::Null => no_best(history).into(),
        Value::Array(entries) if entries.is_empty() => no_best(history).into(),
        Value::Array(entries) => entries.iter().map(line).collect::<Vec<_>>().join("\n"),
        entry => line(entry),
    }
}

/// A stop reason in words, with values in the user's units.
pub(crate) fn reason(reason: &StopReason, directions: &Directions) -> String {
    let shown = |loss: &f64| directions.first().flip(*loss);
    match reason {
        StopReason::Trials(count) => counted(*count, "trials"),
        StopReason::WallTime(seconds) => format!("{seconds:.1} s have passed"),
        StopReason::Cost(cost) => format!("a cost of {cost:?} was spent"),
        StopReason::Target(value) => format!("the target was reached by {:?}", shown(value)),
        StopReason::Stagnated { trials, best } => {
            format!("{} without a better objective than {:?}", counted(*trials, "trials"), shown(best))
        }
        StopReason::Exhausted => "every configuration was evaluated".into(),
        StopReason::Decided { message, .. } => message.clone(),
        other => format!("{other:?}"),
    }
}
