//! Failures that have nothing to do with the configuration: no optimiser learns from them.

use thrifty::bo::FailurePolicy;
use thrifty::model_based::Maximizer;
use thrifty::prelude::*;
use thrifty::study::StopReason;

fn space() -> Space {
    Space::builder().float("x", -1.0, 1.0).categorical("c", ["a", "b"]).build().unwrap()
}

fn loss(config: &Config) -> f64 {
    config.float("x").unwrap().powi(2) + f64::from(u8::from(config.str("c").unwrap() == "b"))
}

/// Suggestions of a study in which every third trial ends so.
fn suggestions<O: Optimizer<Query = Config>>(
    optimizer: O,
    end: fn() -> Outcome,
    trials: usize,
) -> Vec<Config> {
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(trials));
    study.run(|config, context| if context.id.0 % 3 == 1 { end() } else { loss(config).into() }).unwrap();
    study.history().trials().iter().map(|trial| trial.query.clone()).collect()
}

fn failed() -> Outcome {
    Outcome::failed("diverged")
}

fn unrelated() -> Outcome {
    Outcome::unrelated("the machine went down")
}

#[test]
fn bayesian_optimisation_learns_nothing_from_them() {
    let bo = |failures| {
        let maximizer = Maximizer { raw: 64, around_best: 4, climbs: 2 };
        let settings = BoSettings { failures, maximizer, ..BoSettings::default() };
        BayesianOptimizer::new(space()).with_settings(settings).unwrap()
    };
    let trials = 10;
    let ignored = suggestions(bo(FailurePolicy::Ignore), failed, trials);
    assert_eq!(suggestions(bo(FailurePolicy::AsWorst), unrelated, trials), ignored);
    assert_ne!(suggestions(bo(FailurePolicy::AsWorst), failed, trials), ignored);
}

#[test]
fn several_objectives_learn_nothing_from_them() {
    let bo = |failures| {
        let maximizer = Maximizer { raw: 64, around_best: 4, climbs: 2 };
        let settings = MultiObjectiveSettings { failures, maximizer, ..MultiObjectiveSettings::default() };
        MultiObjectiveOptimizer::new(space()).with_settings(settings).unwrap()
    };
    let trials = 8;
    let ignored = suggestions(bo(FailurePolicy::Ignore), failed, trials);
    assert_eq!(suggestions(bo(FailurePolicy::AsWorst), unrelated, trials), ignored);
    assert_ne!(suggestions(bo(FailurePolicy::AsWorst), failed, trials), ignored);
}

#[test]
fn tpe_learns_nothing_from_them() {
    use thrifty::tpe::FailurePolicy;
    let tpe = |failures| {
        let settings = TpeSettings { failures, ..TpeSettings::default() };
        TpeOptimizer::new(space()).unwrap().with_settings(settings).unwrap()
    };
    let ignored = suggestions(tpe(FailurePolicy::Ignore), failed, 40);
    assert_eq!(suggestions(tpe(FailurePolicy::AsInfinite), unrelated, 40), ignored);
    assert_ne!(suggestions(tpe(FailurePolicy::AsInfinite), failed, 40), ignored);
}

/// A finite space comes to an end when all of it was measured: a configuration on which a machine went down is asked again.
#[test]
fn configurations_that_failed_so_are_asked_again() {
    let space = Space::builder().int("n", 1, 5).build().unwrap();
    let mut went_down = 0;
    let mut study = Study::new(BayesianOptimizer::new(space), Seed(1)).with_stop(MaxTrials(20));
    let reason = study.run(|config: &Config, _| {
        if config.int("n").unwrap() == 3 && went_down < 2 {
            went_down += 1;
            return unrelated();
        }
        Outcome::from(1.0)
    });
    assert_eq!(reason.unwrap(), StopReason::Exhausted);
    assert_eq!((study.history().len(), study.history().measured().count()), (7, 5));
}
