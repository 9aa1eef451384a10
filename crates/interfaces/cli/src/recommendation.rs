//! The configuration that the optimiser recommends.

use std::any::Any;

use serde_json::{Value, json};
use thrifty_fidelity::FidelityBest;
use thrifty_space::Config;
use thrifty_study::{Best, Direction, History, Optimizer};

use crate::error::CliError;
use crate::message::say;
use crate::study::optimizer;
use crate::study_file::StudyFile;
use crate::summary;

/// The recommendation of a study with one objective, in the user's units: objective, configuration, `observed`, which is false for an
/// estimate by a model, its 95 % interval if the model has one, and with several fidelities the largest at which the configuration was evaluated.
/// Nothing with several objectives,
/// of which the best trials are the Pareto set, and before there is a measurement. One that fails is a warning.
pub(crate) fn recommended(file: &StudyFile, history: &History<Config>) -> Value {
    of_optimizer(file, history).unwrap_or_else(|error| {
        say(format_args!("warning: no recommendation: {}", crate::error::chain(&error)));
        Value::Null
    })
}

fn of_optimizer(file: &StudyFile, history: &History<Config>) -> Result<Value, CliError> {
    let mut measured = history.trials().iter().filter_map(|trial| trial.outcome.as_ref()?.measurement());
    if measured.next().is_none_or(|first| first.objectives.len() != 1) {
        return Ok(Value::Null);
    }
    let found = optimizer(file)?.0.recommend(history)?;
    let direction = history.directions().first();
    Ok(found.map_or(Value::Null, |found| entry(&*found, direction)))
}

fn entry(found: &dyn Any, direction: Direction) -> Value {
    if let Some(best) = found.downcast_ref::<Best<Config>>() {
        let objective = direction.flip(best.value);
        let interval = best.interval.map(|interval| direction.flip_interval(interval));
        let observed = best.is_observed();
        return json!({
            "objective": objective, "config": best.config, "observed": observed, "interval": interval
        });
    }
    if let Some(best) = found.downcast_ref::<FidelityBest>() {
        let objective = direction.flip(best.value);
        return json!({
            "objective": objective, "config": best.config, "observed": false,
            "interval": direction.flip_interval(best.interval), "evaluated": best.evaluated
        });
    }
    Value::Null
}

/// The best trials and the recommendation in lines of text, each line after its name. A recommendation that is the best trial itself is
/// left out; that of a multi-fidelity study is first.
pub(crate) fn lines(
    file: Option<&StudyFile>,
    best: &str,
    best_trials: &Value,
    recommended: &Value,
) -> String {
    let best = format!("best: {best}");
    let is_the_best = recommended["observed"] == true && recommended["config"] == best_trials["config"];
    if recommended.is_null() || is_the_best {
        return best;
    }
    let recommended = format!("recommended: {}", as_text(recommended));
    let has_fidelity = file.is_some_and(|file| file.fidelity.is_some());
    let lines = if has_fidelity { [recommended, best] } else { [best, recommended] };
    lines.join("\n")
}

/// A recommendation in words: `0.25 by estimate, 95 % in [0.21, 0.29]  (x = 0.3)`. An estimate has six digits, the ends of its interval have
/// four.
pub(crate) fn as_text(recommended: &Value) -> String {
    let objective = &recommended["objective"];
    let objective = match objective.as_f64() {
        Some(estimate) if recommended["observed"] != true => digits(estimate, 6),
        _ => objective.to_string(),
    };
    let basis = if recommended["observed"] == true { "" } else { " by estimate" };
    let evaluated = recommended["evaluated"].as_f64();
    let fidelity =
        evaluated.map_or(String::new(), |evaluated| format!(", evaluated at fidelity {evaluated}"));
    let interval = match (recommended["interval"][0].as_f64(), recommended["interval"][1].as_f64()) {
        (Some(low), Some(high)) => format!(", 95 % in [{}, {}]", digits(low, 4), digits(high, 4)),
        _ => String::new(),
    };
    let config = summary::config_as_text(&recommended["config"]);
    format!("{objective}{basis}{interval}{fidelity}  ({config})")
}

/// A number of so many digits, with an exponent where it is very small or large.
fn digits(value: f64, count: usize) -> String {
    format!("{:?}", format!("{value:.*e}", count - 1).parse().unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An interval of losses from 1 to 3 is that of what is minimised; what is maximised lies from -3 to -1.
    #[test]
    fn intervals_are_in_the_units_of_the_user() {
        let best = Best::posterior(Config::new(), 2.0).with_interval((1.0, 3.0));
        assert_eq!(entry(&best, Direction::Minimize)["interval"], json!([1.0, 3.0]));
        assert_eq!(entry(&best, Direction::Maximize)["interval"], json!([-3.0, -1.0]));
        assert_eq!(entry(&Best::observed(Config::new(), 2.0), Direction::Minimize)["interval"], Value::Null);
    }

    #[test]
    fn estimates_are_rounded_and_measurements_are_not() {
        let text = |value: f64, observed: bool| {
            as_text(&json!({ "objective": value, "config": { "x": 0.5 }, "observed": observed }))
        };
        assert_eq!(text(0.199_851_002_212, false), "0.199851 by estimate  (x = 0.5)");
        assert_eq!(text(-1.234_567_89e-9, false), "-1.23457e-9 by estimate  (x = 0.5)");
        assert_eq!(text(0.199_851_002_212, true), "0.199851002212  (x = 0.5)");
        let found = json!({ "objective": 0.2, "config": { "x": 0.5 }, "observed": false, "interval": [-1e-9, 0.123_456] });
        assert_eq!(as_text(&found), "0.2 by estimate, 95 % in [-1e-9, 0.1235]  (x = 0.5)");
        let at = |evaluated: f64| {
            as_text(
                &json!({ "objective": 0.2, "config": { "x": 0.5 }, "observed": false, "evaluated": evaluated }),
            )
        };
        assert_eq!(at(27.0), "0.2 by estimate, evaluated at fidelity 27  (x = 0.5)");
        assert_eq!(at(0.25), "0.2 by estimate, evaluated at fidelity 0.25  (x = 0.5)");
    }
}
