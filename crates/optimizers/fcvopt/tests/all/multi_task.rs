//! Multi-task optimisation over folds.

use thrifty_cv::{FoldChoice, FoldQuery, OneFold};
use thrifty_fcvopt::{MultiTaskCv, MultiTaskSettings, TaskCovariance};
use thrifty_model_based::Maximizer;
use thrifty_sampling::Seed;
use thrifty_search::{InitialDesign, RandomSearch};
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, History, MaxTrials, Measurement, Next, Optimizer, Outcome, StopReason, Study, TrialId, contract,
};

const FOLDS: usize = 4;

fn space() -> Space {
    Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)]).unwrap()
}

fn multi_task(tasks: TaskCovariance) -> MultiTaskCv {
    let settings = MultiTaskSettings { folds: FOLDS, tasks, ..MultiTaskSettings::default() };
    MultiTaskCv::new(space(), FOLDS).unwrap().with_settings(settings).unwrap()
}

fn truth(config: &Config) -> f64 {
    let (x, y) = (config.float("x0").unwrap(), config.float("x1").unwrap());
    (x - 0.3).powi(2) + (y - 0.6).powi(2)
}

/// The truth times 4 on the last fold, with a tilt that sums to zero over the folds.
fn loss(query: &FoldQuery) -> f64 {
    let tilt = [0.3, -0.1, -0.25, 0.05][query.fold] * query.config.float("x0").unwrap();
    let scale = if query.fold == FOLDS - 1 { 4.0 } else { 1.0 };
    scale * truth(&query.config) + tilt
}

fn regret<O>(optimizer: O, seed: u64, fits: usize, config: fn(O::Recommendation) -> Config) -> f64
where
    O: Optimizer<Query = FoldQuery>,
{
    let mut study = Study::new(optimizer, Seed(seed)).with_stop(MaxTrials(fits));
    study.run(|query: &FoldQuery, _| loss(query)).unwrap();
    truth(&config(study.recommend().unwrap().unwrap()))
}

/// The mean over the folds has its minimum at that of the truth. Random configurations and folds are told apart on every seed.
#[test]
fn the_minimum_of_the_mean_is_found_by_single_folds() {
    for tasks in [TaskCovariance::Free, TaskCovariance::Exchangeable] {
        for seed in 0..3 {
            let found = regret(multi_task(tasks), seed, 30, |best| best.config);
            let random = OneFold::new(RandomSearch::new(space()), FOLDS, FoldChoice::Random).unwrap();
            let at_random = regret(random, seed, 30, |best| best.config);
            assert!(found < 2e-3 && found < at_random, "{tasks:?}, seed {seed}: {found} against {at_random}");
        }
    }
}

#[test]
fn suggestions_are_a_function_of_the_history() {
    let evaluate = |query: &FoldQuery, id: TrialId| {
        if id.0 % 5 == 3 { Outcome::failed("now and then") } else { Outcome::from(loss(query)) }
    };
    for tasks in [TaskCovariance::Free, TaskCovariance::Exchangeable] {
        contract::optimizer(|| multi_task(tasks), evaluate, 14);
    }
}

/// The initial design ends with its last measurement: until then its configurations take the folds in turn, and then the model suggests.
#[test]
fn the_initial_design_takes_the_folds_in_turn() {
    let initial = InitialDesign::Sobol(6);
    let settings =
        MultiTaskSettings { folds: FOLDS, initial: initial.clone(), ..MultiTaskSettings::default() };
    let optimizer = MultiTaskCv::new(space(), FOLDS).unwrap().with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(7));
    study.run(|query: &FoldQuery, _| loss(query)).unwrap();
    let trials = study.history().trials();
    for (i, trial) in trials[..6].iter().enumerate() {
        let config = initial.config(&space(), Seed(2), 0, i).unwrap();
        assert_eq!(trial.query, FoldQuery { config, repeat: 0, fold: i % FOLDS });
        assert!(trial.diagnostics.is_empty(), "{i}");
    }
    assert!(trials[6].diagnostics.contains_key("acquisition"));
}

/// Folds that run count as observed at their mean, so that four workers ask four different folds.
#[test]
fn running_folds_are_not_asked_again() {
    let mut study = Study::new(multi_task(TaskCovariance::Free), Seed(3));
    for _ in 0..12 {
        let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("nothing to do") };
        study.tell(trial.id, loss(&trial.query)).unwrap();
    }
    let mut running: Vec<FoldQuery> = Vec::new();
    for _ in 0..6 {
        let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("nothing to do") };
        assert!(!running.contains(&trial.query), "{:?} twice", trial.query);
        running.push(trial.query);
    }
}

/// Equal losses, failures alone, and a space of one configuration.
#[test]
fn edges() {
    let mut study = Study::new(multi_task(TaskCovariance::Free), Seed(0)).with_stop(MaxTrials(12));
    study.run(|_: &FoldQuery, _| 1.0).unwrap();
    assert!((study.recommend().unwrap().unwrap().value - 1.0).abs() < 1e-6);

    let mut failing = Study::new(multi_task(TaskCovariance::Free), Seed(0)).with_stop(MaxTrials(12));
    failing.run(|_: &FoldQuery, _| f64::NAN).unwrap();
    assert!(failing.recommend().unwrap().is_none());
    assert_eq!(failing.history().len(), 12);

    let one = Space::builder().int("n", 1, 1).build().unwrap();
    let mut only = Study::new(MultiTaskCv::new(one, 3).unwrap(), Seed(0)).with_stop(MaxTrials(9));
    only.run(|query: &FoldQuery, _| query.fold as f64).unwrap();
    let folds: Vec<usize> = only.history().trials().iter().map(|trial| trial.query.fold).collect();
    assert_eq!(folds, [0, 1, 2]);
    assert!(matches!(only.ask().unwrap(), Next::Stop(StopReason::Exhausted)));
}

/// Two configurations of two folds that all fail: each pair is asked once, and the study ends.
#[test]
fn failed_pairs_of_a_small_space_are_not_repeated() {
    let space = Space::builder().int("n", 1, 2).build().unwrap();
    let mut study = Study::new(MultiTaskCv::new(space, 2).unwrap(), Seed(1)).with_stop(MaxTrials(12));
    let reason = study.run(|_: &FoldQuery, _| f64::NAN).unwrap();
    let trials = study.history().trials();
    let pairs: std::collections::BTreeSet<String> =
        trials.iter().map(|trial| format!("{} {}", trial.query.config, trial.query.fold)).collect();
    assert_eq!((reason, trials.len(), pairs.len()), (StopReason::Exhausted, 4, 4));
}

/// Twenty configurations and a search that meets few of them: every pair is asked before the space is exhausted.
#[test]
fn all_pairs_of_a_finite_space_are_asked() {
    let space = Space::builder().int("n", 1, 20).build().unwrap();
    let maximizer = Maximizer { raw: 2, around_best: 1, climbs: 1 };
    let settings = MultiTaskSettings { folds: 2, maximizer, ..MultiTaskSettings::default() };
    let optimizer = MultiTaskCv::new(space, 2).unwrap().with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(60));
    let reason = study
        .run(|query: &FoldQuery, _| (query.config.float("n").unwrap() - 7.0).abs() + 0.1 * query.fold as f64);
    assert_eq!((reason.unwrap(), study.history().len()), (StopReason::Exhausted, 40));
}

/// Two histories that differ in the noise variances of their measurements alone lead to other predictions; a variance of 0 is none.
#[test]
fn reported_noise_counts() {
    let std_dev = |noise_variance: Option<f64>| {
        let mut study =
            Study::new(multi_task(TaskCovariance::Exchangeable), Seed(2)).with_stop(MaxTrials(12));
        study.run(|query: &FoldQuery, _| Measurement::from(loss(query))).unwrap();
        let mut trials = study.history().trials().to_vec();
        for trial in &mut trials {
            trial.outcome =
                Some(Measurement { noise_variance, ..Measurement::from(loss(&trial.query)) }.into());
        }
        let history = History::from_trials(trials, Seed(2));
        let Ask::Evaluate(next) =
            multi_task(TaskCovariance::Exchangeable).ask(&history, TrialId(12)).unwrap()
        else {
            panic!("a suggestion")
        };
        next.diagnostics["std_dev"]
    };
    assert_eq!(std_dev(None), std_dev(Some(0.0)));
    assert_ne!(std_dev(None), std_dev(Some(0.5)));
}

/// A finite loss far beyond the range of a model counts as the end of that range.
#[test]
fn huge_losses_are_no_error() {
    let mut study = Study::new(multi_task(TaskCovariance::Exchangeable), Seed(0)).with_stop(MaxTrials(10));
    study.run(|query: &FoldQuery, context| if context.id.0 == 2 { 1e200 } else { loss(query) }).unwrap();
    assert!(study.recommend().unwrap().is_some());
}

#[test]
fn settings_and_queries_that_make_no_sense_are_named() {
    let error = MultiTaskCv::new(space(), 1).err().expect("refused").to_string();
    assert!(error.contains("folds") && error.contains('1'), "{error}");
    let mut optimizer = multi_task(TaskCovariance::Free);
    let mut config = Config::new();
    config.insert("x0", 0.5);
    config.insert("x1", 0.5);
    let query = |fold, repeat| FoldQuery { config: config.clone(), repeat, fold };
    assert!(optimizer.check(&query(3, 0), true).is_ok());
    assert!(optimizer.check(&query(4, 0), true).unwrap_err().to_string().contains("fold is 4"));
    assert!(optimizer.check(&query(0, 1), true).unwrap_err().to_string().contains("repeat is 1"));
    let mut part = Config::new();
    part.insert("x0", 0.5);
    let error = optimizer.check(&FoldQuery { config: part, repeat: 0, fold: 0 }, false).unwrap_err();
    assert!(error.to_string().contains("x1"), "{error}");
    let first = optimizer.ask(&thrifty_study::History::new(Seed(1)), TrialId(0)).unwrap();
    assert!(matches!(first, Ask::Evaluate(suggestion) if suggestion.query.fold == 0));
    assert_ne!(
        multi_task(TaskCovariance::Free).fingerprint().unwrap(),
        multi_task(TaskCovariance::Exchangeable).fingerprint().unwrap()
    );
}
