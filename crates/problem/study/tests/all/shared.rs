//! Studies over a shared log: several workers, steering by hand, replay.

use std::time::Duration;

use thrifty_sampling::Seed;
use thrifty_study::shared::{
    AppendError, Assignment, Entry, EventLog, Lease, LogError, MemoryLog, SharedStudy, Step, verify_replay,
};
use thrifty_study::{
    Ask, Context, Curve, Direction, Directions, Fingerprint, History, MaxTrials, Next, Optimizer,
    OptimizerError, Outcome, Pruner, Schedule, StopReason, Study, StudyError, Suggestion, Target, TrialId,
    contract,
};

use crate::altered::{Append, Through};

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
pub(crate) fn work(log: &MemoryLog, workers: usize, make: impl Fn() -> Study<Probe> + Sync) -> usize {
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
pub(crate) struct Pairs;

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
