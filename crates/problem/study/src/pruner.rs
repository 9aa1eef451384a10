//! Pruners: rules that stop running trials early by their intermediate values.

use thrifty_sampling::Seed;

use crate::{StudyError, TrialId};

/// Learning curve of a trial: its intermediate values, which are losses like the objective.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curve<'a> {
    /// The trial.
    pub id: TrialId,
    /// Steps and values in the order of reporting.
    pub reports: &'a [(u64, f64)],
    /// The first objective, after the trial was measured.
    pub objective: Option<f64>,
}

impl Curve<'_> {
    /// Last reported step; `None` before the first.
    #[must_use]
    pub fn last_step(&self) -> Option<u64> {
        self.reports.last().map(|report| report.0)
    }

    /// Value at a step; the last one if the step was reported more than once.
    #[must_use]
    pub fn at(&self, step: u64) -> Option<f64> {
        self.reports.iter().rev().find(|report| report.0 == step).map(|report| report.1)
    }

    /// The smallest value up to a step; infinite before the first. NaN counts as infinite.
    #[must_use]
    pub fn best_until(&self, step: u64) -> f64 {
        let until = self.reports.iter().filter(|report| report.0 <= step);
        until.map(|report| report.1).fold(f64::INFINITY, f64::min)
    }
}

/// A rule that stops a running trial early.
///
/// The decision is a function of the settings, the seed of the study, the trial's number, its intermediate values so far, and the curves of
/// other trials.
///
/// Under [`Schedule::Window`](crate::Schedule::Window) these are the trials that the window made visible to the ask of the running trial;
/// all of them have ended. The same seed then stops the same trials at the same steps, for any number of threads and after a study was
/// resumed. Under [`Schedule::AsCompleted`](crate::Schedule::AsCompleted), and in a study steered by hand, they are all other trials in
/// their current state, including running ones. [`SharedStudy::run_worker`](crate::shared::SharedStudy::run_worker) uses the trials that it
/// had read when the running trial began.
///
/// A pruner is not part of the study's fingerprint: outcomes are in the journal, and a study may continue with another pruner.
pub trait Pruner: Send + Sync {
    /// True if the running trial, which has at least one report, should stop.
    fn should_prune(&self, running: Curve<'_>, others: &[Curve<'_>], seed: Seed) -> bool;

    /// Checks the settings; called before a study begins.
    ///
    /// # Errors
    /// [`StudyError::InvalidPruner`].
    fn validate(&self) -> Result<(), StudyError> {
        Ok(())
    }
}
