//! Builder methods of a study: stop rules, execution and journal.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use thrifty_sampling::Seed;

use crate::history::FailedAttempts;
use crate::journal::{Journal, Opened};
use crate::{
    Directions, Durability, Fingerprint, History, JournalError, MaxTrials, Observer, Optimizer, Pruner,
    Schedule, StopRule, Study, StudyError, Trial, TrialId,
};

impl<O: Optimizer> Study<O> {
    /// A study without trials and without a stop rule. All random numbers of the optimiser and of the evaluations derive from `seed`.
    pub fn new(optimizer: O, seed: Seed) -> Self {
        Self {
            optimizer,
            history: History::new(seed),
            schedule: None,
            ended: 0,
            retries: 0,
            pruner: None,
            curves: None,
            durability: Durability::default(),
            journal: None,
            stop: Vec::new(),
            observers: Vec::new(),
            warnings: Vec::new(),
            reported_before: BTreeSet::new(),
            started_at: Instant::now(),
            elapsed_before: Duration::ZERO,
        }
    }

    /// Adds a stop rule; the first rule that applies stops the study.
    #[must_use]
    pub fn with_stop(mut self, rule: impl StopRule + 'static) -> Self {
        self.stop.push(Box::new(rule));
        self
    }

    /// Plans this number of trials. The study stops before trial number n + 1, as with [`MaxTrials`], and the optimiser uses the number
    /// from the start, as with [`Study::plan`]. Methods with an initial design depend on it.
    #[must_use]
    pub fn with_trials(mut self, trials: usize) -> Self {
        self.plan(trials);
        self.with_stop(MaxTrials(trials))
    }

    /// Adds an observer.
    #[must_use]
    pub fn with_observer(mut self, observer: impl Observer<O::Query> + 'static) -> Self {
        self.observers.push(Box::new(observer));
        self
    }

    /// Sets the outcomes that are visible to a suggestion while trials are running. By default, [`Study::run`] runs one trial at a time,
    /// and [`Study::run_parallel`] has a window of as many trials as threads. The journal keeps the schedule.
    #[must_use]
    pub fn with_schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = Some(schedule);
        self
    }

    /// Repeats a failed trial at most `times` times, in [`Study::run`] and [`Study::run_parallel`].
    ///
    /// A failure is an error, a panic or [`Outcome::Failed`](crate::Outcome::Failed); a measurement that is not finite does not count as
    /// one. The journal contains each failed attempt with its reason; its reports are dropped. A resumed study, or a worker that takes over
    /// the trial, makes the remaining attempts. The trial's outcome is that of the last attempt.
    #[must_use]
    pub fn with_retries(mut self, retries: usize) -> Self {
        self.retries = retries;
        self
    }

    /// Sets the pruner that stops running trials early, by [`Context::should_prune`](crate::Context::should_prune) and [`Study::should_prune`].
    #[must_use]
    pub fn with_pruner(mut self, pruner: impl Pruner + 'static) -> Self {
        self.pruner = Some(Arc::new(pruner));
        self
    }

    /// Sets the directions of the objectives. Call this before [`Study::with_known`], [`Study::with_journal`] and [`Study::join`].
    ///
    /// The evaluator must still negate maximised objectives: outcomes and reports are losses. The journal keeps the directions, so that its
    /// readers show the user's units. A study can only be continued with the same directions. A measurement whose number of objectives
    /// differs from that of the directions is rejected.
    #[must_use]
    pub fn with_directions(mut self, directions: Directions) -> Self {
        self.history.directions = directions;
        self
    }

    /// Restricts the comparison of objectives to some queries, like [`History::with_comparable`]. Call this before [`Study::with_journal`]
    /// and [`Study::join`].
    #[must_use]
    pub fn with_comparable(mut self, test: impl Fn(&O::Query) -> bool + Send + Sync + 'static) -> Self {
        self.history = self.history.with_comparable(test);
        self
    }

    /// The fingerprint of the optimiser, with the directions.
    pub(crate) fn fingerprint(&self) -> Result<Fingerprint, StudyError> {
        Ok(self.optimizer.fingerprint()?.directed(&self.history.directions)?)
    }

    /// Sets what a power failure may lose. Call this before [`Study::with_journal`].
    #[must_use]
    pub fn with_durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Keeps a journal in `path`. If it already contains this study, the study continues at its end: trials without an outcome are
    /// evaluated again, and suggestions are the same as without the interruption.
    ///
    /// A new journal of a study that has trials starts with these and their failed attempts. If writing them was interrupted, the missing
    /// ones are added. Otherwise nothing is written before the next event. A study without a planned number of trials uses that of the
    /// journal.
    ///
    /// # Errors
    /// [`StudyError::Journal`]: unreadable, damaged, not a journal, in use, or of another seed, space or settings; or the study has trials
    /// other than the first ones of the journal. [`StudyError::InvalidStopRule`] and [`StudyError::InvalidPruner`] for an invalid rule that
    /// was added before; no file is created then.
    pub fn with_journal(mut self, path: impl AsRef<Path>) -> Result<Self, StudyError> {
        let path = path.as_ref();
        self.validate()?;
        let fingerprint = self.fingerprint()?;
        let own_budget = fingerprint.budget;
        let Opened { journal, history, seconds, schedule, budget, warnings } =
            Journal::open(path, self.history.seed(), fingerprint, self.durability)?;
        let is_new = journal.is_new();
        let mut before = std::mem::replace(&mut self.history, history);
        self.history.directions = before.directions.clone();
        self.history.comparable.clone_from(&before.comparable);
        self.elapsed_before += Duration::from_secs_f64(seconds);
        let reported = self.history.pending().filter(|trial| !trial.reports.is_empty());
        self.reported_before = reported.map(|trial| trial.id).collect();
        match (self.schedule, schedule) {
            (None, found) => self.schedule = found,
            (Some(chosen), Some(found)) if chosen != found => self.warnings.push(format!(
                "journal {}: it has the schedule {found:?}; from here on it is {chosen:?}",
                path.display()
            )),
            _ => {}
        }
        let (mut copied, mut queue) = (Vec::new(), Vec::new());
        let (mut missing, mut attempts, mut known) = (Vec::new(), FailedAttempts::new(), BTreeSet::new());
        if is_new {
            std::mem::swap(&mut self.history, &mut before);
            copied = self.history.events();
        } else {
            queue.extend_from_slice(before.queue.waiting());
            known.clone_from(&before.known);
            (missing, attempts) = self.missing_trials(before, path)?;
        }
        self.warnings.extend(warnings);
        self.journal = Some(journal);
        self.plan_as_recorded(own_budget, budget);
        self.write(copied)?;
        self.append_trials(missing, &attempts, &known)?;
        self.enqueue_missing(queue)?;
        Ok(self)
    }

    /// Initial trials of the study that its journal does not contain completely, and their failed attempts.
    fn missing_trials(
        &self,
        mut before: History<O::Query>,
        path: &Path,
    ) -> Result<(Vec<Trial<O::Query>>, FailedAttempts), StudyError> {
        let own = before.trials().iter().map(|trial| (&trial.query, trial.outcome.clone()));
        let begun = self.begun(own).map_err(|error| match error {
            StudyError::OtherBeginning { .. } => {
                JournalError::TwoHistories { path: path.into(), trials: before.len() }.into()
            }
            other => other,
        })?;
        // The last one may be running in both, and its failed attempts may be missing in the journal.
        let runs = |trial: &Trial<O::Query>| trial.outcome.is_none();
        let is_open = begun == self.history.len() && before.trials[..begun].last().is_some_and(runs);
        let whole = begun - usize::from(is_open);
        let attempts = before.failed_attempts.split_off(&TrialId(whole as u64));
        Ok((before.trials.split_off(whole), attempts))
    }
}
