//! State that a study keeps between turns, or forgets.

use thrifty_levelset::{ClassificationSet, Criterion, LevelSetOptimizer, LevelSetSettings};
use thrifty_model_based::InitialDesign;
use thrifty_sampling::{Seed, Sobol};
use thrifty_space::{Config, Space};
use thrifty_study::{Ask, History, MaxTrials, Measurement, Next, Optimizer, Outcome, Study, Trial};

use crate::behaviour::{CRITERIA, at, branin, known, settings, square, study, value};

/// Rebuilding the optimiser at every step changes no bit; nor does asking again.
#[test]
fn suggestions_are_functions_of_the_history() {
    for criterion in [
        Criterion::IntegratedBernoulli,
        Criterion::Ambiguity,
        Criterion::RandomizedStraddle,
        Criterion::Random,
    ] {
        for fixed in [true, false] {
            let make = || {
                let optimizer = LevelSetOptimizer::new(square(), settings(criterion)).unwrap();
                if fixed { optimizer.with_fixed_model(known()) } else { optimizer }
            };
            let mut study = Study::new(make(), Seed(3)).with_stop(MaxTrials(9));
            study.run(|config, _| branin(&at(config))).unwrap();
            let history = study.history().clone();
            for upto in [0, 3, 5, 8] {
                let part =
                    thrifty_study::History::from_trials(history.trials()[..upto].to_vec(), history.seed());
                let id = history.trials()[upto].id;
                let Ask::Evaluate(again) = make().ask(&part, id).unwrap() else { panic!("no suggestion") };
                assert_eq!(again.query, history.trials()[upto].query, "{criterion:?} {fixed} {upto}");
                assert_eq!(
                    again.diagnostics,
                    history.trials()[upto].diagnostics,
                    "{criterion:?} {fixed} {upto}"
                );
            }
        }
    }
}

#[test]
fn settings_survive_a_journal_and_are_in_the_fingerprint() {
    let settings = settings(Criterion::IntegratedBernoulli);
    let text = serde_json::to_string(&settings).unwrap();
    assert_eq!(serde_json::from_str::<LevelSetSettings>(&text).unwrap(), settings);
    let make = |settings: LevelSetSettings| LevelSetOptimizer::new(square(), settings).unwrap();
    let other = LevelSetSettings { epsilon: 0.5, ..settings.clone() };
    assert_ne!(make(settings.clone()).fingerprint().unwrap(), make(other).fingerprint().unwrap());
    let fixed = make(settings.clone()).with_fixed_model(known());
    assert_ne!(make(settings).fingerprint().unwrap(), fixed.fingerprint().unwrap());
}

/// The initial design is the one that every optimiser of the space has: scrambled Sobol points of the study's seed.
#[test]
fn the_initial_design_is_that_of_the_seed() {
    let settings = LevelSetSettings { initial: InitialDesign::Sobol(6), ..settings(CRITERIA[0]) };
    let mut study = study(settings, 7, 6);
    study.run(|config, _| branin(&at(config))).unwrap();
    let expected = Sobol::scrambled(2, &mut Seed(7).stream("design", 0)).take(6);
    for (trial, point) in study.history().trials().iter().zip(expected.rows()) {
        // At the nearest point of the grid that is classified.
        let near =
            at(&trial.query).iter().zip(point).all(|(found, x)| (found - x).abs() <= 0.5 / 19.0 + 1e-12);
        assert!(near, "trial {}: {:?} {point:?}", trial.id.0, at(&trial.query));
    }
}

/// Points to classify that depend on the seed, and intervals that are intersected over them: an optimiser that has seen a study with
/// another seed and the same measurements classifies as a new one does.
#[test]
fn intervals_of_another_seed_are_forgotten() {
    let make = || {
        let over = ClassificationSet::Domain { points: 64 };
        let settings = LevelSetSettings { over, ..settings(Criterion::Straddle { kappa: 1.96 }) };
        LevelSetOptimizer::new(square(), settings).unwrap().with_fixed_model(known())
    };
    let mut study = Study::new(make(), Seed(1)).with_stop(MaxTrials(4));
    study.run(|config, _| branin(&at(config))).unwrap();
    let history = |seed: u64| History::from_trials(study.history().trials().to_vec(), Seed(seed));
    let mut seasoned = make();
    assert!(seasoned.classify(&history(1)).unwrap().is_some());
    let found = seasoned.classify(&history(2)).unwrap();
    assert!(found == make().classify(&history(2)).unwrap(), "classified after another seed");
}

/// Intersected intervals are those of the history at hand: an optimiser that has seen equal losses at other points, or with another noise,
/// classifies as a new one does.
#[test]
fn intervals_of_other_points_are_forgotten() {
    let make = || {
        LevelSetOptimizer::new(square(), settings(Criterion::Straddle { kappa: 1.96 }))
            .unwrap()
            .with_fixed_model(known())
    };
    let history = |change: fn(&mut Trial<Config>)| {
        let mut study = Study::new(make(), Seed(1)).with_stop(MaxTrials(4));
        study.run(|config, _| branin(&at(config))).unwrap();
        let mut trials = study.history().trials().to_vec();
        change(&mut trials[1]);
        History::from_trials(trials, Seed(1))
    };
    let first = history(|_| ());
    let moved = history(|trial| trial.query.insert("x0", 0.123));
    let noisy = history(|trial| {
        let loss = trial.outcome.as_ref().and_then(Outcome::objective).unwrap();
        trial.outcome = Some(Measurement { noise_variance: Some(1e4), ..Measurement::from(loss) }.into());
    });
    for other in [moved, noisy] {
        let mut seasoned = make();
        let before = seasoned.classify(&first).unwrap();
        let found = seasoned.classify(&other).unwrap();
        assert!(found == make().classify(&other).unwrap() && found != before);
    }
}

/// An enqueued part of a configuration is no part of the set: the points to classify are those of the whole space.
#[test]
fn an_enqueued_part_leaves_the_classified_set_alone() {
    let settings = || LevelSetSettings { initial: InitialDesign::Sobol(4), ..LevelSetSettings::above(0.4) };
    let points = |enqueues: bool| {
        let optimizer = LevelSetOptimizer::new(square(), settings()).unwrap();
        let mut study = Study::new(optimizer, Seed(11)).with_stop(MaxTrials(7));
        if enqueues {
            let mut part = Config::new();
            part.insert("x0", 0.3);
            study.enqueue(part).unwrap();
        }
        study.run(|config, _| config.float("x0").unwrap() * config.float("x1").unwrap()).unwrap();
        let classified = study.recommend().unwrap().expect("seven measurements");
        classified.points().rows().map(<[f64]>::to_vec).collect::<Vec<_>>()
    };
    assert_eq!(points(true), points(false));
}

/// Given configurations are asked beside known trials, on finite sets at their nearest points.
#[test]
fn given_configurations_are_asked_beside_known_trials() {
    let space = || Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let one = |x: f64| {
        let mut config = Config::new();
        config.insert("x", x);
        config
    };
    let given = || vec![one(0.1), one(0.9)];
    for initial in [InitialDesign::Given(given()), InitialDesign::Only(given())] {
        for (over, known) in
            [ClassificationSet::Domain { points: 64 }, ClassificationSet::Grid { per_axis: 21 }]
                .into_iter()
                .flat_map(|over| [0, 1, 2, 5].map(|known| (over.clone(), known)))
        {
            let settings =
                LevelSetSettings { initial: initial.clone(), over, ..LevelSetSettings::above(0.2) };
            let optimizer = LevelSetOptimizer::new(space(), settings).unwrap();
            let elsewhere: Vec<(Config, Outcome)> =
                (0..known).map(|i| (one(0.3 + 0.05 * f64::from(i)), value(0.5))).collect();
            let mut study = Study::new(optimizer, Seed(1)).with_known(elsewhere).unwrap();
            for x in [0.1, 0.9] {
                let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a given configuration") };
                assert!(
                    (trial.query.float("x").unwrap() - x).abs() < 1e-9,
                    "{known} known: {:?}",
                    trial.query
                );
            }
        }
    }
}
