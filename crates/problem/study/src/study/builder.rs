//! Building a study: what it stops for, how it runs, where its journal is.

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
    /// A study without trials and without a stop rule. All random numbers of the optimiser and of the evaluations come from `seed`.
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

    /// Adds a rule; the first that applies stops the study.
    #[must_use]
    pub fn with_stop(mut self, rule: impl StopRule + 'static) -> Self {
        self.stop.push(Box::new(rule));
        self
    }

    /// Plans this many trials: the study stops before trial number n + 1, as with [`MaxTrials`], and the optimiser knows it from the
    /// beginning, as with [`Study::plan`]. Methods with an initial design go by that number.
    #[must_use]
    pub fn with_trials(mut self, trials: usize) -> Self {
        self.plan(trials);
        self.with_stop(MaxTrials(trials))
    }

    /// Adds callbacks.
    #[must_use]
    pub fn with_observer(mut self, observer: impl Observer<O::Query> + 'static) -> Self {
        self.observers.push(Box::new(observer));
        self
    }

    /// Chooses what the optimiser has seen when it suggests while trials are running. Without it [`Study::run`] goes one
    /// by one and [`Study::run_parallel`] has a window of as many trials as threads; the journal keeps the choice.
    #[must_use]
    pub fn with_schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = Some(schedule);
        self
    }

    /// Evaluates a trial that fails again, at most `times` times, in [`Study::run`] and [`Study::run_parallel`].
    ///
    /// A failure is an error, a panic or [`Outcome::Failed`](crate::Outcome::Failed); a measurement that is not finite is none. The journal has each failed attempt with
    /// its reason; reports of it are dropped. A study that is resumed, and a worker that takes the trial over, make
    /// the attempts that are left. The trial's outcome is that of the last attempt.
    #[must_use]
    pub fn with_retries(mut self, retries: usize) -> Self {
        self.retries = retries;
        self
    }

    /// Stops running trials early: by this rule [`Context::should_prune`](crate::Context::should_prune) decides, and [`Study::should_prune`].
    #[must_use]
    pub fn with_pruner(mut self, pruner: impl Pruner + 'static) -> Self {
        self.pruner = Some(Arc::new(pruner));
        self
    }

    /// Names the directions of the objectives; to be called before [`Study::with_known`], [`Study::with_journal`] and [`Study::join`].
    ///
    /// The evaluator negates maximised objectives: outcomes and reports are losses all the same. The journal keeps the directions, so that
    /// its readers show the user's units, and a study goes on with the same directions only. A measurement with another number of
    /// objectives than directions is refused.
    #[must_use]
    pub fn with_directions(mut self, directions: Directions) -> Self {
        self.history.directions = directions;
        self
    }

    /// Restricts the comparison of objectives to some queries, as [`History::with_comparable`] does; to be called before
    /// [`Study::with_journal`] and [`Study::join`].
    #[must_use]
    pub fn with_comparable(mut self, test: impl Fn(&O::Query) -> bool + Send + Sync + 'static) -> Self {
        self.history = self.history.with_comparable(test);
        self
    }

    /// The fingerprint of the optimiser, with the directions.
    pub(crate) fn fingerprint(&self) -> Result<Fingerprint, StudyError> {
        Ok(self.optimizer.fingerprint()?.directed(&self.history.directions)?)
    }

    /// Chooses what a power failure may lose; to be called before [`Study::with_journal`].
    #[must_use]
    pub fn with_durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Keeps a journal in `path`. If it holds this study already, the study continues where the journal ends:
    /// trials without an outcome are evaluated again, and suggestions are the same as without the break. A new journal
    /// of a study that has trials begins with them and their failed attempts, and one in which the writing of them was interrupted gets
    /// the others. Else nothing is written before the next event. A study that is not planned for a number of trials takes that of the journal.
    ///
    /// # Errors
    /// [`StudyError::Journal`]: unreadable, damaged, not a journal, in use, or of another seed, space or settings; or the
    /// study has trials with which the journal does not begin. [`StudyError::InvalidStopRule`] and [`StudyError::InvalidPruner`]
    /// for a rule that was added before and makes no sense; no file is created then.
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

    /// The trials with which the study began and that its journal does not have whole, and their failed attempts.
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
        // The last one may run in both, and lack failed attempts in the journal.
        let runs = |trial: &Trial<O::Query>| trial.outcome.is_none();
        let is_open = begun == self.history.len() && before.trials[..begun].last().is_some_and(runs);
        let whole = begun - usize::from(is_open);
        let attempts = before.failed_attempts.split_off(&TrialId(whole as u64));
        Ok((before.trials.split_off(whole), attempts))
    }
}
