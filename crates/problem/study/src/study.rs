//! A study: an optimiser, its history and its journal.

mod builder;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::curves::{Curves, should_prune};
use crate::event::Event;
use crate::history::Timed;
use crate::journal::Journal;
use crate::replay::Origin;
use crate::{
    Ask, Durability, Failure, FailureReason, History, JournalError, MeasurementProblem, Observer, Optimizer,
    Outcome, Pruner, Schedule, StopReason, StopRule, StudyError, Suggestion, Timing, Trial, TrialId,
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

/// A study: an optimiser with its history, journal, stop rules and observers.
///
/// Run the whole loop with [`Study::run`] or [`Study::run_parallel`], or steer it by hand with [`Study::ask`], [`Study::report`] and
/// [`Study::tell`].
pub struct Study<O: Optimizer> {
    pub(crate) optimizer: O,
    pub(crate) history: History<O::Query>,
    /// The chosen schedule, or the one read from the journal.
    pub(crate) schedule: Option<Schedule>,
    /// All trials before this one have ended.
    pub(crate) ended: usize,
    /// Number of further attempts at a failed trial.
    pub(crate) retries: usize,
    pub(crate) pruner: Option<Arc<dyn Pruner>>,
    /// Curves of all trials during a run with a pruner.
    pub(crate) curves: Option<Arc<Curves>>,
    durability: Durability,
    journal: Option<Journal>,
    stop: Vec<Box<dyn StopRule>>,
    pub(crate) observers: Vec<Box<dyn Observer<O::Query>>>,
    pub(crate) warnings: Vec<String>,
    /// Running trials with reports of an earlier sitting and none of this one.
    reported_before: BTreeSet<TrialId>,
    started_at: Instant,
    elapsed_before: Duration,
}

impl<O: Optimizer> Study<O> {
    /// All trials so far, including those whose outcome a window still hides from the optimiser.
    pub fn history(&self) -> &History<O::Query> {
        &self.history
    }

    /// The chosen schedule, or that of the journal; `None` without either.
    pub fn schedule(&self) -> Option<Schedule> {
        self.schedule
    }

    /// The optimiser.
    pub fn optimizer(&self) -> &O {
        &self.optimizer
    }

    /// Passes the planned number of trials to the optimiser, unless its settings have one. It does not stop the study. The last of several
    /// plans counts. The journal records it with the next event.
    pub fn plan(&mut self, trials: usize) {
        self.optimizer.plan(trials);
        if self.journal.is_none() {
            return;
        }
        match self.fingerprint() {
            Ok(fingerprint) => self.journal.iter_mut().for_each(|journal| journal.plan(fingerprint.budget)),
            Err(error) => {
                self.warnings.push(format!("the journal does not keep the plan of {trials} trials: {error}"));
            }
        }
    }

    /// Uses the plan recorded in a journal or a shared log, if the study has none of its own.
    pub(crate) fn plan_as_recorded(&mut self, own: Option<u64>, recorded: Option<u64>) {
        if let (None, Some(trials)) = (own, recorded.and_then(|budget| usize::try_from(budget).ok())) {
            self.plan(trials);
        }
    }

    /// Warnings from opening the journal: a truncated line, another machine, another schedule; also a plan that the journal cannot record.
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

    /// Reason to stop by the first applicable stop rule; `None` if none applies.
    pub fn check_stop(&self) -> Option<StopReason> {
        self.check_stop_on(&self.history)
    }

    fn check_stop_on(&self, history: &History<O::Query>) -> Option<StopReason> {
        let view = Timed { history, elapsed: self.elapsed() };
        self.stop.iter().find_map(|rule| rule.check(&view))
    }

    /// Time of this sitting and of those before.
    fn elapsed(&self) -> Duration {
        self.elapsed_before + self.started_at.elapsed()
    }

    /// Sets the time since the start of the study.
    pub(crate) fn count_time_after(&mut self, elapsed: Duration) {
        (self.elapsed_before, self.started_at) = (elapsed, Instant::now());
    }

    /// Result of [`Study::check_stop`] when only the first `visible` trials had ended.
    pub(crate) fn check_stop_as_of(&mut self, visible: usize) -> Option<StopReason> {
        let mut history = std::mem::take(&mut self.history);
        let reason = history.as_of(visible, |history| self.check_stop_on(history));
        self.history = history;
        reason
    }

    /// Checks the settings of all stop rules and the pruner.
    pub(crate) fn validate(&self) -> Result<(), StudyError> {
        self.stop.iter().try_for_each(|rule| rule.validate())?;
        self.pruner.iter().try_for_each(|pruner| pruner.validate())
    }

    /// Asks for the next trial by hand; all outcomes so far are visible.
    ///
    /// Stop rules are validated but not applied: only the optimiser ends the study here, so a caller may exceed the limits of a rule. A
    /// user-defined loop should call [`Study::check_stop`] before each ask.
    ///
    /// # Errors
    /// [`StudyError`] when the optimiser or the journal fails, or a stop rule is invalid.
    pub fn ask(&mut self) -> Result<Next<O::Query>, StudyError> {
        self.validate()?;
        self.ask_as_of(self.history.len())
    }

    /// Records an intermediate value of a running trial.
    ///
    /// The first report after the journal was reopened replaces earlier ones from its step on, in the order of reporting. An evaluation
    /// that is repeated, from the first step or from a checkpoint, thus reports them again.
    ///
    /// A new step replaces larger ones if the earlier steps are increasing. It replaces none if they are not, as for folds in random order.
    /// An evaluation that continued elsewhere thus loses nothing.
    ///
    /// # Errors
    /// [`StudyError`]: never asked, told before, or the journal fails.
    pub fn report(&mut self, id: TrialId, step: u64, value: f64) -> Result<(), StudyError> {
        let known = &self.require_pending(id)?.reports;
        let is_first = self.reported_before.contains(&id);
        let kept = if is_first { kept_reports(known, step) } else { known.len() };
        let mut events = Vec::new();
        if kept < known.len() {
            events.push(Event::Restarted { id, fence: 0, lost: false });
            events.extend(known[..kept].iter().map(|&(earlier, value)| Event::reported(id, earlier, value)));
        }
        events.push(Event::reported(id, step, value));
        self.write(events)?;
        self.reported_before.remove(&id);
        if let Some(trial) = self.history.get_mut(id) {
            trial.reports.truncate(kept);
            trial.reports.push((step, value));
        }
        Ok(())
    }

    /// Removes the reports of a running trial, which is evaluated again from its first step. The journal records it.
    ///
    /// # Errors
    /// As [`Study::report`].
    pub fn restart(&mut self, id: TrialId) -> Result<(), StudyError> {
        if self.require_pending(id)?.reports.is_empty() {
            return Ok(());
        }
        self.write(vec![Event::Restarted { id, fence: 0, lost: false }])?;
        self.reported_before.remove(&id);
        if let Some(trial) = self.history.get_mut(id) {
            trial.reports.clear();
        }
        Ok(())
    }

    /// True if the pruner would stop a running trial after its reports so far, given all other trials in their current state.
    ///
    /// # Errors
    /// [`StudyError`]: never asked, told before, or invalid settings of the pruner.
    pub fn should_prune(&self, id: TrialId) -> Result<bool, StudyError> {
        self.validate()?;
        let trial = self.require_pending(id)?;
        Ok(self.pruner.as_deref().is_some_and(|pruner| should_prune(pruner, &self.history, trial)))
    }

    /// Records the outcome of a trial. A measurement with an objective or constraint that is not finite becomes a failure.
    ///
    /// # Errors
    /// [`StudyError`]: never asked, told before, or the journal fails. [`StudyError::InvalidMeasurement`]: the number of objectives or
    /// constraints differs from that of an earlier trial, a cost or noise is negative or not finite, or [`Optimizer::check_measurement`]
    /// rejects it. After an error nothing has changed and the trial is still pending.
    pub fn tell(&mut self, id: TrialId, outcome: impl Into<Outcome>) -> Result<(), StudyError> {
        self.tell_timed(id, outcome, Duration::ZERO)
    }

    /// Records the outcome of a trial like [`Study::tell`], with the duration of its evaluation.
    ///
    /// # Errors
    /// Those of [`Study::tell`].
    pub fn tell_timed(
        &mut self,
        id: TrialId,
        outcome: impl Into<Outcome>,
        evaluation: Duration,
    ) -> Result<(), StudyError> {
        let outcome = outcome.into();
        self.check_outcome(id, &outcome)?;
        self.record(id, &outcome.checked(), evaluation.as_secs_f64())
    }

    /// Checks an outcome like [`Study::tell`], for a caller that first reports the accompanying intermediate values.
    ///
    /// # Errors
    /// Those of [`Study::tell`], except for the journal.
    pub fn check_outcome(&self, id: TrialId, outcome: &Outcome) -> Result<(), StudyError> {
        self.require_pending(id)?;
        self.require_consistent(id, outcome)
    }

    /// Records a failed attempt that is repeated.
    pub(crate) fn retry(&mut self, id: TrialId, failure: &Failure, seconds: f64) -> Result<(), StudyError> {
        self.require_pending(id)?;
        self.write(vec![Event::Retried { id, failure: failure.clone(), seconds, elapsed: None }])?;
        self.history.record_failed_attempt(id, failure.clone(), seconds);
        if let Some(trial) = self.history.get_mut(id) {
            trial.reports.clear();
            self.observers.iter_mut().for_each(|observer| observer.retried(trial, failure));
        }
        Ok(())
    }

    /// Records the end of an evaluation in the loop; a measurement that [`Study::tell`] would reject becomes a failure.
    pub(crate) fn finish(&mut self, id: TrialId, outcome: Outcome, seconds: f64) -> Result<(), StudyError> {
        self.require_pending(id)?;
        let outcome = match self.check(&outcome) {
            Ok(()) => outcome.checked(),
            Err(problem) => outcome.refused(FailureReason::Invalid(problem)),
        };
        self.record(id, &outcome, seconds)
    }

    /// Rejects a measurement that is inconsistent with earlier trials.
    pub(crate) fn require_consistent(&self, id: TrialId, outcome: &Outcome) -> Result<(), StudyError> {
        self.check(outcome).map_err(|problem| StudyError::InvalidMeasurement { id, problem })
    }

    /// Checks that a measurement is consistent with those of earlier trials. A measurement that becomes a failure anyway need not be: an
    /// evaluator of several objectives may return a single NaN when it fails.
    pub(crate) fn check(&self, outcome: &Outcome) -> Result<(), MeasurementProblem> {
        self.check_with(outcome, &[])
    }

    /// Checks that a measurement is consistent with earlier trials, and with further ones that are not in the history yet; see [`Study::check`].
    pub(crate) fn check_with(
        &self,
        outcome: &Outcome,
        further: &[Trial<O::Query>],
    ) -> Result<(), MeasurementProblem> {
        let Some(measurement) = outcome.measurement() else { return outcome.check_cost() };
        if !measurement.is_finite() {
            return Ok(());
        }
        measurement.check_cost_and_noise()?;
        self.optimizer.check_measurement(measurement)?;
        let (found, expected) = (measurement.objectives.len(), self.history.directions.as_slice().len());
        if expected > 0 && found != expected {
            return Err(MeasurementProblem::Directions { found, expected });
        }
        let measured =
            |trial: &Trial<O::Query>| Some((trial.id, trial.outcome.as_ref()?.measurement()?.clone()));
        match self.history.trials.iter().chain(further).find_map(measured) {
            Some((earlier, other)) => measurement.check_counts(earlier, &other),
            None => Ok(()),
        }
    }

    fn record(&mut self, id: TrialId, outcome: &Outcome, seconds: f64) -> Result<(), StudyError> {
        self.write(vec![Event::Told { id, outcome: outcome.clone(), seconds, elapsed: None }])?;
        if let Some(trial) = self.history.get_mut(id) {
            trial.timing.evaluate = seconds;
            trial.outcome = Some(outcome.clone());
            self.curves.iter().for_each(|curves| curves.end(id, outcome));
            self.observers.iter_mut().for_each(|observer| observer.told(trial, outcome));
        }
        Ok(())
    }

    /// Asks for the next trial as if only the first `visible` trials had ended.
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
            // A running trial may end because of a machine failure, and is then evaluated again.
            Ask::Stop(StopReason::Exhausted) if self.is_running_as_of(visible) => return Ok(Next::Wait),
            Ask::Stop(reason) => return Ok(Next::Stop(reason)),
        };
        let Suggestion { query, diagnostics, memo } = suggestion;
        let timing = Timing { ask: started_at.elapsed().as_secs_f64(), evaluate: 0.0 };
        let trial = Trial { id, query, diagnostics, memo, reports: Vec::new(), outcome: None, timing };
        let origin = if given.is_some() { Origin::Queued } else { Origin::Suggested };
        self.write(trial.events(origin, &[]))?;
        if given.is_some() {
            self.history.queue.take();
        }
        self.observers.iter_mut().for_each(|observer| observer.asked(&trial));
        self.history.trials.push(trial.clone());
        self.curves.iter().for_each(|curves| curves.start());
        Ok(Next::Evaluate(trial))
    }

    /// Removes the reports of all running trials, like [`Study::restart`].
    pub(crate) fn restart_running(&mut self) -> Result<(), StudyError> {
        let running: Vec<TrialId> = self.history.pending().map(|trial| trial.id).collect();
        running.into_iter().try_for_each(|id| self.restart(id))
    }

    /// True if a trial is running, or has ended but is not among the first `visible` ones.
    fn is_running_as_of(&self, visible: usize) -> bool {
        visible < self.history.len() || self.history.pending().next().is_some()
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

    /// Writes events to the journal, if there is one, stamped with the time of the study.
    pub(crate) fn write(&mut self, mut events: Vec<Event<O::Query>>) -> Result<(), JournalError> {
        let elapsed = self.elapsed();
        let Some(journal) = self.journal.as_mut().filter(|_| !events.is_empty()) else { return Ok(()) };
        events.iter_mut().for_each(|event| event.stamp(elapsed));
        journal.write(self.schedule, &events)
    }
}

/// Number of reports of an earlier sitting that are kept if `step` is the first one reported in this sitting.
fn kept_reports(known: &[(u64, f64)], step: u64) -> usize {
    let rises = known.is_sorted_by_key(|(earlier, _)| *earlier);
    let is_made_again = |(earlier, _): &(u64, f64)| *earlier == step || rises && *earlier > step;
    known.iter().position(is_made_again).unwrap_or(known.len())
}
