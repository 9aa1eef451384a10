//! Trials of a shared log whose workers are lost: how often they are handed out again.

use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::time::Duration;

use thrifty_study::shared::{
    AppendError, Assignment, EventLog, LogError, MemoryLog, SharedStudy, Step, give_back, verify_replay,
};
use thrifty_study::{Context, History, Observer, Outcome, Trial, TrialId};

use crate::altered::{Append, Through};
use crate::shared::{PROBE, Probe, join, square, study};

/// A worker that restarts a trial so many times, with leases that last longer than any test.
fn worker(log: &MemoryLog, restarts: usize) -> SharedStudy<Probe> {
    join(study(3), log).with_lease(Duration::from_secs(600)).with_max_restarts(restarts)
}

/// The next trial of a worker.
fn next(worker: &mut SharedStudy<Probe>) -> Assignment<f64> {
    match worker.next_step().unwrap() {
        Step::Evaluate(assignment) => assignment,
        other => panic!("a trial, not {other:?}"),
    }
}

/// Lets the lease of a worker run out, as when its process is killed.
fn lose(log: &MemoryLog, lost: &Assignment<f64>) {
    assert!(log.clone().heartbeat(&lost.lease, Duration::ZERO).unwrap());
}

fn bodies(log: &MemoryLog) -> Vec<String> {
    log.clone().read_from(0).unwrap().into_iter().map(|entry| entry.body).collect()
}

/// Number of entries that begin with a text.
fn count(log: &MemoryLog, start: &str) -> usize {
    bodies(log).iter().filter(|body| body.starts_with(start)).count()
}

fn failure(text: &str) -> Outcome {
    Outcome::failed(text)
}

/// Outcome of the first trial as of the log.
fn first_outcome(log: &MemoryLog) -> Option<Outcome> {
    History::<f64>::read_log(&mut log.clone()).unwrap().trials()[0].outcome.clone()
}

/// Numbers of the trials that an observer was told of.
struct Told<'a>(&'a Mutex<Vec<u64>>);

impl Observer<f64> for Told<'static> {
    fn told(&mut self, trial: &Trial<f64>, _: &Outcome) {
        self.0.lock().unwrap().push(trial.id.0);
    }
}

#[test]
fn a_trial_that_takes_its_workers_down_fails_after_the_limit() {
    for (limit, message) in [
        (0, "its worker was lost once; the limit is 0 restarts"),
        (1, "its worker was lost 2 times; the limit is 1 restart"),
        (5, "its worker was lost 6 times; the limit is 5 restarts"),
    ] {
        let log = MemoryLog::new();
        for attempt in 0..=limit {
            let mut dying = worker(&log, limit);
            let lost = next(&mut dying);
            assert_eq!((lost.trial.id, lost.lease.fence), (TrialId(0), attempt as u64 + 1));
            dying.report(&lost.lease, 1, 0.5).unwrap();
            lose(&log, &lost);
        }
        assert_eq!(first_outcome(&log), None, "limit {limit}");
        let report = worker(&log, limit).run_worker(square).unwrap();
        assert_eq!((report.evaluated, report.taken_over), (2, 0), "limit {limit}");
        assert_eq!(first_outcome(&log), Some(failure(message)));
        assert_eq!(count(&log, "{\"restarted\""), limit);
        let history = History::<f64>::read_log(&mut log.clone()).unwrap();
        assert_eq!(history.unsuccessful().count(), 1);
        assert!(history.trials().iter().all(|trial| trial.outcome.is_some()));
        assert_eq!(verify_replay(PROBE, &mut log.clone()).unwrap(), 3);
        // Another limit changes nothing afterwards.
        assert_eq!(worker(&log, 100).run_worker(square).unwrap().evaluated, 0);
    }
}

#[test]
fn the_limit_is_five_restarts_and_may_be_none() {
    let log = MemoryLog::new();
    let default = || join(study(3), &log).with_lease(Duration::from_secs(600));
    for _ in 0..6 {
        let lost = next(&mut default());
        assert_eq!(lost.trial.id, TrialId(0));
        lose(&log, &lost);
    }
    // A worker with a greater limit goes on after as many losses.
    for _ in 0..3 {
        let lost = next(&mut worker(&log, usize::MAX));
        assert_eq!(lost.trial.id, TrialId(0));
        lose(&log, &lost);
    }
    assert_eq!(next(&mut default()).trial.id, TrialId(1));
    assert_eq!(first_outcome(&log), Some(failure("its worker was lost 9 times; the limit is 5 restarts")));
}

#[test]
fn observers_and_stop_rules_see_the_failure_as_any_other() {
    static TOLD: Mutex<Vec<u64>> = Mutex::new(Vec::new());
    let log = MemoryLog::new();
    lose(&log, &next(&mut worker(&log, 0)));
    let watched = study(1).with_observer(Told(&TOLD));
    let mut shared = join(watched, &log).with_max_restarts(0);
    assert!(matches!(shared.next_step().unwrap(), Step::Stop(_)), "the only trial has failed");
    assert_eq!(*TOLD.lock().unwrap(), [0]);
    assert_eq!(shared.history().trials()[0].state(), "failed");
}

#[test]
fn a_trial_that_is_given_back_is_handed_out_without_a_limit() {
    let log = MemoryLog::new();
    for round in 0..8 {
        let mut stopped = worker(&log, 0);
        let own = next(&mut stopped);
        assert_eq!((own.trial.id, own.lease.fence), (TrialId(0), round + 1));
        if round % 2 == 0 {
            stopped.release(&own.lease).unwrap();
        } else {
            give_back(&mut log.clone(), &[own.lease]).unwrap();
        }
    }
    // A worker that is lost while it claims has evaluated nothing.
    let claimed = log.clone().claim(TrialId(0), "claims", Duration::ZERO).unwrap().unwrap();
    assert_eq!(claimed.fence, 9);
    let lost = next(&mut worker(&log, 0));
    assert_eq!(lost.trial.id, TrialId(0));
    lose(&log, &lost);
    assert_eq!(next(&mut worker(&log, 0)).trial.id, TrialId(1));
    assert_eq!(first_outcome(&log), Some(failure("its worker was lost once; the limit is 0 restarts")));
    verify_replay(PROBE, &mut log.clone()).unwrap();
}

#[test]
fn a_worker_that_takes_up_its_own_trial_was_not_lost() {
    let log = MemoryLog::new();
    let mut own = worker(&log, 0);
    lose(&log, &next(&mut own));
    let report = own.run_worker(square).unwrap();
    assert_eq!((report.evaluated, report.taken_over), (3, 0));
    assert_eq!((count(&log, "{\"restarted\""), count(&log, "{\"restarted\":{\"id\":0,\"fence\":1}")), (1, 1));
}

/// A worker whose lease runs out while it decides: another one decides, and the first one records nothing.
#[test]
fn one_of_two_workers_records_the_failure() {
    let log = MemoryLog::new();
    lose(&log, &next(&mut worker(&log, 0)));
    let mut other = Some(worker(&log, 0));
    let append: Box<Append> = Box::new(move |log, expected, bodies, lease| {
        let (Some(lease), true) = (lease, bodies[0].starts_with("{\"told\":{\"id\":0,")) else {
            return log.append(expected, bodies, lease);
        };
        if let Some(mut other) = other.take() {
            log.heartbeat(lease, Duration::ZERO)?;
            assert_eq!(next(&mut other).trial.id, TrialId(1));
        }
        log.append(expected, bodies, Some(lease))
    });
    let late = study(3).join(Box::new(Through { append, ..Through::new(log.clone()) })).unwrap();
    assert_eq!(next(&mut late.with_max_restarts(0)).trial.id, TrialId(2));
    assert_eq!(count(&log, "{\"told\":{\"id\":0,"), 1);
    assert_eq!(first_outcome(&log), Some(failure("its worker was lost once; the limit is 0 restarts")));
}

#[test]
fn many_workers_at_once_record_one_failure() {
    for _ in 0..20 {
        let log = MemoryLog::new();
        lose(&log, &next(&mut worker(&log, 0)));
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| worker(&log, 0).run_worker(square).unwrap());
            }
        });
        assert_eq!(count(&log, "{\"told\":{\"id\":0,"), 1);
        assert_eq!(first_outcome(&log), Some(failure("its worker was lost once; the limit is 0 restarts")));
        assert_eq!(verify_replay(PROBE, &mut log.clone()).unwrap(), 3);
    }
}

/// A process that is told to end gives back the trial that it evaluates, which another worker has at once.
#[test]
fn the_trial_at_work_is_given_back_from_another_thread() {
    let log = MemoryLog::new();
    let mut own = worker(&log, 0);
    let at_work = own.at_work();
    assert_eq!(at_work.lease(), None);
    let (begins, begun) = channel();
    let (ends, ended) = channel::<()>();
    let evaluating = std::thread::spawn(move || {
        let report = own.run_worker(|x: &f64, context: &mut Context<'_>| {
            begins.send(context.id).unwrap();
            let _ = ended.recv();
            *x
        });
        report.unwrap()
    });
    let id: TrialId = begun.recv().unwrap();
    let lease = at_work.lease().unwrap();
    assert_eq!((id, lease.trial), (TrialId(0), TrialId(0)));
    give_back(&mut log.clone(), &[lease]).unwrap();
    let mut other = worker(&log, 0);
    let again = next(&mut other);
    assert_eq!((again.trial.id, again.lease.fence), (TrialId(0), 2));
    other.tell(&again.lease, 1.0).unwrap();
    drop(ends);
    assert_eq!(evaluating.join().unwrap().lost, 1);
    assert_eq!(at_work.lease(), None);
    assert_eq!(first_outcome(&log), Some(1.0.into()));
}

/// A trial that was told when its worker gives it back keeps its outcome.
#[test]
fn a_release_after_the_outcome_changes_nothing() {
    let log = MemoryLog::new();
    let mut own = worker(&log, 0);
    let first = next(&mut own);
    own.tell(&first.lease, 1.0).unwrap();
    let before = bodies(&log);
    own.release(&first.lease).unwrap();
    assert_eq!(bodies(&log), before, "a worker knows of its outcome");
    give_back(&mut log.clone(), &[first.lease]).unwrap();
    assert_eq!(first_outcome(&log), Some(1.0.into()));
    assert_eq!(worker(&log, 0).run_worker(square).unwrap().evaluated, 2);
    verify_replay(PROBE, &mut log.clone()).unwrap();
}

/// A lease that another worker has claimed since is not given back.
#[test]
fn a_lost_lease_gives_nothing_back() {
    let log = MemoryLog::new();
    let mut lost = worker(&log, 9);
    let first = next(&mut lost);
    lose(&log, &first);
    let again = next(&mut worker(&log, 9));
    let before = bodies(&log);
    lost.release(&first.lease).unwrap();
    give_back(&mut log.clone(), &[first.lease]).unwrap();
    assert_eq!(bodies(&log), before);
    assert!(log.clone().unclaimed(&[TrialId(0)]).unwrap().is_empty(), "the second lease lasts");
    // Its loss is the second one, and counts.
    lose(&log, &again);
    assert_eq!(next(&mut worker(&log, 1)).trial.id, TrialId(1));
    assert_eq!(first_outcome(&log), Some(failure("its worker was lost 2 times; the limit is 1 restart")));
}

/// Restarts that an earlier version recorded do not say whether a worker was lost, and do not count.
#[test]
fn restarts_of_earlier_versions_are_read_and_do_not_count() {
    let log = MemoryLog::new();
    let first = next(&mut worker(&log, 0));
    let old: Vec<String> =
        (2..9).map(|fence| format!("{{\"restarted\":{{\"id\":0,\"fence\":{fence}}}}}")).collect();
    log.clone().append(2, &old, None).unwrap();
    lose(&log, &first);
    let again = next(&mut worker(&log, 1));
    assert_eq!(again.trial.query.to_bits(), first.trial.query.to_bits());
    assert_eq!(count(&log, "{\"restarted\":{\"id\":0,\"fence\":2,\"lost\":true}}"), 1);
    verify_replay(PROBE, &mut log.clone()).unwrap();
}

#[test]
fn a_release_of_an_unknown_trial_is_damage() {
    let mut log = MemoryLog::new();
    drop(worker(&log, 0));
    log.append(1, &["{\"released\":{\"id\":4,\"fence\":1}}".into()], None).unwrap();
    let error = History::<f64>::read_log(&mut log).unwrap_err().to_string();
    assert!(error.ends_with("trial 4 was never asked"), "{error}");
}

/// A store that does not take the release: the error is passed on, and the trial is handed out when its lease runs out.
#[test]
fn a_store_that_is_down_takes_nothing_back() {
    let log = MemoryLog::new();
    let first = next(&mut worker(&log, 0));
    let append: Box<Append> = Box::new(|_, _, _, _| {
        let (store, message) = ("the log".into(), "the cable is out".into());
        Err(AppendError::Log(LogError::Unavailable { store, message }))
    });
    let mut down = Through { append, ..Through::new(log.clone()) };
    assert!(matches!(give_back(&mut down, &[first.lease]), Err(LogError::Unavailable { .. })));
    assert!(log.clone().unclaimed(&[TrialId(0)]).unwrap().is_empty(), "the lease lasts");
}
