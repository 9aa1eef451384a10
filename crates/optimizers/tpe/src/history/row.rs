//! Rows of the table: one trial each, without its configuration.

use std::hash::{DefaultHasher, Hash, Hasher};

use thrifty_space::{Config, Value};
use thrifty_study::{Measurement, Outcome, Trial};

/// One trial: its state, constraints and cost, and a hash of its configuration.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// Hash of the configuration in the history; 0 for imported trials.
    hash: u64,
    pub(crate) state: State,
    pub(crate) constraints: Box<[f64]>,
    pub(crate) cost: Option<f64>,
}

impl Row {
    /// The row of a trial of the history.
    pub(crate) fn of(trial: &Trial<Config>) -> Self {
        let (constraints, cost) = measured(trial);
        Self { hash: hash(&trial.query), state: State::of(trial), constraints: constraints.into(), cost }
    }

    /// The row of an imported trial, which has a loss alone.
    pub(crate) fn imported(loss: f64) -> Self {
        Self { hash: 0, state: State::Measured([loss].into()), constraints: Box::default(), cost: None }
    }

    /// True if this is the row of a trial, or was before the trial ended.
    pub(crate) fn may_be_of(&self, trial: &Trial<Config>) -> bool {
        let (constraints, cost) = measured(trial);
        let is_same = || {
            self.state.is_of(trial)
                && bits_are_equal(&self.constraints, constraints)
                && self.cost.map(f64::to_bits) == cost.map(f64::to_bits)
        };
        self.hash == hash(&trial.query) && (self.state == State::Running || is_same())
    }
}

/// State of a trial.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum State {
    Running,
    Lost,
    /// It failed for a reason that has nothing to do with its configuration.
    Unrelated,
    Pruned(u64, f64),
    Measured(Box<[f64]>),
}

impl State {
    fn of(trial: &Trial<Config>) -> Self {
        match &trial.outcome {
            None => Self::Running,
            Some(Outcome::Measured(measurement)) => Self::Measured(measurement.objectives.clone().into()),
            Some(Outcome::Pruned { last_step, .. }) => {
                let last = trial.reports.last().map_or(f64::INFINITY, |report| report.1);
                Self::Pruned(*last_step, last)
            }
            Some(outcome) if outcome.is_unrelated() => Self::Unrelated,
            Some(Outcome::Failed(_)) => Self::Lost,
        }
    }

    /// True if it is the state of a trial: compares with [`State::of`] without copying.
    fn is_of(&self, trial: &Trial<Config>) -> bool {
        match (self, &trial.outcome) {
            (Self::Measured(ours), Some(Outcome::Measured(measured))) => {
                bits_are_equal(ours, &measured.objectives)
            }
            (Self::Measured(_), _) | (_, Some(Outcome::Measured(_))) => false,
            _ => *self == Self::of(trial),
        }
    }

    /// True if an estimator can learn from it.
    pub(crate) fn is_finished(&self) -> bool {
        match self {
            Self::Measured(objectives) => objectives.first().is_some_and(|loss| loss.is_finite()),
            Self::Pruned(..) => true,
            Self::Running | Self::Lost | Self::Unrelated => false,
        }
    }
}

fn bits_are_equal(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

/// Constraints and cost of a trial, as far as it was measured.
fn measured(trial: &Trial<Config>) -> (&[f64], Option<f64>) {
    let measurement = trial.outcome.as_ref().and_then(Outcome::measurement);
    measurement.map_or((&[], None), |Measurement { constraints, cost, .. }| (constraints, *cost))
}

/// Hash of a configuration; equal ones have equal hashes.
pub(crate) fn hash(config: &Config) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (name, value) in config.iter() {
        name.hash(&mut hasher);
        std::mem::discriminant(value).hash(&mut hasher);
        match value {
            Value::Bool(value) => value.hash(&mut hasher),
            Value::Int(value) => value.hash(&mut hasher),
            // Zeros of both signs are equal.
            Value::Float(value) => (value + 0.0).to_bits().hash(&mut hasher),
            Value::Str(value) => value.hash(&mut hasher),
        }
    }
    hasher.finish()
}
