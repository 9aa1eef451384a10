use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Memo, Outcome};

/// The number of a trial, from 0 in the order of asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TrialId(pub u64);

/// Wall-clock seconds. No suggestion may depend on them.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Timing {
    /// Spent by the optimiser on the suggestion.
    pub ask: f64,
    /// Spent by the evaluator.
    pub evaluate: f64,
}

/// One query and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial<Q> {
    /// Its number.
    pub id: TrialId,
    /// What was evaluated.
    pub query: Q,
    /// What the optimiser said about the suggestion.
    pub diagnostics: BTreeMap<String, f64>,
    /// What the optimiser noted for later suggestions.
    pub memo: Memo,
    /// Intermediate values: step and value.
    pub reports: Vec<(u64, f64)>,
    /// How it ended; nothing while it runs.
    pub outcome: Option<Outcome>,
    /// How long it took.
    pub timing: Timing,
}

/// All trials in the order of asking, pending ones included.
pub struct History<Q> {
    pub(crate) trials: Vec<Trial<Q>>,
    lineage: Lineage,
}

/// Identity of a history in this process, for optimisers that keep a cache over it.
///
/// Two histories of one lineage are one object at two times: trials were appended, and running ones reported or ended. The queries
/// of trials and their outcomes, once visible, are the same. A copy has a lineage of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lineage(u64);

impl Lineage {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl<Q: fmt::Debug> fmt::Debug for History<Q> {
    /// The trials: a lineage is no part of what a history says.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("History").field("trials", &self.trials).finish_non_exhaustive()
    }
}

impl<Q: Clone> Clone for History<Q> {
    fn clone(&self) -> Self {
        Self::of(self.trials.clone())
    }
}

impl<Q: PartialEq> PartialEq for History<Q> {
    /// Equality of the trials.
    fn eq(&self, other: &Self) -> bool {
        self.trials == other.trials
    }
}

impl<Q> Default for History<Q> {
    fn default() -> Self {
        Self::of(Vec::new())
    }
}

impl<Q> History<Q> {
    /// A history of given trials, which are numbered from 0 in their order: for an optimiser that wraps another.
    #[must_use]
    pub fn from_trials(mut trials: Vec<Trial<Q>>) -> Self {
        trials.iter_mut().zip(0..).for_each(|(trial, id)| trial.id = TrialId(id));
        Self::of(trials)
    }

    fn of(trials: Vec<Trial<Q>>) -> Self {
        Self { trials, lineage: Lineage::new() }
    }

    /// Its identity.
    #[must_use]
    pub fn lineage(&self) -> Lineage {
        self.lineage
    }

    /// Number of trials, pending ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.trials.len()
    }

    /// True if nothing was asked yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.trials.is_empty()
    }

    /// All trials.
    #[must_use]
    pub fn trials(&self) -> &[Trial<Q>] {
        &self.trials
    }

    /// One trial.
    #[must_use]
    pub fn get(&self, id: TrialId) -> Option<&Trial<Q>> {
        self.trials.get(usize::try_from(id.0).ok()?)
    }

    /// Trials without an outcome.
    pub fn pending(&self) -> impl Iterator<Item = &Trial<Q>> {
        self.trials.iter().filter(|trial| trial.outcome.is_none())
    }

    /// Trials with a measurement, and their first objective.
    pub fn measured(&self) -> impl Iterator<Item = (&Trial<Q>, f64)> {
        self.trials.iter().filter_map(|trial| Some((trial, trial.outcome.as_ref()?.objective()?)))
    }

    /// Trials that failed or were pruned.
    pub fn unsuccessful(&self) -> impl Iterator<Item = &Trial<Q>> {
        self.trials
            .iter()
            .filter(|t| t.outcome.as_ref().is_some_and(|outcome| outcome.measurement().is_none()))
    }

    /// The trial with the smallest first objective, the earliest of equals.
    #[must_use]
    pub fn best(&self) -> Option<(&Trial<Q>, f64)> {
        self.measured().reduce(|best, other| if other.1 < best.1 { other } else { best })
    }

    pub(crate) fn get_mut(&mut self, id: TrialId) -> Option<&mut Trial<Q>> {
        self.trials.get_mut(usize::try_from(id.0).ok()?)
    }
}

/// What a stop rule sees, whatever the query is.
pub trait HistoryView {
    /// Number of trials asked.
    fn asked(&self) -> usize;
    /// Outcomes so far in the order of asking, pending trials left out.
    fn outcomes(&self) -> Box<dyn DoubleEndedIterator<Item = &Outcome> + '_>;
    /// What the optimiser said of each trial, in the order of asking.
    fn diagnostics(&self) -> Box<dyn DoubleEndedIterator<Item = &BTreeMap<String, f64>> + '_>;
    /// Wall-clock time since the study began, earlier sittings included.
    fn elapsed(&self) -> Duration;
}

/// A history with the time it took.
pub(crate) struct Timed<'a, Q> {
    pub(crate) history: &'a History<Q>,
    pub(crate) elapsed: Duration,
}

impl<Q> HistoryView for Timed<'_, Q> {
    fn asked(&self) -> usize {
        self.history.len()
    }

    fn outcomes(&self) -> Box<dyn DoubleEndedIterator<Item = &Outcome> + '_> {
        Box::new(self.history.trials.iter().filter_map(|trial| trial.outcome.as_ref()))
    }

    fn diagnostics(&self) -> Box<dyn DoubleEndedIterator<Item = &BTreeMap<String, f64>> + '_> {
        Box::new(self.history.trials.iter().map(|trial| &trial.diagnostics))
    }

    fn elapsed(&self) -> Duration {
        self.elapsed
    }
}
