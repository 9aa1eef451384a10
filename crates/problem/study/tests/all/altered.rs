//! Logs whose readings, appends or clock are other than those of the log in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use thrifty_study::shared::{AppendError, Entry, EventLog, Lease, LogError, MemoryLog, verify_replay};
use thrifty_study::{History, StopReason, TrialId, WallTime};

use crate::shared::{PROBE, join, square, study, work};

pub(crate) type Append =
    dyn FnMut(&mut MemoryLog, u64, &[String], Option<&Lease>) -> Result<(), AppendError> + Send;

pub(crate) type Read = dyn FnMut(&mut MemoryLog, u64) -> Result<Vec<Entry>, LogError> + Send;

/// Log in memory whose readings, appends and clock can be made others.
pub(crate) struct Through {
    pub(crate) log: MemoryLog,
    pub(crate) read: Box<Read>,
    pub(crate) append: Box<Append>,
    pub(crate) now: Box<dyn FnMut(&mut MemoryLog) -> Result<f64, LogError> + Send>,
}

impl Through {
    pub(crate) fn new(log: MemoryLog) -> Self {
        Self {
            log,
            read: Box::new(MemoryLog::read_from),
            append: Box::new(MemoryLog::append),
            now: Box::new(MemoryLog::now),
        }
    }
}

impl EventLog for Through {
    fn name(&self) -> String {
        self.log.name()
    }

    fn now(&mut self) -> Result<f64, LogError> {
        (self.now)(&mut self.log)
    }

    fn read_from(&mut self, seq: u64) -> Result<Vec<Entry>, LogError> {
        (self.read)(&mut self.log, seq)
    }

    fn append(&mut self, expected: u64, bodies: &[String], lease: Option<&Lease>) -> Result<(), AppendError> {
        (self.append)(&mut self.log, expected, bodies, lease)
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

/// Appends whose answer is lost and that the store makes only when the worker repeats them are made once.
#[test]
fn an_append_that_is_late_is_not_made_twice() {
    let (mut late, mut appends) = (None, 0);
    let append: Box<Append> = Box::new(move |log, expected, bodies, lease| {
        if let Some((expected, bodies, lease)) = late.take() {
            let (bodies, lease): (Vec<String>, Option<Lease>) = (bodies, lease);
            log.append(expected, &bodies, lease.as_ref())?;
            return log.append(expected, &bodies, lease.as_ref());
        }
        appends += 1;
        if appends % 3 > 0 {
            late = Some((expected, bodies.to_vec(), lease.cloned()));
            let (store, message) = ("the late log".into(), "the cable is out".into());
            return Err(LogError::Unavailable { store, message }.into());
        }
        log.append(expected, bodies, lease)
    });
    let mut log = MemoryLog::new();
    let mut worker = study(8).join(Box::new(Through { append, ..Through::new(log.clone()) })).unwrap();
    worker.enqueue(&0.5).unwrap();
    worker.enqueue(&0.25).unwrap();
    let evaluated = worker.run_worker(|x, context| {
        context.report(1, *x).unwrap();
        x * x
    });
    let report = evaluated.unwrap();
    assert_eq!((report.evaluated, report.lost, report.asked_again), (8, 0, 0));
    let history = History::<f64>::read_log(&mut log).unwrap();
    assert_eq!(history.len(), 8);
    assert_eq!([history.trials()[0].query, history.trials()[1].query], [0.5, 0.25]);
    assert_ne!(history.trials()[2].query, 0.25);
    assert!(history.trials().iter().all(|trial| trial.reports.len() == 1), "each report once");
}

/// Two workers enqueue one query, and the store does not answer the first of them: both queries are there.
#[test]
fn an_equal_query_of_another_worker_is_not_taken_for_an_append() {
    let log = MemoryLog::new();
    let mut other = Some(join(study(8), &log));
    let append: Box<Append> = Box::new(move |log, expected, bodies, lease| {
        match other.take_if(|_| bodies.iter().any(|body| body.starts_with("{\"enqueued\""))) {
            Some(mut other) => {
                other.enqueue(&0.5).unwrap();
                let (store, message) = ("the log".into(), "the cable is out".into());
                Err(LogError::Unavailable { store, message }.into())
            }
            None => log.append(expected, bodies, lease),
        }
    });
    let mut worker = study(8).join(Box::new(Through { append, ..Through::new(log.clone()) })).unwrap();
    worker.enqueue(&0.5).unwrap();
    assert_eq!(worker.history().enqueued(), [0.5, 0.5]);
    assert_eq!(History::<f64>::read_log(&mut log.clone()).unwrap().enqueued(), [0.5, 0.5]);
    assert_eq!(worker.run_worker(square).unwrap().evaluated, 8);
    assert_eq!(verify_replay(PROBE, &mut log.clone()).unwrap(), 8);
}

/// A log whose entries are gone after a while, as when a store is restored from an old copy.
#[test]
fn a_log_that_lost_entries_is_an_error_and_not_a_loop() {
    let mut appends = 0;
    let append: Box<Append> = Box::new(move |log, expected, bodies, lease| {
        appends += 1;
        if appends == 8 {
            let copy: Vec<String> = log.read_from(0)?.into_iter().take(3).map(|e| e.body).collect();
            *log = MemoryLog::new();
            log.append(0, &copy, None)?;
            return Err(AppendError::Conflict);
        }
        log.append(expected, bodies, lease)
    });
    let log = Box::new(Through { append, ..Through::new(MemoryLog::new()) });
    let error = study(40).join(log).unwrap().run_worker(square).unwrap_err().to_string();
    assert!(error.contains("entry 7: entries that were read before are gone"), "{error}");
}

/// A store with a clock of its own, in seconds.
#[test]
fn time_counts_from_the_begin_of_the_log_by_the_clock_of_the_store() {
    let (log, clock) = (MemoryLog::new(), Arc::new(AtomicU64::new(5)));
    let join = |trials: usize| {
        let study = study(trials).with_stop(WallTime(Duration::from_secs(3600)));
        let clock = Arc::clone(&clock);
        let now = Box::new(move |_: &mut MemoryLog| Ok(clock.load(Ordering::SeqCst) as f64));
        study.join(Box::new(Through { now, ..Through::new(log.clone()) })).unwrap()
    };
    // This worker begins the study, by a clock that is not that of the machine.
    assert_eq!(join(2).run_worker(square).unwrap().reason, StopReason::Trials(2));
    clock.store(5 + 3590, Ordering::SeqCst);
    assert_eq!(join(4).run_worker(square).unwrap().reason, StopReason::Trials(4));
    // Whoever joins after an hour evaluates nothing, however long the study was left alone.
    clock.store(5 + 3601, Ordering::SeqCst);
    let report = join(9).run_worker(square).unwrap();
    assert!(matches!(report.reason, StopReason::WallTime(seconds) if (3601.0..3700.0).contains(&seconds)));
    assert_eq!(report.evaluated, 0);
    // A clock that was set back is no time.
    clock.store(0, Ordering::SeqCst);
    assert_eq!(join(5).run_worker(square).unwrap().reason, StopReason::Trials(5));
}

#[test]
fn a_log_of_an_earlier_version_counts_from_now() {
    let log = MemoryLog::new();
    work(&log, 1, || study(2));
    let mut bodies: Vec<String> = log.clone().read_from(0).unwrap().into_iter().map(|e| e.body).collect();
    let began = bodies[0].find("\"began\"").expect("the header says when the study began");
    let end = began + bodies[0][began..].find(',').unwrap() + 1;
    bodies[0].replace_range(began..end, "");
    let mut old = MemoryLog::new();
    old.append(0, &bodies, None).unwrap();
    let study = study(4).with_stop(WallTime(Duration::from_secs(3600)));
    assert_eq!(study.join(Box::new(old)).unwrap().run_worker(square).unwrap().reason, StopReason::Trials(4));
}
