//! Outcomes of trials.

use serde::{Deserialize, Serialize};

use crate::measurement::not_negative;
use crate::{Failure, FailureReason, Measurement, MeasurementProblem};

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
        /// Last reported step.
        last_step: u64,
        /// Cost of the evaluation until it was stopped, in the user's unit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<f64>,
    },
}

impl Outcome {
    /// A failure with a message.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::because(FailureReason::Error { message: message.into() })
    }

    /// A failure that is unrelated to the query; no optimiser learns from it.
    pub fn unrelated(message: impl Into<String>) -> Self {
        Self::because(FailureReason::Unrelated { message: message.into() })
    }

    /// A failure with unknown cost.
    fn because(reason: FailureReason) -> Self {
        Self::Failed(reason.into())
    }

    /// Early stopping after the last reported step.
    #[must_use]
    pub fn pruned(last_step: u64) -> Self {
        Self::Pruned { last_step, cost: None }
    }

    /// Sets or removes the cost of the evaluation, in the user's unit. Failures and stopped trials have a cost too.
    #[must_use]
    pub fn with_cost(mut self, cost: impl Into<Option<f64>>) -> Self {
        *self.cost_mut() = cost.into();
        self
    }

    /// Cost of the evaluation, for every kind of outcome; `None` if it was not reported.
    #[must_use]
    pub fn cost(&self) -> Option<f64> {
        match self {
            Self::Measured(Measurement { cost, .. })
            | Self::Failed(Failure { cost, .. })
            | Self::Pruned { cost, .. } => *cost,
        }
    }

    pub(crate) fn cost_mut(&mut self) -> &mut Option<f64> {
        match self {
            Self::Measured(Measurement { cost, .. })
            | Self::Failed(Failure { cost, .. })
            | Self::Pruned { cost, .. } => cost,
        }
    }

    /// True for a failure that is unrelated to the query.
    #[must_use]
    pub fn is_unrelated(&self) -> bool {
        matches!(self, Self::Failed(Failure { reason: FailureReason::Unrelated { .. }, .. }))
    }

    /// Converts a measurement to a failure if a number is not finite, or if its cost or noise is negative. For other outcomes, an invalid
    /// cost is removed.
    #[must_use]
    pub fn checked(self) -> Self {
        match self.measurement().and_then(Measurement::defect) {
            Some(reason) => self.refused(reason),
            None => self.with_valid_cost(),
        }
    }

    /// Converts a measurement to a failure with this reason and the same cost. Other outcomes are unchanged.
    pub(crate) fn refused(self, reason: FailureReason) -> Self {
        let refused = match &self {
            Self::Measured(measurement) => Self::Failed(Failure { reason, cost: measurement.cost }),
            _ => self,
        };
        refused.with_valid_cost()
    }

    /// Removes a cost that is negative or not finite.
    pub(crate) fn with_valid_cost(mut self) -> Self {
        if self.check_cost().is_err() {
            *self.cost_mut() = None;
        }
        self
    }

    /// Rejects a cost that is negative or not finite.
    pub(crate) fn check_cost(&self) -> Result<(), MeasurementProblem> {
        not_negative("cost", self.cost())
    }

    /// The measurement; `None` for other outcomes.
    #[must_use]
    pub fn measurement(&self) -> Option<&Measurement> {
        match self {
            Self::Measured(measurement) => Some(measurement),
            _ => None,
        }
    }

    /// The first objective; `None` without one.
    #[must_use]
    pub fn objective(&self) -> Option<f64> {
        self.measurement()?.objectives.first().copied()
    }
}

impl From<f64> for Outcome {
    fn from(objective: f64) -> Self {
        Measurement::from(objective).into()
    }
}

/// A failed evaluation keeps the text of its error, so evaluators can use `?`.
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
