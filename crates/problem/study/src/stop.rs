//! Stop rules.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    EXPECTED_IMPROVEMENT, EXPECTED_IMPROVEMENT_RANGE, HistoryView, Measurement, Memo, MemoKey, Outcome,
    StudyError,
};

/// Reason for the end of a study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// The limit on the number of trials was reached.
    Trials(usize),
    /// The time limit was reached; contains the elapsed time in seconds.
    WallTime(f64),
    /// The cost limit was reached; contains the total cost.
    Cost(f64),
    /// The target was reached; contains a feasible value at least as good.
    Target(f64),
    /// The expected improvement was too small, several times in a row.
    NoImprovement {
        /// The last expected improvement.
        expected: f64,
        /// Smallest expected improvement that would have continued the study, in units of the model.
        threshold: f64,
    },
    /// The best objective has not improved in some trials in a row.
    Stagnated {
        /// Number of measured trials since the last counted improvement.
        trials: usize,
        /// The best objective.
        best: f64,
    },
    /// The expected gain of an evaluation is smaller than its expected cost times the price.
    NotWorthItsCost {
        /// Expected gain of the last trial.
        gain: f64,
        /// Expected cost of the last trial.
        cost: f64,
        /// Price of a unit of cost, in units of the gain.
        gamma: f64,
    },
    /// Every point of a finite space was evaluated.
    Exhausted,
    /// A reason of the optimiser itself, with numbers.
    Decided {
        /// Description in words.
        message: String,
        /// Numbers behind the reason.
        numbers: BTreeMap<String, f64>,
    },
    /// Several reasons at once.
    All(Vec<StopReason>),
}

/// Decides whether a study continues.
pub trait StopRule: Send + Sync {
    /// A reason to stop; `None` to continue. Only reported outcomes count.
    fn check(&self, view: &dyn HistoryView) -> Option<StopReason>;

    /// Checks the settings; called before a study begins.
    ///
    /// # Errors
    /// [`StudyError::InvalidStopRule`].
    fn validate(&self) -> Result<(), StudyError> {
        Ok(())
    }
}

/// Stops before trial number n + 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxTrials(pub usize);

/// Stops when this time has passed since the start of the study.
///
/// With a journal this is the total time of all sittings, each from its start to its last line, and of the current one; pauses between
/// sittings do not count. For lines of earlier versions without a time, the seconds of their suggestions and evaluations count. In a shared
/// study it is the time since the start of its log, by the clock of the store, including pauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WallTime(pub Duration);

/// Stops when the total cost of all evaluations reaches this value, including failed and pruned trials and repeated attempts. Evaluations
/// without a reported cost count as 0; see [`Outcome::with_cost`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MaxCost(pub f64);

/// Stops when a comparable feasible trial has a first objective of at most this value; see
/// [`History::with_comparable`](crate::History::with_comparable).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target(pub f64);

/// Stops when the [`EXPECTED_IMPROVEMENT`] of each of the last `times` trials with this entry is below `epsilon` times its
/// [`EXPECTED_IMPROVEMENT_RANGE`].
///
/// Both are in units of the model, so the scale of the objective does not matter. Trials without that range, such as those of optimisers
/// whose improvement is in units of the objective, are compared with the current range of the objective.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoImprovement {
    /// Limit, as a share of the range of the losses.
    pub epsilon: f64,
    /// Number of trials in a row.
    pub times: usize,
}

/// Stops when the best first objective has not decreased by more than `min_gain` in the last `trials` measured trials.
///
/// Trials that break a measured constraint are counted but never the best. Failed and pruned trials are not counted; neither are trials
/// excluded by [`History::with_comparable`](crate::History::with_comparable).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patience {
    /// Number of measured trials in a row, from 1.
    pub trials: usize,
    /// Smallest counted improvement, in units of the objective.
    pub min_gain: f64,
}

/// Stops as soon as one of the rules does.
pub struct Any(pub Vec<Box<dyn StopRule>>);

/// Stops as soon as every rule does.
pub struct All(pub Vec<Box<dyn StopRule>>);

impl StopRule for MaxTrials {
    fn check(&self, view: &dyn HistoryView) -> Option<StopReason> {
        (view.asked() >= self.0).then_some(StopReason::Trials(self.0))
    }
}

impl StopRule for WallTime {
    fn check(&self, view: &dyn HistoryView) -> Option<StopReason> {
        (view.elapsed() >= self.0).then(|| StopReason::WallTime(view.elapsed().as_secs_f64()))
    }
}

impl StopRule for MaxCost {
    fn check(&self, view: &dyn HistoryView) -> Option<StopReason> {
        let spent = view.spent();
        (spent >= self.0).then_some(StopReason::Cost(spent))
    }

    fn validate(&self) -> Result<(), StudyError> {
        require("MaxCost", self.0, self.0 >= 0.0, "a number from 0")
    }
}

impl StopRule for Target {
    fn check(&self, view: &dyn HistoryView) -> Option<StopReason> {
        let feasible =
            view.compared().filter(|outcome| outcome.measurement().is_some_and(Measurement::is_feasible));
        feasible.filter_map(Outcome::objective).find(|value| *value <= self.0).map(StopReason::Target)
    }

    fn validate(&self) -> Result<(), StudyError> {
        require("Target", self.0, !self.0.is_nan(), "a number")
    }
}

impl StopRule for Patience {
    fn check(&self, view: &dyn HistoryView) -> Option<StopReason> {
        // Improvements that are too small change the best value, but not the reference.
        let (mut best, mut reference, mut since) = (f64::INFINITY, f64::INFINITY, 0);
        for measured in view.compared().filter_map(Outcome::measurement) {
            let feasible = measured.objectives.first().filter(|_| measured.is_feasible());
            best = feasible.map_or(best, |objective| best.min(*objective));
            match feasible {
                Some(objective) if *objective < reference - self.min_gain => {
                    (reference, since) = (*objective, 0);
                }
                _ => since += 1,
            }
        }
        (since >= self.trials && best.is_finite()).then_some(StopReason::Stagnated { trials: since, best })
    }

    fn validate(&self) -> Result<(), StudyError> {
        require("Patience: trials", self.trials as f64, self.trials >= 1, "at least 1")?;
        let gain = self.min_gain;
        require("Patience: min_gain", gain, gain >= 0.0 && gain.is_finite(), "a finite number from 0")
    }
}

impl StopRule for NoImprovement {
    fn check(&self, view: &dyn HistoryView) -> Option<StopReason> {
        let values = || view.outcomes().filter_map(Outcome::objective);
        let range = values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min);
        // Each with the threshold in its units.
        let compared = || {
            let ranges = latest(view, &EXPECTED_IMPROVEMENT_RANGE);
            latest(view, &EXPECTED_IMPROVEMENT).zip(ranges).filter_map(|(expected, of_model)| {
                Some((expected?, self.epsilon * of_model.unwrap_or(range)))
            })
        };
        let (expected, threshold) = compared().next()?;
        let small = compared().take(self.times).filter(|(expected, threshold)| expected < threshold).count();
        (self.times > 0 && small == self.times).then_some(StopReason::NoImprovement { expected, threshold })
    }

    fn validate(&self) -> Result<(), StudyError> {
        let times = self.times as f64;
        require("NoImprovement (epsilon)", self.epsilon, self.epsilon >= 0.0, "a number from 0")?;
        require("NoImprovement (times)", times, self.times > 0, "at least 1")
    }
}

/// An entry of the memos, latest trial first. Older journals have it among the diagnostics.
pub(crate) fn latest<'v>(
    view: &'v dyn HistoryView,
    key: &'v MemoKey<f64>,
) -> impl Iterator<Item = Option<f64>> + 'v {
    let of = |(memo, diagnostics): (&Memo, &BTreeMap<String, f64>)| {
        memo.get(key).or_else(|| diagnostics.get(key.name()).copied())
    };
    view.memos().rev().zip(view.diagnostics().rev()).map(of)
}

pub(crate) fn require(
    rule: &'static str,
    value: f64,
    holds: bool,
    expected: &'static str,
) -> Result<(), StudyError> {
    if holds { Ok(()) } else { Err(StudyError::InvalidStopRule { rule, value, expected }) }
}

impl StopRule for Any {
    fn check(&self, view: &dyn HistoryView) -> Option<StopReason> {
        self.0.iter().find_map(|rule| rule.check(view))
    }

    fn validate(&self) -> Result<(), StudyError> {
        self.0.iter().try_for_each(|rule| rule.validate())
    }
}

impl StopRule for All {
    fn check(&self, view: &dyn HistoryView) -> Option<StopReason> {
        let reasons: Option<Vec<_>> = self.0.iter().map(|rule| rule.check(view)).collect();
        reasons.filter(|reasons| !reasons.is_empty()).map(StopReason::All)
    }

    fn validate(&self) -> Result<(), StudyError> {
        self.0.iter().try_for_each(|rule| rule.validate())
    }
}
