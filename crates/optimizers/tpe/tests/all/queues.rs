//! Configurations that are given: enqueued, known, and running trials.

use std::time::Instant;

use thrifty_sampling::Seed;
use thrifty_space::{Config, Space, Value};
use thrifty_study::{Ask, Best, History, MaxTrials, Next, Optimizer, Outcome, Study, Trial, TrialId};
use thrifty_tpe::{PendingPolicy, Startup, TpeOptimizer, TpeSettings};

use crate::behaviour::{at, optimizer};

#[test]
fn running_trials_keep_others_away() {
    let space = || Space::from_bounds(&[(0.0, 1.0)]).unwrap();
    let asked_from = |pending: PendingPolicy, seed: u64| {
        let settings = TpeSettings { pending, startup: Startup::Random(20), ..TpeSettings::recommended() };
        let mut study = Study::new(optimizer(space(), settings), Seed(seed));
        for _ in 0..40 {
            let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a suggestion") };
            study.tell(trial.id, (trial.query.float("x0").unwrap() - 0.3).powi(2)).unwrap();
        }
        let mut batch = Vec::new();
        for _ in 0..12 {
            let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a suggestion") };
            batch.push(trial.query.float("x0").unwrap());
        }
        batch.sort_by(f64::total_cmp);
        batch[9] - batch[2]
    };
    // Of one seed it is chance, and a few batches of those that ignore each other are in two places.
    let asked = |pending: PendingPolicy| {
        let mut widths: Vec<f64> = (0..12).map(|seed| asked_from(pending, seed)).collect();
        widths.sort_by(f64::total_cmp);
        0.5 * (widths[5] + widths[6])
    };
    let alone = asked(PendingPolicy::Ignore);
    let together = asked(PendingPolicy::LiarBest);
    for policy in
        [PendingPolicy::AsBad, PendingPolicy::AsInfinite, PendingPolicy::LiarMean, PendingPolicy::LiarWorst]
    {
        let apart = asked(policy);
        // Running trials with the best loss are good ones, near which others are asked.
        assert!(apart > 2.0 * alone && apart > 1.1 * together, "{policy:?}: {apart} {together} {alone}");
    }
}

/// A running trial has not been measured, however good the loss that stands for it.
#[test]
fn running_trials_are_not_recommended() {
    let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
    for pending in [PendingPolicy::LiarBest, PendingPolicy::LiarMean, PendingPolicy::LiarWorst] {
        let settings = TpeSettings { pending, ..TpeSettings::recommended() };
        let trials =
            [(0.2, None), (0.5, Some(Outcome::from(1.0))), (0.9, None), (0.7, Some(Outcome::from(1.0)))];
        let history = History::from_trials(trials.map(|(x, outcome)| at(x, outcome)).into(), Seed(1));
        let best = optimizer(space.clone(), settings).recommend(&history).unwrap().unwrap();
        assert_eq!(best, Best::observed(space.decode(&[0.5]), 1.0), "{pending:?}");
    }
}

/// A queue is completed as everything else: what is given of a trial holds, and what a queued configuration has of another
/// branch is left out.
#[test]
fn queued_configurations_give_way_to_what_is_given() {
    let space = Space::builder()
        .categorical("solver", ["sgd", "adam"])
        .float("momentum", 0.0, 1.0)
        .when("solver", ["sgd"])
        .float("rate", 0.0, 1.0)
        .build()
        .unwrap();
    let config = |entries: &[(&str, Value)]| {
        entries.iter().fold(Config::new(), |mut config, (name, value)| {
            config.insert(*name, value.clone());
            config
        })
    };
    let queue = vec![config(&[("solver", "sgd".into()), ("momentum", 0.9.into()), ("rate", 0.1.into())])];
    let optimizer = TpeOptimizer::new(space.clone()).unwrap().with_queue(queue).unwrap();
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(4));
    study.enqueue(config(&[("solver", "adam".into())])).unwrap();
    study.run(|config: &Config, _| config.float("rate").unwrap()).unwrap();
    assert_eq!(study.history().trials()[0].query, config(&[("solver", "adam".into()), ("rate", 0.1.into())]));
}

#[test]
fn queued_and_known_trials_come_first() {
    let config = |x: f64| {
        let mut config = Config::new();
        config.insert("x0", x);
        config
    };
    let space = || Space::from_bounds(&[(0.0, 1.0)]).unwrap();
    let known: Vec<(Config, f64)> =
        (0..30).map(|i| (config(f64::from(i) / 29.0), (f64::from(i) / 29.0 - 0.8).abs())).collect();
    let optimizer = TpeOptimizer::new(space()).unwrap().with_known(known).unwrap();
    let optimizer = optimizer.with_queue(vec![config(0.125), config(0.25)]).unwrap();
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(12));
    study.run(|config: &Config, _| (config.float("x0").unwrap() - 0.8).abs()).unwrap();
    let asked: Vec<f64> = study.history().trials().iter().map(|t| t.query.float("x0").unwrap()).collect();
    assert_eq!(asked[..2], [0.125, 0.25]);
    // No start is needed where trials are known.
    let near = asked[2..].iter().filter(|x| (*x - 0.8).abs() < 0.2).count();
    assert!(near >= 7, "{asked:?}");
}

/// Queued configurations are asked beside known trials of the study, each as often as it is queued; what is known already is not asked again.
#[test]
fn a_queue_comes_after_known_trials() {
    let space = || Space::builder().float("x", 0.0, 1.0).int("n", 1, 3).build().unwrap();
    let config = |x: f64, n: Value| {
        let mut config = Config::new();
        config.insert("x", x);
        config.insert("n", n);
        config
    };
    let whole = |n: i64| Value::Int(n);
    let queue = vec![
        config(0.5, whole(2)),
        config(0.125, Value::Float(3.0)),
        config(0.25, whole(1)),
        config(0.25, whole(1)),
    ];
    let known = (0..6).map(|i| (config(0.1 * f64::from(i), whole(2)), Outcome::from(f64::from(i))));
    let optimizer = TpeOptimizer::new(space()).unwrap().with_queue(queue).unwrap();
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(12)).with_known(known).unwrap();
    study.run(|config: &Config, _| config.float("x").unwrap()).unwrap();
    let asked: Vec<f64> = study.history().trials().iter().map(|t| t.query.float("x").unwrap()).collect();
    assert_eq!(asked[6..9], [0.125, 0.25, 0.25], "{asked:?}");
    assert!(asked[9..].iter().all(|x| ![0.125, 0.25, 0.5].contains(x)), "{asked:?}");
}

/// The last of 40,000 queued configurations takes milliseconds, where a comparison of each with all that were asked took a minute.
#[test]
fn long_queues_take_little_time() {
    let count = 40_000;
    let trials: Vec<Trial<Config>> =
        (0..count).map(|i| at(i as f64 / count as f64, Some(1.0.into()))).collect();
    let last = at(1.0, None).query;
    let queue = trials.iter().rev().map(|trial| trial.query.clone()).chain([last.clone()]).collect();
    let mut optimizer =
        TpeOptimizer::new(Space::from_bounds(&[(0.0, 1.0)]).unwrap()).unwrap().with_queue(queue).unwrap();
    let history = History::from_trials(trials, Seed(1));
    let began = Instant::now();
    let Ask::Evaluate(asked) = optimizer.ask(&history, TrialId(count)).unwrap() else {
        panic!("a suggestion")
    };
    assert_eq!(asked.query, last);
    assert!(began.elapsed().as_secs_f64() < 5.0, "{:?}", began.elapsed());
}
