//! Wilcoxon pruner.

use thrifty_sampling::Seed;
use thrifty_study::{Curve, Pruner, StudyError};

use crate::check::require;
use crate::{loss, signed_rank};

/// Stops a trial that is worse than the best measured trial on the folds that both have: for objectives that are means over folds, data sets or
/// problem instances, with the fold as the step.
///
/// The differences are those of the running trial and the trial with the smallest objective at the same steps. The trial stops if their mean is positive and
/// the one-sided [`signed_rank`] test gives p ≤ `level`. The order of the folds does not matter; for many folds a random order is best, as
/// each step tests again.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WilcoxonPruner {
    /// Level of the test.
    pub level: f64,
    /// Common folds without which no trial stops.
    pub startup_steps: usize,
}

impl Default for WilcoxonPruner {
    /// p ≤ 0.1 on two folds or more: four equal signs are the fewest that can stop a trial.
    fn default() -> Self {
        Self { level: 0.1, startup_steps: 2 }
    }
}

impl Pruner for WilcoxonPruner {
    fn should_prune(&self, running: Curve<'_>, others: &[Curve<'_>], _: Seed) -> bool {
        let measured = others.iter().filter_map(|other| Some((other, other.objective?)));
        let best = measured.reduce(|best, other| if other.1 < best.1 { other } else { best });
        let Some((best, _)) = best else { return false };
        let mut steps: Vec<u64> = running.reports.iter().map(|report| report.0).collect();
        steps.sort_unstable();
        steps.dedup();
        let difference = |step| Some(loss(running.at(step)?) - loss(best.at(step)?));
        // Two infinite values say nothing.
        let differences: Vec<f64> =
            steps.into_iter().filter_map(difference).filter(|difference| !difference.is_nan()).collect();
        differences.len() >= self.startup_steps
            && differences.iter().sum::<f64>() > 0.0
            && signed_rank(&differences) <= self.level
    }

    fn validate(&self) -> Result<(), StudyError> {
        let is_valid = self.level > 0.0 && self.level < 1.0;
        require(is_valid, "wilcoxon", "level", self.level, "a number between 0 and 1")
    }
}
