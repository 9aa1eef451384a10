//! Outcomes of trials.

use serde::{Deserialize, Serialize};
use thrifty_check::counted;

use crate::TrialId;

/// Measurement of one evaluation.
///
/// Losses are minimised: an objective to be maximised is negated at the evaluator, see [`Directions`](crate::Directions).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Measurement {
    /// Objectives to be minimised, one number each.
    pub objectives: Vec<f64>,
    /// Feasible where not positive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<f64>,
    /// Cost of the evaluation, in the user's unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Known variance of the noise in the objectives, in their squared units; `noise` in journals.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "noise", alias = "noise_variance")]
    pub noise_variance: Option<f64>,
}

/// Defect of a measurement whose objectives and constraints are finite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MeasurementProblem {
    /// Another number of objectives or constraints than in an earlier trial.
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
    /// Another number of objectives than the study has directions.
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
}

/// Reason for a failed evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// An objective, constraint, cost or noise is NaN or infinite.
    #[error("{what} is {value}")]
    NonFinite {
        /// Name of the number, with its index.
        what: String,
        /// Its value.
        value: String,
    },
    /// A measurement without objectives.
    #[error("a measurement without objectives")]
    NoObjective,
    /// A measurement that contradicts earlier ones, or with an impossible cost or noise.
    #[error(transparent)]
    Invalid(MeasurementProblem),
    /// The evaluator reported an error.
    #[error("{message}")]
    Error {
        /// Its message.
        message: String,
    },
    /// A reason that has nothing to do with the query, such as a machine that went down: no optimiser learns from it.
    #[error("{message}")]
    Unrelated {
        /// Its message.
        message: String,
    },
}

/// Outcome of a trial: a measurement, a failure or early stopping.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A measurement whose numbers are all finite.
    Measured(Measurement),
    /// A failure without a measurement.
    Failed(Failure),
    /// Stopped early because it was not promising.
    Pruned {
        /// The last step that it reported.
        last_step: u64,
    },
}

impl Outcome {
    /// A failure with a message.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(Failure::Error { message: message.into() })
    }

    /// A failure that has nothing to do with the query: no optimiser learns from it.
    pub fn unrelated(message: impl Into<String>) -> Self {
        Self::Failed(Failure::Unrelated { message: message.into() })
    }

    /// True for a failure that has nothing to do with the query.
    #[must_use]
    pub fn is_unrelated(&self) -> bool {
        matches!(self, Self::Failed(Failure::Unrelated { .. }))
    }

    /// Turns a measurement with a number that is not finite, or with a negative cost or noise, into a failure.
    #[must_use]
    pub fn checked(self) -> Self {
        let Self::Measured(measurement) = &self else { return self };
        match measurement.failure() {
            Some(failure) => Self::Failed(failure),
            None => self,
        }
    }

    /// The measurement, if there is one.
    #[must_use]
    pub fn measurement(&self) -> Option<&Measurement> {
        match self {
            Self::Measured(measurement) => Some(measurement),
            _ => None,
        }
    }

    /// The first objective, if there is one.
    #[must_use]
    pub fn objective(&self) -> Option<f64> {
        self.measurement()?.objectives.first().copied()
    }
}

impl Measurement {
    fn failure(&self) -> Option<Failure> {
        if self.objectives.is_empty() {
            return Some(Failure::NoObjective);
        }
        let named = |name: &'static str, values: &[f64]| {
            values.iter().position(|v| !v.is_finite()).map(|i| (format!("{name} {i}"), values[i]))
        };
        let bad = named("objective", &self.objectives).or_else(|| named("constraint", &self.constraints));
        if let Some((what, value)) = bad {
            return Some(Failure::NonFinite { what, value: value.to_string() });
        }
        self.check_cost_and_noise().err().map(Failure::Invalid)
    }

    /// True if no measured constraint is broken.
    #[must_use]
    pub fn is_feasible(&self) -> bool {
        self.constraints.iter().all(|constraint| *constraint <= 0.0)
    }

    /// Sum of the positive constraint values: by how much constraints are broken, 0 where none is.
    #[must_use]
    pub fn violation(&self) -> f64 {
        self.constraints.iter().fold(0.0, |sum, value| sum + value.max(0.0))
    }

    /// True if there are objectives, and all of them and the constraints are finite.
    pub(crate) fn is_finite(&self) -> bool {
        !self.objectives.is_empty()
            && self.objectives.iter().chain(&self.constraints).all(|value| value.is_finite())
    }

    /// True if cost and noise variance are finite and not negative.
    pub(crate) fn check_cost_and_noise(&self) -> Result<(), MeasurementProblem> {
        for (what, value) in [("cost", self.cost), ("noise variance", self.noise_variance)] {
            if let Some(value) = value.filter(|value| !(*value >= 0.0 && value.is_finite())) {
                return Err(MeasurementProblem::Negative { what: what.into(), value: value.to_string() });
            }
        }
        Ok(())
    }

    /// True if there are as many objectives and constraints as in an earlier trial.
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

impl From<f64> for Outcome {
    fn from(objective: f64) -> Self {
        Measurement::from(objective).into()
    }
}

/// A failed evaluation keeps the text of its error, so that an evaluator may use `?`.
impl<R: Into<Self>, E: std::fmt::Display> From<Result<R, E>> for Outcome {
    fn from(result: Result<R, E>) -> Self {
        match result {
            Ok(measured) => measured.into(),
            Err(error) => Self::failed(error.to_string()),
        }
    }
}

impl From<Measurement> for Outcome {
    fn from(measurement: Measurement) -> Self {
        Self::Measured(measurement)
    }
}
