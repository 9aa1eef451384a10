//! Next trial of a worker: one whose worker is gone, or a new one.

use std::time::{Duration, Instant};

use super::{Assignment, Lease, SharedStudy};
use crate::event::Event;
use crate::{Ask, Optimizer, Schedule, StopReason, Study, StudyError, Suggestion, TrialId};

/// Default of the longest claim of a trial that is being asked.
const MAX_ASK_LEASE: Duration = Duration::from_secs(60);

/// Next step of a worker.
#[derive(Debug, Clone, PartialEq)]
pub enum Step<Q> {
    /// Evaluate this trial, extend its lease meanwhile, and report its outcome.
    Evaluate(Assignment<Q>),
    /// Another worker is asking, or the study ends with its last trials: wait for news.
    Wait,
    /// The study has ended, and so have all its trials.
    Stop(StopReason),
}

/// Answer of an optimiser, given the events so far.
pub(super) enum Answer<Q> {
    Evaluate { suggestion: Suggestion<Q>, queued: bool },
    Wait,
    Stop(StopReason),
}

/// Asks for the next trial, given the current history. The answer is a function of the history and the optimiser's settings.
///
/// A window only shows the first trials to the optimiser; until those have ended, the answer is to wait. Later trials become visible if the
/// optimiser waits for them or finds nothing left to evaluate.
pub(super) fn answer<O: Optimizer>(
    study: &mut Study<O>,
    schedule: Schedule,
) -> Result<Answer<O::Query>, StudyError> {
    let id = TrialId(study.history.len() as u64);
    let given = study.history.enqueued().first().cloned();
    let mut visible = schedule.visible(study.history.len());
    loop {
        if !has_ended(study, schedule, visible) {
            return Ok(Answer::Wait);
        }
        let optimizer = &mut study.optimizer;
        let answer = study.history.as_of(visible, |history| match &given {
            Some(given) => optimizer.ask_given(history, id, given),
            None => optimizer.ask(history, id),
        })?;
        match answer {
            Ask::Evaluate(suggestion) => return Ok(Answer::Evaluate { suggestion, queued: given.is_some() }),
            // A later trial may have ended because of a machine failure, and is then evaluated again.
            Ask::Wait | Ask::Stop(StopReason::Exhausted) if visible < study.history.len() => visible += 1,
            Ask::Stop(reason) => return Ok(Answer::Stop(reason)),
            Ask::Wait => return Ok(Answer::Wait),
        }
    }
}

/// True if a window's first `visible` trials have ended.
fn has_ended<O: Optimizer>(study: &Study<O>, schedule: Schedule, visible: usize) -> bool {
    let first = study.history.trials().iter().take(visible);
    schedule == Schedule::AsCompleted || first.into_iter().all(|trial| trial.outcome.is_some())
}

impl<O: Optimizer> SharedStudy<O> {
    /// Next step: a trial whose worker is gone if there is one, else a new trial while no stop rule applies.
    ///
    /// The suggestion is on the log when this returns. A trial that this function has handed out is not handed out again until it is
    /// [released](SharedStudy::release) or another worker has claimed it. An expired lease is extended instead.
    ///
    /// # Errors
    /// [`StudyError`] when the optimiser or the log fails, or a stop rule is invalid.
    pub fn next_step(&mut self) -> Result<Step<O::Query>, StudyError> {
        let claim = self.ask_lease.unwrap_or(MAX_ASK_LEASE.min(self.lease));
        let step = self.while_kept(claim, |study| match study.take_over(claim)? {
            Some(assignment) => Ok(Step::Evaluate(assignment)),
            None => study.next_new(claim),
        })?;
        let Step::Evaluate(assignment) = &step else { return Ok(step) };
        // The thread that extends the claim has ended; otherwise it would shorten this lease.
        if claim != self.lease && !self.heartbeat(&assignment.lease)? {
            return Ok(Step::Wait);
        }
        self.given.insert(assignment.lease.trial, assignment.lease.clone());
        Ok(step)
    }

    /// A new trial with a claim of this duration, after [`SharedStudy::take_over`] found none to take over.
    pub(super) fn next_new(&mut self, claim: Duration) -> Result<Step<O::Query>, StudyError> {
        let (id, visible) = self.next_trial();
        if !has_ended(&self.study, self.schedule, visible) {
            return Ok(Step::Wait);
        }
        if let Some(reason) = self.study.check_stop_as_of(visible) {
            return Ok(self.stop(reason));
        }
        // A refused claim is repeated when the trial was asked, or after a while in case its worker is gone.
        let again = self.pause_between_claims();
        if self.refused.is_some_and(|(refused, when)| refused == id && when.elapsed() < again) {
            return Ok(Step::Wait);
        }
        let Some(lease) = self.claim(id, claim)? else {
            self.refused = Some((id, Instant::now()));
            return Ok(Step::Wait);
        };
        self.keeper.hold(Some(&lease));
        let step = self.ask_with(&lease);
        if !matches!(step, Ok(Step::Evaluate(_))) {
            self.keeper.hold(None);
            self.retry(|log| log.release(&lease))?;
            self.refused = Some((id, Instant::now()));
        }
        step
    }

    /// Asks for a trial that this worker has claimed.
    fn ask_with(&mut self, lease: &Lease) -> Result<Step<O::Query>, StudyError> {
        self.sync()?;
        let (id, visible) = self.next_trial();
        if id != lease.trial || !has_ended(&self.study, self.schedule, visible) {
            return Ok(Step::Wait);
        }
        if let Some(reason) = self.study.check_stop_as_of(visible) {
            return Ok(self.stop(reason));
        }
        let (seen, started_at) = (Some(self.seq), Instant::now());
        let (suggestion, queued) = match answer(&mut self.study, self.schedule)? {
            Answer::Evaluate { suggestion, queued } => (suggestion, queued),
            Answer::Wait => return Ok(Step::Wait),
            Answer::Stop(reason) => return Ok(self.stop(reason)),
        };
        let seconds = started_at.elapsed().as_secs_f64();
        let asked = self.append(Some(lease), |study| {
            if study.history.len() as u64 != id.0 {
                return Ok(Vec::new());
            }
            let Suggestion { query, diagnostics, memo } = suggestion.clone();
            Ok(vec![Event::Asked {
                id,
                query,
                diagnostics,
                memo,
                queued,
                known: false,
                seen,
                seconds,
                elapsed: None,
            }])
        });
        match asked {
            Ok(0) | Err(StudyError::LeaseLost { .. }) => {
                self.asked_again += 1;
                Ok(Step::Wait)
            }
            Ok(_) => Ok(self.assigned(lease).map_or(Step::Wait, Step::Evaluate)),
            Err(error) => Err(error),
        }
    }

    /// Claims a pending trial that no worker holds in the current log, for this duration. Trials whose workers were lost too often fail.
    pub(super) fn take_over(&mut self, claim: Duration) -> Result<Option<Assignment<O::Query>>, StudyError> {
        self.study.validate()?;
        self.sync()?;
        let pending: Vec<TrialId> = self.study.history.pending().map(|trial| trial.id).collect();
        self.given.retain(|id, _| pending.contains(id));
        self.fences.retain(|id, _| pending.contains(id));
        let again = self.pause_between_claims();
        if pending.is_empty() || self.searched.is_some_and(|when| when.elapsed() < again) {
            return Ok(None);
        }
        for id in self.retry(|log| log.unclaimed(&pending))? {
            if self.is_still_given(id)? {
                continue;
            }
            let Some(lease) = self.claim(id, claim)? else { continue };
            self.sync()?;
            if self.restart(&lease)? {
                self.keeper.hold(Some(&lease));
                return Ok(self.assigned(&lease));
            }
        }
        self.searched = Some(Instant::now());
        Ok(None)
    }

    /// True for a trial that this worker has handed out and no other has claimed since; its lease is extended.
    ///
    /// A new claim would return the same fencing number, so two evaluations of the trial could not be distinguished.
    fn is_still_given(&mut self, id: TrialId) -> Result<bool, StudyError> {
        let Some(lease) = self.given.get(&id).cloned() else { return Ok(false) };
        let is_held = self.heartbeat(&lease)?;
        if !is_held {
            self.given.remove(&id);
        }
        Ok(is_held)
    }

    fn claim(&mut self, id: TrialId, duration: Duration) -> Result<Option<Lease>, StudyError> {
        let owner = self.owner.clone();
        self.retry(|log| log.claim(id, &owner, duration))
    }

    fn assigned(&mut self, lease: &Lease) -> Option<Assignment<O::Query>> {
        let trial = self.study.history.get(lease.trial)?.clone();
        self.fences.insert(lease.trial, lease.fence);
        Some(Assignment { trial, lease: lease.clone() })
    }

    /// The next trial, and the number of initial trials whose outcomes are visible to its suggestion.
    fn next_trial(&self) -> (TrialId, usize) {
        let asked = self.study.history.len();
        (TrialId(asked as u64), self.schedule.visible(asked))
    }

    /// End of the study, as soon as no trial runs.
    fn stop(&self, reason: StopReason) -> Step<O::Query> {
        if self.study.history.pending().next().is_some() { Step::Wait } else { Step::Stop(reason) }
    }
}
