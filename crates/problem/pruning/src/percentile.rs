//! Percentile and median pruners.

use thrifty_sampling::Seed;
use thrifty_study::{Curve, Pruner, StudyError};

use crate::check::require;
use crate::loss;

/// Stops a trial whose best value so far is worse than a percentile of the values that measured trials had at the same step.
///
/// At step s, with the values `y₁, …, y_n` of the n measured trials that reported at s, the trial stops if
/// `min_{t ≤ s} v_t > Q_p(y₁, …, y_n)`, the percentile with linear interpolation.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PercentilePruner {
    /// Percentile p from 0 to 100 of the values, the smallest first: 25 keeps the best quarter.
    pub percentile: f64,
    /// Measured trials with a value at the step without which no trial stops.
    #[serde(default = "PercentilePruner::default_startup_trials")]
    pub startup_trials: usize,
    /// Steps before this one stop no trial.
    #[serde(default)]
    pub warmup_steps: u64,
    /// Length of the intervals in steps, counted from `warmup_steps`: a trial is checked with its first report in each.
    #[serde(default = "PercentilePruner::default_interval")]
    pub interval: u64,
}

impl PercentilePruner {
    /// A percentile; five trials at the step, no warmup, every step.
    #[must_use]
    pub fn new(percentile: f64) -> Self {
        Self {
            percentile,
            startup_trials: Self::default_startup_trials(),
            warmup_steps: 0,
            interval: Self::default_interval(),
        }
    }

    fn default_startup_trials() -> usize {
        5
    }

    fn default_interval() -> u64 {
        1
    }
}

/// Stops a trial whose best value so far is worse than the median of the values that measured trials had at the same step: a
/// [`PercentilePruner`] at 50.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MedianPruner {
    /// Measured trials with a value at the step without which no trial stops.
    pub startup_trials: usize,
    /// Steps before this one stop no trial.
    pub warmup_steps: u64,
    /// Length of the intervals in steps, counted from `warmup_steps`: a trial is checked with its first report in each.
    pub interval: u64,
}

impl Default for MedianPruner {
    /// Five trials at the step, no warmup, every step.
    fn default() -> Self {
        Self { startup_trials: 5, warmup_steps: 0, interval: 1 }
    }
}

impl Pruner for MedianPruner {
    fn should_prune(&self, running: Curve<'_>, others: &[Curve<'_>], seed: Seed) -> bool {
        PercentilePruner::from(*self).should_prune(running, others, seed)
    }

    fn validate(&self) -> Result<(), StudyError> {
        PercentilePruner::from(*self).validate_as("median")
    }
}

impl From<MedianPruner> for PercentilePruner {
    fn from(MedianPruner { startup_trials, warmup_steps, interval }: MedianPruner) -> Self {
        Self { percentile: 50.0, startup_trials, warmup_steps, interval }
    }
}

impl Pruner for PercentilePruner {
    fn should_prune(&self, running: Curve<'_>, others: &[Curve<'_>], _: Seed) -> bool {
        let Some(step) = running.last_step().filter(|_| self.is_due(running.reports)) else { return false };
        let measured = others.iter().filter(|other| other.objective.is_some());
        let mut values: Vec<f64> = measured.filter_map(|other| other.at(step)).map(loss).collect();
        if values.len() < self.startup_trials.max(1) {
            return false;
        }
        values.sort_by(f64::total_cmp);
        running.best_until(step) > percentile(&values, self.percentile)
    }

    fn validate(&self) -> Result<(), StudyError> {
        self.validate_as("percentile")
    }
}

impl PercentilePruner {
    /// True if the last report is the first of its interval.
    fn is_due(&self, reports: &[(u64, f64)]) -> bool {
        let interval =
            |step: u64| step.checked_sub(self.warmup_steps).map(|after| after / self.interval.max(1));
        let [before @ .., last] = reports else { return false };
        let now = interval(last.0);
        now.is_some() && before.last().is_none_or(|report| interval(report.0) != now)
    }

    fn validate_as(&self, pruner: &'static str) -> Result<(), StudyError> {
        let is_valid = (0.0..=100.0).contains(&self.percentile);
        require(is_valid, pruner, "percentile", self.percentile, "a number from 0 to 100")?;
        require(self.interval > 0, pruner, "interval", self.interval as f64, "at least 1")
    }
}

/// Percentile of sorted values, interpolated between neighbours.
fn percentile(sorted: &[f64], percentile: f64) -> f64 {
    let at = percentile / 100.0 * (sorted.len() - 1) as f64;
    let (low, weight) = (at.floor(), at - at.floor());
    let below = sorted[low as usize];
    // Between a finite value and infinity there is only infinity.
    if weight == 0.0 { below } else { below + weight * (sorted[low as usize + 1] - below) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_interpolate_between_neighbours() {
        assert_eq!(percentile(&[3.0], 70.0), 3.0);
        assert_eq!(percentile(&[1.0, 2.0, 4.0], 50.0), 2.0);
        assert_eq!(percentile(&[1.0, 2.0, 4.0], 75.0), 3.0);
        assert_eq!(percentile(&[1.0, 2.0, 4.0], 100.0), 4.0);
        assert_eq!(percentile(&[1.0, f64::INFINITY], 0.0), 1.0);
        assert_eq!(percentile(&[1.0, f64::INFINITY], 50.0), f64::INFINITY);
    }
}
