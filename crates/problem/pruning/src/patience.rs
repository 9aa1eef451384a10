//! Patience pruner.

use thrifty_sampling::Seed;
use thrifty_study::{Curve, Pruner, StudyError};

use crate::check::require;
use crate::loss;

/// Stops a trial that has not improved for some reports.
///
/// With the reports `v₁, …, v_t`, the patience p and the least gain δ it stops when t > p and the gain `min(v₁, …, v_{t−p}) − min(v_{t−p+1}, …, v_t)` is not
/// positive or is below δ.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PatiencePruner {
    /// Reports p without an improvement.
    pub patience: usize,
    /// Least gain δ that counts as an improvement.
    pub min_gain: f64,
}

impl Default for PatiencePruner {
    /// Five reports; every gain counts.
    fn default() -> Self {
        Self::new(5)
    }
}

impl PatiencePruner {
    /// A pruner with a patience in reports; every gain counts.
    #[must_use]
    pub fn new(patience: usize) -> Self {
        Self { patience, min_gain: 0.0 }
    }
}

impl Pruner for PatiencePruner {
    fn should_prune(&self, running: Curve<'_>, _: &[Curve<'_>], _: Seed) -> bool {
        let Some(before) = running.reports.len().checked_sub(self.patience).filter(|before| *before > 0)
        else {
            return false;
        };
        let best = |reports: &[(u64, f64)]| {
            reports.iter().map(|report| loss(report.1)).fold(f64::INFINITY, f64::min)
        };
        let (earlier, recent) = running.reports.split_at(before);
        let gain = best(earlier) - best(recent);
        // Infinite values before and after are no gain.
        !(gain > 0.0 && gain >= self.min_gain)
    }

    fn validate(&self) -> Result<(), StudyError> {
        require(self.patience > 0, "patience", "patience", self.patience as f64, "at least 1")?;
        let is_valid = self.min_gain.is_finite() && self.min_gain >= 0.0;
        require(is_valid, "patience", "min_gain", self.min_gain, "a finite number from 0")
    }
}
