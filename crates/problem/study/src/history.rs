//! Histories of trials.

use std::cmp::Ordering as Order;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use thrifty_sampling::Seed;

use crate::queue::Queue;
use crate::restarts::Restarts;
use crate::{Directions, Failure, Fingerprint, Measurement, Memo, Outcome, StudyError, Trial, TrialId};

/// Predicate on a query: true if its measurements are compared with those of other trials.
pub(crate) type Comparable<Q> = Arc<dyn Fn(&Q) -> bool + Send + Sync>;

/// All trials in the order of asking, including pending ones.
pub struct History<Q> {
    pub(crate) trials: Vec<Trial<Q>>,
    pub(crate) queue: Queue<Q>,
    pub(crate) directions: Directions,
    /// The fingerprint in the journal or log that the history was read from.
    pub(crate) recorded: Option<Box<Fingerprint>>,
    /// Without a predicate all trials are compared.
    pub(crate) comparable: Option<Comparable<Q>>,
    /// Failed attempts that were repeated, by trial.
    pub(crate) failed_attempts: FailedAttempts,
    pub(crate) restarts: Restarts,
    /// Trials that were made elsewhere. Their outcomes are visible from the beginning, whatever the schedule is.
    pub(crate) known: BTreeSet<TrialId>,
    seed: Seed,
    lineage: Lineage,
}

/// Failed attempts that were repeated, by trial and in their order; trials without one have no entry.
pub(crate) type FailedAttempts = BTreeMap<TrialId, Vec<FailedAttempt>>;

/// A failed attempt at a trial that was repeated.
#[derive(Debug, Clone)]
pub(crate) struct FailedAttempt {
    pub(crate) failure: Failure,
    /// Duration of the attempt in seconds.
    pub(crate) seconds: f64,
}

/// Identity of a history within this process, for optimisers with a cache over it.
///
/// Two histories of one lineage are one object at two times: trials were appended, and running ones reported or ended. Queries do not
/// change, nor do outcomes while they are visible. A schedule may hide an outcome again that an earlier ask or a recommendation saw. Its
/// trial is then a running one until the outcome is shown again, although memos of later trials may depend on it. A copy has a new lineage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lineage(u64);

impl Lineage {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl<Q: fmt::Debug> fmt::Debug for History<Q> {
    /// Formats the trials, without the lineage.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("History").field("trials", &self.trials).finish_non_exhaustive()
    }
}

impl<Q: Clone> Clone for History<Q> {
    fn clone(&self) -> Self {
        let (queue, directions) = (self.queue.clone(), self.directions.clone());
        let (recorded, comparable) = (self.recorded.clone(), self.comparable.clone());
        let (failed_attempts, restarts) = (self.failed_attempts.clone(), self.restarts.clone());
        let (known, trials) = (self.known.clone(), Self::from_trials(self.trials.clone(), self.seed));
        Self { queue, directions, recorded, comparable, failed_attempts, restarts, known, ..trials }
    }
}

impl<Q: PartialEq> PartialEq for History<Q> {
    /// Compares the trials.
    fn eq(&self, other: &Self) -> bool {
        self.trials == other.trials
    }
}

impl<Q> Default for History<Q> {
    /// A history without trials and with seed 0.
    fn default() -> Self {
        Self::new(Seed(0))
    }
}

impl<Q> History<Q> {
    /// A history of given trials, which are numbered from 0 in their order. An optimiser that wraps another should use [`History::view`].
    #[must_use]
    pub fn from_trials(mut trials: Vec<Trial<Q>>, seed: Seed) -> Self {
        trials.iter_mut().zip(0..).for_each(|(trial, id)| trial.id = TrialId(id));
        Self { trials, ..Self::new(seed) }
    }

    /// A view of this history with other trials, for an optimiser that wraps another. The trials are numbered from 0 in their order. The
    /// seed, the directions and the failed attempts are those of this history. `id` maps the number of a trial of this history to that of
    /// its replacement.
    #[must_use]
    pub fn view<R>(&self, trials: Vec<Trial<R>>, id: impl Fn(TrialId) -> TrialId) -> History<R> {
        let mut view = History::from_trials(trials, self.seed).with_directions(self.directions.clone());
        for (trial, attempts) in &self.failed_attempts {
            view.failed_attempts.entry(id(*trial)).or_default().extend(attempts.iter().cloned());
        }
        view
    }

    /// Sets the directions of the objectives. The trials still contain losses.
    #[must_use]
    pub fn with_directions(mut self, directions: Directions) -> Self {
        self.directions = directions;
        self
    }

    /// Restricts the comparison of objectives to some trials, such as those at the target of a multi-fidelity study.
    ///
    /// [`History::best`], [`History::top`] and the stop rules [`Target`](crate::Target) and [`Patience`](crate::Patience) only consider
    /// trials whose query satisfies the test. The test is not part of a journal.
    #[must_use]
    pub fn with_comparable(mut self, test: impl Fn(&Q) -> bool + Send + Sync + 'static) -> Self {
        self.comparable = Some(Arc::new(test));
        self
    }

    /// True if objectives at a query are compared with those of other trials; see [`History::with_comparable`].
    #[must_use]
    pub fn is_comparable(&self, query: &Q) -> bool {
        self.comparable.as_ref().is_none_or(|test| test(query))
    }

    /// A history without trials.
    #[must_use]
    pub fn new(seed: Seed) -> Self {
        let (queue, directions) = (Queue::default(), Directions::default());
        Self {
            trials: Vec::new(),
            queue,
            directions,
            recorded: None,
            comparable: None,
            failed_attempts: FailedAttempts::new(),
            restarts: Restarts::default(),
            known: BTreeSet::new(),
            seed,
            lineage: Lineage::new(),
        }
    }

    /// The seed of the study, from which all random numbers of its suggestions derive.
    #[must_use]
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// Directions of the objectives. The trials always contain losses; tables and reports show the user's units.
    #[must_use]
    pub fn directions(&self) -> &Directions {
        &self.directions
    }

    /// A part of the optimiser's [`Fingerprint`] in the journal or log that the history was read from, such as `space` or `settings`.
    ///
    /// `None` for histories that were not read from one.
    #[must_use]
    pub fn recorded_setting(&self, name: &str) -> Option<&serde_json::Value> {
        self.recorded.as_ref()?.part(name)
    }

    /// Identity of this history.
    #[must_use]
    pub fn lineage(&self) -> Lineage {
        self.lineage
    }

    /// Assigns a new identity, because a visible outcome has changed.
    pub(crate) fn renew(&mut self) {
        self.lineage = Lineage::new();
    }

    /// Number of trials, including pending ones.
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

    /// Enqueued queries that were not asked yet, first to last.
    #[must_use]
    pub fn enqueued(&self) -> &[Q] {
        self.queue.waiting()
    }

    /// Trials without an outcome.
    pub fn pending(&self) -> impl Iterator<Item = &Trial<Q>> {
        self.trials.iter().filter(|trial| trial.outcome.is_none())
    }

    /// Trials with a measurement, and their first objective.
    pub fn measured(&self) -> impl Iterator<Item = (&Trial<Q>, f64)> {
        self.trials.iter().filter_map(|trial| Some((trial, trial.outcome.as_ref()?.objective()?)))
    }

    /// Total cost of all evaluations: measurements, failures, pruned trials, and failed attempts that were repeated. Unreported costs count as 0.
    #[must_use]
    pub fn spent(&self) -> f64 {
        let outcomes = self.trials.iter().filter_map(|trial| trial.outcome.as_ref()?.cost());
        let attempts = self.failed_attempts.values().flatten().filter_map(|attempt| attempt.failure.cost);
        outcomes.sum::<f64>() + attempts.sum::<f64>()
    }

    /// Trials that failed or were pruned.
    pub fn unsuccessful(&self) -> impl Iterator<Item = &Trial<Q>> {
        self.trials
            .iter()
            .filter(|t| t.outcome.as_ref().is_some_and(|outcome| outcome.measurement().is_none()))
    }

    /// The comparable feasible trial with the smallest first objective; the earliest among equal ones. Feasible means that no measured
    /// constraint is broken.
    ///
    /// The value is an observation: under noise the smallest of many is too small on average. [`Study::recommend`](crate::Study::recommend)
    /// uses the optimiser instead.
    #[must_use]
    pub fn best(&self) -> Option<(&Trial<Q>, f64)> {
        self.feasible().reduce(|best, other| if other.1 < best.1 { other } else { best })
    }

    /// The `count` comparable feasible trials with the smallest first objectives, smallest first; equal ones in the order of asking. There
    /// may be fewer.
    #[must_use]
    pub fn top(&self, count: usize) -> Vec<(&Trial<Q>, f64)> {
        let mut trials: Vec<(&Trial<Q>, f64)> = self.feasible().collect();
        trials.sort_by(|a, b| a.1.partial_cmp(&b.1).unwrap_or(Order::Equal));
        trials.truncate(count);
        trials
    }

    /// Comparable measured trials that break no measured constraint, and their first objective.
    fn feasible(&self) -> impl Iterator<Item = (&Trial<Q>, f64)> {
        let keeps = |trial: &Trial<Q>| {
            let measured = trial.outcome.as_ref().and_then(Outcome::measurement);
            measured.is_some_and(Measurement::is_feasible)
        };
        self.measured().filter(move |(trial, _)| self.is_comparable(&trial.query) && keeps(trial))
    }

    /// Appends a trial as the next one, with a new number. For a program that stores the trials itself, such as a sampler of another library.
    ///
    /// Caches over the history stay valid, unlike after a new [`History::from_trials`].
    pub fn push(&mut self, trial: Trial<Q>) -> TrialId {
        let id = TrialId(self.trials.len() as u64);
        self.trials.push(Trial { id, ..trial });
        id
    }

    /// Records the outcome of a running trial like [`Study::tell`](crate::Study::tell), but without the comparison to other trials.
    ///
    /// # Errors
    /// [`StudyError`]: never asked, or told before.
    pub fn tell(&mut self, id: TrialId, outcome: impl Into<Outcome>) -> Result<(), StudyError> {
        match self.get_mut(id) {
            None => Err(StudyError::UnknownTrial(id)),
            Some(trial) if trial.outcome.is_some() => Err(StudyError::AlreadyTold(id)),
            Some(trial) => {
                trial.outcome = Some(outcome.into().checked());
                Ok(())
            }
        }
    }

    /// Records a failed attempt that is repeated.
    pub(crate) fn record_failed_attempt(&mut self, id: TrialId, failure: Failure, seconds: f64) {
        self.failed_attempts.entry(id).or_default().push(FailedAttempt { failure, seconds });
    }

    /// Failed attempts at a trial that were repeated.
    pub(crate) fn failed_attempts_at(&self, id: TrialId) -> &[FailedAttempt] {
        self.failed_attempts.get(&id).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn get_mut(&mut self, id: TrialId) -> Option<&mut Trial<Q>> {
        self.trials.get_mut(usize::try_from(id.0).ok()?)
    }
}

/// View of a history for stop rules, independent of the type of query.
pub trait HistoryView {
    /// Number of trials asked.
    fn asked(&self) -> usize;
    /// Outcomes so far in the order of asking, without pending trials.
    fn outcomes(&self) -> Box<dyn DoubleEndedIterator<Item = &Outcome> + '_>;
    /// Outcomes that are compared with each other; by default all. See [`History::with_comparable`].
    fn compared(&self) -> Box<dyn DoubleEndedIterator<Item = &Outcome> + '_> {
        self.outcomes()
    }
    /// Memos of the trials, in the order of asking, with entries such as [`EXPECTED_IMPROVEMENT`](crate::EXPECTED_IMPROVEMENT).
    fn memos(&self) -> Box<dyn DoubleEndedIterator<Item = &Memo> + '_>;
    /// Diagnostics of the trials, in the order of asking.
    fn diagnostics(&self) -> Box<dyn DoubleEndedIterator<Item = &BTreeMap<String, f64>> + '_>;
    /// Total cost of all evaluations; see [`History::spent`]. By default the sum over the outcomes.
    fn spent(&self) -> f64 {
        self.outcomes().filter_map(Outcome::cost).sum()
    }
    /// Wall-clock time of the study: of this sitting and, up to their last line in the journal, of earlier ones.
    fn elapsed(&self) -> Duration;
}

/// A history with its elapsed time.
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

    fn compared(&self) -> Box<dyn DoubleEndedIterator<Item = &Outcome> + '_> {
        let trials = self.history.trials.iter().filter(|trial| self.history.is_comparable(&trial.query));
        Box::new(trials.filter_map(|trial| trial.outcome.as_ref()))
    }

    fn memos(&self) -> Box<dyn DoubleEndedIterator<Item = &Memo> + '_> {
        Box::new(self.history.trials.iter().map(|trial| &trial.memo))
    }

    fn diagnostics(&self) -> Box<dyn DoubleEndedIterator<Item = &BTreeMap<String, f64>> + '_> {
        Box::new(self.history.trials.iter().map(|trial| &trial.diagnostics))
    }

    fn spent(&self) -> f64 {
        self.history.spent()
    }

    fn elapsed(&self) -> Duration {
        self.elapsed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timing;

    fn running(query: f64) -> Trial<f64> {
        let (diagnostics, memo, timing) = (BTreeMap::new(), Memo::default(), Timing::default());
        Trial { id: TrialId(9), query, diagnostics, memo, reports: Vec::new(), outcome: None, timing }
    }

    #[test]
    fn trials_are_appended_and_told_under_one_lineage() {
        let mut history = History::new(Seed(3));
        let lineage = history.lineage();
        assert_eq!([0.5, 0.25].map(|query| history.push(running(query))), [TrialId(0), TrialId(1)]);
        assert_eq!(history.pending().count(), 2);
        history.tell(TrialId(1), 2.0).unwrap();
        history.tell(TrialId(0), f64::NAN).unwrap();
        assert_eq!(history.trials().iter().map(Trial::state).collect::<Vec<_>>(), ["failed", "measured"]);
        assert_eq!(history.lineage(), lineage);
        assert!(matches!(history.tell(TrialId(1), 3.0), Err(StudyError::AlreadyTold(TrialId(1)))));
        assert!(matches!(history.tell(TrialId(2), 3.0), Err(StudyError::UnknownTrial(TrialId(2)))));
        // The same history as one that is built whole.
        assert_eq!(history, History::from_trials(history.trials().to_vec(), Seed(3)));
    }
}
