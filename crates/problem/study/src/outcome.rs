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
        /// The last step that it reported.
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

    /// A failure that has nothing to do with the query: no optimiser learns from it.
    pub fn unrelated(message: impl Into<String>) -> Self {
        Self::because(FailureReason::Unrelated { message: message.into() })
    }

    /// A failure whose cost is not known.
    fn because(reason: FailureReason) -> Self {
        Self::Failed(reason.into())
    }

    /// Early stopping after the last step that was reported.
    #[must_use]
    pub fn pruned(last_step: u64) -> Self {
        Self::Pruned { last_step, cost: None }
    }

    /// Outcome with another cost of the evaluation, in the user's unit, or none: failures and stopped trials are paid for too.
    #[must_use]
    pub fn with_cost(mut self, cost: impl Into<Option<f64>>) -> Self {
        *self.cost_mut() = cost.into();
        self
    }

    /// Cost of the evaluation, whatever came of it; nothing where it was not reported.
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

    /// True for a failure that has nothing to do with the query.
    #[must_use]
    pub fn is_unrelated(&self) -> bool {
        matches!(self, Self::Failed(Failure { reason: FailureReason::Unrelated { .. }, .. }))
    }

    /// Turns a measurement with a number that is not finite, or with a negative cost or noise, into a failure. Of other
    /// outcomes, such a cost is left out.
    #[must_use]
    pub fn checked(self) -> Self {
        match self.measurement().and_then(Measurement::defect) {
            Some(reason) => self.refused(reason),
            None => self.with_valid_cost(),
        }
    }

    /// A measurement as a failure for this reason, which costs as much. Other outcomes stay.
    pub(crate) fn refused(self, reason: FailureReason) -> Self {
        let refused = match &self {
            Self::Measured(measurement) => Self::Failed(Failure { reason, cost: measurement.cost }),
            _ => self,
        };
        refused.with_valid_cost()
    }

    /// Leaves a cost out that is negative or not finite.
    pub(crate) fn with_valid_cost(mut self) -> Self {
        if self.check_cost().is_err() {
            *self.cost_mut() = None;
        }
        self
    }

    /// Refuses a cost that is negative or not finite.
    pub(crate) fn check_cost(&self) -> Result<(), MeasurementProblem> {
        not_negative("cost", self.cost())
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
