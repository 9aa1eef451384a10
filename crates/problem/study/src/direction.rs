//! Directions of objectives: maximised objectives are negated at the interface of a study.

use serde::{Deserialize, Serialize};

use crate::{Measurement, Outcome};

/// Direction of an objective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Smaller is better.
    #[default]
    Minimize,
    /// Larger is better.
    Maximize,
}

impl Direction {
    /// Name in journals and study files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Minimize => "minimize",
            Self::Maximize => "maximize",
        }
    }

    /// Converts a value in the user's units to a loss, or back: the map is its own inverse.
    ///
    /// ```
    /// use thrifty_study::Direction;
    /// assert_eq!([Direction::Minimize, Direction::Maximize].map(|d| d.flip(0.9)), [0.9, -0.9]);
    /// ```
    #[must_use]
    pub fn flip(self, value: f64) -> f64 {
        match self {
            Self::Minimize => value,
            // Not the sign alone, since minus zero would be displayed as such.
            Self::Maximize => 0.0 - value,
        }
    }

    /// Converts an interval in the user's units to an interval of losses, or back; the lower end comes first.
    ///
    /// ```
    /// use thrifty_study::Direction;
    /// assert_eq!(Direction::Maximize.flip_interval((1.0, 3.0)), (-3.0, -1.0));
    /// ```
    #[must_use]
    pub fn flip_interval(self, (low, high): (f64, f64)) -> (f64, f64) {
        match self {
            Self::Minimize => (low, high),
            Self::Maximize => (self.flip(high), self.flip(low)),
        }
    }
}

/// Directions of the objectives of a study, in their order.
///
/// Optimisers, stop rules, pruners, histories and journals all use losses. User input is converted to losses once, where it is read; output
/// to the user is converted back. Without directions all objectives are minimised.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Directions(Vec<Direction>);

impl Directions {
    /// One direction per objective. If empty, the number of objectives is open, and all are minimised.
    #[must_use]
    pub fn new(directions: Vec<Direction>) -> Self {
        Self(directions)
    }

    /// The directions as given.
    #[must_use]
    pub fn as_slice(&self) -> &[Direction] {
        &self.0
    }

    /// The direction of an objective.
    #[must_use]
    pub fn of(&self, objective: usize) -> Direction {
        self.0.get(objective).copied().unwrap_or_default()
    }

    /// The direction of the first objective, which also applies to intermediate values.
    #[must_use]
    pub fn first(&self) -> Direction {
        self.of(0)
    }

    /// True if every objective is minimised.
    #[must_use]
    pub fn all_minimize(&self) -> bool {
        self.0.iter().all(|direction| *direction == Direction::Minimize)
    }

    /// Converts objectives in the user's units to losses, or back.
    #[must_use]
    pub fn flip(&self, objectives: &[f64]) -> Vec<f64> {
        objectives.iter().enumerate().map(|(at, value)| self.of(at).flip(*value)).collect()
    }

    /// Converts a measurement in the user's units to losses, or back. Constraints, cost and noise variance are unchanged.
    #[must_use]
    pub fn flip_measurement(&self, measurement: Measurement) -> Measurement {
        Measurement { objectives: self.flip(&measurement.objectives), ..measurement }
    }

    /// Converts an outcome in the user's units to losses, or back.
    ///
    /// A measurement that is not finite is first converted to a failure, so that its reason contains the number in the user's units. An
    /// invalid cost or noise variance is kept: [`Study::tell`](crate::Study::tell) rejects it without losing the measured values.
    #[must_use]
    pub fn flip_outcome(&self, outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Measured(measurement) if measurement.is_finite() => {
                Outcome::Measured(self.flip_measurement(measurement))
            }
            Outcome::Measured(_) => outcome.checked(),
            other => other,
        }
    }

    /// Names for messages; `minimize` without directions.
    #[must_use]
    pub fn names(&self) -> String {
        if self.0.is_empty() {
            return Direction::Minimize.name().into();
        }
        self.0.iter().map(|direction| direction.name()).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::FailureReason;

    fn mixed() -> Directions {
        Directions::new(vec![Direction::Maximize, Direction::Minimize])
    }

    #[test]
    fn maximised_objectives_alone_are_negated() {
        let measured = Measurement {
            objectives: vec![0.9, 3.0],
            constraints: vec![-1.0],
            cost: Some(2.0),
            noise_variance: Some(0.5),
        };
        let losses = mixed().flip_measurement(measured.clone());
        assert_eq!(losses, Measurement { objectives: vec![-0.9, 3.0], ..measured });
        assert_eq!(Directions::default().flip(&[1.0, 2.0]), [1.0, 2.0]);
        // Zero has no sign that a user would see.
        assert!(Direction::Maximize.flip(0.0).is_sign_positive());
        assert!(Direction::Maximize.flip(-0.0).is_sign_positive());
    }

    #[test]
    fn reasons_of_failures_name_the_number_of_the_user() {
        for (value, text) in [(f64::INFINITY, "inf"), (f64::NEG_INFINITY, "-inf"), (f64::NAN, "NaN")] {
            let Outcome::Failed(failure) = mixed().flip_outcome(value.into()) else {
                panic!("{value} is no failure");
            };
            let what = "objective 0".into();
            assert_eq!(failure.reason, FailureReason::NonFinite { what, value: text.into() });
        }
    }

    #[test]
    fn costs_and_noise_that_make_no_sense_are_left_to_the_study() {
        for (cost, noise_variance) in
            [(Some(-1.0), None), (None, Some(-1.0)), (Some(f64::NAN), Some(f64::INFINITY))]
        {
            let measured =
                Measurement { objectives: vec![0.9, 3.0], constraints: vec![], cost, noise_variance };
            let Outcome::Measured(losses) = mixed().flip_outcome(measured.into()) else {
                panic!("the measured values are lost");
            };
            assert_eq!(losses.objectives, [-0.9, 3.0]);
            assert!(losses.check_cost_and_noise().is_err());
        }
        let failed = Outcome::failed("late").with_cost(-1.0);
        assert_eq!(mixed().flip_outcome(failed.clone()), failed);
    }

    proptest! {
        #[test]
        fn flipping_twice_is_the_identity(values in proptest::collection::vec(-1e300..1e300_f64, 0..4)) {
            prop_assert_eq!(mixed().flip(&mixed().flip(&values)), values);
        }
    }
}
