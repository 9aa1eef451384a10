//! Pruning: the same decisions under a schedule, curves as a pruner sees them, studies steered by hand.

use std::sync::{Arc, Barrier, Mutex};

use thrifty_sampling::Seed;
use thrifty_study::{
    Ask, Curve, Fingerprint, History, Lineage, MaxTrials, Measurement, Next, Optimizer, OptimizerError,
    Outcome, PrunedAs, PrunedPolicy, Pruner, ReportError, Schedule, StopReason, Study, StudyError,
    Suggestion, TrialId,
};

/// Suggests 0, 1, 2, ….
struct Counter;

impl Optimizer for Counter {
    type Query = u64;
    type Recommendation = u64;

    fn ask(&mut self, _: &History<u64>, id: TrialId) -> Result<Ask<u64>, OptimizerError> {
        Ok(Ask::Evaluate(Suggestion::new(id.0)))
    }

    fn recommend(&mut self, history: &History<u64>) -> Result<Option<u64>, OptimizerError> {
        Ok(history.best().map(|(trial, _)| trial.query))
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("counter"))
    }
}

/// Stops a trial that is worse than any other at a step, and notes what it was shown.
#[derive(Clone, Default)]
struct WorseThanAny(Arc<Mutex<Vec<Shown>>>);

/// Trial, step, and the others with their numbers of reports and objectives.
type Shown = (u64, u64, Vec<(u64, usize, Option<f64>)>);

impl Pruner for WorseThanAny {
    fn should_prune(&self, running: Curve<'_>, others: &[Curve<'_>], _: Seed) -> bool {
        let step = running.last_step().unwrap();
        let shown = others.iter().map(|other| (other.id.0, other.reports.len(), other.objective)).collect();
        self.0.lock().unwrap().push((running.id.0, step, shown));
        others.iter().filter_map(|other| other.at(step)).any(|other| running.at(step) > Some(other))
    }
}

/// Ten steps; curves cross, and depend on the trial alone.
#[allow(clippy::trivially_copy_pass_by_ref)] // the query is a u64
fn train(query: &u64, context: &mut thrifty_study::Context<'_>) -> Result<Outcome, ReportError> {
    let rate = 0.02 + 0.013 * (query * 7 % 11) as f64;
    let mut loss = 1.0 + 0.1 * (query * 5 % 7) as f64;
    for step in 1..=10 {
        loss *= 1.0 - rate;
        context.report(step, loss)?;
        if context.should_prune() {
            return Ok(context.pruned());
        }
        // Threads take turns.
        std::thread::sleep(std::time::Duration::from_micros(50 * (query * 3 % 5)));
    }
    Ok(loss.into())
}

fn run(window: usize, threads: usize, trials: usize) -> (Study<Counter>, Vec<Shown>) {
    let pruner = WorseThanAny::default();
    let mut study = Study::new(Counter, Seed(1))
        .with_pruner(pruner.clone())
        .with_schedule(Schedule::Window(window))
        .with_stop(MaxTrials(trials));
    assert_eq!(study.run_parallel(threads, train).unwrap(), StopReason::Trials(trials));
    let mut shown = pruner.0.lock().unwrap().clone();
    shown.sort_by_key(|shown| (shown.0, shown.1));
    (study, shown)
}

fn stops(history: &History<u64>) -> Vec<Option<u64>> {
    let stop = |outcome: &Outcome| match outcome {
        Outcome::Pruned { last_step, .. } => Some(*last_step),
        _ => None,
    };
    history.trials().iter().map(|trial| stop(trial.outcome.as_ref().unwrap())).collect()
}

#[test]
fn a_window_shows_ended_trials_whatever_the_threads() {
    for window in [1, 3, 4] {
        let (study, shown) = run(window, 1, 24);
        let pruned = stops(study.history());
        assert!(pruned.iter().flatten().count() > 5, "{pruned:?}");
        for (id, _, others) in &shown {
            let ids: Vec<u64> = others.iter().map(|other| other.0).collect();
            let visible = (id + 1).saturating_sub(window as u64);
            assert_eq!(ids, (0..visible).collect::<Vec<_>>(), "trial {id}");
            for (other, reports, objective) in others {
                let stop = pruned[*other as usize];
                assert_eq!(*reports as u64, stop.unwrap_or(10));
                assert_eq!(objective.is_none(), stop.is_some());
            }
        }
        for threads in [2, 4] {
            let (again, seen) = run(window, threads, 24);
            assert_eq!(stops(again.history()), pruned, "{threads} threads");
            assert_eq!(seen, shown);
        }
    }
}

#[test]
fn without_a_schedule_running_trials_are_seen() {
    let pruner = WorseThanAny::default();
    let mut study = Study::new(Counter, Seed(1))
        .with_pruner(pruner.clone())
        .with_schedule(Schedule::AsCompleted)
        .with_stop(MaxTrials(12));
    let barrier = std::sync::Barrier::new(2);
    study
        .run_parallel(2, |query, context| {
            context.report(1, *query as f64).unwrap();
            // Both trials of a pair have reported.
            barrier.wait();
            let is_worse = context.should_prune();
            barrier.wait();
            if is_worse { context.pruned() } else { 0.5.into() }
        })
        .unwrap();
    let shown = pruner.0.lock().unwrap();
    let running = |shown: &Shown| shown.2.iter().any(|other| other.1 == 1 && other.2.is_none());
    assert!(shown.iter().all(|shown| shown.2.iter().all(|other| other.0 != shown.0)), "not itself");
    assert!(running(&shown[0]), "{:?}", shown[0]);
    // The first pair: trial 1 is worse than trial 0, which runs.
    assert_eq!(stops(study.history())[..2], [None, Some(1)]);
}

/// Killed at any line, a study stops the same trials at the same steps.
#[test]
fn a_resumed_study_stops_the_same_trials() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    let open = || {
        Study::new(Counter, Seed(1))
            .with_pruner(WorseThanAny::default())
            .with_schedule(Schedule::Window(3))
            .with_stop(MaxTrials(15))
            .with_journal(&path)
            .unwrap()
    };
    open().run_parallel(3, train).unwrap();
    let whole = History::<u64>::read(&path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for kept in (1..lines.len()).step_by(5) {
        std::fs::write(&path, lines[..kept].concat()).unwrap();
        open().run_parallel(2, train).unwrap();
        let again = History::<u64>::read(&path).unwrap();
        assert_eq!(stops(&again), stops(&whole), "{kept} lines");
        for (a, b) in again.trials().iter().zip(whole.trials()) {
            assert_eq!((&a.reports, &a.outcome), (&b.reports, &b.outcome));
        }
    }
}

#[test]
fn by_hand_all_trials_are_seen_as_they_are() {
    let mut study = Study::new(Counter, Seed(1)).with_pruner(WorseThanAny::default());
    for _ in 0..2 {
        assert!(matches!(study.ask().unwrap(), Next::Evaluate(_)));
    }
    assert!(!study.should_prune(TrialId(1)).unwrap(), "nothing was reported");
    study.report(TrialId(0), 1, 0.5).unwrap();
    study.report(TrialId(1), 1, 0.6).unwrap();
    assert!(study.should_prune(TrialId(1)).unwrap());
    assert!(!study.should_prune(TrialId(0)).unwrap());
    study.tell(TrialId(1), Outcome::pruned(1)).unwrap();
    assert!(matches!(study.should_prune(TrialId(1)), Err(StudyError::AlreadyTold(TrialId(1)))));
    assert!(matches!(study.should_prune(TrialId(9)), Err(StudyError::UnknownTrial(TrialId(9)))));
    let unpruned = Study::new(Counter, Seed(1));
    assert!(matches!(unpruned.should_prune(TrialId(0)), Err(StudyError::UnknownTrial(_))));
}

#[test]
fn without_a_pruner_no_trial_is_stopped_but_an_evaluation_may_stop_itself() {
    let mut study = Study::new(Counter, Seed(1)).with_stop(MaxTrials(2));
    study
        .run(|query, context| {
            assert_eq!(context.pruned(), Outcome::pruned(0));
            context.report(4, f64::NAN).unwrap();
            assert!(!context.should_prune());
            if *query == 1 { context.pruned() } else { 1.0.into() }
        })
        .unwrap();
    assert_eq!(stops(study.history()), [None, Some(4)]);
}

/// An evaluation on another thread learns from its next report that the study is over.
#[test]
fn reports_fail_once_the_study_has_failed() {
    /// Fails at the third ask.
    struct Failing;
    impl Optimizer for Failing {
        type Query = u64;
        type Recommendation = u64;
        fn ask(&mut self, history: &History<u64>, id: TrialId) -> Result<Ask<u64>, OptimizerError> {
            match history.len() {
                2 => Err(OptimizerError::failed("asking", "on purpose")),
                _ => Ok(Ask::Evaluate(Suggestion::new(id.0))),
            }
        }
        fn recommend(&mut self, _: &History<u64>) -> Result<Option<u64>, OptimizerError> {
            Ok(None)
        }
        fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
            Ok(Fingerprint::new("failing"))
        }
    }
    // Both evaluations have begun before the first ends and the third ask fails.
    let (ended, begun) = (Mutex::new(None), Barrier::new(2));
    let mut study = Study::new(Failing, Seed(1)).with_schedule(Schedule::AsCompleted);
    let result = study.run_parallel(2, |query, context| -> Result<f64, ReportError> {
        begun.wait();
        if *query == 0 {
            return Ok(1.0);
        }
        for step in 0.. {
            if let Err(error) = context.report(step, 1.0) {
                *ended.lock().unwrap() = Some(error.to_string());
                return Err(error);
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        Ok(1.0)
    });
    assert!(result.unwrap_err().to_string().contains("on purpose"));
    assert_eq!(
        ended.into_inner().unwrap().unwrap(),
        "nobody takes reports of trial 1 any more: it need not go on"
    );
}

#[test]
fn curves_answer_for_repeated_steps_and_nan() {
    let reports = [(2, 3.0), (1, f64::NAN), (2, 1.0), (5, 0.5)];
    let curve = Curve { id: TrialId(0), reports: &reports, objective: None };
    assert_eq!((curve.last_step(), curve.at(2), curve.at(3)), (Some(5), Some(1.0), None));
    assert_eq!((curve.best_until(0), curve.best_until(1)), (f64::INFINITY, f64::INFINITY));
    assert_eq!((curve.best_until(2), curve.best_until(9)), (1.0, 0.5));
    let none = Curve { reports: &[], ..curve };
    assert_eq!((none.last_step(), none.best_until(9)), (None, f64::INFINITY));
}

/// Notes the outcomes that it sees, with the lineage of the history.
#[derive(Clone, Default)]
struct Witness(Arc<Mutex<Vec<(Lineage, Vec<Option<Outcome>>)>>>);

impl Optimizer for Witness {
    type Query = u64;
    type Recommendation = Vec<Option<Outcome>>;

    fn ask(&mut self, history: &History<u64>, id: TrialId) -> Result<Ask<u64>, OptimizerError> {
        self.0.lock().unwrap().push((history.lineage(), outcomes(history)));
        Ok(Ask::Evaluate(Suggestion::new(id.0)))
    }

    fn recommend(&mut self, history: &History<u64>) -> Result<Option<Self::Recommendation>, OptimizerError> {
        Ok(Some(outcomes(history)))
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("witness"))
    }
}

fn outcomes(history: &History<u64>) -> Vec<Option<Outcome>> {
    history.trials().iter().map(|trial| trial.outcome.clone()).collect()
}

/// Outcomes that an optimiser saw at the last ask, with the number of lineages of all asks.
fn seen(policy: PrunedPolicy, evaluations: &[Outcome]) -> (Vec<Option<Outcome>>, usize) {
    let witness = Witness::default();
    let mut study = Study::new(PrunedAs::new(witness.clone(), policy), Seed(1))
        .with_stop(MaxTrials(evaluations.len() + 1));
    study
        .run(|query, context| {
            let Some(outcome) = evaluations.get(*query as usize) else { return 0.0.into() };
            if let Outcome::Pruned { last_step, .. } = outcome {
                context.report(*last_step, *last_step as f64 / 4.0).unwrap();
            }
            outcome.clone()
        })
        .unwrap();
    let told: Vec<Option<Outcome>> = evaluations.iter().cloned().map(Some).collect();
    let recommended = study.recommend().unwrap().unwrap();
    assert_eq!(recommended[..told.len()], told, "recommendations see what was measured");
    let asks = witness.0.lock().unwrap().clone();
    let lineages: std::collections::BTreeSet<String> =
        asks.iter().map(|ask| format!("{:?}", ask.0)).collect();
    (asks.last().unwrap().1.clone(), lineages.len())
}

#[test]
fn something_stands_for_pruned_trials() {
    let pruned = Outcome::pruned;
    let evaluations = [pruned(2), 1.0.into(), pruned(3), Outcome::failed("no"), 5.0.into(), 4.0.into()];
    let with = |first: Outcome, third: Outcome| -> Vec<Option<Outcome>> {
        let failed = Outcome::failed("no");
        [first, 1.0.into(), third, failed, 5.0.into(), 4.0.into()].map(Some).to_vec()
    };
    let unrelated = || Outcome::unrelated("pruned");
    assert_eq!(seen(PrunedPolicy::Ignore, &evaluations), (with(unrelated(), unrelated()), 1));
    // The first was unknown until a trial was measured: an outcome changes, and with it the lineage.
    assert_eq!(seen(PrunedPolicy::LastReport, &evaluations), (with(0.5.into(), 0.75.into()), 2));
    // The worst changes once more.
    assert_eq!(seen(PrunedPolicy::Worst, &evaluations), (with(5.0.into(), 5.0.into()), 3));
    // Each costs as much as the trial for which it stands.
    let costly = [pruned(2).with_cost(3.0), 1.0.into()];
    for policy in [PrunedPolicy::Ignore, PrunedPolicy::LastReport, PrunedPolicy::Worst] {
        let stand_in = seen(policy, &costly).0[0].clone().unwrap();
        assert!(!matches!(stand_in, Outcome::Pruned { .. }), "{policy:?}");
        assert_eq!(stand_in.cost(), Some(3.0), "{policy:?}");
    }
}

/// Asks about a history that has no news, which an optimiser with a cache answers from it: the history is the same object over time.
#[test]
fn asking_again_without_news_keeps_the_lineage() {
    for policy in [PrunedPolicy::Ignore, PrunedPolicy::LastReport, PrunedPolicy::Worst] {
        let witness = Witness::default();
        let mut optimizer = PrunedAs::new(witness.clone(), policy);
        let mut study = Study::new(Counter, Seed(1)).with_stop(MaxTrials(3));
        study.run(|query, context| if *query == 1 { context.pruned() } else { 1.0.into() }).unwrap();
        for _ in 0..3 {
            optimizer.ask(study.history(), TrialId(3)).unwrap();
        }
        let asks = witness.0.lock().unwrap();
        assert_eq!(asks.len(), 3);
        assert!(asks.iter().all(|ask| ask.0 == asks[0].0), "{policy:?}: {asks:?}");
    }
}

#[test]
fn nothing_stands_for_pruned_trials_of_several_objectives() {
    let two = Measurement { objectives: vec![1.0, 2.0], ..Measurement::default() };
    let bound = Measurement { constraints: vec![1.0], ..Measurement::from(1.0) };
    for measurement in [two, bound] {
        let evaluations = [Outcome::from(measurement), Outcome::pruned(2)];
        for policy in [PrunedPolicy::LastReport, PrunedPolicy::Worst] {
            assert_eq!(seen(policy, &evaluations).0, evaluations.clone().map(Some));
        }
    }
    // A value that was never reported, or is not finite.
    let mut study = Study::new(PrunedAs::new(Witness::default(), PrunedPolicy::LastReport), Seed(1));
    for (reported, outcome) in
        [(None, Outcome::from(1.0)), (None, Outcome::pruned(1)), (Some(f64::NAN), Outcome::pruned(1))]
    {
        let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a trial") };
        reported.into_iter().for_each(|value| study.report(trial.id, 1, value).unwrap());
        study.tell(trial.id, outcome).unwrap();
    }
    study.ask().unwrap();
    let asks = study.optimizer().optimizer().0.lock().unwrap();
    assert!(
        asks.last().unwrap().1[1..3].iter().all(|outcome| matches!(outcome, Some(Outcome::Pruned { .. })))
    );
}

/// A trial that is evaluated again reports again; others keep what they have reported, in the journal too.
#[test]
fn a_restarted_trial_reports_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    let mut study = Study::new(Counter, Seed(1)).with_journal(&path).unwrap();
    for id in [0, 1].map(TrialId) {
        let Next::Evaluate(_) = study.ask().unwrap() else { panic!("a trial") };
        study.report(id, 1, 0.5).unwrap();
    }
    study.restart(TrialId(0)).unwrap();
    study.restart(TrialId(0)).unwrap();
    study.report(TrialId(0), 2, 0.25).unwrap();
    let reports = |history: &History<u64>| -> Vec<Vec<(u64, f64)>> {
        history.trials().iter().map(|trial| trial.reports.clone()).collect()
    };
    assert_eq!(reports(study.history()), [[(2, 0.25)], [(1, 0.5)]]);
    study.tell(TrialId(0), 1.0).unwrap();
    assert!(matches!(study.restart(TrialId(0)), Err(StudyError::AlreadyTold(TrialId(0)))));
    assert!(matches!(study.restart(TrialId(7)), Err(StudyError::UnknownTrial(TrialId(7)))));
    drop(study);
    assert_eq!(reports(&History::read(&path).unwrap()), [[(2, 0.25)], [(1, 0.5)]]);
    assert_eq!(std::fs::read_to_string(&path).unwrap().matches("restarted").count(), 1);
}

/// Reports of a running trial stay when its journal is opened again: an evaluation that goes on elsewhere tells the rest.
#[test]
fn reports_of_running_trials_outlive_a_sitting() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    let open = || Study::new(Counter, Seed(1)).with_journal(&path).unwrap();
    let mut study = open();
    let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a trial") };
    for step in 1..=3 {
        study.report(trial.id, step, 0.5 / step as f64).unwrap();
        drop(study);
        study = open();
    }
    let expected = [(1, 0.5), (2, 0.25), (3, 0.5 / 3.0)];
    assert_eq!(study.history().trials()[0].reports, expected);
    study.tell(trial.id, 1.0).unwrap();
    drop(study);
    assert_eq!(History::<u64>::read(&path).unwrap().trials()[0].reports, expected);
}

/// An evaluation that is made again after its journal was opened again, from its first step or from a checkpoint, reports anew.
#[test]
fn reports_that_are_made_again_take_the_place_of_earlier_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    let open = || Study::new(Counter, Seed(1)).with_journal(&path).unwrap();
    let reports = |history: &History<u64>| history.trials()[0].reports.clone();
    let mut study = open();
    let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a trial") };
    for (sitting, expected) in [
        (&[1, 2, 3, 3][..], &[1, 2, 3, 3][..]),
        // From a checkpoint after step 1, from the beginning, and on from there.
        (&[2, 3, 4], &[1, 2, 3, 4]),
        (&[1, 2], &[1, 2]),
        (&[3], &[1, 2, 3]),
    ] {
        for &step in sitting {
            study.report(trial.id, step, step as f64).unwrap();
        }
        let expected: Vec<_> = expected.iter().map(|&step| (step, step as f64)).collect();
        assert_eq!(reports(study.history()), expected, "{sitting:?}");
        drop(study);
        assert_eq!(reports(&History::<u64>::read(&path).unwrap()), expected, "{sitting:?}");
        study = open();
        assert_eq!(reports(study.history()), expected, "{sitting:?}");
    }
}

/// Folds are reported in any order: an evaluation that goes on elsewhere reports a new one, and keeps those with larger numbers. One that is
/// made again in the same order begins with a fold that is known, from which on it reports anew.
#[test]
fn reports_without_an_order_of_steps_outlive_a_sitting() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    let open = || Study::new(Counter, Seed(1)).with_journal(&path).unwrap();
    let steps = |history: &History<u64>| -> Vec<u64> {
        history.trials()[0].reports.iter().map(|report| report.0).collect()
    };
    let mut study = open();
    let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a trial") };
    for (sitting, expected) in [
        (&[7, 3][..], &[7, 3][..]),
        (&[5, 9], &[7, 3, 5, 9]),
        (&[4], &[7, 3, 5, 9, 4]),
        (&[3, 5], &[7, 3, 5]),
        (&[7], &[7]),
    ] {
        for &step in sitting {
            study.report(trial.id, step, 0.5).unwrap();
        }
        assert_eq!(steps(study.history()), expected, "{sitting:?}");
        drop(study);
        assert_eq!(steps(&History::<u64>::read(&path).unwrap()), expected, "{sitting:?}");
        study = open();
    }
}

/// Steps that rise are those of a training: a step between two of them is that of a training which goes on from a checkpoint.
#[test]
fn a_step_between_rising_ones_takes_the_place_of_later_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    let open = || Study::new(Counter, Seed(1)).with_journal(&path).unwrap();
    let mut study = open();
    let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a trial") };
    [2, 4, 4, 8].into_iter().for_each(|step| study.report(trial.id, step, 0.5).unwrap());
    drop(study);
    let mut study = open();
    study.report(trial.id, 5, 0.25).unwrap();
    let expected = [(2, 0.5), (4, 0.5), (4, 0.5), (5, 0.25)];
    assert_eq!(study.history().trials()[0].reports, expected);
    drop(study);
    assert_eq!(History::<u64>::read(&path).unwrap().trials()[0].reports, expected);
}
