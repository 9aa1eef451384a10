//! Each stop rule at its edge, and combinations.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use thrifty_sampling::Seed;
use thrifty_study::{
    All, Any, Ask, EXPECTED_IMPROVEMENT, Fingerprint, History, HistoryView, MaxCost, MaxTrials, Measurement,
    Next, NoImprovement, Optimizer, OptimizerError, Outcome, Schedule, StopReason, StopRule, Study,
    Suggestion, Target, TrialId, WallTime,
};

/// Suggests the id; expects an improvement of 1 / (id + 1).
struct Counter;

impl Optimizer for Counter {
    type Query = u64;
    type Recommendation = u64;

    fn ask(&mut self, _: &History<u64>, id: TrialId) -> Result<Ask<u64>, OptimizerError> {
        let expected = 1.0 / (id.0 + 1) as f64;
        Ok(if id.0 == 100 {
            Ask::Stop(StopReason::Exhausted)
        } else {
            Ask::Evaluate(Suggestion::new(id.0).with_outlook(&EXPECTED_IMPROVEMENT, expected))
        })
    }

    fn recommend(&mut self, _: &History<u64>) -> Result<Option<u64>, OptimizerError> {
        Ok(None)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("counter"))
    }
}

/// Losses 10, 9, 8, …, each at cost 2.
fn stopped_by(rule: impl StopRule + 'static) -> (usize, StopReason) {
    let mut study = Study::new(Counter, Seed(0)).with_stop(rule);
    let evaluate = |id: &u64, _: &mut thrifty_study::Context<'_>| {
        Outcome::from(Measurement { cost: Some(2.0), ..Measurement::from(10.0 - *id as f64) })
    };
    let reason = study.run(evaluate).unwrap();
    (study.history().len(), reason)
}

#[test]
fn each_rule_stops_where_it_says() {
    assert_eq!(stopped_by(MaxTrials(0)), (0, StopReason::Trials(0)));
    assert_eq!(stopped_by(MaxTrials(7)), (7, StopReason::Trials(7)));
    assert_eq!(stopped_by(MaxCost(9.0)), (5, StopReason::Cost(10.0)));
    assert_eq!(stopped_by(Target(7.5)), (4, StopReason::Target(7.0)));
    assert!(matches!(stopped_by(WallTime(Duration::ZERO)), (0, StopReason::WallTime(_))));
    assert_eq!(stopped_by(WallTime(Duration::from_secs(3600))), (100, StopReason::Exhausted));
    // After n trials the range is n - 1 and the last expectation 1/n: 1/n < 0.05 (n - 1) first at n = 6.
    let reason = StopReason::NoImprovement { expected: 1.0 / 6.0, threshold: 0.25 };
    assert_eq!(stopped_by(NoImprovement { epsilon: 0.05, times: 1 }), (6, reason));
}

/// A value that breaks a constraint, or that is no measurement, is not what was sought.
#[test]
fn a_target_is_met_by_a_feasible_trial() {
    let mut study = Study::new(Counter, Seed(0)).with_stop(Target(7.5));
    let evaluate = |id: &u64, _: &mut thrifty_study::Context<'_>| {
        let constraints = vec![if *id == 5 { 0.0 } else { 0.25 }];
        Outcome::from(Measurement { constraints, ..Measurement::from(10.0 - *id as f64) })
    };
    assert_eq!(study.run(evaluate).unwrap(), StopReason::Target(5.0));
    assert_eq!(study.history().len(), 6);
}

#[test]
fn rules_combine() {
    let any = Any(vec![Box::new(MaxTrials(9)), Box::new(Target(7.0))]);
    assert_eq!(stopped_by(any), (4, StopReason::Target(7.0)));
    let all = All(vec![Box::new(MaxTrials(9)), Box::new(Target(7.0))]);
    assert_eq!(stopped_by(all), (9, StopReason::All(vec![StopReason::Trials(9), StopReason::Target(7.0)])));
    assert_eq!(stopped_by(All(Vec::new())).0, 100, "no rules stop nothing");
    let twice = stopped_by(NoImprovement { epsilon: 0.05, times: 3 });
    assert!(twice.0 > 6, "{twice:?}");
    let never =
        Study::new(Counter, Seed(0)).with_stop(NoImprovement { epsilon: 1e9, times: 0 }).run(|_, _| 0.0);
    assert!(never.unwrap_err().to_string().contains("times"), "zero times would never stop");
}

/// Keeps the time that it is shown first.
#[derive(Clone, Default)]
struct Clock(Arc<Mutex<Option<Duration>>>);

impl StopRule for Clock {
    fn check(&self, view: &dyn HistoryView) -> Option<StopReason> {
        self.0.lock().unwrap().get_or_insert(view.elapsed());
        None
    }
}

/// Trials that ran at the same time count once when the study goes on, and trials of old journals by their seconds.
#[test]
fn earlier_sittings_count_by_the_clock() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    let mut earlier = Duration::ZERO;
    for sitting in 1..=2 {
        let began = Instant::now();
        let mut study =
            Study::new(Counter, Seed(0)).with_journal(&path).unwrap().with_stop(MaxTrials(8 * sitting));
        study
            .run_parallel(4, |_, _| {
                std::thread::sleep(Duration::from_millis(80));
                1.0
            })
            .unwrap();
        earlier += began.elapsed();
    }
    let history = History::<u64>::read(&path).unwrap();
    let seconds: f64 = history.trials().iter().map(|trial| trial.timing.evaluate).sum();
    assert!(seconds > 16.0 * 0.08);
    let opened = Instant::now();
    let clock = Clock::default();
    let study = Study::new(Counter, Seed(0)).with_stop(clock.clone()).with_journal(&path).unwrap();
    assert_eq!(study.check_stop(), None);
    let shown = clock.0.lock().unwrap().unwrap();
    assert!(shown >= Duration::from_millis(4 * 80), "{shown:?} of two sittings of two waves each");
    assert!(
        shown <= earlier + opened.elapsed(),
        "{shown:?} after {earlier:?}, with evaluations of {seconds} s"
    );
}

/// A sitting that ends while a trial runs counts up to what it wrote last: an intermediate value, or a query of the queue.
#[test]
fn a_sitting_counts_up_to_its_last_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    let open = || Study::new(Counter, Seed(0)).with_journal(&path).unwrap();
    let shown = || {
        let clock = Clock::default();
        assert_eq!(open().with_stop(clock.clone()).check_stop(), None);
        clock.0.lock().unwrap().unwrap()
    };
    let pause = Duration::from_millis(40);
    let mut study = open();
    let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a trial") };
    std::thread::sleep(pause);
    study.report(trial.id, 1, 0.5).unwrap();
    drop(study);
    let reported = shown();
    assert!(reported >= pause, "{reported:?}");
    let mut study = open();
    std::thread::sleep(pause);
    study.enqueue(7).unwrap();
    drop(study);
    let enqueued = shown();
    assert!(enqueued >= 2 * pause, "{enqueued:?}");
}

/// A space whose configurations all run is not exhausted: one of them may end for a reason of the machine.
#[test]
fn running_trials_come_before_the_end_of_a_space() {
    let mut study = Study::new(Counter, Seed(0));
    for _ in 0..100 {
        study.ask().unwrap();
    }
    assert_eq!(study.ask().unwrap(), Next::Wait);
    (0..100).for_each(|id| study.tell(TrialId(id), 1.0).unwrap());
    assert_eq!(study.ask().unwrap(), Next::Stop(StopReason::Exhausted));
    let mut parallel = Study::new(Counter, Seed(0)).with_schedule(Schedule::Window(7));
    assert_eq!(parallel.run_parallel(3, |_, _| 1.0).unwrap(), StopReason::Exhausted);
    assert_eq!(parallel.history().len(), 100);
}
