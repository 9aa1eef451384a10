//! The loop of a worker.

use std::sync::Arc;
use std::time::Duration;

use super::{Assignment, SharedStudy, Step};
use crate::run::{Message, evaluate_one};
use crate::{Context, Optimizer, Outcome, StopReason, StudyError};

/// Summary of the work of one worker.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerReport {
    /// Reason for the end of the study.
    pub reason: StopReason,
    /// Number of trials that this worker evaluated and whose outcome it recorded.
    pub evaluated: usize,
    /// Number of those trials that another worker had started.
    pub taken_over: usize,
    /// Number of evaluations whose outcome was dropped because the trial had been handed out again.
    pub lost: usize,
    /// Number of suggestions that were dropped because another worker had asked the trial.
    pub asked_again: usize,
}

impl<O: Optimizer> SharedStudy<O> {
    /// Works until the study ends: asks, evaluates on the calling thread, and records.
    ///
    /// A thread extends the lease of the current trial. A trial whose worker is gone is evaluated again, as often as
    /// [`SharedStudy::with_max_restarts`] allows. The worker returns when all trials have ended, including those of other workers.
    ///
    /// # Errors
    /// [`StudyError`] when the optimiser fails, or the log fails for longer than [`SharedStudy::with_patience`]. The log is kept, and the
    /// current trial is handed out again.
    pub fn run_worker<E, R>(&mut self, mut evaluate: E) -> Result<WorkerReport, StudyError>
    where
        E: FnMut(&O::Query, &mut Context<'_>) -> R,
        R: Into<Outcome>,
    {
        // While this runs, trials that were handed out by hand cannot be told.
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
                        // A trial that this worker returned has the lease of its first owner again.
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
        // The previous worker of the trial may have made attempts.
        let failed = self.study.history.failed_attempts_at(trial.id).len();
        let mut recorded = Ok(());
        self.at_work.set(Some(lease));
        evaluate_one(trial, failed, &attempts, evaluate, &mut |message| {
            // After the first error the rest is dropped: another worker has the trial, or the log has failed.
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

    /// Time between two searches for trials whose worker is gone.
    pub(super) fn pause_between_claims(&self) -> Duration {
        (self.lease / 4).clamp(Duration::from_millis(10), Duration::from_secs(1))
    }
}
