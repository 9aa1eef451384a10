//! Explicit and implicit thresholds.

use crate::Intervals;

/// Threshold h of the level set f > h.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Threshold {
    /// A known number h.
    Fixed(f64),
    /// A share of the unknown largest value, `h = ω max f`, for a maximum that is positive. Source: Gotovos et al. (2013).
    Implicit {
        /// ω in (0, 1).
        omega: f64,
    },
}

/// Bounds and estimate of h.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Level {
    /// No larger than h while intervals hold: ω times the largest lower bound.
    pub pessimistic: f64,
    /// Value of h in criteria and probabilities: ω times the largest mean.
    pub estimate: f64,
    /// No smaller than h while intervals hold: ω times the largest upper bound.
    pub optimistic: f64,
}

impl Threshold {
    pub(crate) fn level(self, mean: &[f64], intervals: &Intervals) -> Level {
        match self {
            Self::Fixed(h) => Level { pessimistic: h, estimate: h, optimistic: h },
            Self::Implicit { omega } => {
                let largest = |v: &[f64]| omega * v.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                Level {
                    pessimistic: largest(&intervals.lower),
                    estimate: largest(mean),
                    optimistic: largest(&intervals.upper),
                }
            }
        }
    }
}
