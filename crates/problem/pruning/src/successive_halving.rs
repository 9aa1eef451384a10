//! Asynchronous successive halving.

use thrifty_sampling::Seed;
use thrifty_study::{Curve, Pruner, StudyError};

use crate::check::require;
use crate::loss;

/// Asynchronous successive halving (ASHA; Li, Jamieson et al., 2020, in the form that stops trials instead of pausing them).
///
/// Rungs are the steps r η^(s+k), k = 0, 1, …. A trial's value at a rung is that of its first report at or beyond it. When a trial reaches a rung, it stops
/// unless its value is among the best max(1, ⌊n/η⌋) of the n trials that have reached the rung, itself included and whatever became of
/// the others. Equal values go on together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SuccessiveHalvingPruner {
    /// Step r of the first rung.
    pub min_steps: u64,
    /// Factor η between rungs: one in η trials goes on.
    pub factor: u64,
    /// Number s of rungs that are left out at the start.
    pub skipped: u32,
}

impl Default for SuccessiveHalvingPruner {
    /// Rungs at 1, 3, 9, 27, ….
    fn default() -> Self {
        Self { min_steps: 1, factor: 3, skipped: 0 }
    }
}

impl SuccessiveHalvingPruner {
    /// The decision among given competitors.
    pub(crate) fn stops<'c, C>(&self, running: Curve<'_>, others: impl Fn() -> C) -> bool
    where
        C: Iterator<Item = &'c Curve<'c>>,
    {
        let Some((last, before)) = running.reports.split_last() else { return false };
        let reached = before.iter().map(|report| report.0).max();
        let new = self.rungs(last.0).filter(|rung| reached.is_none_or(|reached| reached < *rung));
        new.into_iter().any(|rung| {
            let own = loss(last.1);
            let values = others().filter_map(|other| value(other, rung));
            let (better, count) =
                values.fold((0, 1), |(better, n), value| (better + u64::from(value < own), n + 1));
            better >= (count / self.factor.max(2)).max(1)
        })
    }

    /// Rungs up to a step.
    fn rungs(&self, last: u64) -> impl Iterator<Item = u64> {
        let factor = self.factor.max(2);
        let first = self.min_steps.max(1).checked_mul(factor.checked_pow(self.skipped).unwrap_or(u64::MAX));
        std::iter::successors(first, move |rung| rung.checked_mul(factor))
            .take_while(move |rung| *rung <= last)
    }
}

/// Value of a curve when it reached a rung.
fn value(curve: &Curve<'_>, rung: u64) -> Option<f64> {
    curve.reports.iter().find(|report| report.0 >= rung).map(|report| loss(report.1))
}

impl Pruner for SuccessiveHalvingPruner {
    fn should_prune(&self, running: Curve<'_>, others: &[Curve<'_>], _: Seed) -> bool {
        self.stops(running, || others.iter())
    }

    fn validate(&self) -> Result<(), StudyError> {
        self.validate_as("successive_halving")
    }
}

impl SuccessiveHalvingPruner {
    pub(crate) fn validate_as(&self, pruner: &'static str) -> Result<(), StudyError> {
        require(self.min_steps > 0, pruner, "min_steps", self.min_steps as f64, "at least 1")?;
        require(self.factor > 1, pruner, "factor", self.factor as f64, "at least 2")
    }
}
