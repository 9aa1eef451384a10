//! Loops in which optimisers wait, journals that are read back, measured costs.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use thrifty_sampling::Seed;
use thrifty_study::{
    AnyOptimizer, Ask, Best, Context, CostUnit, Fingerprint, History, JournalError, MaxCost, MaxTrials,
    Measurement, Next, Optimizer, OptimizerError, Outcome, Schedule, StopReason, Study, StudyError,
    Suggestion, TrialId, costed,
};

/// Waits until so many of the trials before have ended; suggests how many have.
struct Patient {
    needs: usize,
    of: u64,
}

impl Optimizer for Patient {
    type Query = usize;
    type Recommendation = f64;

    fn ask(&mut self, history: &History<usize>, id: TrialId) -> Result<Ask<usize>, OptimizerError> {
        let ended = history.trials().iter().filter(|trial| trial.outcome.is_some()).count();
        if id.0 >= self.of && ended < self.needs {
            return Ok(Ask::Wait);
        }
        Ok(Ask::Evaluate(Suggestion::new(ended)))
    }

    fn recommend(&mut self, history: &History<usize>) -> Result<Option<f64>, OptimizerError> {
        Ok(history.best().map(|(_, loss)| loss))
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Fingerprint::new("patient").with("needs", &self.needs)
    }
}

fn seen(needs: usize, of: u64, window: usize, threads: usize) -> Vec<usize> {
    let mut study = Study::new(Patient { needs, of }, Seed(1))
        .with_stop(MaxTrials(9))
        .with_schedule(Schedule::Window(window));
    study.run_parallel(threads, |_: &usize, _| 1.0).unwrap();
    study.history().trials().iter().map(|trial| trial.query).collect()
}

/// Ask i sees exactly i + 1 - w trials as ended, and one more each time that the optimiser waits.
#[test]
fn waiting_reveals_one_trial_at_a_time() {
    assert_eq!(seen(0, 0, 1, 1), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(seen(0, 0, 3, 2), [0, 0, 0, 1, 2, 3, 4, 5, 6]);
    // Trials from number 3 on need three: the first of them waits for two more.
    assert_eq!(seen(3, 3, 3, 2), [0, 0, 0, 3, 3, 3, 4, 5, 6]);
    assert_eq!(seen(3, 3, 3, 1), seen(3, 3, 3, 3));
    assert_eq!(seen(5, 5, 5, 2), [0, 0, 0, 0, 0, 5, 5, 5, 5]);
}

/// An optimiser that waits for more trials than there are is an error.
#[test]
fn waiting_for_nothing_is_an_error() {
    for window in [1, 4] {
        let mut study = Study::new(Patient { needs: 9, of: 2 }, Seed(1))
            .with_stop(MaxTrials(9))
            .with_schedule(Schedule::Window(window));
        let error = study.run(|_, _| 1.0).unwrap_err();
        assert!(matches!(error, StudyError::Stalled), "{error}");
        assert_eq!(error.to_string(), "the optimiser waits for a trial, but none is pending");
        assert_eq!((study.history().len(), study.history().pending().count()), (2, 0));
    }
    // By hand the caller gets an error, and may tell a trial first.
    let mut study = Study::new(Patient { needs: 1, of: 1 }, Seed(1));
    assert!(matches!(study.ask().unwrap(), Next::Evaluate(trial) if trial.id == TrialId(0)));
    assert!(matches!(study.ask().unwrap(), Next::Wait));
    study.tell(TrialId(0), 1.0).unwrap();
    assert!(matches!(study.ask().unwrap(), Next::Evaluate(trial) if trial.query == 1));
}

/// The number of trials that run at once is the number of threads.
#[test]
fn a_schedule_as_completed_keeps_the_threads_busy() {
    let most = |threads: usize| {
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let mut study = Study::new(Patient { needs: 0, of: 0 }, Seed(1))
            .with_stop(MaxTrials(8))
            .with_schedule(Schedule::AsCompleted);
        let evaluate = |_: &usize, _: &mut thrifty_study::Context<'_>| {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(5));
            running.fetch_sub(1, Ordering::SeqCst);
            1.0
        };
        study.run_parallel(threads, evaluate).unwrap();
        assert_eq!((study.history().len(), study.history().pending().count()), (8, 0));
        let seen: Vec<usize> = study.history().trials().iter().map(|trial| trial.query).collect();
        // Ask i sees at least i + 1 - threads.
        assert!(seen.iter().enumerate().all(|(i, ended)| ended + threads > i), "{seen:?}");
        (most.load(Ordering::SeqCst), seen)
    };
    assert_eq!(most(1), (1, vec![0, 1, 2, 3, 4, 5, 6, 7]));
    let (three, _) = most(3);
    assert!((2..=3).contains(&three), "{three}");
}

/// Suggests numbers, and fails at a trial.
struct FailsAt(u64);

impl Optimizer for FailsAt {
    type Query = u64;
    type Recommendation = u64;

    fn ask(&mut self, _: &History<u64>, id: TrialId) -> Result<Ask<u64>, OptimizerError> {
        if id.0 == self.0 {
            return Err(OptimizerError::failed("asking", "on purpose"));
        }
        Ok(Ask::Evaluate(Suggestion::new(id.0)))
    }

    fn recommend(&mut self, _: &History<u64>) -> Result<Option<u64>, OptimizerError> {
        Ok(None)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("fails"))
    }
}

/// After an error no trial of the queue is evaluated: all of them stay unfinished.
#[test]
fn no_evaluation_begins_after_an_error() {
    let begun = AtomicUsize::new(0);
    let evaluate = |_: &u64, context: &mut Context<'_>| {
        begun.fetch_add(1, Ordering::SeqCst);
        // The second trial lasts until the study has ended.
        while context.id == TrialId(1) && context.report(1, 0.5).is_ok() {
            std::thread::sleep(Duration::from_millis(1));
        }
        1.0
    };
    let mut study = Study::new(FailsAt(8), Seed(1)).with_schedule(Schedule::Window(8));
    let error = study.run_parallel(1, evaluate).unwrap_err();
    assert!(matches!(error, StudyError::Optimizer(_)), "{error}");
    // The thread may have begun the second trial before the error, and no other.
    let begun = begun.into_inner();
    assert!((1..=2).contains(&begun), "{begun}");
    assert_eq!((study.history().len(), study.history().pending().count()), (8, 7));
}

#[test]
fn no_threads_and_no_window_are_errors() {
    let study = || Study::new(Patient { needs: 0, of: 0 }, Seed(1)).with_stop(MaxTrials(2));
    let error = study().run_parallel(0, |_, _| 1.0).unwrap_err().to_string();
    assert_eq!(error, "number of threads is 0, expected at least 1");
    let error = study().with_schedule(Schedule::Window(0)).run(|_, _| 1.0).unwrap_err().to_string();
    assert_eq!(error, "window is 0, expected at least 1");
}

/// Journals are read back from a file and from bytes, with numbers that JSON does not have.
#[test]
fn histories_are_read_from_their_journal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let study = Study::new(Patient { needs: 0, of: 0 }, Seed(41)).with_stop(MaxTrials(4));
    let mut study = study.with_journal(&path).unwrap();
    study
        .run(|_, context| {
            context.report(1, f64::NEG_INFINITY).unwrap();
            context.report(2, 0.1 + 0.2).unwrap();
            match context.id.0 {
                1 => Outcome::failed("no"),
                2 => Outcome::pruned(2),
                id => {
                    Measurement { cost: Some(2.0), constraints: vec![-1.0], ..Measurement::from(id as f64) }
                        .into()
                }
            }
        })
        .unwrap();
    let read: History<usize> = History::read(&path).unwrap();
    assert_eq!(&read, study.history());
    assert_eq!((read.seed(), read.len()), (Seed(41), 4));
    assert_eq!(read.trials()[0].reports, [(1, f64::NEG_INFINITY), (2, 0.1 + 0.2)]);
    let timing = |history: &History<usize>| history.trials().iter().map(|t| t.timing).collect::<Vec<_>>();
    assert_eq!(timing(&read), timing(study.history()));
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(History::from_bytes(&bytes).unwrap(), read);
    assert_eq!(History::<usize>::from_bytes(b"").unwrap().len(), 0);
    // The copy is another object over time.
    assert!(read.lineage() != read.clone().lineage() && read.lineage() == read.lineage());
    let error = |bytes: &[u8]| History::<usize>::from_bytes(bytes).unwrap_err();
    assert!(matches!(error(b"notes"), JournalError::NotAJournal { .. }));
    assert!(error(b"notes\n").to_string().starts_with("<bytes> is not a journal"));
    let missing = History::<usize>::read(folder.path().join("other")).unwrap_err();
    assert!(matches!(missing, JournalError::Io { .. }));
}

/// The time of an evaluation that was told by hand, in the history and in the journal; none where it was not told.
#[test]
fn told_times_are_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    let mut study = Study::new(Patient { needs: 0, of: 0 }, Seed(0)).with_journal(&path).unwrap();
    for _ in 0..3 {
        assert!(matches!(study.ask(), Ok(Next::Evaluate(_))));
    }
    let evaluation = Duration::from_millis(1500);
    study.tell_timed(TrialId(0), 1.0, evaluation).unwrap();
    study.tell_timed(TrialId(1), Outcome::failed("no memory"), evaluation).unwrap();
    study.tell(TrialId(2), 1.0).unwrap();
    assert!(matches!(study.tell_timed(TrialId(0), 1.0, evaluation), Err(StudyError::AlreadyTold(_))));
    for history in [study.history(), &History::read(&path).unwrap()] {
        let seconds: Vec<f64> = history.trials().iter().map(|trial| trial.timing.evaluate).collect();
        assert_eq!(seconds, [1.5, 1.5, 0.0]);
    }
}

/// Events of format 1, which has no checksums, that contradict each other: the line is named.
#[test]
fn contradicting_events_are_named_with_their_line() {
    let header = r#"{"thrifty_journal":1,"seed":3,"fingerprint":"any"}"#;
    let asked = |id: u64| format!(r#"{{"asked":{{"id":{id},"query":5,"seconds":0.5}}}}"#);
    let told = |id: u64| {
        format!(r#"{{"told":{{"id":{id},"outcome":{{"pruned":{{"last_step":1}}}},"seconds":1.5}}}}"#)
    };
    let reported = |id: u64| format!(r#"{{"reported":{{"id":{id},"step":1,"value":2.5}}}}"#);
    let read = |lines: &[String]| {
        let text = [&[header.to_owned()], lines].concat().join("\n") + "\n";
        History::<u64>::from_bytes(text.as_bytes()).map_err(|error| error.to_string())
    };
    let good = read(&[asked(0), reported(0), told(0), asked(1)]).unwrap();
    assert_eq!((good.seed(), good.len(), good.pending().count()), (Seed(3), 2, 1));
    assert_eq!((good.trials()[0].timing.ask, good.trials()[0].timing.evaluate), (0.5, 1.5));
    assert_eq!((good.trials()[0].query, &good.trials()[0].reports[..]), (5, &[(1, 2.5)][..]));
    for (lines, said) in [
        (vec![asked(1)], "line 2: trial 1 asked out of order"),
        (vec![asked(0), asked(0)], "line 3: trial 0 asked out of order"),
        (vec![asked(0), told(1)], "line 3: trial 1 was never asked"),
        (vec![asked(0), reported(7)], "line 3: trial 7 was never asked"),
        (vec![asked(0), told(0), told(0)], "line 4: trial 0 was told before"),
    ] {
        let error = read(&lines).unwrap_err();
        assert_eq!(error, format!("journal <bytes>, {said}"));
    }
    // A query of another type is no damage.
    let fold = asked(0).replace(":5,", r#":{"config":{"c":1.5},"fold":2},"#);
    let said = "journal <bytes> has queries of another kind, such as single folds instead of configurations; it is not damaged";
    let damaged = fold.replace("fold", "\"fold");
    assert_eq!(read(&[fold]).unwrap_err(), said);
    assert!(read(&[damaged]).unwrap_err().starts_with("journal <bytes>, line 2: "));
    // Reports of a trial that had not ended are made again after a pause.
    let resumed = r#""resumed""#.to_owned();
    let again = read(&[asked(0), reported(0), asked(1), told(1), resumed, reported(0)]).unwrap();
    assert_eq!(again.trials()[0].reports.len(), 1);
}

/// The time that an evaluation takes is its cost, whatever came of it, unless it has one.
#[test]
fn costs_are_measured_where_none_is_told() {
    let cost = |unit: CostUnit, sleeps: bool, told: Option<f64>| {
        let evaluate = costed(unit, move |_: &usize, _: &mut thrifty_study::Context<'_>| {
            if sleeps {
                std::thread::sleep(Duration::from_millis(30));
            }
            Measurement { cost: told, ..Measurement::from(1.0) }
        });
        let mut study = Study::new(Patient { needs: 0, of: 0 }, Seed(1)).with_stop(MaxTrials(1));
        study.run(evaluate).unwrap();
        study.history().trials()[0].outcome.as_ref().unwrap().measurement().unwrap().cost.unwrap()
    };
    assert!((0.03..10.0).contains(&cost(CostUnit::WallSeconds, true, None)));
    // Asleep the thread takes no time of the processor.
    assert!((0.0..0.02).contains(&cost(CostUnit::ThreadCpuSeconds, true, None)));
    for unit in [CostUnit::WallSeconds, CostUnit::ThreadCpuSeconds] {
        assert_eq!(cost(unit, false, Some(7.0)), 7.0);
    }
    let ends = |id: TrialId| {
        [Outcome::failed("no"), Outcome::pruned(0), Outcome::failed("no").with_cost(9.0)][id.0 as usize]
            .clone()
    };
    let fails = costed(CostUnit::WallSeconds, |_: &usize, context: &mut Context<'_>| {
        std::thread::sleep(Duration::from_millis(30));
        ends(context.id)
    });
    let mut study = Study::new(Patient { needs: 0, of: 0 }, Seed(1)).with_stop(MaxTrials(3));
    study.run(fails).unwrap();
    for (trial, costs) in study.history().trials().iter().zip([0.03..9.0, 0.03..9.0, 9.0..9.1]) {
        let outcome = trial.outcome.as_ref().unwrap();
        assert_eq!(outcome.clone().with_cost(None), ends(trial.id).with_cost(None));
        assert!(costs.contains(&outcome.cost().unwrap()), "{outcome:?}");
    }
    // A panic takes its time too, so that a limit on cost is reached.
    let panics = costed(CostUnit::WallSeconds, |_: &usize, _: &mut Context<'_>| -> f64 {
        std::thread::sleep(Duration::from_millis(30));
        panic!("on purpose")
    });
    let study = Study::new(Patient { needs: 0, of: 0 }, Seed(1)).with_stop(MaxTrials(9));
    let mut study = study.with_stop(MaxCost(0.05));
    assert!(matches!(study.run(panics).unwrap(), StopReason::Cost(_)));
    let outcome = study.history().trials()[0].outcome.clone().unwrap();
    assert_eq!(outcome.with_cost(None), Outcome::failed("the evaluator panicked: on purpose"));
}

/// An optimiser behind a box, and one of any type, are the optimiser.
#[test]
fn optimizers_of_any_type_answer_as_they_are() {
    let make = || Patient { needs: 2, of: 2 };
    let mut any = AnyOptimizer::new(make());
    let mut boxed: Box<dyn Optimizer<Query = usize, Recommendation = f64>> = Box::new(make());
    let history = History::new(Seed(1));
    assert!(matches!(any.ask(&history, TrialId(2)).unwrap(), Ask::Wait));
    assert!(matches!(boxed.ask(&history, TrialId(2)).unwrap(), Ask::Wait));
    assert!(any.ask(&history, TrialId(0)).unwrap() == make().ask(&history, TrialId(0)).unwrap());
    assert_eq!(any.fingerprint().unwrap(), make().fingerprint().unwrap());
    assert_eq!(boxed.fingerprint().unwrap(), make().fingerprint().unwrap());
    assert!(any.recommend(&history).unwrap().is_none() && boxed.recommend(&history).unwrap().is_none());
    let mut study = Study::new(any, Seed(1)).with_stop(MaxTrials(2));
    assert_eq!(study.run(|_, context| context.id.0 as f64 - 3.0).unwrap(), StopReason::Trials(2));
    let found = study.recommend().unwrap().unwrap();
    assert_eq!(found.downcast_ref::<f64>(), Some(&-3.0));
    assert_eq!(boxed.recommend(study.history()).unwrap(), Some(-3.0));
}

#[test]
fn the_best_is_observed_or_of_a_posterior() {
    let (observed, posterior) = (Best::observed("a", 1.5), Best::posterior("a", 1.5));
    assert!(observed.is_observed() && !posterior.is_observed());
    assert_eq!((observed.value, posterior.value, observed.config), (1.5, 1.5, "a"));
    assert_ne!(observed, posterior);
}

/// A trial that runs anew reports anew: what it said before, by hand or in a loop that failed, is dropped.
#[test]
fn reports_of_trials_that_run_again_are_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    let mut study =
        Study::new(Patient { needs: 0, of: 0 }, Seed(1)).with_stop(MaxTrials(2)).with_journal(&path).unwrap();
    let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a trial") };
    study.report(trial.id, 1, 9.0).unwrap();
    study
        .run(|_, context| {
            context.report(1, 0.5).unwrap();
            1.0
        })
        .unwrap();
    let reports = |history: &History<usize>| -> Vec<Vec<(u64, f64)>> {
        history.trials().iter().map(|trial| trial.reports.clone()).collect()
    };
    assert_eq!(reports(study.history()), [[(1, 0.5)], [(1, 0.5)]]);
    drop(study);
    assert_eq!(reports(&History::read(&path).unwrap()), [[(1, 0.5)], [(1, 0.5)]]);
}

/// Notes what an observer hears of attempts.
#[derive(Clone, Default)]
struct Heard(std::sync::Arc<std::sync::Mutex<Vec<String>>>);

impl thrifty_study::Observer<usize> for Heard {
    fn retried(&mut self, trial: &thrifty_study::Trial<usize>, failure: &thrifty_study::Failure) {
        self.0.lock().unwrap().push(format!("{} {failure:?}", trial.id.0));
    }
}

/// Failed attempts, failures and pruned trials are paid for: all of it counts as spent, in the journal too.
#[test]
fn whatever_came_of_it_an_evaluation_costs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    let evaluate = |_: &usize, context: &mut Context<'_>| match (context.id.0, context.attempt) {
        (0, 0) => Outcome::failed("once").with_cost(1.0),
        (0, _) => Measurement { cost: Some(2.0), ..Measurement::from(0.5) }.into(),
        (1, _) => Outcome::failed("again and again").with_cost(4.0),
        (2, _) => context.pruned().with_cost(8.0),
        (3, _) => Measurement { cost: Some(16.0), ..Measurement::from(f64::NAN) }.into(),
        (4, _) => Outcome::unrelated("the disk is full").with_cost(32.0),
        // What makes no sense, and what is not known, counts as nothing.
        (5, _) => Outcome::failed("no clock").with_cost(f64::NAN),
        (6, _) => Measurement { cost: Some(-3.0), ..Measurement::from(1.0) }.into(),
        _ => 1.0.into(),
    };
    let make = |limit: f64| {
        let study = Study::new(Patient { needs: 0, of: 0 }, Seed(1)).with_retries(1);
        study.with_stop(MaxTrials(8)).with_stop(MaxCost(limit)).with_journal(&path).unwrap()
    };
    let mut study = make(1e3);
    study.run(evaluate).unwrap();
    // Of the failures of trials 1 and 4 there are two attempts each.
    let spent = 1.0 + 2.0 + 2.0 * 4.0 + 8.0 + 16.0 + 2.0 * 32.0;
    assert_eq!(study.history().spent(), spent);
    assert_eq!(study.history().clone().spent(), spent, "a copy");
    let costs = |history: &History<usize>| -> Vec<Option<f64>> {
        history.trials().iter().map(|trial| trial.outcome.as_ref().unwrap().cost()).collect()
    };
    let known = [2.0, 4.0, 8.0, 16.0, 32.0].map(Some);
    assert_eq!(costs(study.history()), [known.as_slice(), &[None; 3]].concat());
    drop(study);
    let read = History::<usize>::read(&path).unwrap();
    assert_eq!((read.spent(), costs(&read)), (spent, [known.as_slice(), &[None; 3]].concat()));
    // Another process finds the limit reached.
    let reopened = Study::new(Patient { needs: 0, of: 0 }, Seed(1)).with_stop(MaxCost(spent));
    assert_eq!(reopened.with_journal(&path).unwrap().check_stop(), Some(StopReason::Cost(spent)));
    let lines = std::fs::read_to_string(&path).unwrap();
    assert!(
        lines.contains(
            r#""outcome":{"failed":{"reason":{"error":{"message":"again and again"}},"cost":4.0}}"#
        )
    );
    assert!(lines.contains(r#""outcome":{"pruned":{"last_step":0,"cost":8.0}}"#));
    std::fs::remove_file(&path).unwrap();
    let mut stopped = make(11.0);
    assert_eq!(stopped.run(evaluate).unwrap(), StopReason::Cost(11.0));
    assert_eq!(stopped.history().len(), 2, "by what the second trial cost");
}

/// Failed attempts cost when their trial has ended for the asks of a window: which trial is faster makes no difference.
#[test]
fn a_window_shows_failed_attempts_with_their_trial() {
    for slow in [0, 1] {
        let mut study = Study::new(Patient { needs: 0, of: 0 }, Seed(1))
            .with_retries(1)
            .with_schedule(Schedule::Window(2))
            .with_stop(MaxCost(10.0));
        let evaluate = |_: &usize, context: &mut Context<'_>| {
            if context.id.0 == slow {
                std::thread::sleep(Duration::from_millis(60));
            }
            match (context.id.0, context.attempt) {
                (1, 0) => Outcome::failed("once").with_cost(10.0),
                _ => Outcome::from(1.0).with_cost(1.0),
            }
        };
        assert_eq!(study.run_parallel(2, evaluate).unwrap(), StopReason::Cost(12.0), "trial {slow} is slow");
        assert_eq!(study.history().len(), 3, "trial {slow} is slow");
    }
}

/// A cost that makes no sense is refused with the trial it is of, whatever came of that.
#[test]
fn impossible_costs_are_refused() {
    for outcome in [Outcome::failed("no"), Outcome::pruned(3), 1.0.into()] {
        for (cost, text) in [(-1.0, "-1"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
            let mut study = Study::new(Patient { needs: 0, of: 0 }, Seed(1));
            let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a trial") };
            let wrong = outcome.clone().with_cost(cost);
            let early = study.check_outcome(trial.id, &wrong).unwrap_err().to_string();
            let error = study.tell(trial.id, wrong).unwrap_err().to_string();
            assert_eq!(error, early, "checked before");
            assert!(error.contains(&format!("trial 0: the cost is {text}")), "{error}");
            study.check_outcome(trial.id, &outcome).unwrap();
            study.tell(trial.id, outcome.clone().with_cost(0.0)).unwrap();
            assert!(matches!(study.check_outcome(trial.id, &outcome), Err(StudyError::AlreadyTold(_))));
            assert_eq!(study.history().spent(), 0.0);
        }
    }
}

/// A trial that fails is evaluated again, so often and no more; reports are those of the last attempt, in the journal too.
#[test]
fn failed_trials_are_evaluated_again() {
    for threads in [1, 3] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study.jsonl");
        let (calls, heard) = (AtomicUsize::new(0), Heard::default());
        let mut study = Study::new(Patient { needs: 0, of: 0 }, Seed(1))
            .with_retries(2)
            .with_stop(MaxTrials(4))
            .with_observer(heard.clone())
            .with_journal(&path)
            .unwrap();
        // Trial 1 needs three attempts, trial 2 more than there are, trial 3 panics once.
        let reason = study.run_parallel(threads, |_: &usize, context| -> Result<f64, String> {
            calls.fetch_add(1, Ordering::Relaxed);
            context.report(context.attempt as u64, 0.5).unwrap();
            let attempts = [1, 3, 9, 2][context.id.0 as usize];
            match context.attempt + 1 {
                attempt if attempt >= attempts => Ok(context.attempt as f64),
                _ if context.id.0 == 3 => panic!("on purpose"),
                attempt => Err(format!("attempt {attempt}")),
            }
        });
        assert_eq!(reason.unwrap(), StopReason::Trials(4));
        assert_eq!(calls.load(Ordering::Relaxed), 1 + 3 + 3 + 2);
        let check = |history: &History<usize>| {
            let outcomes: Vec<_> =
                history.trials().iter().map(|trial| trial.outcome.clone().unwrap()).collect();
            assert_eq!(outcomes[..2], [Outcome::from(0.0), Outcome::from(2.0)]);
            assert_eq!(outcomes[2..], [Outcome::failed("attempt 3"), Outcome::from(1.0)]);
            let reports: Vec<_> = history.trials().iter().map(|trial| trial.reports.clone()).collect();
            assert_eq!(reports, [[(0, 0.5)], [(2, 0.5)], [(2, 0.5)], [(1, 0.5)]]);
        };
        check(study.history());
        drop(study);
        check(&History::read(&path).unwrap());
        let mut heard = heard.0.lock().unwrap().clone();
        heard.sort();
        let told = |id: u64, text: &str| {
            let reason = thrifty_study::FailureReason::Error { message: text.into() };
            format!("{id} {:?}", thrifty_study::Failure::from(reason))
        };
        let mut expected =
            vec![told(1, "attempt 1"), told(1, "attempt 2"), told(2, "attempt 1"), told(2, "attempt 2")];
        expected.push(told(3, "the evaluator panicked: on purpose"));
        assert_eq!(heard, expected);
    }
    // A measurement that is not finite is no failed attempt: it would be the same again.
    let calls = AtomicUsize::new(0);
    let mut study = Study::new(Patient { needs: 0, of: 0 }, Seed(1)).with_retries(2).with_stop(MaxTrials(1));
    study
        .run(|_, _| {
            calls.fetch_add(1, Ordering::Relaxed);
            f64::NAN
        })
        .unwrap();
    assert_eq!((calls.load(Ordering::Relaxed), study.history().best().is_none()), (1, true));
}

/// The journal has a failed attempt before its trial ends, whoever evaluates; a study that is resumed then makes the attempts that are left.
#[test]
fn attempts_are_counted_across_sittings() {
    let folder = tempfile::tempdir().unwrap();
    for threads in [0, 1, 2] {
        let path = folder.path().join(format!("{threads}.jsonl"));
        let study = |path: &Path| {
            let study =
                Study::new(Patient { needs: 0, of: 0 }, Seed(1)).with_retries(2).with_stop(MaxTrials(1));
            study.with_journal(path).unwrap()
        };
        let copy = path.with_extension("copy");
        let evaluate = |_: &usize, context: &mut Context<'_>| {
            // Another thread may write it.
            let began = Instant::now();
            let retried = || std::fs::read_to_string(&path).unwrap().matches("\"retried\":").count();
            while retried() < context.attempt && began.elapsed() < Duration::from_secs(20) {
                std::thread::sleep(Duration::from_millis(1));
            }
            assert_eq!(retried(), context.attempt);
            // What a process would leave that is killed now.
            std::fs::copy(&path, &copy).unwrap();
            Outcome::failed("no memory").with_cost(1.0)
        };
        let run = |mut study: Study<Patient>,
                   evaluate: &(dyn Fn(&usize, &mut Context<'_>) -> Outcome + Sync)| {
            match threads {
                0 => study.run(evaluate).unwrap(),
                threads => study.run_parallel(threads, evaluate).unwrap(),
            };
            study.history().spent()
        };
        assert_eq!(run(study(&path), &evaluate), 3.0);
        let made = std::sync::Mutex::new(Vec::new());
        let spent = run(study(&copy), &|_, context| {
            made.lock().unwrap().push(context.attempt);
            Outcome::failed("no memory").with_cost(1.0)
        });
        assert_eq!((made.into_inner().unwrap(), spent), (vec![2], 3.0), "{threads} threads");
    }
}
