//! Measurements of trials.

use serde::{Deserialize, Serialize};
use thrifty_check::counted;

use crate::{FailureReason, TrialId};

/// Measurement of one evaluation.
///
/// Losses are minimised: the evaluator negates a maximised objective, see [`Directions`](crate::Directions).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Measurement {
    /// Objectives, which are minimised.
    pub objectives: Vec<f64>,
    /// Constraints; each holds if it is not positive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<f64>,
    /// Cost of the evaluation, in the user's unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Known noise variance of the objectives, in their squared units; named `noise` in journals.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "noise", alias = "noise_variance")]
    pub noise_variance: Option<f64>,
}

/// Defect of a measurement whose objectives and constraints are finite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MeasurementProblem {
    /// Number of objectives or constraints that differs from that of an earlier trial.
    #[error("{}, but trial {} has {expected}", counted(*found, what), .earlier.0)]
    Count {
        /// `objectives` or `constraints`.
        what: String,
        /// Number found.
        found: usize,
        /// Number in the earlier trial.
        expected: usize,
        /// The earlier trial.
        earlier: TrialId,
    },
    /// Number of objectives that differs from the number of directions of the study.
    #[error("{}, but the study has {}", counted(*found, "objectives"), counted(*expected, "directions"))]
    Directions {
        /// Number of objectives found.
        found: usize,
        /// Number of directions.
        expected: usize,
    },
    /// A cost or a noise variance that is negative or not finite.
    #[error("the {what} is {value}, expected a finite number from 0")]
    Negative {
        /// `cost` or `noise variance`.
        what: String,
        /// Its value.
        value: String,
    },
    /// A number that is missing or that the optimiser cannot use.
    #[error("the {what} is {value}, expected {expected}")]
    Unusable {
        /// Its name, such as `cost`.
        what: String,
        /// Its value, or `missing`.
        value: String,
        /// Description of the valid values.
        expected: String,
    },
}

impl Measurement {
    /// Defect that makes the measurement a failure; `None` if there is none.
    pub(crate) fn defect(&self) -> Option<FailureReason> {
        if self.objectives.is_empty() {
            return Some(FailureReason::NoObjective);
        }
        let named = |name: &'static str, values: &[f64]| {
            values.iter().position(|v| !v.is_finite()).map(|i| (format!("{name} {i}"), values[i]))
        };
        let bad = named("objective", &self.objectives).or_else(|| named("constraint", &self.constraints));
        if let Some((what, value)) = bad {
            return Some(FailureReason::NonFinite { what, value: value.to_string() });
        }
        self.check_cost_and_noise().err().map(FailureReason::Invalid)
    }

    /// True if no measured constraint is broken.
    #[must_use]
    pub fn is_feasible(&self) -> bool {
        self.constraints.iter().all(|constraint| *constraint <= 0.0)
    }

    /// Constraint violation: sum of the positive constraint values; 0 if none is broken.
    #[must_use]
    pub fn violation(&self) -> f64 {
        self.constraints.iter().fold(0.0, |sum, value| sum + value.max(0.0))
    }

    /// True if there are objectives, and all of them and the constraints are finite.
    pub(crate) fn is_finite(&self) -> bool {
        !self.objectives.is_empty()
            && self.objectives.iter().chain(&self.constraints).all(|value| value.is_finite())
    }

    /// Checks that cost and noise variance are finite and not negative.
    pub(crate) fn check_cost_and_noise(&self) -> Result<(), MeasurementProblem> {
        not_negative("cost", self.cost)?;
        not_negative("noise variance", self.noise_variance)
    }

    /// Rejects a measurement without a positive cost, for an optimiser that models the log cost.
    ///
    /// # Errors
    /// [`MeasurementProblem::Unusable`] contains the cost.
    pub fn require_positive_cost(&self) -> Result<(), MeasurementProblem> {
        if self.cost.is_some_and(|cost| cost > 0.0 && cost.is_finite()) {
            return Ok(());
        }
        Err(MeasurementProblem::Unusable {
            what: "cost".into(),
            value: self.cost.map_or_else(|| "missing".into(), |cost| cost.to_string()),
            expected: "a positive number, as the settings count costs".into(),
        })
    }

    /// Checks that the numbers of objectives and constraints are those of an earlier trial.
    pub(crate) fn check_counts(&self, earlier: TrialId, other: &Self) -> Result<(), MeasurementProblem> {
        let counts = |m: &Self| [("objectives", m.objectives.len()), ("constraints", m.constraints.len())];
        for ((what, found), (_, expected)) in counts(self).into_iter().zip(counts(other)) {
            if found != expected {
                return Err(MeasurementProblem::Count { what: what.into(), found, expected, earlier });
            }
        }
        Ok(())
    }
}

impl From<f64> for Measurement {
    fn from(objective: f64) -> Self {
        Self { objectives: vec![objective], ..Self::default() }
    }
}

/// Rejects a number that is negative or not finite.
pub(crate) fn not_negative(what: &str, value: Option<f64>) -> Result<(), MeasurementProblem> {
    match value.filter(|value| !(*value >= 0.0 && value.is_finite())) {
        Some(value) => Err(MeasurementProblem::Negative { what: what.into(), value: value.to_string() }),
        None => Ok(()),
    }
}
