//! Reports and outcomes of a worker's trials.

use super::append::lost;
use super::{Lease, SharedStudy};
use crate::event::Event;
use crate::{Failure, FailureReason, Optimizer, Outcome, StudyError, TrialId};

impl<O: Optimizer> SharedStudy<O> {
    /// Records an intermediate value of a trial.
    ///
    /// # Errors
    /// [`StudyError::LeaseLost`], or when the log fails.
    pub fn report(&mut self, lease: &Lease, step: u64, value: f64) -> Result<(), StudyError> {
        let id = lease.trial;
        let reported = self.append(Some(lease), |study| {
            let is_pending = study.history.get(id).is_some_and(|trial| trial.outcome.is_none());
            Ok(if is_pending { vec![Event::reported(id, step, value)] } else { Vec::new() })
        })?;
        self.require_appended(reported, lease)
    }

    /// True if the pruner would stop a running trial after its reports so far, given all other trials in their current state.
    ///
    /// # Errors
    /// As [`Study::should_prune`](crate::Study::should_prune), or when the log fails.
    pub fn should_prune(&mut self, id: TrialId) -> Result<bool, StudyError> {
        self.sync()?;
        self.study.should_prune(id)
    }

    /// Records how a trial ended.
    ///
    /// # Errors
    /// [`StudyError::UnknownTrial`], [`StudyError::LeaseLost`] if the trial was handed out again, [`StudyError::AlreadyTold`],
    /// [`StudyError::InvalidMeasurement`] as [`Study::tell`](crate::Study::tell), or when the log fails. Nothing is changed then.
    pub fn tell(&mut self, lease: &Lease, outcome: impl Into<Outcome>) -> Result<(), StudyError> {
        let outcome = outcome.into();
        self.check_outcome(lease.trial, &outcome)?;
        self.finish(lease, &outcome, 0.0)
    }

    /// Checks an outcome like [`SharedStudy::tell`], for a caller that first reports the accompanying intermediate values. The lease is
    /// checked with the first of them.
    ///
    /// # Errors
    /// [`StudyError::UnknownTrial`], [`StudyError::InvalidMeasurement`], or when the log fails.
    pub fn check_outcome(&mut self, id: TrialId, outcome: &Outcome) -> Result<(), StudyError> {
        self.sync()?;
        if self.study.history.get(id).is_none() {
            return Err(StudyError::UnknownTrial(id));
        }
        self.study.require_consistent(id, outcome)
    }

    /// Records a failed attempt that is repeated.
    pub(super) fn retried(
        &mut self,
        lease: &Lease,
        failure: &Failure,
        seconds: f64,
    ) -> Result<(), StudyError> {
        let id = lease.trial;
        let retried = self.append(Some(lease), |study| {
            let is_pending = study.history.get(id).is_some_and(|trial| trial.outcome.is_none());
            let event = || Event::Retried { id, failure: failure.clone(), seconds, elapsed: None };
            Ok(if is_pending { vec![event()] } else { Vec::new() })
        })?;
        self.require_appended(retried, lease)
    }

    /// Records the end of an evaluation; a measurement that [`SharedStudy::tell`] would reject becomes a failure.
    pub(super) fn finish(
        &mut self,
        lease: &Lease,
        outcome: &Outcome,
        seconds: f64,
    ) -> Result<(), StudyError> {
        let id = lease.trial;
        self.sync()?;
        let told = self.append(Some(lease), |study| {
            if study.history.get(id).is_none_or(|trial| trial.outcome.is_some()) {
                return Ok(Vec::new());
            }
            let outcome = match study.check(outcome) {
                Ok(()) => outcome.clone().checked(),
                Err(problem) => outcome.clone().refused(FailureReason::Invalid(problem)),
            };
            Ok(vec![Event::Told { id, outcome, seconds, elapsed: None }])
        })?;
        self.require_appended(told, lease)
    }

    /// Error for a trial that was already told, by this worker or another.
    fn require_appended(&mut self, count: usize, lease: &Lease) -> Result<(), StudyError> {
        if count > 0 {
            Ok(())
        } else if self.heartbeat(lease)? {
            Err(StudyError::AlreadyTold(lease.trial))
        } else {
            Err(lost(lease))
        }
    }

    /// Extends a lease; false if the trial was handed out again.
    ///
    /// # Errors
    /// [`StudyError::Log`].
    pub fn heartbeat(&mut self, lease: &Lease) -> Result<bool, StudyError> {
        let duration = self.lease;
        self.retry(|log| log.heartbeat(lease, duration))
    }
}
