//! Rebuilding a history from the events of a journal.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use thrifty_sampling::Seed;

use crate::contents::{Contents, First};
use crate::event::Event;
use crate::history::FailedAttempt;
use crate::{History, JournalError, Query, Timing, Trial, TrialId};

impl<Q: Query> History<Q> {
    /// Reads the trials of a journal, finished or not, in any format; the file is neither locked nor written.
    ///
    /// ```no_run
    /// # use thrifty_study::History;
    /// let history: History<Vec<f64>> = History::read("study.jsonl")?;
    /// println!("{} trials, the best is {:?}", history.len(), history.best());
    /// # Ok::<(), thrifty_study::JournalError>(())
    /// ```
    ///
    /// # Errors
    /// [`JournalError`]: unreadable, not a journal, or damaged, with the line.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, JournalError> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|source| JournalError::Io { path: path.into(), source })?;
        Self::parse(path, BufReader::new(file))
    }

    /// Reads the trials of a journal in memory; errors name it `<bytes>`.
    ///
    /// # Errors
    /// As [`History::read`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, JournalError> {
        Self::parse(Path::new("<bytes>"), bytes)
    }

    fn parse(path: &Path, reader: impl BufRead) -> Result<Self, JournalError> {
        let mut contents = Contents::begin(path, reader)?;
        if contents.torn.is_some() {
            return Err(JournalError::NotAJournal { path: path.into() });
        }
        let mut history = Self::new(contents.first.as_ref().map_or(Seed(0), First::seed));
        if let Some(First::Two(header)) = &contents.first {
            let damaged = |message| JournalError::Corrupt { path: path.into(), line: 1, message };
            history.directions = header.fingerprint.directions().map_err(damaged)?;
            history.recorded = Some(Box::new(header.fingerprint.clone()));
        }
        history.replay_all(&mut contents, |_| {})?;
        Ok(history)
    }

    /// Applies the events of a journal, and calls `note` with each. Returns the time of the study after them, in seconds.
    ///
    /// # Errors
    /// [`JournalError`]: unreadable, or damaged, with the line.
    pub(crate) fn replay_all(
        &mut self,
        contents: &mut Contents<'_, impl BufRead>,
        mut note: impl FnMut(&Event<Q>),
    ) -> Result<f64, JournalError> {
        let mut seconds = 0.0;
        while let Some(event) = contents.next_event()? {
            note(&event);
            seconds = event.elapsed_after(seconds);
            self.replay(event).map_err(|message| contents.contradiction(message))?;
        }
        Ok(seconds)
    }

    /// Applies one event.
    ///
    /// # Errors
    /// Description of how the event contradicts earlier ones.
    pub(crate) fn replay(&mut self, event: Event<Q>) -> Result<(), String> {
        let unknown = |id: crate::TrialId| format!("trial {} was never asked", id.0);
        match event {
            Event::Asked { id, query, diagnostics, memo, queued, known, seconds, .. } => {
                if id.0 != self.len() as u64 {
                    return Err(format!("trial {} asked out of order", id.0));
                }
                if queued && !self.queue.take() {
                    return Err(format!("trial {} is of a queue without queries", id.0));
                }
                let timing = Timing { ask: seconds, evaluate: 0.0 };
                let trial =
                    Trial { id, query, diagnostics, memo, reports: Vec::new(), outcome: None, timing };
                self.trials.push(trial);
                if known {
                    self.known.insert(id);
                }
            }
            Event::Enqueued { query, .. } => {
                self.queue.push(query);
            }
            Event::Reported { id, step, value, .. } => {
                self.get_mut(id).ok_or_else(|| unknown(id))?.reports.push((step, value));
            }
            Event::Retried { id, failure, seconds, .. } => {
                let trial = self.get_mut(id).ok_or_else(|| unknown(id))?;
                if trial.outcome.is_some() {
                    return Err(format!("trial {} was told before", id.0));
                }
                trial.reports.clear();
                self.record_failed_attempt(id, failure, seconds);
            }
            Event::Resumed { keeps_reports: true, .. } => {}
            Event::Resumed { keeps_reports: false, .. } => self.forget_unfinished_reports(),
            Event::Restarted { id, lost, .. } => {
                self.get_mut(id).ok_or_else(|| unknown(id))?.reports.clear();
                self.restarts.record_restart(id, lost);
            }
            // A trial that was told meanwhile is no longer handed out, and is unchanged.
            Event::Released { id, .. } => {
                self.get(id).ok_or_else(|| unknown(id))?;
                self.restarts.record_release(id);
            }
            Event::Told { id, outcome, seconds, .. } => {
                let trial = self.get_mut(id).ok_or_else(|| unknown(id))?;
                if trial.outcome.is_some() {
                    return Err(format!("trial {} was told before", id.0));
                }
                trial.outcome = Some(outcome);
                trial.timing.evaluate = seconds;
            }
        }
        Ok(())
    }

    /// Events that produce this history: the queue, then trial by trial.
    pub(crate) fn events(&self) -> Vec<Event<Q>> {
        let waiting = self.queue.waiting().iter().cloned();
        let mut events: Vec<Event<Q>> = waiting.map(Event::enqueued).collect();
        let of_trial = |trial: &Trial<Q>| {
            let origin = Origin::of(self.known.contains(&trial.id));
            trial.events(origin, self.failed_attempts_at(trial.id))
        };
        events.extend(self.trials.iter().flat_map(of_trial));
        events
    }
}

/// Source of the query of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The optimiser.
    Suggested,
    /// The queue.
    Queued,
    /// The trial was made elsewhere.
    Known,
}

impl Origin {
    /// Origin of a trial that is not from the queue.
    pub(crate) fn of(known: bool) -> Self {
        if known { Self::Known } else { Self::Suggested }
    }
}

impl<Q: Query> Trial<Q> {
    /// Events of this trial, including its failed attempts.
    pub(crate) fn events(&self, origin: Origin, failed_attempts: &[FailedAttempt]) -> Vec<Event<Q>> {
        let Self { id, query, diagnostics, memo, timing, .. } = self.clone();
        let mut events = vec![Event::Asked {
            id,
            query,
            diagnostics,
            memo,
            queued: origin == Origin::Queued,
            known: origin == Origin::Known,
            seen: None,
            seconds: timing.ask,
            elapsed: None,
        }];
        events.extend(failed_attempts.iter().map(|FailedAttempt { failure, seconds }| Event::Retried {
            id,
            failure: failure.clone(),
            seconds: *seconds,
            elapsed: None,
        }));
        events.extend(self.reports.iter().map(|&(step, value)| Event::reported(id, step, value)));
        if let Some(outcome) = self.outcome.clone() {
            events.push(Event::Told { id, outcome, seconds: timing.evaluate, elapsed: None });
        }
        events
    }
}

impl<Q> History<Q> {
    /// Removes the reports of trials without an outcome.
    fn forget_unfinished_reports(&mut self) {
        let unfinished = self.trials.iter_mut().filter(|trial| trial.outcome.is_none());
        unfinished.for_each(|trial| trial.reports.clear());
    }

    /// Calls `look` on the history as it was when only the first `visible` trials had ended.
    ///
    /// Outcomes, reports and failed attempts of later trials are hidden meanwhile, except those of trials that were made elsewhere.
    pub(crate) fn as_of<T>(&mut self, visible: usize, look: impl FnOnce(&Self) -> T) -> T {
        let start = visible.min(self.trials.len());
        let mut later = self.failed_attempts.split_off(&TrialId(start as u64));
        let mut aside = Vec::new();
        for trial in self.trials[start..].iter_mut().filter(|trial| !self.known.contains(&trial.id)) {
            aside.push((trial.outcome.take(), std::mem::take(&mut trial.reports), later.remove(&trial.id)));
        }
        self.failed_attempts.append(&mut later);
        let seen = look(self);
        let trials = self.trials[start..].iter_mut().filter(|trial| !self.known.contains(&trial.id));
        for (trial, (outcome, reports, attempts)) in trials.zip(aside) {
            (trial.outcome, trial.reports) = (outcome, reports);
            self.failed_attempts.extend(attempts.map(|attempts| (trial.id, attempts)));
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The time of a study is that of the last line that has it, and the sum of the seconds of lines without it; nothing without events.
    #[test]
    fn replayed_seconds_are_those_of_the_events() {
        let header = r#"{"thrifty_journal":1,"seed":3,"fingerprint":"any"}"#;
        let asked = r#"{"asked":{"id":0,"query":5,"seconds":0.5}}"#;
        let reported = r#"{"reported":{"id":0,"step":1,"value":2.5}}"#;
        let told = r#"{"told":{"id":0,"outcome":{"pruned":{"last_step":1}},"seconds":1.25}}"#;
        let reported_at = r#"{"reported":{"id":0,"step":2,"value":2.5,"elapsed":1.0}}"#;
        let backwards = r#"{"asked":{"id":1,"query":5,"seconds":-7.0}}"#;
        let [of_now, of_before, smaller, endless] =
            [(2, ",\"elapsed\":1.875"), (3, ""), (4, ",\"elapsed\":1.0"), (5, ",\"elapsed\":1e300")].map(
                |(id, elapsed)| format!("{{\"asked\":{{\"id\":{id},\"query\":5,\"seconds\":4.0{elapsed}}}}}"),
            );
        let lines = [
            header,
            asked,
            reported,
            reported_at,
            told,
            backwards,
            &of_now,
            &of_before,
            &smaller,
            &endless,
            &told.replace("0,", "5,"),
        ];
        let expected = [0.0, 0.5, 0.5, 1.0, 2.25, 2.25, 2.25, 6.25, 6.25, 1e12, 1e12];
        for (count, expected) in (1..).zip(expected) {
            let text = lines[..count].join("\n") + "\n";
            let mut contents = Contents::begin(Path::new("<bytes>"), text.as_bytes()).unwrap();
            let seconds = History::<u64>::new(Seed(3)).replay_all(&mut contents, |_| {}).unwrap();
            assert_eq!(seconds, expected, "{count} lines");
        }
    }
}
