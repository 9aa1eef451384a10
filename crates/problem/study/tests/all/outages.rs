//! Logs that are down for a moment, now and then, or for ever.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use thrifty_study::shared::{AppendError, Entry, EventLog, Lease, LogError, MemoryLog, verify_replay};
use thrifty_study::{Context, History, TrialId};

use crate::shared::{PROBE, square, study};

/// Log that loses the answer of every n-th call, after or before it was carried out.
struct Faulty {
    log: MemoryLog,
    calls: usize,
    lost: &'static AtomicUsize,
}

impl Faulty {
    /// Fails before the call for one third of the faults, and else tells to fail after it.
    fn fault(&mut self) -> Result<bool, LogError> {
        self.calls += 1;
        match self.calls % 15 {
            5 => Err(self.down()),
            10 | 0 => Ok(true),
            _ => Ok(false),
        }
    }

    fn down(&self) -> LogError {
        self.lost.fetch_add(1, Ordering::Relaxed);
        LogError::Unavailable { store: "the faulty log".into(), message: "the cable is out".into() }
    }
}

impl EventLog for Faulty {
    fn name(&self) -> String {
        "the faulty log".into()
    }

    fn read_from(&mut self, seq: u64) -> Result<Vec<Entry>, LogError> {
        if self.fault()? { Err(self.down()) } else { self.log.read_from(seq) }
    }

    fn append(&mut self, expected: u64, bodies: &[String], lease: Option<&Lease>) -> Result<(), AppendError> {
        let fault = self.fault()?;
        self.log.append(expected, bodies, lease)?;
        if fault { Err(self.down().into()) } else { Ok(()) }
    }

    fn claim(&mut self, trial: TrialId, owner: &str, time: Duration) -> Result<Option<Lease>, LogError> {
        let fault = self.fault()?;
        let lease = self.log.claim(trial, owner, time)?;
        if fault { Err(self.down()) } else { Ok(lease) }
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

/// The call that writes the beginning fails before or after it is done: the worker tries again, and there is one beginning.
#[test]
fn a_study_begins_although_the_store_is_down_for_a_moment() {
    static LOST: AtomicUsize = AtomicUsize::new(0);
    for calls in [3, 8, 13] {
        let mut log = MemoryLog::new();
        let faulty = Box::new(Faulty { log: log.clone(), calls, lost: &LOST });
        let joined = study(5).join(faulty).unwrap();
        assert_eq!(joined.history().len(), 0);
        assert_eq!(log.read_from(0).unwrap().len(), 1, "{calls} calls before");
    }
    assert!(LOST.load(Ordering::Relaxed) >= 3);
}

#[test]
fn a_store_that_is_down_now_and_then_loses_and_doubles_nothing() {
    static LOST: AtomicUsize = AtomicUsize::new(0);
    let log = MemoryLog::new();
    let evaluations = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let (log, evaluations) = (log.clone(), &evaluations);
            scope.spawn(move || {
                let faulty = Box::new(Faulty { log, calls: worker, lost: &LOST });
                let mut study = study(40).join(faulty).unwrap().with_lease(Duration::from_millis(500));
                let evaluate = |x: &f64, context: &mut Context<'_>| {
                    evaluations.fetch_add(1, Ordering::Relaxed);
                    context.report(1, *x).unwrap();
                    x * x
                };
                study.run_worker(evaluate).unwrap();
            });
        }
    });
    assert!(LOST.load(Ordering::Relaxed) > 20);
    let history = History::<f64>::read_log(&mut log.clone()).unwrap();
    assert_eq!(history.len(), 40);
    assert!(history.trials().iter().all(|trial| trial.reports.len() == 1), "each report once");
    assert_eq!(verify_replay(PROBE, &mut log.clone()).unwrap(), 40);
    let count = evaluations.load(Ordering::Relaxed);
    assert_eq!(count, 40, "each trial is evaluated once");
}

#[test]
fn a_store_that_stays_down_is_an_error_after_a_while() {
    struct Down;
    impl EventLog for Down {
        fn name(&self) -> String {
            "the log".into()
        }
        fn read_from(&mut self, _: u64) -> Result<Vec<Entry>, LogError> {
            Err(LogError::Failed { store: "the log".into(), message: "the disk is broken".into() })
        }
        fn append(&mut self, _: u64, _: &[String], _: Option<&Lease>) -> Result<(), AppendError> {
            Err(AppendError::Conflict)
        }
        fn claim(&mut self, _: TrialId, _: &str, _: Duration) -> Result<Option<Lease>, LogError> {
            Ok(None)
        }
        fn heartbeat(&mut self, _: &Lease, _: Duration) -> Result<bool, LogError> {
            Ok(false)
        }
        fn release(&mut self, _: &Lease) -> Result<(), LogError> {
            Ok(())
        }
        fn unclaimed(&mut self, _: &[TrialId]) -> Result<Vec<TrialId>, LogError> {
            Ok(vec![])
        }
    }
    let error = study(1).join(Box::new(Down)).err().unwrap();
    assert_eq!(error.to_string(), "the log: the disk is broken");
    assert!(Down.wait(0, Duration::from_millis(1)).is_err());

    let log = MemoryLog::new();
    let faulty = Box::new(Faulty { log, calls: 0, lost: Box::leak(Box::default()) });
    let mut study = study(40).join(faulty).unwrap().with_patience(Duration::ZERO);
    let error = study.run_worker(square).unwrap_err();
    assert_eq!(error.to_string(), "the faulty log cannot be reached: the cable is out");
}
