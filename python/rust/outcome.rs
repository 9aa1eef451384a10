//! Outcomes of trials there and back, in the units of the user.

use pyo3::prelude::*;
use thrifty::study::{Direction, Directions, Measurement, Outcome, StopReason};

use crate::boundary::invalid;

/// Directions by their names; without names all objectives are minimised.
pub(crate) fn directions(names: &[String]) -> PyResult<Directions> {
    let direction = |name: &String| match name.as_str() {
        "minimize" => Ok(Direction::Minimize),
        "maximize" => Ok(Direction::Maximize),
        other => Err(invalid(format!("a direction is {other}, expected minimize or maximize"))),
    };
    Ok(Directions::new(names.iter().map(direction).collect::<PyResult<_>>()?))
}

/// An outcome of Python; the objectives are in the user's units.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Told {
    state: String,
    objectives: Vec<f64>,
    constraints: Vec<f64>,
    cost: Option<f64>,
    noise_variance: Option<f64>,
    last_step: u64,
    message: String,
}

impl Told {
    /// The outcome in losses; none for a trial that runs.
    pub(crate) fn outcome(self, directions: &Directions) -> PyResult<Option<Outcome>> {
        let Self { state, objectives, constraints, cost, noise_variance, last_step, message } = self;
        let outcome = match state.as_str() {
            "running" => return Ok(None),
            "measured" => Outcome::Measured(Measurement { objectives, constraints, cost, noise_variance }),
            "failed" => Outcome::failed(message).with_cost(cost),
            "unrelated" => Outcome::unrelated(message).with_cost(cost),
            "pruned" => Outcome::pruned(last_step).with_cost(cost),
            other => return Err(invalid(format!("no state {other}"))),
        };
        Ok(Some(directions.flip_outcome(outcome)))
    }
}

/// Reason for the end of a study, in words and in the user's units.
pub(crate) fn reason(reason: &StopReason, directions: &Directions) -> String {
    match reason {
        StopReason::Trials(count) => format!("{count} trials were asked"),
        StopReason::Target(loss) => format!("the target was reached by {}", directions.first().flip(*loss)),
        StopReason::Exhausted => "every configuration was evaluated".into(),
        StopReason::Decided { message, .. } => message.clone(),
        other => format!("{other:?}"),
    }
}
