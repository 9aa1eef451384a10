//! Observers of a shared study are told that its store does not answer.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use thrifty_study::shared::{AppendError, Entry, EventLog, Lease, LogError, MemoryLog};
use thrifty_study::{Observer, Outcome, Trial, TrialId};

use super::shared::{join, study};

/// A log that cannot be read for a time after the first attempt.
#[derive(Clone)]
struct Cut {
    log: MemoryLog,
    down: Arc<Mutex<(Option<Instant>, Duration)>>,
}

impl Cut {
    /// Cuts the log off from the next reading on.
    fn down_for(&self, time: Duration) {
        *self.down.lock().unwrap() = (None, time);
    }
}

impl EventLog for Cut {
    fn name(&self) -> String {
        "the log".into()
    }

    fn read_from(&mut self, seq: u64) -> Result<Vec<Entry>, LogError> {
        let mut down = self.down.lock().unwrap();
        let since = *down.0.get_or_insert_with(Instant::now);
        if since.elapsed() < down.1 {
            return Err(LogError::Unavailable { store: self.name(), message: "the cable is out".into() });
        }
        self.log.read_from(seq)
    }

    fn append(&mut self, expected: u64, bodies: &[String], lease: Option<&Lease>) -> Result<(), AppendError> {
        self.log.append(expected, bodies, lease)
    }

    fn claim(&mut self, trial: TrialId, owner: &str, time: Duration) -> Result<Option<Lease>, LogError> {
        self.log.claim(trial, owner, time)
    }

    fn heartbeat(&mut self, lease: &Lease, duration: Duration) -> Result<bool, LogError> {
        self.log.heartbeat(lease, duration)
    }

    fn release(&mut self, lease: &Lease) -> Result<(), LogError> {
        self.log.release(lease)
    }

    fn unclaimed(&mut self, trials: &[TrialId]) -> Result<Vec<TrialId>, LogError> {
        self.log.unclaimed(trials)
    }
}

/// Texts of what was announced.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Heard {
    fn add(&self, text: String) {
        self.0.lock().unwrap().push(text);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl Observer<f64> for Heard {
    fn told(&mut self, trial: &Trial<f64>, _: &Outcome) {
        self.add(format!("told {}", trial.id.0));
    }

    fn waiting(&mut self, error: &LogError, patience: Duration) {
        self.add(format!("{error}, {patience:?}"));
    }
}

/// A log that is down for more than two seconds is announced once, at the start too, where the trials that it has are not.
#[test]
fn a_store_that_does_not_answer_is_announced_once() {
    let log = MemoryLog::new();
    join(study(2), &log).run_worker(|x, _| x * x).unwrap();
    let (heard, cut) = (Heard::default(), Cut { log, down: Arc::default() });
    cut.down_for(Duration::from_secs(4));
    let mut worker = study(3).with_observer(heard.clone()).join(Box::new(cut.clone())).unwrap();
    assert_eq!(heard.take(), ["the log cannot be reached: the cable is out, 60s"]);
    assert_eq!(worker.history().len(), 2);

    // After half of a short patience, and not again before it is over.
    worker = worker.with_patience(Duration::from_secs(1));
    cut.down_for(Duration::from_secs(3600));
    let error = worker.sync().unwrap_err();
    assert_eq!(error.to_string(), "the log cannot be reached: the cable is out");
    assert_eq!(heard.take(), ["the log cannot be reached: the cable is out, 1s"]);
    cut.down_for(Duration::ZERO);
    worker.run_worker(|x, _| x * x).unwrap();
    assert_eq!(heard.take(), ["told 2"]);
}
