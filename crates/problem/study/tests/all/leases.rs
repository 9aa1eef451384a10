//! Leases: trials of workers that are slow, gone, or give them back.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use thrifty_sampling::Seed;
use thrifty_study::shared::{EventLog, MemoryLog, SharedStudy, Step, verify_replay};
use thrifty_study::{
    Ask, Context, Fingerprint, History, MaxTrials, Optimizer, OptimizerError, Outcome, Study, StudyError,
    TrialId,
};

use crate::shared::{PROBE, Pairs, join, square, study};

#[test]
fn a_trial_whose_worker_is_gone_is_handed_out_again_and_the_late_outcome_is_refused() {
    let log = MemoryLog::new();
    let mut lost = join(study(3), &log);
    let Step::Evaluate(late) = lost.next_step().unwrap() else { panic!("a first trial") };
    lost.report(&late.lease, 1, 0.5).unwrap();
    let report = join(study(3), &log).run_worker(square).unwrap();
    assert_eq!((report.evaluated, report.taken_over), (3, 1));
    let before = log.clone().read_from(0).unwrap();
    let error = lost.tell(&late.lease, 7.0).unwrap_err();
    assert!(matches!(error, StudyError::LeaseLost { id: TrialId(0), fence: 1, .. }), "{error}");
    assert!(error.to_string().starts_with("trial 0 was handed out again"), "{error}");
    assert!(matches!(lost.report(&late.lease, 2, 0.5), Err(StudyError::LeaseLost { .. })));
    assert!(!lost.heartbeat(&late.lease).unwrap());
    assert_eq!(log.clone().read_from(0).unwrap(), before, "a late outcome changes nothing");
    let first = &lost.history().trials()[0];
    assert!(first.reports.is_empty(), "reports of the lost evaluation are dropped");
    assert_eq!(first.outcome, Some(Outcome::from(first.query * first.query)));
    verify_replay(PROBE, &mut log.clone()).unwrap();
}

#[test]
fn a_slow_evaluation_keeps_its_lease() {
    let log = MemoryLog::new();
    let first = AtomicBool::new(true);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut study = join(study(6), &log).with_lease(Duration::from_millis(90));
                let report = study.run_worker(|x: &f64, _: &mut Context<'_>| {
                    let time = if first.swap(false, Ordering::Relaxed) { 600 } else { 1 };
                    std::thread::sleep(Duration::from_millis(time));
                    *x
                });
                assert_eq!(report.unwrap().lost, 0);
            });
        }
    });
    let history = History::<f64>::read_log(&mut log.clone()).unwrap();
    assert!(history.trials().iter().all(|trial| trial.outcome.is_some()));
    let restarted = log.clone().read_from(0).unwrap().iter().any(|entry| entry.body.contains("restarted"));
    assert!(!restarted);
}

#[test]
fn an_outcome_is_told_once() {
    let log = MemoryLog::new();
    let mut shared = join(study(3), &log);
    let Step::Evaluate(one) = shared.next_step().unwrap() else { panic!("a first trial") };
    let Step::Evaluate(two) = shared.next_step().unwrap() else { panic!("a second trial") };
    shared.tell(&one.lease, 1.0).unwrap();
    assert!(matches!(shared.tell(&one.lease, 2.0), Err(StudyError::AlreadyTold(TrialId(0)))));
    let two_objectives = thrifty_study::Measurement { objectives: vec![1.0, 2.0], ..1.0.into() };
    let error = shared.tell(&two.lease, two_objectives).unwrap_err();
    assert!(matches!(error, StudyError::InvalidMeasurement { id: TrialId(1), .. }), "{error}");
    shared.tell(&two.lease, f64::NAN).unwrap();
    assert!(matches!(shared.history().trials()[1].outcome, Some(Outcome::Failed(_))));
}

#[test]
fn a_trial_that_is_given_back_is_handed_out_at_once() {
    let log = MemoryLog::new();
    let mut one = join(study(3), &log).with_lease(Duration::from_secs(600));
    let Step::Evaluate(first) = one.next_step().unwrap() else { panic!("a first trial") };
    one.release(&first.lease).unwrap();
    let Step::Evaluate(again) = join(study(3), &log).next_step().unwrap() else { panic!("the trial again") };
    assert_eq!((again.trial.id, again.lease.fence), (TrialId(0), 2));
    assert_eq!(again.trial.query.to_bits(), first.trial.query.to_bits());
}

/// A trial that another worker has claimed and given back, because its optimiser waits, is a new one all the same.
#[test]
fn a_trial_that_was_claimed_and_not_begun_is_not_taken_over() {
    let log = MemoryLog::new();
    let study = || Study::new(Pairs, Seed(3)).with_stop(MaxTrials(3)).join(Box::new(log.clone())).unwrap();
    let mut first = study();
    let mut held = Vec::new();
    for _ in 0..2 {
        let Step::Evaluate(one) = first.next_step().unwrap() else { panic!("two trials are asked at once") };
        held.push(one);
    }
    first.tell(&held[0].lease, 1.0).unwrap();
    assert_eq!(first.next_step().unwrap(), Step::Wait);
    first.tell(&held[1].lease, 1.0).unwrap();
    let report = study().run_worker(|x, _| *x).unwrap();
    assert_eq!((report.evaluated, report.taken_over), (1, 0));
}

/// A trial that a worker has asked by hand and given back is its own when its loop takes it up.
#[test]
fn a_trial_that_the_worker_gave_back_is_not_taken_over() {
    let log = MemoryLog::new();
    let mut worker = join(study(3), &log);
    let Step::Evaluate(one) = worker.next_step().unwrap() else { panic!("a first trial") };
    worker.release(&one.lease).unwrap();
    let report = worker.run_worker(square).unwrap();
    assert_eq!((report.evaluated, report.taken_over), (3, 0));
}

/// [`PROBE`] that thinks for a while, or that ends as a killed process does.
struct Thinking(Option<Duration>);

impl Optimizer for Thinking {
    type Query = f64;
    type Recommendation = f64;

    fn ask(&mut self, history: &History<f64>, id: TrialId) -> Result<Ask<f64>, OptimizerError> {
        let Some(time) = self.0 else { panic!("the worker is killed while it asks") };
        std::thread::sleep(time);
        PROBE.clone().ask(history, id)
    }

    fn recommend(&mut self, history: &History<f64>) -> Result<Option<f64>, OptimizerError> {
        PROBE.clone().recommend(history)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        PROBE.fingerprint()
    }
}

/// A worker by hand that holds a trial for a day; its claim lasts much shorter while it asks.
fn by_hand(time: Option<Duration>, log: &MemoryLog) -> SharedStudy<Thinking> {
    let study = Study::new(Thinking(time), Seed(3)).with_stop(MaxTrials(3));
    let shared = study.join(Box::new(log.clone())).unwrap();
    shared.with_lease(Duration::from_secs(86_400)).with_ask_lease(Duration::from_millis(200))
}

/// A worker that is killed in an ask: the trial id that it claimed is free for others after the lease of an ask, not of a trial.
#[test]
fn a_worker_that_is_killed_while_it_asks_does_not_stop_the_study() {
    let log = MemoryLog::new();
    let mut killed = by_hand(None, &log);
    assert!(catch_unwind(AssertUnwindSafe(|| killed.next_step().map(drop))).is_err());
    let (mut other, started_at) = (join(study(3), &log), Instant::now());
    while started_at.elapsed() < Duration::from_secs(5) {
        if let Step::Evaluate(first) = other.next_step().unwrap() {
            assert_eq!((first.trial.id, first.lease.fence), (TrialId(0), 2));
            return;
        }
        other.wait().unwrap();
    }
    panic!("no trial after 5 s");
}

/// A claim lasts as long as the ask, however long that is, and the trial has the longer lease afterwards.
#[test]
fn a_slow_ask_by_hand_keeps_its_claim_and_its_trial() {
    let log = MemoryLog::new();
    let mut slow = by_hand(Some(Duration::from_millis(800)), &log);
    let mut other = join(study(3), &log).with_lease(Duration::from_secs(600));
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| slow.next_step().unwrap());
        std::thread::sleep(Duration::from_millis(500));
        assert_eq!(other.next_step().unwrap(), Step::Wait, "trial 0 is claimed");
        let Step::Evaluate(first) = asking.join().unwrap() else { panic!("a first trial") };
        assert_eq!((first.trial.id, first.lease.fence), (TrialId(0), 1));
    });
    std::thread::sleep(Duration::from_millis(400));
    let Step::Evaluate(second) = other.next_step().unwrap() else { panic!("a second trial") };
    assert_eq!(second.trial.id, TrialId(1), "trial 0 is held for a day");
}

/// A lease that ran out, as that of a machine that was suspended: the worker goes on with the trial that it gave out, and keeps its reports.
#[test]
fn a_trial_that_was_given_out_is_not_given_out_again_after_its_lease() {
    let log = MemoryLog::new();
    let mut own = join(study(3), &log).with_lease(Duration::from_millis(20));
    let Step::Evaluate(first) = own.next_step().unwrap() else { panic!("a first trial") };
    own.report(&first.lease, 1, 0.5).unwrap();
    std::thread::sleep(Duration::from_millis(60));
    let Step::Evaluate(second) = own.next_step().unwrap() else { panic!("a second trial") };
    assert_eq!((first.trial.id, second.trial.id), (TrialId(0), TrialId(1)));
    assert_eq!(own.history().trials()[0].reports, [(1, 0.5)]);
    // One that is given back is free at once, and one that another worker has claimed is lost.
    own.release(&second.lease).unwrap();
    std::thread::sleep(Duration::from_millis(60));
    let mut other = join(study(3), &log).with_lease(Duration::from_secs(600));
    let Step::Evaluate(taken) = other.next_step().unwrap() else { panic!("the first again") };
    assert_eq!((taken.trial.id, taken.lease.fence), (TrialId(0), 2));
    let Step::Evaluate(again) = own.next_step().unwrap() else { panic!("the second again") };
    assert_eq!((again.trial.id, again.lease.fence), (TrialId(1), 1));
    assert!(matches!(own.tell(&first.lease, 1.0), Err(StudyError::LeaseLost { .. })));
    own.tell(&again.lease, 1.0).unwrap();
    assert_eq!(own.history().trials()[1].outcome, Some(1.0.into()));
}

/// A trial that was given out by hand and not told is evaluated by the loop of its worker.
#[test]
fn a_loop_takes_up_the_trials_of_its_worker() {
    let log = MemoryLog::new();
    let mut worker = join(study(3), &log).with_lease(Duration::from_millis(20));
    assert!(matches!(worker.next_step().unwrap(), Step::Evaluate(_)));
    let report = worker.run_worker(square).unwrap();
    assert_eq!((report.evaluated, report.taken_over), (3, 0));
}
