//! Restarts of trials whose worker is gone, and their limit.

use super::{Lease, SharedStudy};
use crate::event::Event;
use crate::{Optimizer, Outcome, StudyError};

/// Default limit of restarts of a trial after the loss of its worker.
pub(super) const MAX_RESTARTS: usize = 5;

impl<O: Optimizer> SharedStudy<O> {
    /// Records that a claimed trial is evaluated again, or that it failed because its workers were lost too often. Returns true in the
    /// first case. The fencing number of the lease ensures that one worker decides.
    pub(super) fn restart(&mut self, lease: &Lease) -> Result<bool, StudyError> {
        let (id, fence, limit) = (lease.trial, lease.fence, self.max_restarts);
        // The worker's own lease may expire while the store is down; then the evaluation did not crash a worker.
        let is_own = self.fences.get(&id) == Some(&fence);
        let recorded = self.append(Some(lease), |study| {
            let history = &study.history;
            if history.get(id).is_none_or(|trial| trial.outcome.is_some()) {
                return Ok(Vec::new());
            }
            let lost = !is_own && !history.restarts.is_released(id);
            let losses = history.restarts.losses_of(id) + usize::from(lost);
            let outcome = lost_too_often(losses, limit);
            Ok(vec![if lost && losses > limit {
                Event::Told { id, outcome, seconds: 0.0, elapsed: None }
            } else {
                Event::Restarted { id, fence, lost }
            }])
        });
        match recorded {
            Ok(0) | Err(StudyError::LeaseLost { .. }) => Ok(false),
            Ok(_) => Ok(self.study.history.get(id).is_some_and(|trial| trial.outcome.is_none())),
            Err(error) => Err(error),
        }
    }
}

/// Failure of a trial whose workers were lost more often than it may be restarted.
fn lost_too_often(losses: usize, limit: usize) -> Outcome {
    let times = if losses == 1 { "once".to_owned() } else { format!("{losses} times") };
    let restarts = if limit == 1 { "restart" } else { "restarts" };
    Outcome::failed(format!("its worker was lost {times}; the limit is {limit} {restarts}"))
}
