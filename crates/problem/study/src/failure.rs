//! Failed evaluations.

use serde::{Deserialize, Serialize};

use crate::MeasurementProblem;
use crate::measurement::not_negative;

/// A failed evaluation: the reason for the missing measurement, and the cost of the evaluation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{reason}")]
#[serde(from = "Written", into = "Written")]
pub struct Failure {
    /// Reason for the missing measurement.
    pub reason: FailureReason,
    /// Cost of the evaluation, in the user's unit.
    pub cost: Option<f64>,
}

impl Failure {
    /// Removes a cost that is negative or not finite.
    pub(crate) fn with_valid_cost(self) -> Self {
        let cost = self.cost.filter(|cost| not_negative("cost", Some(*cost)).is_ok());
        Self { cost, ..self }
    }
}

impl From<FailureReason> for Failure {
    /// A failure with unknown cost.
    fn from(reason: FailureReason) -> Self {
        Self { reason, cost: None }
    }
}

/// Form of a failure in journals. Without a cost it is the reason alone, as in earlier versions.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Costed { reason: FailureReason, cost: f64 },
    Alone(FailureReason),
}

impl From<Failure> for Written {
    fn from(Failure { reason, cost }: Failure) -> Self {
        match cost {
            Some(cost) => Self::Costed { reason, cost },
            None => Self::Alone(reason),
        }
    }
}

impl From<Written> for Failure {
    fn from(written: Written) -> Self {
        match written {
            Written::Costed { reason, cost } => Self { reason, cost: Some(cost) },
            Written::Alone(reason) => reason.into(),
        }
    }
}

/// Reason for a failed evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum FailureReason {
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
    /// A measurement that contradicts earlier ones, or has an invalid cost or noise.
    #[error(transparent)]
    Invalid(MeasurementProblem),
    /// The evaluator reported an error.
    #[error("{message}")]
    Error {
        /// Its message.
        message: String,
    },
    /// A reason that is unrelated to the query, such as a machine that went down; no optimiser learns from it.
    #[error("{message}")]
    Unrelated {
        /// Its message.
        message: String,
    },
}
