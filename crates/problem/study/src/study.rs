//! A study: an optimiser, its history and its journal.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use thrifty_sampling::Seed;

use crate::curves::{Curves, should_prune};
use crate::enqueue::differs;
use crate::history::Timed;
use crate::journal::{Event, Journal, Opened};
use crate::{
    Ask, Durability, Failure, History, JournalError, MeasurementProblem, Observer, Optimizer, Outcome,
    Pruner, Schedule, StopReason, StopRule, StudyError, Suggestion, Timing, Trial, TrialId,
};

/// Next step of a study that is steered by hand.
#[derive(Debug, Clone, PartialEq)]
pub enum Next<Q> {
    /// Evaluate this trial and report its outcome.
    Evaluate(Trial<Q>),
    /// Tell a pending trial first.
    Wait,
    /// The optimiser has nothing left to evaluate.
    Stop(StopReason),
}

/// An optimiser at work: its history, its journal, when to stop and who watches.
///
/// Run the whole loop with [`Study::run`] or [`Study::run_parallel`], or steer it by hand with [`Study::ask`],
/// [`Study::report`] and [`Study::tell`].
pub struct Study<O: Optimizer> {
    pub(crate) optimizer: O,
    pub(crate) history: History<O::Query>,
    /// The schedule, as chosen or as read from the journal.
    pub(crate) schedule: Option<Schedule>,
    /// All trials before this one have ended.
    pub(crate) ended: usize,
    /// Further attempts at a trial that failed.
    pub(crate) retries: usize,
    pub(crate) pruner: Option<Arc<dyn Pruner>>,
    /// Curves of all trials during a run with a pruner.
    pub(crate) curves: Option<Arc<Curves>>,
    durability: Durability,
    journal: Option<Journal>,
    stop: Vec<Box<dyn StopRule>>,
    pub(crate) observers: Vec<Box<dyn Observer<O::Query>>>,
    pub(crate) warnings: Vec<String>,
    started_at: Instant,
    elapsed_before: Duration,
}

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

    /// Evaluates a trial that fails again, at most so many times, in [`Study::run`] and [`Study::run_parallel`].
    ///
    /// A failure is an error, a panic or [`Outcome::Failed`]; a measurement that is not finite is none. The journal has each failed attempt with
    /// its reason; reports of it are dropped. The trial's outcome is that of the last attempt.
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

    /// Chooses what a power failure may lose; to be called before [`Study::with_journal`].
    #[must_use]
    pub fn with_durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Keeps a journal in `path`. If it holds this study already, the study continues where the journal ends:
    /// trials without an outcome are evaluated again, and suggestions are the same as without the break. A new journal
    /// of a study that has trials begins with them. Nothing is written before the next event.
    ///
    /// # Errors
    /// [`StudyError::Journal`]: unreadable, damaged, not a journal, in use, or of another seed, space or settings; or the
    /// study has trials with which the journal does not begin.
    pub fn with_journal(mut self, path: impl AsRef<Path>) -> Result<Self, StudyError> {
        let path = path.as_ref();
        let fingerprint = self.optimizer.fingerprint()?;
        let Opened { mut journal, events, schedule, warnings } =
            Journal::open(path, self.history.seed(), fingerprint, self.durability)?;
        let is_new = journal.is_new();
        let seed = self.history.seed();
        let mut before = std::mem::replace(&mut self.history, History::new(seed));
        for (at, event) in events.into_iter().enumerate() {
            let seconds =
                self.history.replay(event).map_err(|message| Journal::contradiction(path, at, message))?;
            self.elapsed_before += Duration::from_secs_f64(seconds.clamp(0.0, 1e9));
        }
        self.history.forget_unfinished_reports();
        match (self.schedule, schedule) {
            (None, found) => self.schedule = found,
            (Some(chosen), Some(found)) if chosen != found => self.warnings.push(format!(
                "journal {}: it has the schedule {found:?}; from here on it is {chosen:?}",
                path.display()
            )),
            _ => {}
        }
        let mut queue = Vec::new();
        if is_new {
            std::mem::swap(&mut self.history, &mut before);
            let events = self.history.events();
            if !events.is_empty() {
                journal.write(self.schedule, &events)?;
            }
        } else {
            if differs(&self.history, before.trials())?.is_some() {
                return Err(JournalError::TwoHistories { path: path.into(), trials: before.len() }.into());
            }
            queue.extend_from_slice(before.queue.all());
        }
        self.warnings.extend(warnings);
        self.journal = Some(journal);
        self.enqueue_missing(queue)?;
        Ok(self)
    }

    /// All trials so far, those with an outcome that a window still holds back from the optimiser included.
    pub fn history(&self) -> &History<O::Query> {
        &self.history
    }

    /// The schedule as chosen, or as the journal has it; nothing before either.
    pub fn schedule(&self) -> Option<Schedule> {
        self.schedule
    }

    /// The optimiser.
    pub fn optimizer(&self) -> &O {
        &self.optimizer
    }

    /// Warnings from opening the journal: a line that was cut off, another machine, another schedule.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The optimiser's current recommendation.
    ///
    /// # Errors
    /// [`StudyError::Optimizer`].
    pub fn recommend(&mut self) -> Result<Option<O::Recommendation>, StudyError> {
        Ok(self.optimizer.recommend(&self.history)?)
    }

    /// Reason to stop by the first stop rule that applies, if any.
    pub fn check_stop(&self) -> Option<StopReason> {
        self.check_stop_on(&self.history)
    }

    fn check_stop_on(&self, history: &History<O::Query>) -> Option<StopReason> {
        let view = Timed { history, elapsed: self.elapsed_before + self.started_at.elapsed() };
        self.stop.iter().find_map(|rule| rule.check(&view))
    }

    /// Result of [`Study::check_stop`] at the time when only the first `visible` trials had ended.
    pub(crate) fn check_stop_as_of(&mut self, visible: usize) -> Option<StopReason> {
        let mut history = std::mem::take(&mut self.history);
        let reason = history.as_of(visible, |history| self.check_stop_on(history));
        self.history = history;
        reason
    }

    /// True if all stop rules and the pruner make sense.
    pub(crate) fn validate(&self) -> Result<(), StudyError> {
        self.stop.iter().try_for_each(|rule| rule.validate())?;
        self.pruner.iter().try_for_each(|pruner| pruner.validate())
    }

    /// Asks for the next trial by hand; everything told so far is seen. Nothing but the optimiser stops here:
    /// ask [`Study::check_stop`] for the rules.
    ///
    /// # Errors
    /// [`StudyError`] when the optimiser or the journal fails, or a stop rule makes no sense.
    pub fn ask(&mut self) -> Result<Next<O::Query>, StudyError> {
        self.validate()?;
        self.ask_as_of(self.history.len())
    }

    /// Records an intermediate value of a running trial.
    ///
    /// # Errors
    /// [`StudyError`]: never asked, told before, or the journal fails.
    pub fn report(&mut self, id: TrialId, step: u64, value: f64) -> Result<(), StudyError> {
        self.require_pending(id)?;
        self.write(&[Event::Reported { id, step, value }])?;
        if let Some(trial) = self.history.get_mut(id) {
            trial.reports.push((step, value));
        }
        Ok(())
    }

    /// True if the pruner would stop a running trial after what it has reported, all other trials seen as they are now.
    ///
    /// # Errors
    /// [`StudyError`]: never asked, told before, or the pruner's settings make no sense.
    pub fn should_prune(&self, id: TrialId) -> Result<bool, StudyError> {
        self.validate()?;
        let trial = self.require_pending(id)?;
        Ok(self.pruner.as_deref().is_some_and(|pruner| should_prune(pruner, &self.history, trial)))
    }

    /// Records how a trial ended. An objective or constraint that is not finite makes it a failure.
    ///
    /// # Errors
    /// [`StudyError`]: never asked, told before, the journal fails, or [`StudyError::InvalidMeasurement`] for another
    /// number of objectives or constraints than in an earlier trial and for a cost or noise that is negative or not
    /// finite. After an error nothing has changed and the trial is still pending.
    pub fn tell(&mut self, id: TrialId, outcome: impl Into<Outcome>) -> Result<(), StudyError> {
        self.require_pending(id)?;
        let outcome = outcome.into();
        self.require_consistent(id, &outcome)?;
        self.record(id, &outcome.checked(), 0.0)
    }

    /// Records an attempt that failed and is made again.
    pub(crate) fn retry(&mut self, id: TrialId, failure: &Failure, seconds: f64) -> Result<(), StudyError> {
        self.require_pending(id)?;
        self.write(&[Event::Retried { id, failure: failure.clone(), seconds }])?;
        if let Some(trial) = self.history.get_mut(id) {
            trial.reports.clear();
            self.observers.iter_mut().for_each(|observer| observer.retried(trial, failure));
        }
        Ok(())
    }

    /// Records how an evaluation of the loop ended; a measurement that [`Study::tell`] would refuse is a failure.
    pub(crate) fn finish(&mut self, id: TrialId, outcome: Outcome, seconds: f64) -> Result<(), StudyError> {
        self.require_pending(id)?;
        let outcome = match self.check(&outcome) {
            Ok(()) => outcome.checked(),
            Err(problem) => Outcome::Failed(Failure::Invalid(problem)),
        };
        self.record(id, &outcome, seconds)
    }

    /// Refuses a measurement that does not fit those of earlier trials.
    pub(crate) fn require_consistent(&self, id: TrialId, outcome: &Outcome) -> Result<(), StudyError> {
        self.check(outcome).map_err(|problem| StudyError::InvalidMeasurement { id, problem })
    }

    /// True if a measurement fits those of earlier trials. One that is a failure anyway need not: NaN is what an evaluator of
    /// several objectives may return when it fails.
    pub(crate) fn check(&self, outcome: &Outcome) -> Result<(), MeasurementProblem> {
        let Some(measurement) = outcome.measurement().filter(|m| m.is_finite()) else { return Ok(()) };
        measurement.check_cost_and_noise()?;
        let measured =
            |trial: &Trial<O::Query>| Some((trial.id, trial.outcome.as_ref()?.measurement()?.clone()));
        match self.history.trials.iter().find_map(measured) {
            Some((elapsed_before, other)) => measurement.check_counts(elapsed_before, &other),
            None => Ok(()),
        }
    }

    fn record(&mut self, id: TrialId, outcome: &Outcome, seconds: f64) -> Result<(), StudyError> {
        self.write(&[Event::Told { id, outcome: outcome.clone(), seconds }])?;
        if let Some(trial) = self.history.get_mut(id) {
            trial.timing.evaluate = seconds;
            trial.outcome = Some(outcome.clone());
            self.curves.iter().for_each(|curves| curves.end(id, outcome));
            self.observers.iter_mut().for_each(|observer| observer.told(trial, outcome));
        }
        Ok(())
    }

    /// Asks for the next trial as of when only the first `visible` trials had ended.
    pub(crate) fn ask_as_of(&mut self, visible: usize) -> Result<Next<O::Query>, StudyError> {
        let id = TrialId(self.history.len() as u64);
        let started_at = Instant::now();
        let optimizer = &mut self.optimizer;
        let given = self.history.enqueued().first().cloned();
        let ask = |history: &History<O::Query>| match &given {
            Some(given) => optimizer.ask_given(history, id, given),
            None => optimizer.ask(history, id),
        };
        let suggestion = match self.history.as_of(visible, ask)? {
            Ask::Evaluate(suggestion) => suggestion,
            Ask::Wait => return Ok(Next::Wait),
            Ask::Stop(reason) => return Ok(Next::Stop(reason)),
        };
        let Suggestion { query, diagnostics, memo } = suggestion;
        let timing = Timing { ask: started_at.elapsed().as_secs_f64(), evaluate: 0.0 };
        let trial = Trial { id, query, diagnostics, memo, reports: Vec::new(), outcome: None, timing };
        self.write(&trial.events(given.is_some()))?;
        if given.is_some() {
            self.history.queue.take();
        }
        self.observers.iter_mut().for_each(|observer| observer.asked(&trial));
        self.history.trials.push(trial.clone());
        self.curves.iter().for_each(|curves| curves.start());
        Ok(Next::Evaluate(trial))
    }

    /// Drops reports of trials that will be evaluated again, here and with the next line of the journal.
    pub(crate) fn forget_unfinished_reports(&mut self) {
        if self.history.pending().any(|trial| !trial.reports.is_empty()) {
            self.history.forget_unfinished_reports();
            self.journal.iter_mut().for_each(Journal::resume);
        }
    }

    pub(crate) fn stopped(&mut self, reason: &StopReason) {
        self.observers.iter_mut().for_each(|observer| observer.stopped(reason));
    }

    fn require_pending(&self, id: TrialId) -> Result<&Trial<O::Query>, StudyError> {
        match self.history.get(id) {
            None => Err(StudyError::UnknownTrial(id)),
            Some(trial) if trial.outcome.is_some() => Err(StudyError::AlreadyTold(id)),
            Some(trial) => Ok(trial),
        }
    }

    pub(crate) fn write(&mut self, events: &[Event<O::Query>]) -> Result<(), JournalError> {
        self.journal.as_mut().map_or(Ok(()), |journal| journal.write(self.schedule, events))
    }
}
