//! Known constraints hold in every optimiser that suggests configurations.

use std::error::Error;

use thrifty::bo::BayesianOptimizer;
use thrifty::cv::FoldQuery;
use thrifty::fcvopt::FractionalCv;
use thrifty::levelset::{ClassificationSet, LevelSetOptimizer, LevelSetSettings};
use thrifty::prelude::*;
use thrifty::study::{Optimizer, StopReason};
use thrifty::tpe::Repeats;

fn square() -> Space {
    Space::builder().float("x", 0.0, 1.0).float("y", 0.0, 1.0).build().expect("two numbers")
}

/// A quarter of the square.
fn allowed(config: &Config) -> bool {
    let at = |name| config.float(name).unwrap_or(f64::NAN);
    at("x") >= 0.5 && at("y") <= 0.5
}

fn loss(config: &Config) -> f64 {
    let at = |name| config.float(name).unwrap_or(f64::NAN);
    (at("x") - 0.2).powi(2) + (at("y") - 0.7).powi(2)
}

/// Runs a study and counts the suggestions that are not allowed.
fn broken<O: Optimizer<Query = Config>>(optimizer: O, trials: usize) -> Result<usize, Box<dyn Error>> {
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(trials));
    study.run(|config: &Config, _| loss(config))?;
    assert_eq!(study.history().len(), trials);
    Ok(study.history().trials().iter().filter(|trial| !allowed(&trial.query)).count())
}

#[test]
fn every_suggestion_is_allowed() -> Result<(), Box<dyn Error>> {
    assert_eq!(broken(BayesianOptimizer::new(square()).with_known_constraint(allowed), 14)?, 0);
    assert_eq!(broken(TpeOptimizer::new(square())?.with_known_constraint(allowed), 40)?, 0);
    for over in [ClassificationSet::Grid { per_axis: 9 }, ClassificationSet::Domain { points: 200 }] {
        let settings = LevelSetSettings { over, stop_when_certified: false, ..LevelSetSettings::above(0.4) };
        let optimizer = LevelSetOptimizer::new(square(), settings)?.with_known_constraint(allowed);
        assert_eq!(broken(optimizer, 14)?, 0);
    }
    let optimizer = MultiObjectiveOptimizer::new(square()).with_known_constraint(allowed);
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(14));
    study.run(|config: &Config, _| Measurement {
        objectives: vec![loss(config), 1.0 - config.float("x").unwrap_or(f64::NAN)],
        ..Measurement::default()
    })?;
    assert!(study.history().trials().iter().all(|trial| allowed(&trial.query)));
    let optimizer = FractionalCv::new(square(), 3)?.with_known_constraint(allowed);
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(16));
    study.run(|query: &FoldQuery, _| loss(&query.config))?;
    assert!(study.history().trials().iter().all(|trial| allowed(&trial.query.config)));
    Ok(())
}

#[test]
fn a_finite_space_ends_with_what_is_allowed() -> Result<(), Box<dyn Error>> {
    let space = Space::builder().int("n", 1, 12).build()?;
    let even = |config: &Config| config.int("n").is_ok_and(|n| n % 2 == 0);
    let value = |config: &Config| config.int("n").map_or(f64::NAN, |n| n as f64);
    let settings = TpeSettings { repeats: Repeats::Never, ..TpeSettings::default() };
    let optimizer = TpeOptimizer::new(space.clone())
        .and_then(|tpe| tpe.with_settings(settings))?
        .with_known_constraint(even);
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(30));
    assert_eq!(study.run(|config: &Config, _| value(config))?, StopReason::Exhausted);
    assert_eq!(study.history().len(), 6);
    let optimizer = BayesianOptimizer::new(space).with_known_constraint(even);
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(30));
    assert_eq!(study.run(|config: &Config, _| value(config))?, StopReason::Exhausted);
    assert_eq!(study.history().len(), 6);
    Ok(())
}

#[test]
fn nothing_allowed_is_an_error() -> Result<(), Box<dyn Error>> {
    let optimizer = TpeOptimizer::new(square())?.with_known_constraint(|_| false);
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(3));
    let error = study.run(|config: &Config, _| loss(config)).expect_err("nothing allowed").to_string();
    assert!(error.contains("allowed"), "{error}");
    Ok(())
}
