//! Earlier studies as sources of Bayesian optimisation: replay, the guard, constraints, refusals.

use thrifty_bo::{BayesianOptimizer, BoSettings, EarlierStudies, GpSurrogate, MultiObjectiveOptimizer};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{History, MaxTrials, Measurement, MemoKey, Optimizer, Outcome, Study, TrialId, contract};

/// Numbers, a choice, and a number that only one choice has.
fn space() -> Space {
    Space::builder()
        .categorical("solver", ["a", "b"])
        .float("x", 0.0, 1.0)
        .float("momentum", 0.0, 1.0)
        .when("solver", ["b"])
        .build()
        .unwrap()
}

fn loss(config: &Config) -> f64 {
    let x = (config.float("x").unwrap() - 0.3).powi(2);
    config.float("momentum").map_or(x + 0.1, |m| x + 0.5 * (m - 0.8).powi(2))
}

fn trials(n: u64, f: impl Fn(f64) -> f64) -> Vec<(Config, Outcome)> {
    let one = |i| {
        let config = space().sample(&mut Seed(9).stream("trials", i));
        let outcome = Outcome::from(f(loss(&config)));
        (config, outcome)
    };
    (0..n).map(one).collect()
}

fn helpful() -> EarlierStudies {
    EarlierStudies::new(&space()).with_trials("helpful", &trials(25, |loss| 40.0 + 1e3 * loss)).unwrap()
}

fn negated() -> EarlierStudies {
    EarlierStudies::new(&space()).with_trials("negated", &trials(25, |loss| -loss)).unwrap()
}

fn optimizer(earlier: &EarlierStudies) -> BayesianOptimizer {
    let surrogate = earlier.surrogate(GpSurrogate::default()).unwrap();
    BayesianOptimizer::new(space()).with_surrogate(surrogate)
}

fn run<O: Optimizer<Query = Config>>(optimizer: O, queue: Vec<Config>, n: usize) -> History<Config> {
    seeded(optimizer, queue, n, Seed(5))
}

fn seeded<O: Optimizer<Query = Config>>(
    optimizer: O,
    queue: Vec<Config>,
    n: usize,
    seed: Seed,
) -> History<Config> {
    let study = Study::new(optimizer, seed).with_stop(MaxTrials(n));
    let mut study = study.with_queue(queue).unwrap();
    study.run(|config: &Config, _| loss(config)).unwrap();
    study.history().clone()
}

fn queries(history: &History<Config>) -> Vec<Config> {
    history.trials().iter().map(|trial| trial.query.clone()).collect()
}

/// Earlier studies stand for the points that a planned study of few parameters begins with. None of them stand for nothing.
#[test]
fn earlier_studies_keep_the_design_short() {
    let points = |earlier: &EarlierStudies| {
        let settings = BoSettings { budget: Some(40), ..BoSettings::default() };
        let history = run(optimizer(earlier).with_settings(settings).unwrap(), Vec::new(), 15);
        history.trials().iter().filter(|trial| trial.memo.is_empty()).count()
    };
    assert_eq!([points(&helpful()), points(&EarlierStudies::new(&space()))], [6, 13]);
}

/// The contract of optimisers: the same bits in a second run, from the history alone, and after every interruption.
#[test]
fn a_study_with_sources_is_replayed() {
    let (helpful, negated) = (helpful(), negated());
    contract::optimizer(|| optimizer(&helpful), |config, _| loss(config).into(), 11);
    contract::optimizer(|| optimizer(&negated), |config, _| loss(config).into(), 9);
}

#[test]
fn a_negated_study_changes_no_suggestion() {
    let default = run(BayesianOptimizer::new(space()), Vec::new(), 16);
    assert_eq!(queries(&run(optimizer(&negated()), Vec::new(), 16)), queries(&default));
    assert_ne!(queries(&run(optimizer(&helpful()), Vec::new(), 16)), queries(&default));
}

/// The first trials take the place of the first points of the design, and the study is good from the beginning.
#[test]
fn a_related_study_begins_well() {
    let earlier = helpful();
    let first = earlier.first_trials(&earlier.surrogate(GpSurrogate::default()).unwrap(), 1);
    let (history, default) =
        (run(optimizer(&earlier), first.clone(), 8), run(BayesianOptimizer::new(space()), Vec::new(), 8));
    let (asked, designed) = (queries(&history), queries(&default));
    assert_eq!((&asked[..1], &asked[1..6]), (&first[..], &designed[1..6]));
    let best = history.best().unwrap().1;
    assert!(best < 0.02, "{best}");
    let weights: f64 = optimizer(&earlier)
        .state(&history, TrialId(8))
        .unwrap()
        .unwrap()
        .members()
        .iter()
        .map(|member| member.weight)
        .sum();
    assert!((weights - 1.0).abs() < 1e-12);
}

/// Over many seeds, the best of eight trials is lower with a related study than without one.
#[test]
fn a_related_study_is_ahead_on_average() {
    let earlier = helpful();
    let mean = |n: usize, best: &dyn Fn(Seed) -> f64| {
        (0..n as u64).map(|seed| best(Seed(seed)).log10()).sum::<f64>() / n as f64
    };
    let with = mean(40, &|seed| {
        let first = earlier.first_trials(&earlier.surrogate(GpSurrogate::default()).unwrap(), 1);
        seeded(optimizer(&earlier), first, 8, seed).best().unwrap().1
    });
    let without =
        mean(40, &|seed| seeded(BayesianOptimizer::new(space()), Vec::new(), 8, seed).best().unwrap().1);
    assert!(with + 0.3 < without, "{with} {without}");
}

/// Sources teach about the objective: the model of a constraint is that of a study without sources.
#[test]
fn constraints_are_learnt_without_sources() {
    let measured = |config: &Config| Measurement {
        constraints: vec![config.float("x").unwrap() - 0.6],
        ..Measurement::from(loss(config))
    };
    let mut study = Study::new(BayesianOptimizer::new(space()), Seed(5)).with_stop(MaxTrials(12));
    study.run(|config: &Config, _| measured(config)).unwrap();
    let history = study.history().clone();
    // Hyperparameters of earlier fits are of another length with sources: both fit from the start.
    let trials = history.trials().iter().map(|trial| {
        let mut trial = trial.clone();
        trial.memo = thrifty_study::Memo::default();
        trial
    });
    let history = History::from_trials(trials.collect(), Seed(5));
    let memo =
        |optimizer: &BayesianOptimizer| optimizer.state(&history, TrialId(12)).unwrap().unwrap().memo();
    let (with, without) = (memo(&optimizer(&helpful())), memo(&BayesianOptimizer::new(space())));
    let constraint: MemoKey<Vec<f64>> = MemoKey::named("constraint 0");
    assert!(with.get(&constraint).is_some());
    assert_eq!(with.get(&constraint), without.get(&constraint));
    let model: MemoKey<Vec<f64>> = MemoKey::named("model");
    assert_eq!(with.get(&model).unwrap().len(), 2 * without.get(&model).unwrap().len() + 1);
}

#[test]
fn several_objectives_are_refused() {
    let surrogate = helpful().surrogate(GpSurrogate::default()).unwrap();
    let optimizer = MultiObjectiveOptimizer::new(space()).with_surrogate(surrogate);
    let mut study = Study::new(optimizer, Seed(5)).with_stop(MaxTrials(12));
    let both = |config: &Config| Measurement {
        objectives: vec![loss(config), -loss(config)],
        ..Measurement::default()
    };
    let error = study.run(|config: &Config, _| both(config)).unwrap_err();
    let text = format!("{error} {:?}", std::error::Error::source(&error));
    assert!(text.contains("OneObjective"), "{text}");
}

/// A journal goes on with the sources that it began with, whatever they are called, and with no others.
#[test]
fn a_journal_is_resumed_with_its_sources_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.jsonl");
    let resume = |optimizer: BayesianOptimizer, n: usize| {
        let mut study = Study::new(optimizer, Seed(5)).with_stop(MaxTrials(n)).with_journal(&path)?;
        study.run(|config: &Config, _| loss(config))?;
        Ok::<_, thrifty_study::StudyError>(study.history().clone())
    };
    resume(optimizer(&helpful()), 8).unwrap();
    let renamed = EarlierStudies::new(&space()).with_trials("renamed", &trials(25, |loss| 40.0 + 1e3 * loss));
    let resumed = resume(optimizer(&renamed.unwrap()), 11).unwrap();
    assert_eq!(queries(&resumed), queries(&run(optimizer(&helpful()), Vec::new(), 11)));
    for other in [negated(), EarlierStudies::new(&space())] {
        let error = resume(optimizer(&other), 12).unwrap_err().to_string();
        assert!(error.contains("sources"), "{error}");
    }
    assert!(resume(BayesianOptimizer::new(space()), 12).is_err());
    // A journal that was read names its space: one with another range is refused by the parameter.
    let other = Space::builder()
        .categorical("solver", ["a", "b"])
        .float("x", 0.0, 2.0)
        .float("momentum", 0.0, 1.0)
        .when("solver", ["b"])
        .build()
        .unwrap();
    let read = History::read(&path).unwrap();
    let refused = |space: &Space| {
        EarlierStudies::new(space).with_history("old", &read).err().map(|error| error.to_string())
    };
    assert_eq!(refused(&space()), None);
    let expected = "earlier study \"old\": parameter x has other values or conditions in its space";
    assert_eq!(refused(&other).unwrap(), expected);
    let fewer = Space::builder().categorical("solver", ["a", "b"]).float("x", 0.0, 1.0).build().unwrap();
    let expected = "earlier study \"old\": parameter momentum is not in the space of the new study";
    assert_eq!(refused(&fewer).unwrap(), expected);
}
