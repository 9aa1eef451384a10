//! Threshold pruner.

use thrifty_sampling::Seed;
use thrifty_study::{Curve, Direction, Pruner, StudyError};

use crate::check::require;

/// Stops a trial whose last value is NaN, below `lower` or above `upper`.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ThresholdPruner {
    /// Smallest value that goes on.
    pub lower: f64,
    /// Largest value that goes on.
    pub upper: f64,
    /// Values at earlier steps are not looked at.
    pub warmup_steps: u64,
}

impl Default for ThresholdPruner {
    /// Stops at NaN and at infinite values.
    fn default() -> Self {
        Self { lower: f64::MIN, upper: f64::MAX, warmup_steps: 0 }
    }
}

impl ThresholdPruner {
    /// The pruner of losses for bounds on values in the user's units: those of a value to be maximised are negated and change places.
    #[must_use]
    pub fn directed(self, direction: Direction) -> Self {
        match direction {
            Direction::Minimize => self,
            Direction::Maximize => {
                Self { lower: direction.flip(self.upper), upper: direction.flip(self.lower), ..self }
            }
        }
    }
}

impl Pruner for ThresholdPruner {
    fn should_prune(&self, running: Curve<'_>, _: &[Curve<'_>], _: Seed) -> bool {
        let last = running.reports.last().filter(|report| report.0 >= self.warmup_steps);
        last.is_some_and(|report| !(self.lower..=self.upper).contains(&report.1))
    }

    fn validate(&self) -> Result<(), StudyError> {
        require(!self.upper.is_nan(), "threshold", "upper", self.upper, "a number")?;
        let is_valid = self.lower <= self.upper;
        require(is_valid, "threshold", "lower", self.lower, "a number not above `upper`")
    }
}
