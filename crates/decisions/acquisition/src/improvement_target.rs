//! Improvement targets: the incumbent value of improvement-based acquisition functions.

use thrifty_check::{InputError, number};

/// Incumbent value τ: a value below it counts as an improvement.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImprovementTarget {
    /// A known number. Optimisers interpret it in units of the loss, for every transform of the model.
    Fixed(f64),
    /// The best observed value.
    BestObserved,
    /// The smallest posterior mean over the observed points: the better choice under noise.
    BestMean,
    /// The best observed value minus `xi` times the range of the observations, which requires a margin.
    BestWithMargin {
        /// Share of the range, ≥ 0.
        xi: f64,
    },
}

impl ImprovementTarget {
    /// Checks the numbers of a target.
    ///
    /// # Errors
    /// [`InputError`] names a fixed number that is not finite, or a margin that is negative or not finite.
    pub fn validate(self) -> Result<(), InputError> {
        match self {
            Self::Fixed(value) => number("fixed", value, true, "a finite number")?,
            Self::BestWithMargin { xi } => number("xi", xi, xi >= 0.0, "a finite number from 0")?,
            Self::BestObserved | Self::BestMean => 0.0,
        };
        Ok(())
    }

    /// Value of τ, given the observed values and the posterior means at their points; infinity without any.
    #[must_use]
    pub fn value(self, observed: &[f64], means: &[f64]) -> f64 {
        let smallest = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
        let best = smallest(observed);
        match self {
            Self::Fixed(value) => value,
            Self::BestObserved => best,
            Self::BestMean => smallest(means),
            Self::BestWithMargin { xi } => {
                let range = observed.iter().copied().fold(f64::NEG_INFINITY, f64::max) - best;
                if range.is_finite() { best - xi * range } else { best }
            }
        }
    }
}
