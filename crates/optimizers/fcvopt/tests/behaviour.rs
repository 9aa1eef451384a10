//! What a user relies on: it needs fewer model fits than full cross-validation, and survives folds that fail.

use std::collections::HashSet;

use rand_distr::{Distribution, StandardNormal};
use thrifty_acquisition::{Rule, Threshold};
use thrifty_bo::BayesianOptimizer;
use thrifty_cv::{AllFolds, FoldQuery};
use thrifty_fcvopt::{FoldRule, FractionalCv, FractionalSettings, InitialFolds};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{MaxTrials, Next, Optimizer, Outcome, Study, TrialId};

const FOLDS: usize = 5;

fn space() -> Space {
    Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)]).unwrap()
}

fn truth(config: &Config) -> f64 {
    let (x, y) = (config.float("x0").unwrap(), config.float("x1").unwrap());
    (x - 0.3).powi(2) + 0.7 * (y - 0.6).powi(2) + 0.05 * (12.0 * x).sin()
}

/// The true loss, a smooth deviation of the fold and some noise.
fn loss(query: &FoldQuery, id: u64) -> f64 {
    let (x, y) = (query.config.float("x0").unwrap(), query.config.float("x1").unwrap());
    let phase = query.fold as f64;
    let noise: f64 = StandardNormal.sample(&mut Seed(9).stream("noise", id));
    truth(&query.config)
        + 0.15 * (phase * 2.1 + 3.0 * x).sin()
        + 0.1 * (phase + 2.0 * y).cos()
        + 0.003 * noise
}

fn run<O>(optimizer: O, fits: usize) -> f64
where
    O: Optimizer<Query = FoldQuery, Recommendation = Config>,
{
    let mut study = Study::new(optimizer, Seed(0)).with_stop(MaxTrials(fits));
    let mut id = 0;
    study
        .run(|query: &FoldQuery, _| {
            id += 1;
            loss(query, id)
        })
        .unwrap();
    truth(&study.recommend().unwrap().unwrap())
}

/// Least value of the truth on a fine grid.
fn optimum() -> f64 {
    let place = |i: i32| f64::from(i) / 200.0;
    (0..=200)
        .flat_map(|i| (0..=200).map(move |j| (place(i), place(j))))
        .map(|(x, y)| {
            let mut config = Config::new();
            config.insert("x0", x);
            config.insert("x1", y);
            truth(&config)
        })
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn fewer_model_fits_than_full_cross_validation() {
    let best = optimum();
    let (mut ours, mut full) = (0.0, 0.0);
    for seed in 0..6 {
        ours += run(FractionalCv::new(space(), FOLDS, Seed(seed)).unwrap(), 25) - best;
        full += run(AllFolds::new(BayesianOptimizer::new(space(), Seed(seed)), FOLDS).unwrap(), 25) - best;
    }
    assert!(ours / 6.0 < 0.03, "{}", ours / 6.0);
    assert!(ours < 0.7 * full, "{ours} {full}");
}

#[test]
fn every_rule_runs_and_pairs_are_not_asked_twice() {
    for (rule, fold, initial_folds) in [
        (Rule::LogExpectedImprovement(Threshold::BestMean), FoldRule::Random, InitialFolds::Random),
        (FractionalSettings::new(3).rule, FoldRule::RoundRobin, InitialFolds::Two),
    ] {
        let settings =
            FractionalSettings { rule, fold, initial_folds, repeats: 2, ..FractionalSettings::new(3) };
        let grid = Space::builder().int("i", 0, 3).categorical("c", ["a", "b"]).build().unwrap();
        let optimizer = FractionalCv::with_settings(grid, settings, Seed(1)).unwrap();
        let mut study = Study::new(optimizer, Seed(0)).with_stop(MaxTrials(60));
        study.run(|query: &FoldQuery, _| query.config.float("i").unwrap() + 0.1 * query.fold as f64).unwrap();
        let trials = study.history().trials();
        let late = &trials[8..];
        let pairs: HashSet<String> =
            late.iter().map(|t| format!("{} {} {}", t.query.config, t.query.repeat, t.query.fold)).collect();
        assert_eq!(pairs.len(), late.len());
        assert!(trials.iter().all(|t| t.query.fold < 3 && t.query.repeat < 2));
        assert_eq!(study.recommend().unwrap().unwrap().int("i"), Ok(0));
    }
}

#[test]
fn folds_that_fail_tell_nothing_and_running_ones_are_imagined() {
    let optimizer = || FractionalCv::new(space(), FOLDS, Seed(3)).unwrap();
    let mut study = Study::new(optimizer(), Seed(0));
    for id in 0..24 {
        let again = optimizer().ask(study.history(), TrialId(id)).unwrap();
        let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a suggestion") };
        let thrifty_study::Ask::Evaluate(again) = again else { panic!("a suggestion") };
        assert_eq!(trial.query, again.query);
        match id % 6 {
            2 => study.tell(trial.id, f64::NAN).unwrap(),
            4 => {}
            _ => study.tell(trial.id, loss(&trial.query, id)).unwrap(),
        }
    }
    assert!(study.recommend().unwrap().is_some());
    let mut hopeless = Study::new(optimizer(), Seed(0)).with_stop(MaxTrials(12));
    hopeless.run(|_: &FoldQuery, _| Outcome::failed("no")).unwrap();
    assert_eq!(hopeless.recommend().unwrap(), None);
    let mut flat = Study::new(optimizer(), Seed(0)).with_stop(MaxTrials(12));
    flat.run(|_: &FoldQuery, _| 1.0).unwrap();
    assert!(flat.recommend().unwrap().is_some());
}

#[test]
fn bad_settings_and_folds_are_named() {
    assert!(FractionalCv::new(space(), 1, Seed(0)).is_err());
    let none = FractionalSettings { repeats: 0, ..FractionalSettings::new(5) };
    assert_eq!(none.validate().unwrap_err().to_string(), "repeats is 0, expected at least 1");
    // A history of five folds is not one of three.
    let mut study =
        Study::new(FractionalCv::new(space(), 5, Seed(3)).unwrap(), Seed(0)).with_stop(MaxTrials(8));
    study.run(|query: &FoldQuery, _| truth(&query.config)).unwrap();
    let mut other = FractionalCv::new(space(), 3, Seed(3)).unwrap();
    assert!(other.ask(study.history(), TrialId(8)).is_err());
}
