use serde::{Deserialize, Serialize};

/// What one evaluation observed. Losses are minimised: a method that maximises is flipped at the evaluator.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Measurement {
    /// What is minimised, one number an objective.
    pub objectives: Vec<f64>,
    /// Feasible where not positive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<f64>,
    /// What the evaluation cost, in the user's unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Known variance of the noise in the objectives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
}

/// Why an evaluation gave no measurement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// An objective, constraint, cost or noise is NaN or infinite.
    NonFinite {
        /// Which, with its index.
        what: String,
        /// Its value.
        value: String,
    },
    /// A measurement without objectives.
    NoObjective,
    /// The evaluator said so.
    Error {
        /// What it said.
        message: String,
    },
}

/// How a trial ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// With a measurement, all of it finite.
    Measured(Measurement),
    /// Without one.
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

    /// The same outcome, or the failure that it is when a number in it is not finite.
    #[must_use]
    pub fn checked(self) -> Self {
        let Self::Measured(measurement) = &self else { return self };
        if measurement.objectives.is_empty() {
            return Self::Failed(Failure::NoObjective);
        }
        let named = |name: &'static str, values: &[f64]| {
            values.iter().position(|v| !v.is_finite()).map(|i| (format!("{name} {i}"), values[i]))
        };
        let bad = named("objective", &measurement.objectives)
            .or_else(|| named("constraint", &measurement.constraints))
            .or_else(|| named("cost", measurement.cost.as_slice()))
            .or_else(|| named("noise", measurement.noise.as_slice()));
        match bad {
            Some((what, value)) => Self::Failed(Failure::NonFinite { what, value: value.to_string() }),
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

impl From<Measurement> for Outcome {
    fn from(measurement: Measurement) -> Self {
        Self::Measured(measurement).checked()
    }
}
