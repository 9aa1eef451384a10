//! Widths of confidence intervals.

use thrifty_acquisition::{AcquisitionError, Schedule};

/// Width of confidence intervals: `μ ± √β_t σ`, where t is the number of observations.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// A constant β. √β = 3 is common in experiments; no theorem covers it.
    Constant {
        /// β ≥ 0.
        beta: f64,
    },
    /// `β_t = 2 ln(|D| t² π² / 6δ)` for the |D| classified points. Source: Srinivas et al. (2010), theorem 1.
    Srinivas {
        /// δ in (0, 1): with probability 1 - δ all intervals of all steps contain the function.
        delta: f64,
    },
    /// Schedule of the theorem on level sets; equal to `Srinivas`. Source: Gotovos et al. (2013), theorem 1.
    Gotovos {
        /// δ in (0, 1): with probability 1 - δ every point is classified within ε.
        delta: f64,
    },
}

impl Default for Confidence {
    /// √β = 3.
    fn default() -> Self {
        Self::Constant { beta: 9.0 }
    }
}

impl Confidence {
    /// β after t observations, from 1, for a number of classified points.
    ///
    /// # Errors
    /// [`AcquisitionError`] names the invalid number.
    pub fn beta(self, t: usize, points: usize) -> Result<f64, AcquisitionError> {
        let points = points.max(1) as f64;
        let schedule = match self {
            Self::Constant { beta } => Schedule::Constant { beta },
            Self::Srinivas { delta } | Self::Gotovos { delta } => Schedule::SrinivasFinite { points, delta },
        };
        Ok(schedule.beta(t)?)
    }
}
