//! Curves of all trials, for a pruner on the evaluating threads.

use std::sync::{Arc, PoisonError, RwLock};

use thrifty_sampling::Seed;

use crate::{Curve, History, Outcome, Pruner, Schedule, Trial, TrialId};

/// Curve of one trial, with its values.
#[derive(Debug, Clone, Default)]
struct Owned {
    reports: Vec<(u64, f64)>,
    objective: Option<f64>,
}

impl Owned {
    fn of<Q>(trial: &Trial<Q>) -> Self {
        let objective = trial.outcome.as_ref().and_then(Outcome::objective);
        Self { reports: trial.reports.clone(), objective }
    }
}

/// A pruner and its data. The evaluating threads add reports; the loop adds trials and outcomes.
pub(crate) struct Curves {
    pruner: Arc<dyn Pruner>,
    seed: Seed,
    schedule: Schedule,
    trials: RwLock<Vec<Owned>>,
}

impl Curves {
    /// The curves of a history.
    pub(crate) fn new<Q>(pruner: Arc<dyn Pruner>, schedule: Schedule, history: &History<Q>) -> Self {
        let trials = RwLock::new(history.trials().iter().map(Owned::of).collect());
        Self { pruner, seed: history.seed(), schedule, trials }
    }

    /// True if a trial with these reports should stop.
    pub(crate) fn should_prune(&self, id: TrialId, reports: &[(u64, f64)]) -> bool {
        let curves = self.trials.read().unwrap_or_else(PoisonError::into_inner);
        let asked = usize::try_from(id.0).unwrap_or(usize::MAX);
        let seen = match self.schedule {
            // All trials visible in a window have ended, so their curves no longer change.
            Schedule::Window(_) => self.schedule.visible(asked).min(curves.len()),
            Schedule::AsCompleted => curves.len(),
        };
        let others: Vec<Curve<'_>> = (0..)
            .map(TrialId)
            .zip(&curves[..seen])
            .filter(|(other, _)| *other != id)
            .map(|(id, curve)| Curve { id, reports: &curve.reports, objective: curve.objective })
            .collect();
        decide(self.pruner.as_ref(), Curve { id, reports, objective: None }, &others, self.seed)
    }

    /// Adds a trial without reports.
    pub(crate) fn start(&self) {
        self.write(|curves| curves.push(Owned::default()));
    }

    /// Adds an intermediate value.
    pub(crate) fn report(&self, id: TrialId, step: u64, value: f64) {
        self.change(id, |curve| curve.reports.push((step, value)));
    }

    /// Drops the reports of a trial that is evaluated again.
    pub(crate) fn forget(&self, id: TrialId) {
        self.change(id, |curve| curve.reports.clear());
    }

    /// Records the outcome of a trial.
    pub(crate) fn end(&self, id: TrialId, outcome: &Outcome) {
        self.change(id, |curve| curve.objective = outcome.objective());
    }

    fn change(&self, id: TrialId, change: impl FnOnce(&mut Owned)) {
        let at = usize::try_from(id.0).unwrap_or(usize::MAX);
        self.write(|curves| curves.get_mut(at).map(change));
    }

    fn write<T>(&self, change: impl FnOnce(&mut Vec<Owned>) -> T) -> T {
        change(&mut self.trials.write().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Decision of a pruner on a trial of a history, given all other trials in their current state.
pub(crate) fn should_prune<Q>(pruner: &dyn Pruner, history: &History<Q>, trial: &Trial<Q>) -> bool {
    fn curve<Q>(trial: &Trial<Q>) -> Curve<'_> {
        let objective = trial.outcome.as_ref().and_then(Outcome::objective);
        Curve { id: trial.id, reports: &trial.reports, objective }
    }
    let others: Vec<Curve<'_>> =
        history.trials().iter().filter(|other| other.id != trial.id).map(curve).collect();
    decide(pruner, curve(trial), &others, history.seed())
}

/// A trial without reports continues.
fn decide(pruner: &dyn Pruner, running: Curve<'_>, others: &[Curve<'_>], seed: Seed) -> bool {
    !running.reports.is_empty() && pruner.should_prune(running, others, seed)
}
