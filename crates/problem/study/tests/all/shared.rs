//! Studies over a shared log: several workers, lost workers, replay.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use thrifty_sampling::Seed;
use thrifty_study::shared::{
    AppendError, Assignment, Entry, EventLog, Lease, LogError, MemoryLog, SharedStudy, Step, verify_replay,
};
use thrifty_study::{
    Ask, Context, Curve, Direction, Directions, Fingerprint, History, MaxTrials, Next, Optimizer,
    OptimizerError, Outcome, Pruner, Schedule, StopReason, Study, StudyError, Suggestion, Target, TrialId,
    WallTime, contract,
};

/// Suggests a number that depends on everything an ask may see.
#[derive(Clone)]
pub(crate) struct Probe {
    setting: u32,
    waits: bool,
    planned: Option<usize>,
}

pub(crate) const PROBE: Probe = Probe { setting: 1, waits: false, planned: None };

impl Optimizer for Probe {
    type Query = f64;
    type Recommendation = f64;

    fn ask(&mut self, history: &History<f64>, id: TrialId) -> Result<Ask<f64>, OptimizerError> {
        if self.waits && history.pending().count() > 1 {
            return Ok(Ask::Wait);
        }
        let known: f64 = history.measured().map(|(trial, y)| y / (1.0 + trial.id.0 as f64)).sum();
        let running: f64 = history.pending().map(|trial| trial.query).sum();
        let noise = history.seed().stream("probe", id.0).uniform();
        let planned = self.planned.map_or(0.0, |trials| 0.1 * trials as f64);
        let suggestion = Suggestion::new((known + running + noise + planned).sin());
        Ok(Ask::Evaluate(suggestion.with_diagnostic("known", known)))
    }

    fn recommend(&mut self, history: &History<f64>) -> Result<Option<f64>, OptimizerError> {
        Ok(history.best().map(|(trial, _)| trial.query))
    }

    fn plan(&mut self, trials: usize) {
        self.planned = Some(trials);
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("probe").with("setting", &self.setting)?.with_budget(self.planned))
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the study's signature
pub(crate) fn square(x: &f64, context: &mut Context<'_>) -> f64 {
    std::thread::sleep(Duration::from_micros(context.noise().bits() % 2000));
    x * x
}

pub(crate) fn join(study: Study<Probe>, log: &MemoryLog) -> SharedStudy<Probe> {
    study.join(Box::new(log.clone())).unwrap().with_lease(Duration::from_millis(200))
}

pub(crate) fn study(trials: usize) -> Study<Probe> {
    Study::new(PROBE, Seed(3)).with_stop(MaxTrials(trials))
}

/// Runs workers on threads; returns the suggestions that were dropped.
fn work(log: &MemoryLog, workers: usize, make: impl Fn() -> Study<Probe> + Sync) -> usize {
    std::thread::scope(|scope| {
        let one = || join(make(), log).run_worker(square).unwrap();
        let all: Vec<_> = (0..workers).map(|_| scope.spawn(one)).collect();
        all.into_iter().map(|worker| worker.join().unwrap().asked_again).sum()
    })
}

#[test]
fn the_log_in_memory_keeps_the_contract() {
    let logs: Vec<MemoryLog> = (0..8).map(|_| MemoryLog::new()).collect();
    contract::event_log(&|number| Box::new(logs[number as usize].clone()));
}

#[test]
fn many_workers_make_the_exact_number_of_trials_and_every_ask_replays() {
    let log = MemoryLog::new();
    let asked_again = work(&log, 16, || study(300));
    let history = History::<f64>::read_log(&mut log.clone()).unwrap();
    assert_eq!(history.len(), 300);
    assert!(history.trials().iter().zip(0..).all(|(trial, id)| trial.id.0 == id && trial.outcome.is_some()));
    assert!(asked_again <= 15, "{asked_again} suggestions were dropped");
    assert_eq!(verify_replay(PROBE, &mut log.clone()).unwrap(), 300);
}

#[test]
fn a_window_makes_the_trials_of_the_journal_whatever_the_number_of_workers() {
    let mut alone = study(60).with_schedule(Schedule::Window(4));
    alone.run(|x: &f64, _| x * x).unwrap();
    for workers in [1, 3, 8] {
        let log = MemoryLog::new();
        work(&log, workers, || study(60).with_schedule(Schedule::Window(4)));
        let shared = History::<f64>::read_log(&mut log.clone()).unwrap();
        for (own, other) in alone.history().trials().iter().zip(shared.trials()) {
            assert_eq!(own.query.to_bits(), other.query.to_bits(), "trial {}", own.id.0);
        }
        assert_eq!(shared.len(), 60);
        verify_replay(PROBE, &mut log.clone()).unwrap();
    }
}

/// Workers and replays without a plan of their own take that of the log.
#[test]
fn a_log_keeps_a_plan() {
    let log = MemoryLog::new();
    join(Study::new(PROBE, Seed(3)).with_trials(3), &log).run_worker(square).unwrap();
    let mut later = join(study(6), &log);
    later.run_worker(square).unwrap();
    assert_eq!((later.history().len(), later.optimizer().planned), (6, Some(3)));
    assert_eq!(verify_replay(PROBE, &mut log.clone()).unwrap(), 6);
    assert_eq!(join(Study::new(PROBE, Seed(3)).with_trials(9), &log).optimizer().planned, Some(9));
}

#[test]
fn an_optimizer_that_waits_is_asked_again_with_news() {
    let log = MemoryLog::new();
    work(&log, 4, || Study::new(Probe { waits: true, ..PROBE }, Seed(3)).with_stop(MaxTrials(12)));
    assert_eq!(History::<f64>::read_log(&mut log.clone()).unwrap().len(), 12);
}

#[test]
fn a_study_continues_with_a_greater_limit_and_other_rules_stop_it_too() {
    let log = MemoryLog::new();
    work(&log, 2, || study(5));
    work(&log, 2, || study(9));
    let history = || History::<f64>::read_log(&mut log.clone()).unwrap();
    assert_eq!(history().len(), 9);
    work(&log, 2, || study(1000).with_stop(Target(1e9)));
    assert_eq!(history().len(), 9);
    verify_replay(PROBE, &mut log.clone()).unwrap();
}

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

#[test]
fn queues_and_known_trials_are_shared() {
    let log = MemoryLog::new();
    let known = || [(0.5, Outcome::from(0.25))];
    let make = || study(6).with_known(known()).unwrap().with_queue([0.125, 0.25]).unwrap();
    work(&log, 3, make);
    let history = History::<f64>::read_log(&mut log.clone()).unwrap();
    let queries: Vec<f64> = history.trials().iter().map(|trial| trial.query).collect();
    assert_eq!((queries.len(), &queries[..3]), (6, &[0.5, 0.125, 0.25][..]));
    assert_eq!(verify_replay(PROBE, &mut log.clone()).unwrap(), 5);
    let other = study(6).with_known([(0.75, Outcome::from(0.0))]).unwrap().join(Box::new(log.clone()));
    assert!(matches!(other, Err(StudyError::OtherBeginning { id: TrialId(0) })));
}

#[test]
fn other_studies_are_refused_with_what_differs() {
    let log = MemoryLog::new();
    drop(join(study(1), &log));
    let message = |study: Study<Probe>| study.join(Box::new(log.clone())).err().unwrap().to_string();
    let settings = message(Study::new(Probe { setting: 2, ..PROBE }, Seed(3)));
    assert_eq!(settings, "the log in memory is of another study: setting is 1 in the journal and 2 here");
    assert_eq!(message(Study::new(PROBE, Seed(4))), "the log in memory has seed 3, this study has 4");
    let schedule = message(study(1).with_schedule(Schedule::Window(2)));
    assert_eq!(schedule, "the log in memory has schedule AsCompleted, this study has Window(2)");
    let mut empty = MemoryLog::new();
    assert!(matches!(History::<f64>::read_log(&mut empty), Err(LogError::Empty { .. })));
}

/// Directions of a shared log that are none: the damaged entry is the first, which has them.
#[test]
fn damaged_directions_are_those_of_the_first_entry() {
    let log = MemoryLog::new();
    work(&log, 1, || study(2).with_directions(Directions::new(vec![Direction::Maximize])));
    let mut bodies: Vec<String> = log.clone().read_from(0).unwrap().into_iter().map(|e| e.body).collect();
    assert_eq!(bodies[0].matches("\"maximize\"").count(), 1, "{}", bodies[0]);
    bodies[0] = bodies[0].replace("\"maximize\"", "\"sideways\"");
    let mut damaged = MemoryLog::new();
    damaged.append(0, &bodies, None).unwrap();
    let Err(LogError::Corrupt { seq, message, .. }) = History::<f64>::read_log(&mut damaged) else {
        panic!("a direction that is none was read");
    };
    assert_eq!(seq, 0, "{message}");
    assert!(message.contains("the directions are") && message.contains("sideways"), "{message}");
}

#[test]
fn a_changed_suggestion_is_found_by_the_replay() {
    let log = MemoryLog::new();
    work(&log, 3, || study(20));
    let changed = MemoryLog::new();
    let mut bodies: Vec<String> = log.clone().read_from(0).unwrap().into_iter().map(|e| e.body).collect();
    let at = bodies.iter().position(|body| body.contains("\"asked\":{\"id\":11,")).unwrap();
    bodies[at] = bodies[at].replacen("\"query\":", "\"query\":1e-3,\"was\":", 1);
    changed.clone().append(0, &bodies, None).unwrap();
    let error = verify_replay(PROBE, &mut changed.clone()).unwrap_err();
    assert!(error.to_string().contains("trial 11 is [0.001"), "{error}");
    bodies.swap(at, at + 1);
    let swapped = MemoryLog::new();
    swapped.clone().append(0, &bodies, None).unwrap();
    assert!(verify_replay(PROBE, &mut swapped.clone()).is_err());
}

/// A log of an earlier version has fewer diagnostics; those that it has are compared.
#[test]
fn diagnostics_that_a_log_lacks_are_not_compared() {
    let log = MemoryLog::new();
    work(&log, 1, || study(6));
    let bodies: Vec<String> = log.clone().read_from(0).unwrap().into_iter().map(|e| e.body).collect();
    let replayed = |change: &dyn Fn(&str) -> String| {
        let other = MemoryLog::new();
        let bodies: Vec<String> = bodies.iter().map(|body| change(body)).collect();
        other.clone().append(0, &bodies, None).unwrap();
        verify_replay(PROBE, &mut other.clone())
    };
    let known = |body: &str| {
        let start = body.find("\"known\":")?;
        let end = start + body[start..].find('}')?;
        Some(start..end)
    };
    let without = |body: &str| known(body).map_or(body.to_owned(), |at| body.replacen(&body[at], "", 1));
    assert_eq!(replayed(&without).unwrap(), 6);
    let other =
        |body: &str| known(body).map_or(body.to_owned(), |at| body.replacen(&body[at], "\"known\":77.0", 1));
    assert!(replayed(&other).unwrap_err().to_string().contains("77"));
}

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

/// Stops a trial that is worse than an ended one at the step.
struct WorseThanAny;

impl Pruner for WorseThanAny {
    fn should_prune(&self, running: Curve<'_>, others: &[Curve<'_>], _: Seed) -> bool {
        let Some(&(step, value)) = running.reports.last() else { return false };
        others.iter().filter_map(|other| other.at(step)).any(|other| value > other)
    }
}

/// Workers of a log with a window try again, and stop, the same trials as threads of one process.
#[test]
fn workers_retry_and_prune_as_threads_do() {
    let make = || study(30).with_schedule(Schedule::Window(2)).with_retries(1).with_pruner(WorseThanAny);
    let evaluate = |x: &f64, context: &mut Context<'_>| -> Outcome {
        if context.id.0 % 4 == 1 && context.attempt == 0 {
            context.report(9, *x).unwrap();
            return Outcome::failed("once");
        }
        for step in 1..=3 {
            context.report(step, x / step as f64).unwrap();
            if context.should_prune() {
                return context.pruned();
            }
        }
        (x / 3.0).into()
    };
    let mut threads = make();
    threads.run_parallel(2, evaluate).unwrap();
    let log = MemoryLog::new();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| join(make(), &log).run_worker(evaluate).unwrap());
        }
    });
    let history = History::<f64>::read_log(&mut log.clone()).unwrap();
    let ends = |history: &History<f64>| {
        let end = |trial: &thrifty_study::Trial<f64>| {
            (trial.query.to_bits(), trial.reports.clone(), trial.outcome.clone())
        };
        history.trials().iter().map(end).collect::<Vec<_>>()
    };
    assert_eq!(ends(&history), ends(threads.history()));
    let pruned = |end: &Option<Outcome>| matches!(end, Some(Outcome::Pruned { .. }));
    assert!(history.trials().iter().filter(|trial| pruned(&trial.outcome)).count() > 5);
    assert_eq!(verify_replay(PROBE, &mut log.clone()).unwrap(), 30);
    let bodies: Vec<Entry> = log.clone().read_from(0).unwrap();
    assert_eq!(bodies.iter().filter(|entry| entry.body.starts_with("{\"retried\"")).count(), 8);
}

/// Suggests the smallest of ten numbers that no trial has; one whose evaluation failed for a reason of the machine is free again.
struct Smallest;

impl Optimizer for Smallest {
    type Query = u64;
    type Recommendation = u64;

    fn ask(&mut self, history: &History<u64>, _: TrialId) -> Result<Ask<u64>, OptimizerError> {
        let is_free = |number: &u64| {
            let mut of_number = history.trials().iter().filter(|trial| trial.query == *number);
            of_number.all(|trial| trial.outcome.as_ref().is_some_and(Outcome::is_unrelated))
        };
        let next = (0..10).find(is_free).map(Suggestion::new);
        Ok(next.map_or(Ask::Stop(StopReason::Exhausted), Ask::Evaluate))
    }

    fn recommend(&mut self, history: &History<u64>) -> Result<Option<u64>, OptimizerError> {
        Ok(history.best().map(|(trial, _)| trial.query))
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("smallest"))
    }
}

/// The last configuration is lost with its machine: workers of a log with a window evaluate it again, as threads of one process do.
#[test]
fn workers_end_as_exhausted_where_threads_do() {
    let make = || Study::new(Smallest, Seed(3)).with_schedule(Schedule::Window(3));
    let evaluate = |query: &u64, context: &mut Context<'_>| -> Outcome {
        if context.id.0 == 9 { Outcome::unrelated("the machine went down") } else { (*query as f64).into() }
    };
    let mut threads = make();
    assert_eq!(threads.run_parallel(3, evaluate).unwrap(), StopReason::Exhausted);
    assert_eq!(threads.history().len(), 11);
    for workers in [1, 3] {
        let log = MemoryLog::new();
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    let worker = make().join(Box::new(log.clone())).unwrap();
                    let report = worker.with_lease(Duration::from_millis(200)).run_worker(evaluate).unwrap();
                    assert_eq!(report.reason, StopReason::Exhausted);
                });
            }
        });
        let history = History::<u64>::read_log(&mut log.clone()).unwrap();
        let ends = |history: &History<u64>| -> Vec<(u64, Option<Outcome>)> {
            history.trials().iter().map(|trial| (trial.query, trial.outcome.clone())).collect()
        };
        assert_eq!(ends(&history), ends(threads.history()), "{workers} workers");
        assert_eq!(verify_replay(Smallest, &mut log.clone()).unwrap(), 11);
    }
}

/// A worker that takes a trial over makes the attempts that the worker before has left.
#[test]
fn attempts_are_counted_across_workers() {
    let mut log = MemoryLog::new();
    let mut lost = join(study(1), &log);
    let Step::Evaluate(Assignment { lease, .. }) = lost.next_step().unwrap() else { panic!("a first trial") };
    let body = r#"{"retried":{"id":0,"failure":{"error":{"message":"no memory"}},"seconds":0.5}}"#.to_owned();
    let seq = log.read_from(0).unwrap().len() as u64;
    log.append(seq, &[body.clone(), body], Some(&lease)).unwrap();
    let mut made = Vec::new();
    let report = join(study(1).with_retries(3), &log).run_worker(|_: &f64, context: &mut Context<'_>| {
        made.push(context.attempt);
        Outcome::failed("no memory")
    });
    assert_eq!((report.unwrap().taken_over, made), (1, vec![2, 3]));
}

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

/// A pruner that stops nothing.
struct Never;

impl Pruner for Never {
    fn should_prune(&self, _: Curve<'_>, _: &[Curve<'_>], _: Seed) -> bool {
        false
    }
}

#[test]
fn a_shared_study_is_steered_by_hand() {
    let log = MemoryLog::new();
    let mut own = join(study(2).with_pruner(Never), &log);
    let Step::Evaluate(trial) = own.next_step().unwrap() else { panic!("a trial") };
    own.report(&trial.lease, 1, 0.5).unwrap();
    assert!(!own.should_prune(trial.lease.trial).unwrap());
    assert_eq!(own.check_stop(), None);
    let unknown = Lease { trial: TrialId(7), ..trial.lease.clone() };
    assert!(matches!(own.tell(&unknown, 1.0), Err(StudyError::UnknownTrial(TrialId(7)))));
    own.tell(&trial.lease, 1.0).unwrap();
    assert!(matches!(own.tell(&trial.lease, 2.0), Err(StudyError::AlreadyTold(TrialId(0)))));
    let Step::Evaluate(_) = own.next_step().unwrap() else { panic!("a second trial") };
    assert_eq!(own.check_stop(), Some(StopReason::Trials(2)));
    assert_eq!(own.next_step().unwrap(), Step::Wait, "the second trial runs");
    own.wait().unwrap();
}

/// Answers only to an even number of trials that have ended.
struct Pairs;

impl Optimizer for Pairs {
    type Query = f64;
    type Recommendation = f64;

    fn ask(&mut self, history: &History<f64>, id: TrialId) -> Result<Ask<f64>, OptimizerError> {
        let is_even = history.measured().count().is_multiple_of(2);
        Ok(if is_even { Ask::Evaluate(Suggestion::new(id.0 as f64)) } else { Ask::Wait })
    }

    fn recommend(&mut self, _: &History<f64>) -> Result<Option<f64>, OptimizerError> {
        Ok(None)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("pairs"))
    }
}

/// A window shows an optimiser that waits one trial more, as soon as that has ended.
#[test]
fn a_window_shows_more_trials_to_an_optimizer_that_waits() {
    let log = MemoryLog::new();
    let study = Study::new(Pairs, Seed(3)).with_schedule(Schedule::Window(2)).with_stop(MaxTrials(6));
    let mut shared = study.join(Box::new(log)).unwrap();
    let mut held = Vec::new();
    for _ in 0..2 {
        let Step::Evaluate(one) = shared.next_step().unwrap() else { panic!("two trials fit into a window") };
        held.push(one);
    }
    for one in held {
        shared.tell(&one.lease, 1.0).unwrap();
    }
    let Step::Evaluate(third) = shared.next_step().unwrap() else { panic!("both trials have ended") };
    assert_eq!(third.trial.id, TrialId(2));
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

/// A query of the queue that the study has asked before it joins is one of its trials, and is not enqueued again.
#[test]
fn a_query_that_was_asked_before_joining_is_not_asked_again() {
    let log = MemoryLog::new();
    let begun = || {
        let mut study = study(3);
        study.enqueue(0.5).unwrap();
        study.enqueue(0.25).unwrap();
        let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a trial") };
        study.tell(trial.id, 1.0).unwrap();
        join(study, &log)
    };
    for _ in 0..2 {
        assert_eq!(begun().history().enqueued(), [0.25]);
    }
    begun().run_worker(square).unwrap();
    let queries: Vec<f64> = begun().history().trials().iter().map(|trial| trial.query).collect();
    assert_eq!(queries[..2], [0.5, 0.25]);
    assert!(queries[2] != 0.5 && queries.len() == 3, "{queries:?}");
}

/// Suggestions that a log refuses, as when the trial was handed out again meanwhile: the worker makes them again and counts them.
#[test]
fn a_worker_counts_the_suggestions_that_were_dropped() {
    for refusals in [0, 1, 3] {
        let log = MemoryLog::new();
        let mut left = refusals;
        let append: Box<Append> = Box::new(move |log, expected, bodies, lease| {
            let is_asked = bodies.iter().any(|body| body.starts_with("{\"asked\""));
            if is_asked && lease.is_some() && left > 0 {
                left -= 1;
                return Err(AppendError::Fenced);
            }
            log.append(expected, bodies, lease)
        });
        let refusing = Through { append, ..Through::new(log.clone()) };
        let mut shared = study(4).join(Box::new(refusing)).unwrap().with_lease(Duration::from_millis(40));
        let report = shared.run_worker(square).unwrap();
        assert_eq!((report.evaluated, report.asked_again), (4, refusals));
        assert_eq!(verify_replay(PROBE, &mut log.clone()).unwrap(), 4);
    }
}

/// A replay by an optimiser of other settings, although its suggestions are equal: it is refused with the setting.
#[test]
fn a_replay_needs_the_settings_of_the_log() {
    let log = MemoryLog::new();
    work(&log, 1, || study(3));
    let error = verify_replay(Probe { setting: 2, ..PROBE }, &mut log.clone()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the log in memory is of another study: setting is 1 in the journal and 2 here"
    );
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
