//! The loop of a worker.

use std::sync::Arc;
use std::time::Duration;

use super::{Assignment, SharedStudy, Step};
use crate::run::{Message, evaluate_one};
use crate::{Context, Optimizer, Outcome, StopReason, StudyError};

/// Work of one worker.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerReport {
    /// Reason for the end of the study.
    pub reason: StopReason,
    /// Trials that this worker evaluated and whose outcome it recorded.
    pub evaluated: usize,
    /// Those among them that another worker had begun.
    pub taken_over: usize,
    /// Evaluations whose outcome was dropped because the trial had been handed out again.
    pub lost: usize,
    /// Suggestions that were dropped because another worker had asked the trial.
    pub asked_again: usize,
}

impl<O: Optimizer> SharedStudy<O> {
    /// Works until the study ends: asks, evaluates on the calling thread, records.
    ///
    /// A thread extends the lease of the trial at work. A trial whose worker is gone is evaluated again, as often as
    /// [`SharedStudy::with_max_restarts`] allows; the worker returns when all trials have ended, whoever evaluated them.
    ///
    /// # Errors
    /// [`StudyError`] when the optimiser fails, or the log for longer than [`SharedStudy::with_patience`]. What is on the log stays there,
    /// and the trial at work is handed out again.
    pub fn run_worker<E, R>(&mut self, mut evaluate: E) -> Result<WorkerReport, StudyError>
    where
        E: FnMut(&O::Query, &mut Context<'_>) -> R,
        R: Into<Outcome>,
    {
        // Nobody can tell the trials that were given out by hand while this runs.
        self.given.clear();
        self.while_kept(self.lease, |study| study.work(&mut evaluate))
    }

    /// Calls `work` while a thread extends the lease that the keeper holds.
    pub(super) fn while_kept<T>(&mut self, lease: Duration, work: impl FnOnce(&mut Self) -> T) -> T {
        let (log, keeper) = (Arc::clone(&self.log), Arc::default());
        self.keeper = Arc::clone(&keeper);
        std::thread::scope(|scope| {
            let _ending = keeper.ending();
            scope.spawn(|| keeper.keep(&log, lease));
            work(self)
        })
    }

    fn work<R: Into<Outcome>>(
        &mut self,
        evaluate: &mut dyn FnMut(&O::Query, &mut Context<'_>) -> R,
    ) -> Result<WorkerReport, StudyError> {
        let (mut evaluated, mut taken_over, mut lost) = (0, 0, 0);
        loop {
            let unfinished = self.take_over(self.lease)?;
            let is_taken_over = unfinished.is_some();
            let step = unfinished
                .map_or_else(|| self.next_new(self.lease), |assignment| Ok(Step::Evaluate(assignment)));
            match step? {
                Step::Evaluate(assignment) => match self.evaluate(&assignment, evaluate) {
                    Ok(()) => {
                        evaluated += 1;
                        // A trial that this worker gave back has the lease of its first owner again.
                        taken_over += usize::from(is_taken_over && assignment.lease.fence > 1);
                    }
                    Err(StudyError::LeaseLost { .. } | StudyError::AlreadyTold(_)) => lost += 1,
                    Err(error) => return Err(error),
                },
                Step::Wait => self.wait()?,
                Step::Stop(reason) => {
                    self.study.stopped(&reason);
                    let asked_again = self.asked_again;
                    return Ok(WorkerReport { reason, evaluated, taken_over, lost, asked_again });
                }
            }
        }
    }

    /// Evaluates a trial and records its reports and its outcome.
    fn evaluate<R: Into<Outcome>>(
        &mut self,
        assignment: &Assignment<O::Query>,
        evaluate: &mut dyn FnMut(&O::Query, &mut Context<'_>) -> R,
    ) -> Result<(), StudyError> {
        let Assignment { trial, lease } = assignment;
        let attempts = self.study.attempts(self.schedule);
        // The worker that had the trial before may have tried.
        let failed = self.study.history.failed_attempts_at(trial.id).len();
        let mut recorded = Ok(());
        self.at_work.set(Some(lease));
        evaluate_one(trial, failed, &attempts, evaluate, &mut |message| {
            // After the first error the rest is dropped: either the trial is another worker's now, or the log is gone.
            if recorded.is_ok() {
                recorded = match message {
                    Message::Reported(_, step, value) => self.report(lease, step, value),
                    Message::Retried(_, failure, seconds) => self.retried(lease, &failure, seconds),
                    Message::Finished(_, outcome, seconds) => self.finish(lease, &outcome, seconds),
                };
            }
            recorded.is_ok()
        });
        self.at_work.set(None);
        self.keeper.hold(None);
        recorded
    }

    /// Time between two looks for trials whose worker is gone.
    pub(super) fn pause_between_claims(&self) -> Duration {
        (self.lease / 4).clamp(Duration::from_millis(10), Duration::from_secs(1))
    }
}
