//! Queries and trials that do not come from the optimiser: order, journals, repeats, errors.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use thrifty_sampling::Seed;
use thrifty_study::shared::MemoryLog;
use thrifty_study::{
    AnyOptimizer, Ask, Fingerprint, History, JournalError, MaxTrials, Measurement, Optimizer, OptimizerError,
    Outcome, PrunedAs, PrunedPolicy, Schedule, Study, StudyError, Suggestion, Trial, TrialId,
};

/// Suggests 100 and the number of trials; completes a number that is not finite by the number of the trial; refuses -1.
struct Counting;

impl Optimizer for Counting {
    type Query = Vec<Option<u64>>;
    type Recommendation = u64;

    fn ask(
        &mut self,
        history: &History<Self::Query>,
        _: TrialId,
    ) -> Result<Ask<Self::Query>, OptimizerError> {
        Ok(Ask::Evaluate(Suggestion::new(vec![Some(100 + history.len() as u64), Some(0)])))
    }

    fn check(&self, query: &Self::Query, is_whole: bool) -> Result<(), OptimizerError> {
        if query.len() != 2 || (is_whole && query.contains(&None)) {
            return Err(OptimizerError::failed("checking", format!("{query:?} is not of the space")));
        }
        Ok(())
    }

    fn ask_given(
        &mut self,
        _: &History<Self::Query>,
        id: TrialId,
        given: &Self::Query,
    ) -> Result<Ask<Self::Query>, OptimizerError> {
        let whole = given.iter().map(|value| value.or(Some(id.0))).collect();
        Ok(Ask::Evaluate(Suggestion::new(whole)))
    }

    fn recommend(&mut self, _: &History<Self::Query>) -> Result<Option<u64>, OptimizerError> {
        Ok(None)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("counting"))
    }
}

type Queries = Vec<[u64; 2]>;

fn queries(study: &Study<Counting>) -> Queries {
    let of = |query: &Vec<Option<u64>>| [query[0].unwrap(), query[1].unwrap()];
    study.history().trials().iter().map(|trial| of(&trial.query)).collect()
}

fn study(trials: usize) -> Study<Counting> {
    Study::new(Counting, Seed(1)).with_stop(MaxTrials(trials))
}

#[test]
fn enqueued_queries_come_first_and_are_completed() {
    let mut study = study(5);
    study.enqueue(vec![Some(7), None]).unwrap();
    study.enqueue(vec![None, Some(9)]).unwrap();
    assert_eq!(study.history().enqueued(), [vec![Some(7), None], vec![None, Some(9)]]);
    study.run(|_, _| 1.0).unwrap();
    assert_eq!(queries(&study), [[7, 0], [1, 9], [102, 0], [103, 0], [104, 0]]);
    assert!(study.history().enqueued().is_empty());
    // In the middle of a study too, and as often as one likes.
    let mut study = study_of_two();
    for _ in 0..2 {
        study.enqueue(vec![Some(5), Some(5)]).unwrap();
    }
    study.run(|_, _| 1.0).unwrap();
    assert_eq!(queries(&study), [[100, 0], [101, 0], [5, 5], [5, 5], [104, 0]]);
}

fn study_of_two() -> Study<Counting> {
    let mut study = study(5);
    for _ in 0..2 {
        let thrifty_study::Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a trial") };
        study.tell(trial.id, 1.0).unwrap();
    }
    study
}

/// A queue is asked in the same order with any number of threads.
#[test]
fn threads_change_nothing() {
    let run = |threads: usize| {
        let mut study = study(9).with_schedule(Schedule::Window(4));
        for k in 0..6 {
            study.enqueue(vec![Some(k), None]).unwrap();
        }
        study.run_parallel(threads, |_, _| 1.0).unwrap();
        queries(&study)
    };
    let one = run(1);
    assert_eq!(one[..6], [[0, 0], [1, 1], [2, 2], [3, 3], [4, 4], [5, 5]]);
    assert_eq!((run(2), run(4)), (one.clone(), one));
}

/// The journal keeps the queue: what was asked is not asked again, what waits comes next.
#[test]
fn a_queue_survives_a_resumption() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    let queue = || [vec![Some(1), None], vec![Some(2), None], vec![Some(2), None]];
    let open = |trials: usize| study(trials).with_journal(&path).unwrap().with_queue(queue()).unwrap();
    let mut first = open(2);
    first.run(|_, _| 1.0).unwrap();
    assert_eq!(first.history().enqueued().len(), 1);
    drop(first);
    let read: History<Vec<Option<u64>>> = History::read(&path).unwrap();
    assert_eq!(read.enqueued(), [vec![Some(2), None]]);
    let mut second = open(5);
    assert_eq!(second.history().enqueued().len(), 1, "a program that starts again adds nothing");
    second.run(|_, _| 1.0).unwrap();
    assert_eq!(queries(&second), [[1, 0], [2, 1], [2, 2], [103, 0], [104, 0]]);
    drop(second);
    // The queue before the journal is the same.
    let third = study(6).with_queue(queue()).unwrap().with_journal(&path).unwrap();
    assert!(third.history().enqueued().is_empty());
    drop(third);
    // One that is new waits; a new journal of a study with a queue begins with it.
    let fourth = study(6).with_queue([vec![Some(8), Some(8)]]).unwrap().with_journal(&path).unwrap();
    assert_eq!(fourth.history().enqueued(), [vec![Some(8), Some(8)]]);
    let other = folder.path().join("other.jsonl");
    drop(study(6).with_queue(queue()).unwrap().with_journal(&other).unwrap());
    assert_eq!(History::<Vec<Option<u64>>>::read(&other).unwrap().enqueued(), queue());
}

/// A query of the queue that was asked before the journal was opened is one of its trials, and is not asked again.
#[test]
fn a_query_that_was_asked_before_the_journal_is_not_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    for _ in 0..2 {
        let mut study = study(3).with_queue([vec![Some(1), None], vec![Some(2), None]]).unwrap();
        let thrifty_study::Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a trial") };
        study.tell(trial.id, 1.0).unwrap();
        let study = study.with_journal(&path).unwrap();
        assert_eq!(study.history().enqueued(), [vec![Some(2), None]]);
    }
}

/// Known trials are the first of the study, in its journal too, and are not added twice.
#[test]
fn known_trials_are_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    let known = || {
        [
            (vec![Some(3), Some(4)], Outcome::from(0.25)),
            (vec![Some(5), Some(6)], Outcome::failed("too large")),
            (vec![Some(7), Some(8)], Outcome::from(f64::NAN)),
        ]
    };
    let mut first = study(5).with_known(known()).unwrap().with_journal(&path).unwrap();
    first.run(|_, _| 1.0).unwrap();
    let all = [[3, 4], [5, 6], [7, 8], [103, 0], [104, 0]];
    assert_eq!(queries(&first), all);
    assert_eq!(first.history().best().map(|(trial, loss)| (trial.id.0, loss)), Some((0, 0.25)));
    let failed = first.history().trials()[2].outcome.clone().unwrap();
    assert!(failed.measurement().is_none(), "{failed:?}");
    drop(first);
    for before in [true, false] {
        let mut again = if before {
            study(6).with_known(known()).unwrap().with_journal(&path).unwrap()
        } else {
            study(6).with_journal(&path).unwrap().with_known(known()).unwrap()
        };
        assert_eq!(queries(&again), [&all[..], &[[105, 0]][..]].concat()[..again.history().len()]);
        again.run(|_, _| 1.0).unwrap();
        assert_eq!(again.history().len(), 6);
    }
    // One by one, wherever the study is.
    let mut study = study_of_two();
    assert_eq!(study.add_known(vec![Some(1), Some(1)], 0.5).unwrap(), TrialId(2));
    study.run(|_, _| 1.0).unwrap();
    assert_eq!(queries(&study), [[100, 0], [101, 0], [1, 1], [103, 0], [104, 0]]);
}

#[test]
fn bad_queries_and_trials_are_named_and_change_nothing() {
    let mut study = study(4);
    let error = study.enqueue(vec![Some(1)]).unwrap_err();
    assert!(matches!(error, StudyError::Optimizer(_)), "{error}");
    assert!(study.history().enqueued().is_empty());
    let error = study.add_known(vec![None, Some(1)], 1.0).unwrap_err();
    assert!(error.to_string().starts_with("known trial 0: "), "{error}");
    assert!(study.history().is_empty());
    study.add_known(vec![Some(1), Some(1)], 1.0).unwrap();
    let two = Measurement { objectives: vec![1.0, 2.0], ..Measurement::default() };
    let error = study.add_known(vec![Some(2), Some(2)], two).unwrap_err();
    assert!(matches!(error, StudyError::InvalidMeasurement { id: TrialId(1), .. }), "{error}");
    let negative = Measurement { cost: Some(-1.0), ..Measurement::from(1.0) };
    assert!(study.add_known(vec![Some(2), Some(2)], negative).is_err());
    assert_eq!(study.history().len(), 1);
    let error = study.with_known([(vec![Some(9), Some(9)], Outcome::from(1.0))]).err().unwrap();
    assert_eq!(error.to_string(), "trial 0 of the study is not the known trial of this number");
}

/// A study with trials continues only a journal that begins with them.
#[test]
fn journals_of_other_trials_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    let mut first = study(3).with_journal(&path).unwrap();
    first.run(|_, _| 1.0).unwrap();
    drop(first);
    let known = |loss: f64| [(vec![Some(100), Some(0)], Outcome::from(loss))];
    let other = study(3).with_known(known(2.0)).unwrap().with_journal(&path);
    assert!(matches!(other.err(), Some(StudyError::Journal(JournalError::TwoHistories { trials: 1, .. }))));
    let same = study(3).with_known(known(1.0)).unwrap().with_journal(&path).unwrap();
    assert_eq!(same.history().len(), 3);
}

fn known() -> Vec<(Vec<Option<u64>>, Outcome)> {
    vec![
        (vec![Some(3), Some(4)], Outcome::from(0.25)),
        (vec![Some(5), Some(6)], Outcome::failed("too large")),
        (vec![Some(7), Some(8)], Outcome::from(0.5)),
    ]
}

/// All known trials or none: a table that was corrected is imported into the same journal.
#[test]
fn a_table_with_a_bad_trial_adds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    let two = Measurement { objectives: vec![1.0, 2.0], ..Measurement::default() };
    let bad = [
        ((vec![None, Some(6)], Outcome::from(1.0)), "known trial 2: "),
        ((vec![Some(5), Some(6)], two.into()), "trial 2: 2 objectives, but trial 0 has 1"),
        (
            (vec![Some(5), Some(6)], Measurement { cost: Some(-1.0), ..1.0.into() }.into()),
            "trial 2: the cost",
        ),
    ];
    for (trial, message) in bad {
        let mut table = known();
        table[2] = trial;
        let error = study(5).with_journal(&path).unwrap().with_known(table).err().unwrap().to_string();
        assert!(error.starts_with(message), "{error}");
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 0, "{error}");
    }
    let study = study(5).with_journal(&path).unwrap().with_known(known()).unwrap();
    assert_eq!(queries(&study), [[3, 4], [5, 6], [7, 8]]);
}

/// An import that was cut off at any byte goes on, before the journal is opened or after.
#[test]
fn an_interrupted_import_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    let queue = || [vec![Some(1), None]];
    let before = || study(5).with_queue(queue()).unwrap().with_known(known()).unwrap().with_journal(&path);
    let after = || study(5).with_journal(&path).unwrap().with_known(known())?.with_queue(queue());
    let expected = before().unwrap().history().clone();
    let bytes = std::fs::read(&path).unwrap();
    for end in 0..=bytes.len() {
        for open in [&before as &dyn Fn() -> Result<Study<Counting>, StudyError>, &after] {
            std::fs::write(&path, &bytes[..end]).unwrap();
            let again = open().unwrap_or_else(|error| panic!("cut at {end}: {error}"));
            assert_eq!(again.history(), &expected, "cut at {end}");
            assert_eq!(again.history().enqueued(), queue(), "cut at {end}");
            drop(again);
            let read = History::<Vec<Option<u64>>>::read(&path).unwrap();
            assert_eq!((&read, read.enqueued()), (&expected, &queue()[..]), "cut at {end}");
        }
    }
}

/// The trials of a study that ran before its journal was opened, reports and a running trial included, are written as a whole.
#[test]
fn an_interrupted_copy_of_a_study_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    let open = || {
        let mut study = study(9);
        for value in [1.0, 2.0] {
            let thrifty_study::Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a trial") };
            study.report(trial.id, 1, value).unwrap();
            study.tell(trial.id, value).unwrap();
        }
        study.ask().unwrap();
        study.with_journal(&path)
    };
    let expected = open().unwrap().history().clone();
    let bytes = std::fs::read(&path).unwrap();
    for end in 0..=bytes.len() {
        std::fs::write(&path, &bytes[..end]).unwrap();
        let again = open().unwrap_or_else(|error| panic!("cut at {end}: {error}"));
        let read = History::<Vec<Option<u64>>>::read(&path).unwrap();
        for history in [again.history(), &read] {
            assert_eq!(history.len(), 3, "cut at {end}");
            for (trial, own) in history.trials().iter().zip(expected.trials()) {
                let seen =
                    |t: &Trial<Vec<Option<u64>>>| (t.query.clone(), t.reports.clone(), t.outcome.clone());
                assert_eq!(seen(trial), seen(own), "cut at {end}");
            }
        }
    }
}

/// Waits until another thread has set a flag.
fn await_flag(flag: &AtomicBool) {
    while !flag.load(Ordering::SeqCst) {
        std::thread::yield_now();
    }
}

/// Two trials whose first attempts failed at a cost of 5 and 7, and whose second ones cost 1; the second trial runs where the optimiser
/// fails meanwhile.
fn with_failed_attempts(fails: bool) -> Study<Refusing> {
    let refused = Arc::new(AtomicBool::new(!fails));
    let optimizer = Refusing { refused: Arc::clone(&refused), fails };
    let study = Study::new(optimizer, Seed(1)).with_retries(1).with_schedule(Schedule::AsCompleted);
    let mut study = study.with_stop(MaxTrials(if fails { 3 } else { 2 }));
    let has_failed = AtomicBool::new(false);
    let result = study.run_parallel(2, |_, context| {
        match (context.id.0, context.attempt) {
            (0, 0) => return Outcome::failed("once").with_cost(5.0),
            (_, 0) => return Outcome::failed("once").with_cost(7.0),
            (0, _) => await_flag(&has_failed),
            _ => {
                has_failed.store(true, Ordering::SeqCst);
                await_flag(&refused);
            }
        }
        Outcome::from(1.0).with_cost(1.0)
    });
    assert_eq!(result.is_err(), fails);
    study
}

/// Failed attempts go with their study into a new journal or log, and their costs count once wherever the copy was interrupted.
#[test]
fn failed_attempts_are_copied_with_their_study() {
    for (fails, spent) in [(false, 14.0), (true, 13.0)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study.jsonl");
        let copy = || with_failed_attempts(fails).with_journal(&path);
        assert_eq!(copy().unwrap().history().spent(), spent);
        let bytes = std::fs::read(&path).unwrap();
        let is_line_end = |end: &usize| *end == 0 || bytes[end - 1] == b'\n';
        for end in (0..=bytes.len()).filter(is_line_end) {
            std::fs::write(&path, &bytes[..end]).unwrap();
            let again = copy().unwrap_or_else(|error| panic!("cut at {end}: {error}"));
            assert_eq!(again.history().spent(), spent, "cut at {end}");
            drop(again);
            assert_eq!(History::<u64>::read(&path).unwrap().spent(), spent, "cut at {end}");
        }
        let mut log = MemoryLog::new();
        let shared = with_failed_attempts(fails).join(Box::new(log.clone())).unwrap();
        assert_eq!(shared.history().spent(), spent);
        assert_eq!(History::<u64>::read_log(&mut log).unwrap().spent(), spent);
    }
}

/// A journal that was begun when failed and pruned trials had no cost is of the table in which they have one.
#[test]
fn costs_that_a_journal_lacks_are_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    let known = |cost: Option<f64>, measured: Option<f64>| {
        let outcomes = [
            Outcome::failed("too large").with_cost(cost),
            Outcome::pruned(3).with_cost(cost),
            Outcome::from(0.5).with_cost(measured),
        ];
        (1..).zip(outcomes).map(|(k, outcome)| (vec![Some(k), Some(k)], outcome)).collect::<Vec<_>>()
    };
    drop(study(5).with_journal(&path).unwrap().with_known(known(None, Some(1.0))).unwrap());
    for before in [true, false] {
        let table = known(Some(2.0), Some(1.0));
        let again = if before {
            study(5).with_known(table).unwrap().with_journal(&path)
        } else {
            study(5).with_journal(&path).unwrap().with_known(table)
        };
        assert_eq!(again.unwrap().history().len(), 3);
    }
    let other = study(5).with_journal(&path).unwrap().with_known(known(None, Some(2.0))).err().unwrap();
    assert!(matches!(other, StudyError::OtherBeginning { id: TrialId(2) }), "{other}");
    // A cost that the journal has is compared.
    let path = folder.path().join("costs.jsonl");
    drop(study(5).with_journal(&path).unwrap().with_known(known(Some(2.0), None)).unwrap());
    let other = study(5).with_journal(&path).unwrap().with_known(known(Some(3.0), None)).err().unwrap();
    assert!(matches!(other, StudyError::OtherBeginning { id: TrialId(0) }), "{other}");
}

/// Suggests its number; fails at trial 2 where it is to.
struct Refusing {
    refused: Arc<AtomicBool>,
    fails: bool,
}

impl Optimizer for Refusing {
    type Query = u64;
    type Recommendation = u64;

    fn ask(&mut self, _: &History<u64>, id: TrialId) -> Result<Ask<u64>, OptimizerError> {
        if self.fails && id.0 == 2 {
            self.refused.store(true, Ordering::SeqCst);
            return Err(OptimizerError::failed("asking", "on purpose"));
        }
        Ok(Ask::Evaluate(Suggestion::new(id.0)))
    }

    fn recommend(&mut self, _: &History<u64>) -> Result<Option<u64>, OptimizerError> {
        Ok(None)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("refusing"))
    }
}

/// Suggests 0; takes a query for its nearest whole number if it is of this version.
struct Whole {
    is_new: bool,
}

impl Optimizer for Whole {
    type Query = f64;
    type Recommendation = f64;

    fn ask(&mut self, _: &History<f64>, _: TrialId) -> Result<Ask<f64>, OptimizerError> {
        Ok(Ask::Evaluate(Suggestion::new(0.0)))
    }

    fn canonical(&self, query: f64) -> f64 {
        if self.is_new { query.round() } else { query }
    }

    fn recommend(&mut self, _: &History<f64>) -> Result<Option<f64>, OptimizerError> {
        Ok(None)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("whole"))
    }
}

/// Known trials have the values of the optimiser, behind every wrapper; a journal that has them as they were written is of the same trials.
#[test]
fn known_trials_have_the_values_of_the_optimizer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    let known = || [(1.25, Outcome::from(1.0)), (2.25, Outcome::from(2.0))];
    let open = |is_new: bool| Study::new(Whole { is_new }, Seed(1)).with_stop(MaxTrials(3));
    drop(open(false).with_known(known()).unwrap().with_journal(&path).unwrap());
    for before in [true, false] {
        let again = if before {
            open(true).with_known(known()).unwrap().with_journal(&path)
        } else {
            open(true).with_journal(&path).unwrap().with_known(known())
        };
        let asked: Vec<f64> = again.unwrap().history().trials().iter().map(|trial| trial.query).collect();
        assert_eq!(asked, [1.25, 2.25], "as the journal has them");
    }
    let any = PrunedAs::new(AnyOptimizer::new(Whole { is_new: true }), PrunedPolicy::Worst);
    let mut study = Study::new(any, Seed(1)).with_known(known()).unwrap();
    study.add_known(2.75, 3.0).unwrap();
    let asked: Vec<f64> = study.history().trials().iter().map(|trial| trial.query).collect();
    assert_eq!(asked, [1.0, 2.0, 3.0]);
}

/// Suggests the number of ended trials that it sees.
struct Seeing;

impl Optimizer for Seeing {
    type Query = u64;
    type Recommendation = u64;

    fn ask(&mut self, history: &History<u64>, _: TrialId) -> Result<Ask<u64>, OptimizerError> {
        let ended = history.trials().iter().filter(|trial| trial.outcome.is_some()).count();
        Ok(Ask::Evaluate(Suggestion::new(ended as u64)))
    }

    fn recommend(&mut self, _: &History<u64>) -> Result<Option<u64>, OptimizerError> {
        Ok(None)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("seeing"))
    }
}

/// Trials that were made elsewhere had ended before the first ask: a window hides none of them, in a resumed study and in a shared log neither.
#[test]
fn a_window_hides_no_known_trial() {
    let known = || (0..5).map(|i| (100 + i, Outcome::from(1.0)));
    let study = |trials: usize| {
        Study::new(Seeing, Seed(1)).with_schedule(Schedule::Window(4)).with_stop(MaxTrials(trials))
    };
    let seen = |history: &History<u64>| -> Vec<u64> {
        history.trials()[5..].iter().map(|trial| trial.query).collect()
    };
    let expected = [5, 5, 5, 5, 6, 7, 8];
    let mut whole = study(12).with_known(known()).unwrap();
    whole.run_parallel(3, |_, _| 1.0).unwrap();
    assert_eq!(seen(whole.history()), expected);
    let folder = tempfile::tempdir().unwrap();
    for (k, is_known_first) in [false, true].into_iter().enumerate() {
        let path = folder.path().join(format!("{k}.jsonl"));
        for trials in 6..=12 {
            let open = study(trials);
            let mut open = if is_known_first {
                open.with_known(known()).unwrap().with_journal(&path).unwrap()
            } else {
                open.with_journal(&path).unwrap().with_known(known()).unwrap()
            };
            open.run(|_, _| 1.0).unwrap();
        }
        let read: History<u64> = History::read(&path).unwrap();
        assert_eq!(seen(&read), expected, "{is_known_first}");
    }
    let mut shared = study(12).with_known(known()).unwrap().join(Box::new(MemoryLog::new())).unwrap();
    shared.run_worker(|_, _| 1.0).unwrap();
    assert_eq!(seen(shared.history()), expected);
}
