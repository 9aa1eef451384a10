//! Reading and appending of events by a worker.

use std::time::{Duration, Instant};

use super::{AppendError, Entry, EventLog, Lease, LogError, SharedStudy, entries};
use crate::event::Event;
use crate::{Optimizer, Study, StudyError};

/// Time without a response of a store after which observers are called.
const SILENT: Duration = Duration::from_secs(2);

impl<O: Optimizer> SharedStudy<O> {
    /// Reads entries that other workers have appended; returns their number.
    ///
    /// # Errors
    /// [`StudyError::Log`].
    pub fn sync(&mut self) -> Result<usize, StudyError> {
        Ok(self.news()?.len())
    }

    fn news(&mut self) -> Result<Vec<Entry>, StudyError> {
        let seq = self.seq;
        let entries = self.retry(|log| log.read_from(seq))?;
        for entry in &entries {
            if self.seq == 0 {
                self.check_header(&entries::header(&self.store, entry)?)?;
                self.seq = 1;
                continue;
            }
            let event = entries::event(&self.store, entry, self.seq)?;
            self.apply(event)?;
        }
        Ok(entries)
    }

    /// Appends events, after reading on whenever other workers were faster; returns the number of events.
    ///
    /// `events` computes them from the current history. `None` means that they are out of date; nothing is appended.
    pub(super) fn append(
        &mut self,
        lease: Option<&Lease>,
        mut events: impl FnMut(&Study<O>) -> Result<Vec<Event<O::Query>>, StudyError>,
    ) -> Result<usize, StudyError> {
        let started_at = Instant::now();
        // True while an earlier append may still take effect although the store did not respond.
        let mut is_unanswered = false;
        loop {
            let events = events(&self.study)?;
            if events.is_empty() {
                return Ok(0);
            }
            let bodies = events.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>();
            let bodies = bodies.map_err(|error| self.failed(&error))?;
            let result = self.log().append(self.seq, &bodies, lease);
            let refusal = match result {
                Ok(()) => {
                    let count = events.len();
                    events.into_iter().try_for_each(|event| self.apply(event))?;
                    return Ok(count);
                }
                Err(AppendError::Log(error)) => {
                    self.pause(error, started_at)?;
                    is_unanswered = true;
                    None
                }
                Err(refusal) => Some(refusal),
            };
            let news = self.news()?;
            let is_made = news.len() >= bodies.len() && news.iter().zip(&bodies).all(|(e, b)| e.body == *b);
            if is_unanswered && is_made {
                return Ok(bodies.len());
            }
            match refusal {
                Some(AppendError::Fenced) => {
                    return Err(lease.map_or_else(|| self.fenced_without_lease(), lost));
                }
                Some(_) if news.is_empty() => return Err(self.shrunk().into()),
                _ => {}
            }
            is_unanswered &= news.is_empty();
        }
    }

    /// Applies the next event of the log, and calls the observers.
    fn apply(&mut self, event: Event<O::Query>) -> Result<(), StudyError> {
        let (id, failure) = match &event {
            Event::Asked { id, .. } | Event::Told { id, .. } => (Some(*id), None),
            Event::Retried { id, failure, .. } => (Some(*id), Some(failure.clone())),
            _ => (None, None),
        };
        let (store, seq) = (&self.store, self.seq);
        let corrupt = |message| LogError::Corrupt { store: store.clone(), seq, message };
        self.study.history.replay(event).map_err(corrupt)?;
        self.seq += 1;
        if self.is_joining {
            return Ok(());
        }
        let Study { history, observers, .. } = &mut self.study;
        let Some(trial) = id.and_then(|id| history.get(id)) else { return Ok(()) };
        observers.iter_mut().for_each(|observer| match (&failure, &trial.outcome) {
            (Some(failure), _) => observer.retried(trial, failure),
            (None, Some(outcome)) => observer.told(trial, outcome),
            (None, None) => observer.asked(trial),
        });
        Ok(())
    }

    /// Calls the store, repeatedly while it is down and the patience lasts.
    pub(super) fn retry<T>(
        &mut self,
        mut call: impl FnMut(&mut dyn EventLog) -> Result<T, LogError>,
    ) -> Result<T, StudyError> {
        let started_at = Instant::now();
        loop {
            let result = call(&mut **self.log());
            match result {
                Ok(value) => return Ok(value),
                Err(error) => self.pause(error, started_at)?,
            }
        }
    }

    /// Waits before a call is repeated. Returns the error if repeating is useless or the patience is exhausted.
    pub(super) fn pause(&mut self, error: LogError, started_at: Instant) -> Result<(), StudyError> {
        let (elapsed, patience) = (started_at.elapsed(), self.patience);
        if !error.is_temporary() || elapsed >= patience {
            return Err(error.into());
        }
        if elapsed >= SILENT.min(patience / 2) && self.announced.is_none_or(|when| when.elapsed() >= patience)
        {
            self.announced = Some(Instant::now());
            self.study.observers.iter_mut().for_each(|observer| observer.waiting(&error, patience));
        }
        let pause = elapsed.clamp(Duration::from_millis(20), Duration::from_secs(2));
        std::thread::sleep(pause.min(patience.saturating_sub(elapsed)));
        Ok(())
    }

    /// Error of a log that has another position but no new entries.
    fn shrunk(&self) -> LogError {
        let message = "entries that were read before are gone: the log was replaced or restored".into();
        LogError::Corrupt { store: self.store.clone(), seq: self.seq, message }
    }

    fn fenced_without_lease(&self) -> StudyError {
        let message = "it refused an append without a lease for the sake of a lease".into();
        LogError::Failed { store: self.store.clone(), message }.into()
    }
}

/// Error of a lease that another worker has claimed since.
pub(super) fn lost(lease: &Lease) -> StudyError {
    StudyError::LeaseLost { id: lease.trial, fence: lease.fence, owner: lease.owner.clone() }
}
