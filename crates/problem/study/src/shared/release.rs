//! Trials that their worker returns.

use std::sync::{Arc, Mutex, PoisonError};

use super::{AppendError, EventLog, Lease, LogError, SharedStudy};
use crate::event::Event;
use crate::{Optimizer, StudyError};

/// The trial that [`SharedStudy::run_worker`] is evaluating, for other threads. Clones refer to the same worker.
#[derive(Debug, Clone, Default)]
pub struct AtWork(Arc<Mutex<Option<Lease>>>);

impl AtWork {
    /// Lease of the trial; `None` while no trial is evaluated.
    #[must_use]
    pub fn lease(&self) -> Option<Lease> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set(&self, lease: Option<&Lease>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = lease.cloned();
    }
}

impl<O: Optimizer> SharedStudy<O> {
    /// The trial that this worker is evaluating in [`SharedStudy::run_worker`]. A process that must end can [`give_back`] its lease.
    #[must_use]
    pub fn at_work(&self) -> AtWork {
        self.at_work.clone()
    }

    /// Returns a trial, so that it is handed out again at once. Its next restart does not count for [`SharedStudy::with_max_restarts`].
    ///
    /// # Errors
    /// [`StudyError::Log`].
    pub fn release(&mut self, lease: &Lease) -> Result<(), StudyError> {
        let (id, fence) = (lease.trial, lease.fence);
        self.given.remove(&id);
        let released = self.append(Some(lease), |study| {
            let is_pending = study.history.get(id).is_some_and(|trial| trial.outcome.is_none());
            Ok(if is_pending { vec![Event::Released { id, fence }] } else { Vec::new() })
        });
        match released {
            Ok(_) | Err(StudyError::LeaseLost { .. }) => self.retry(|log| log.release(lease)),
            Err(error) => Err(error),
        }
    }
}

/// Returns running trials, so that they are handed out again at once, as [`SharedStudy::release`] does. For a process that must end, on a
/// separate thread. Leases that were claimed again since are skipped.
///
/// The evaluations must have ended, and none of their outcomes may be recorded afterwards.
///
/// # Errors
/// [`LogError`] when the store cannot be read or written. The trials are then handed out again when their leases expire.
pub fn give_back(log: &mut dyn EventLog, leases: &[Lease]) -> Result<(), LogError> {
    let store = log.name();
    let mut seq = 0;
    for lease in leases {
        let released = Event::<()>::Released { id: lease.trial, fence: lease.fence };
        let body = serde_json::to_string(&released);
        let body =
            body.map_err(|error| LogError::Failed { store: store.clone(), message: error.to_string() })?;
        loop {
            seq += log.read_from(seq)?.len() as u64;
            match log.append(seq, std::slice::from_ref(&body), Some(lease)) {
                Err(AppendError::Conflict) => {}
                Err(AppendError::Log(error)) => return Err(error),
                Ok(()) | Err(AppendError::Fenced) => break,
            }
        }
        log.release(lease)?;
    }
    Ok(())
}
