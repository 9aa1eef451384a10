//! Level sets and several objectives on single folds of a cross-validation.

use std::error::Error;

use thrifty::bo::MultiObjectiveRule;
use thrifty::cv::{FOLD, OnFolds};
use thrifty::hgp::FoldSurrogate;
use thrifty::levelset::{ClassificationSet, Criterion};
use thrifty::prelude::*;
use thrifty::study::contract;

const FOLDS: usize = 4;

fn space() -> Space {
    Space::builder().float("x", 0.0, 1.0).build().expect("one number")
}

/// Loss of a fold around (x - 0.4)²; the folds' deviations add up to zero.
fn loss(query: &FoldQuery) -> f64 {
    let x = query.config.float("x").unwrap_or(f64::NAN);
    let phase = std::f64::consts::TAU * query.fold as f64 / FOLDS as f64;
    (x - 0.4).powi(2) + 0.05 * (phase + 2.0 * x).sin()
}

fn level_set() -> OnFolds<LevelSetOptimizer> {
    let build = |space| {
        let settings = LevelSetSettings {
            over: ClassificationSet::Domain { points: 200 },
            criterion: Criterion::IntegratedBernoulli,
            initial: InitialDesign::Sobol(8),
            epsilon: 0.01,
            ..LevelSetSettings::above(0.09)
        };
        Ok(LevelSetOptimizer::new(space, settings)?.with_surrogate(FoldSurrogate))
    };
    OnFolds::new(&space(), FOLDS, build).expect("a space without a fold")
}

#[test]
fn the_level_set_of_the_mean_is_found_from_single_folds() -> Result<(), Box<dyn Error>> {
    let mut study = Study::new(level_set(), Seed(1)).with_stop(MaxTrials(32));
    study.run(|query: &FoldQuery, _| loss(query))?;
    // Above 0.09: x < 0.1 or x > 0.7. One fold alone is off by up to 0.05.
    let found = study.recommend()?.ok_or("a classification")?;
    let points: Vec<f64> = found.points().rows().map(|row| row[0]).collect();
    let wrong =
        points.iter().zip(found.predicted_above()).filter(|(x, above)| (**x < 0.1 || **x > 0.7) != *above);
    assert!(wrong.count() <= 8, "of 200");
    let mut counts = [0; FOLDS];
    study.history().trials().iter().for_each(|trial| counts[trial.query.fold] += 1);
    let (least, most) = (counts.iter().min(), counts.iter().max());
    assert!(most.zip(least).is_some_and(|(most, least)| most - least <= 1), "{counts:?}");
    assert!(study.history().trials().iter().all(|trial| trial.query.config.get(FOLD).is_none()));
    Ok(())
}

#[test]
fn several_objectives_are_improved_by_single_folds() -> Result<(), Box<dyn Error>> {
    let build = |space| {
        let settings = MultiObjectiveSettings {
            rule: MultiObjectiveRule::NoisyExpectedHypervolume { draws: 16 },
            ..MultiObjectiveSettings::default()
        };
        MultiObjectiveOptimizer::new(space).with_surrogate(FoldSurrogate).with_settings(settings)
    };
    let optimizer = OnFolds::new(&space(), FOLDS, build)?;
    let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(28));
    study.run(|query: &FoldQuery, _| {
        let x = query.config.float("x").unwrap_or(f64::NAN);
        // The compromises are 0.2 ≤ x ≤ 0.4.
        let objectives = vec![loss(query), (x - 0.2).powi(2) + loss(query) - (x - 0.4).powi(2)];
        Measurement { objectives, ..Measurement::default() }
    })?;
    let set = study.recommend()?.ok_or("compromises")?;
    assert!(set.members.len() >= 3, "{set:?}");
    for member in &set.members {
        let x = member.config.float("x")?;
        assert!((0.13..=0.47).contains(&x), "{x}");
    }
    Ok(())
}

#[test]
fn the_contract_of_an_optimizer_holds() {
    contract::optimizer(level_set, |query, _| loss(query).into(), 14);
}

#[test]
fn bad_input_is_named() {
    let build = |space| Ok(RandomSearch::new(space));
    let error = OnFolds::new(&space(), 1, build).map(|_| ()).expect_err("one fold").to_string();
    assert!(error.contains("folds is 1"), "{error}");
    let taken = Space::builder().float("fold", 0.0, 1.0).build().expect("a space");
    let error = OnFolds::new(&taken, 3, build).map(|_| ()).expect_err("the name is taken").to_string();
    assert!(error.contains("fold"), "{error}");
    // A surrogate of folds on a space without one.
    let optimizer = BayesianOptimizer::new(space()).with_surrogate(FoldSurrogate);
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(8));
    let error = study.run(|config, _| config.float("x").unwrap_or(0.0)).expect_err("no fold").to_string();
    assert!(error.contains("fold"), "{error}");
}
