//! Observers of a shared study are told that its store does not answer.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use thrifty_study::shared::{EventLog as _, LogError, MemoryLog};
use thrifty_study::{Observer, Outcome, Trial};

use super::altered::{Read, Through};
use super::shared::{join, study};

/// Time for which a log cannot be read, from the next attempt on.
#[derive(Clone, Default)]
struct Outage(Arc<Mutex<(Option<Instant>, Duration)>>);

impl Outage {
    fn begin(&self, time: Duration) {
        *self.0.lock().unwrap() = (None, time);
    }

    fn is_over(&self) -> bool {
        let (since, time) = &mut *self.0.lock().unwrap();
        since.get_or_insert_with(Instant::now).elapsed() >= *time
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
    let (heard, outage) = (Heard::default(), Outage::default());
    let until = outage.clone();
    let read: Box<Read> = Box::new(move |log, seq| {
        if until.is_over() {
            return log.read_from(seq);
        }
        Err(LogError::Unavailable { store: "the log".into(), message: "the cable is out".into() })
    });
    outage.begin(Duration::from_secs(4));
    let log = Through { read, ..Through::new(log) };
    let mut worker = study(3).with_observer(heard.clone()).join(Box::new(log)).unwrap();
    assert_eq!(heard.take(), ["the log cannot be reached: the cable is out, 60s"]);
    assert_eq!(worker.history().len(), 2);

    // After half of a short patience, and not again before it is over.
    worker = worker.with_patience(Duration::from_secs(1));
    outage.begin(Duration::from_secs(3600));
    let error = worker.sync().unwrap_err();
    assert_eq!(error.to_string(), "the log cannot be reached: the cable is out");
    assert_eq!(heard.take(), ["the log cannot be reached: the cable is out, 1s"]);
    outage.begin(Duration::ZERO);
    worker.run_worker(|x, _| x * x).unwrap();
    assert_eq!(heard.take(), ["told 2"]);
}
