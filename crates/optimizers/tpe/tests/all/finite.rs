//! Spaces with few configurations: none is repeated before all were evaluated.

use std::collections::{BTreeMap, HashSet};

use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{MaxTrials, StopReason, Study};
use thrifty_tpe::{Joint, ParameterPrior, Repeats, Startup, TpeOptimizer, TpeSettings};

use crate::behaviour::optimizer;

fn grid() -> Space {
    Space::builder()
        .int("i", 0, 3)
        .categorical("c", ["a", "b"])
        .int("j", 1, 2)
        .when("c", ["b"])
        .build()
        .unwrap()
}

#[test]
fn finite_spaces_are_not_asked_twice_until_they_are_exhausted() {
    for joint in [Joint::Independent, Joint::Grouped, Joint::Tree] {
        let settings = TpeSettings { joint, ..TpeSettings::recommended() };
        let mut study = Study::new(optimizer(grid(), settings.clone()), Seed(1)).with_stop(MaxTrials(100));
        let stop = study.run(|config: &Config, _| config.float("i").unwrap()).unwrap();
        assert_eq!(stop, StopReason::Exhausted);
        let seen: HashSet<String> = study.history().trials().iter().map(|t| t.query.to_string()).collect();
        assert_eq!((seen.len(), study.history().len()), (12, 12));

        let again = TpeSettings { repeats: Repeats::OnceExhausted, ..settings };
        let mut study = Study::new(optimizer(grid(), again), Seed(1)).with_stop(MaxTrials(20));
        study.run(|config: &Config, _| config.float("i").unwrap()).unwrap();
        let seen: HashSet<String> =
            study.history().trials()[..12].iter().map(|t| t.query.to_string()).collect();
        assert_eq!((seen.len(), study.history().len()), (12, 20));

        // With a known constraint all that is allowed is repeated, from the design on or after it.
        for startup in [Startup::Random(2), Startup::Random(15)] {
            let again =
                TpeSettings { startup, repeats: Repeats::OnceExhausted, ..TpeSettings::recommended() };
            let is_odd = |config: &Config| config.int("i").is_ok_and(|i| i % 2 == 1);
            let optimizer = optimizer(grid(), TpeSettings { joint, ..again }).with_known_constraint(is_odd);
            let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(30));
            study.run(|config: &Config, _| config.float("i").unwrap()).unwrap();
            let asked: Vec<&Config> = study.history().trials().iter().map(|trial| &trial.query).collect();
            assert!(asked.len() == 30 && asked.iter().all(|config| is_odd(config)), "{asked:?}");
            let different =
                |asked: &[&Config]| asked.iter().map(ToString::to_string).collect::<HashSet<_>>().len();
            let all = different(&asked);
            assert!(all < 12 && different(&asked[..all]) == all && different(&asked[all..]) > 1, "{asked:?}");
        }
    }
}

/// Whole numbers beyond 2⁵³ differ by 1, although their floating-point numbers do not: all of them are found, and the least is.
#[test]
fn whole_numbers_beyond_those_of_a_float_differ() {
    for low in [i64::MAX - 9, i64::MIN, -(1 << 60), 1 << 53] {
        let space = Space::builder().int("n", low, low + 9).build().unwrap();
        let mut study = Study::new(optimizer(space, TpeSettings::recommended()), Seed(1));
        let stop = study.run(|config: &Config, _| config.int("n").map_or(f64::NAN, |n| (n - low) as f64));
        assert_eq!(stop.unwrap(), StopReason::Exhausted);
        let asked: HashSet<i64> =
            study.history().trials().iter().map(|trial| trial.query.int("n").unwrap()).collect();
        assert_eq!(asked, (0..10).map(|k| low + k).collect::<HashSet<i64>>());

        // A normal prior is around its mean, and the search goes to the least loss.
        let space = Space::builder().int("n", low, low + 9).build().unwrap();
        let prior = ParameterPrior::Normal { mean: low as f64, std_dev: 5.0 };
        let settings = TpeSettings { repeats: Repeats::Allowed, ..TpeSettings::recommended() };
        let optimizer =
            optimizer(space, settings).with_priors(BTreeMap::from([("n".into(), prior)])).unwrap();
        let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(60));
        study
            .run(|config: &Config, _| config.int("n").map_or(f64::NAN, |n| (n - low - 3).pow(2) as f64))
            .unwrap();
        let late = study.history().trials()[40..].iter().map(|trial| trial.query.int("n").unwrap() - low);
        assert!(late.filter(|n| (2..=4).contains(n)).count() >= 10, "from {low}");
    }
}

/// Repeated configurations, once everything allowed was asked: for a partial configuration they have its values, and are allowed.
#[test]
fn repeated_configurations_have_what_is_given() {
    let space = || Space::builder().int("a", 0, 3).int("b", 0, 9).build().unwrap();
    let is_allowed = |config: &Config| config.int("b").unwrap() % 5 == config.int("a").unwrap();
    let config = |a: i64, b: Option<i64>| {
        let mut config = Config::new();
        config.insert("a", a);
        b.into_iter().for_each(|b| config.insert("b", b));
        config
    };
    for repeats in [Repeats::OnceExhausted, Repeats::Never] {
        for seed in 0..8 {
            let settings = TpeSettings { repeats, startup: Startup::Random(1), ..TpeSettings::recommended() };
            let optimizer = optimizer(space(), settings).with_known_constraint(is_allowed);
            let mut study = Study::new(optimizer, Seed(seed)).with_stop(MaxTrials(9));
            study.enqueue(config(0, Some(0))).unwrap();
            (0..8).for_each(|_| study.enqueue(config(2, None)).unwrap());
            study.run(|config: &Config, _| config.float("b").unwrap()).unwrap();
            let asked: Vec<&Config> = study.history().trials().iter().map(|trial| &trial.query).collect();
            assert!(asked.len() == 9 && asked.iter().all(|config| is_allowed(config)), "{asked:?}");
            assert!(asked[1..].iter().all(|config| config.int("a") == Ok(2)), "{asked:?}");
        }
    }
}

/// Values of a step that are written another way than it rounds are the same: 3 · 0.1 is not 0.3.
#[test]
fn conditions_on_steps_hold_whatever_their_rounding() {
    let space = Space::builder()
        .step_float("f", 0.0, 1.0, 0.1)
        .float("x", 0.0, 1.0)
        .when("f", [0.3, 0.6, 0.7])
        .build()
        .unwrap();
    for settings in [TpeSettings::recommended(), TpeSettings::optuna5(), TpeSettings::hyperopt()] {
        let mut study = Study::new(optimizer(space.clone(), settings), Seed(1)).with_stop(MaxTrials(60));
        study.run(|config: &Config, _| config.float("x").map_or(1.0, |x| x - 0.5)).unwrap();
        let with_x = study.history().trials().iter().filter(|trial| trial.query.float("x").is_ok()).count();
        assert!(with_x > 20, "{with_x}");
    }
}

/// A branch without continuous parameters has few configurations, however many the rest of the space has.
#[test]
fn configurations_of_a_finite_branch_are_not_repeated() {
    let space = || {
        Space::builder()
            .categorical("kind", ["a", "b"])
            .float("x", 0.0, 1.0)
            .when("kind", ["b"])
            .build()
            .unwrap()
    };
    let count = |settings: TpeSettings| {
        let mut study = Study::new(optimizer(space(), settings), Seed(1)).with_stop(MaxTrials(40));
        study.run(|config: &Config, _| config.float("x").map_or(0.0, |x| 1.0 + x)).unwrap();
        study.history().trials().iter().filter(|trial| trial.query.str("kind") == Ok("a")).count()
    };
    for repeats in [Repeats::Never, Repeats::OnceExhausted] {
        assert_eq!(count(TpeSettings { repeats, ..TpeSettings::recommended() }), 1, "{repeats:?}");
    }
    assert!(count(TpeSettings { repeats: Repeats::Allowed, ..TpeSettings::recommended() }) > 1);
}

/// Twenty values hold nearly all of the prior; when they were asked there are two million others.
#[test]
fn a_narrow_prior_does_not_exhaust_a_space() {
    let space = Space::builder().int("n", 0, 2_000_000).build().unwrap();
    let prior = ParameterPrior::Normal { mean: 100.0, std_dev: 2.0 };
    let optimizer =
        TpeOptimizer::new(space).unwrap().with_priors(BTreeMap::from([("n".to_owned(), prior)])).unwrap();
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(60));
    let stop = study.run(|config: &Config, _| config.int("n").unwrap() as f64).unwrap();
    assert_ne!(stop, StopReason::Exhausted);
    let seen: HashSet<i64> = study.history().trials().iter().map(|t| t.query.int("n").unwrap()).collect();
    assert_eq!(seen.len(), 60);
}
