//! Failed evaluations.

use std::collections::BTreeMap;

use thrifty_levelset::{ClassificationSet, Criterion, LevelSetOptimizer, LevelSetSettings, Threshold};
use thrifty_model_based::InitialDesign;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{MaxTrials, Measurement, Outcome, StopReason, Study};

use crate::behaviour::{on_line, value};

#[test]
fn failures_teach_nothing_and_are_not_tried_again() {
    let settings = LevelSetSettings {
        over: ClassificationSet::Grid { per_axis: 31 },
        epsilon: 0.02,
        ..LevelSetSettings::above(0.5)
    };
    let (_, found, study) =
        on_line(settings.clone(), 31, |x| if x > 0.7 { value(f64::NAN) } else { value((4.0 * x).sin()) });
    let found = found.unwrap();
    let xs: Vec<f64> = study.history().trials().iter().map(|t| t.query.float("x").unwrap()).collect();
    assert!(xs.iter().enumerate().all(|(i, a)| !xs[i + 1..].contains(a)));
    let wrong = found.points().rows().zip(found.predicted_above());
    let wrong = wrong.filter(|(x, said)| x[0] < 0.7 && (((4.0 * x[0]).sin() > 0.5) != *said)).count();
    assert_eq!(wrong, 0);
    // Only failures: every candidate is tried once, then the search is exhausted without data.
    let (reason, found, study) = on_line(settings, 100, |_| value(f64::NAN));
    assert_eq!((reason, study.history().len()), (StopReason::Exhausted, 31));
    assert!(found.is_none());
}

/// Four levels and a design of six, all of which fail or the first alone: each level is asked once.
#[test]
fn failed_levels_of_a_small_domain_are_not_repeated() {
    for failing in [1, 9] {
        let settings = LevelSetSettings {
            over: ClassificationSet::Domain { points: 16 },
            initial: InitialDesign::Sobol(6),
            stop_when_certified: false,
            ..LevelSetSettings::above(1.5)
        };
        let space = Space::builder().int("n", 0, 3).build().unwrap();
        let optimizer = LevelSetOptimizer::new(space, settings).unwrap();
        let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(12));
        let reason = study.run(|config, context| {
            if context.id.0 < failing { Outcome::failed("no") } else { config.float("n").unwrap().into() }
        });
        assert_eq!((reason.unwrap(), study.history().len()), (StopReason::Exhausted, 4), "{failing} fail");
    }
}

/// Points that fail are asked once, also where others may be evaluated again; what fails for another reason is asked again.
#[test]
fn points_that_fail_are_not_revisited() {
    for criterion in [Criterion::Straddle { kappa: 1.96 }, Criterion::Ambiguity, Criterion::Random] {
        for unrelated in [false, true] {
            let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
            let settings = LevelSetSettings {
                threshold: Threshold::Fixed(0.0),
                over: ClassificationSet::Grid { per_axis: 21 },
                criterion,
                revisit: true,
                stop_when_certified: false,
                ..LevelSetSettings::default()
            };
            let optimizer = LevelSetOptimizer::new(space, settings).unwrap();
            let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(40));
            let mut failures = BTreeMap::<u64, usize>::new();
            study
                .run(|config: &Config, _| {
                    let x = config.float("x").unwrap();
                    if !(0.4 < x && x < 0.6) {
                        return Outcome::from(Measurement::from(x - 0.5));
                    }
                    *failures.entry(x.to_bits()).or_insert(0) += 1;
                    if unrelated { Outcome::unrelated("machine down") } else { Outcome::failed("no") }
                })
                .unwrap();
            let most = failures.values().copied().max().unwrap_or(0);
            if unrelated {
                assert!(most > 1 || criterion == Criterion::Random, "{criterion:?}: {failures:?}");
            } else {
                assert!(most <= 1, "{criterion:?}: {failures:?}");
            }
        }
    }
}

/// A point of a finite domain that was lost to the machine is evaluated in the end.
#[test]
fn unrelated_failures_leave_a_point_open() {
    let space = Space::builder().int("i", 0, 3).build().unwrap();
    let settings = LevelSetSettings {
        threshold: Threshold::Fixed(0.0),
        over: ClassificationSet::Grid { per_axis: 4 },
        stop_when_certified: false,
        ..LevelSetSettings::default()
    };
    let optimizer = LevelSetOptimizer::new(space, settings).unwrap();
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(20));
    let mut lost = false;
    study
        .run(|config: &Config, _| {
            let i = config.int("i").unwrap();
            if i == 2 && !std::mem::replace(&mut lost, true) {
                return Outcome::unrelated("machine down");
            }
            Outcome::from(Measurement::from(i as f64 - 1.5))
        })
        .unwrap();
    let measured = study.history().measured().filter(|(trial, _)| trial.query.int("i") == Ok(2)).count();
    assert!(lost && measured == 1, "{measured} of {}", study.history().len());
}
