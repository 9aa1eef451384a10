//! The optimiser at work: suggestions, reported outcomes and bad input.

use std::collections::BTreeMap;

use proptest::prelude::*;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space, Value};
use thrifty_study::{Ask, Best, History, MaxTrials, Next, Optimizer, Outcome, Study, Trial, TrialId};
use thrifty_tpe::{
    FailurePolicy, Joint, ParameterPrior, Split, Startup, StartupCount, TpeOptimizer, TpeSettings,
};

fn presets() -> Vec<TpeSettings> {
    vec![
        TpeSettings::recommended(),
        TpeSettings::hyperopt(),
        TpeSettings::optuna5(),
        TpeSettings::optuna4(),
        TpeSettings::watanabe2023(),
        TpeSettings::nnpdf(),
        TpeSettings { joint: Joint::Grouped, startup: Startup::Sobol(6), ..TpeSettings::recommended() },
    ]
}

pub(crate) fn mixed() -> Space {
    Space::builder()
        .categorical("kind", ["a", "b"])
        .float("x", -2.0, 3.0)
        .log_float("rate", 1e-4, 1.0)
        .when("kind", ["a"])
        .int("depth", 1, 9)
        .when("kind", ["b"])
        .step_float("share", 0.0, 1.0, 0.25)
        .log_int("width", 3, 300)
        .build()
        .unwrap()
}

pub(crate) fn loss(config: &Config) -> f64 {
    let branch = match config.str("kind").unwrap() {
        "a" => (config.float("rate").unwrap().log10() + 2.0).powi(2),
        _ => 0.5 + (config.float("depth").unwrap() - 4.0).abs(),
    };
    branch
        + config.float("x").unwrap().powi(2)
        + config.float("share").unwrap()
        + (config.float("width").unwrap().ln() - 3.0).powi(2)
}

pub(crate) fn optimizer(space: Space, settings: TpeSettings) -> TpeOptimizer {
    TpeOptimizer::new(space).and_then(|tpe| tpe.with_settings(settings)).unwrap()
}

#[test]
fn every_preset_improves_on_its_start_and_stays_in_the_space() {
    for settings in presets() {
        let start = settings.startup.len();
        let mut study = Study::new(optimizer(mixed(), settings.clone()), Seed(1)).with_stop(MaxTrials(100));
        study
            .run(|config: &Config, _| {
                mixed().validate(config).unwrap();
                loss(config)
            })
            .unwrap();
        let losses: Vec<f64> = study.history().measured().map(|(_, loss)| loss).collect();
        let best = |l: &[f64]| l.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(best(&losses[start..]) < best(&losses[..start]), "{settings:?}");
        let recommended = study.recommend().unwrap().unwrap();
        assert!((loss(&recommended.config) - best(&losses)).abs() < 1e-9);
    }
}

#[test]
fn a_new_optimizer_over_the_same_history_says_the_same() {
    for settings in presets() {
        let mut study = Study::new(optimizer(mixed(), settings.clone()), Seed(1));
        for step in 0..45 {
            let again = optimizer(mixed(), settings.clone()).ask(study.history(), TrialId(step)).unwrap();
            let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a suggestion") };
            let Ask::Evaluate(again) = again else { panic!("a suggestion") };
            assert_eq!(trial.query, again.query);
            // Some stay without an outcome for a while, some fail.
            if step % 7 == 3 {
                study.tell(trial.id, Outcome::failed("no")).unwrap();
            } else if step % 5 != 1 {
                study.tell(trial.id, loss(&trial.query)).unwrap();
            } else if step > 10 {
                let waiting = study.history().pending().next().unwrap();
                let (id, value) = (waiting.id, loss(&waiting.query));
                study.tell(id, value).unwrap();
            }
        }
    }
}

#[test]
fn another_history_is_not_taken_for_the_first() {
    let mut one =
        Study::new(optimizer(mixed(), TpeSettings::recommended()), Seed(1)).with_stop(MaxTrials(30));
    one.run(|config: &Config, _| loss(config)).unwrap();
    let elsewhere =
        TpeOptimizer::new(mixed()).and_then(|tpe| tpe.with_settings(TpeSettings::recommended())).unwrap();
    let mut two = Study::new(elsewhere, Seed(2)).with_stop(MaxTrials(30));
    two.run(|config: &Config, _| -loss(config)).unwrap();
    let mut used = optimizer(mixed(), TpeSettings::recommended());
    let _ = used.ask(one.history(), TrialId(30)).unwrap();
    let fresh = optimizer(mixed(), TpeSettings::recommended()).ask(two.history(), TrialId(30)).unwrap();
    assert_eq!(used.ask(two.history(), TrialId(30)).unwrap(), fresh);
}

#[test]
fn a_history_that_differs_before_its_last_trial_is_another() {
    let mut study =
        Study::new(optimizer(mixed(), TpeSettings::recommended()), Seed(1)).with_stop(MaxTrials(30));
    study.run(|config: &Config, _| loss(config)).unwrap();
    let trials = study.history().trials().to_vec();
    let mut other_outcome = trials.clone();
    other_outcome[3].outcome = Some((-100.0).into());
    let mut other_query = trials.clone();
    other_query[3].query = mixed().sample(&mut Seed(7).stream("other", 0));
    other_query[3].outcome = Some((-100.0).into());
    for changed in [other_outcome, other_query] {
        let changed = History::from_trials(changed, Seed(1));
        let mut used = optimizer(mixed(), TpeSettings::recommended());
        let _ = used.ask(study.history(), TrialId(30)).unwrap();
        let mut fresh = optimizer(mixed(), TpeSettings::recommended());
        assert_eq!(used.ask(&changed, TrialId(30)).unwrap(), fresh.ask(&changed, TrialId(30)).unwrap());
        assert_eq!(
            used.recommend(&changed).unwrap(),
            Some(Best::observed(changed.trials()[3].query.clone(), -100.0))
        );
    }
}

#[test]
fn the_start_counts_what_each_library_counts() {
    // The second trial of each four fails and the third is still running.
    let start = |settings: TpeSettings, seed: u64| {
        let mut study = Study::new(optimizer(mixed(), settings), Seed(seed));
        for id in 0..100_u64 {
            let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a suggestion") };
            if !trial.diagnostics.is_empty() {
                return id;
            }
            match id % 4 {
                1 => study.tell(trial.id, f64::NAN).unwrap(),
                2 => {}
                _ => study.tell(trial.id, loss(&trial.query)).unwrap(),
            }
        }
        panic!("a start without end")
    };
    // Measured are 0, 3, 4, 7, 8, 11, 12, 15, 16, 19.
    assert_eq!(start(TpeSettings::recommended(), 1), 20);
    assert_eq!(start(TpeSettings::optuna5(), 1), 20);
    assert_eq!(start(TpeSettings::hyperopt(), 1), 20);
    let asked = TpeSettings { startup_count: StartupCount::Asked, ..TpeSettings::recommended() };
    assert_eq!(start(asked, 1), 10);
    // Known failures have an infinite loss and add nothing to the densities either.
    let known: Vec<(Config, f64)> = (0..12)
        .map(|i| (mixed().sample(&mut Seed(3).stream("known", i)), if i < 6 { f64::INFINITY } else { 1.0 }))
        .collect();
    let mut optimizer = optimizer(mixed(), TpeSettings::recommended()).with_known(known).unwrap();
    let Ask::Evaluate(first) = optimizer.ask(&History::default(), TrialId(0)).unwrap() else { panic!() };
    assert!(first.diagnostics.is_empty());
}

pub(crate) fn at(x: f64, outcome: Option<Outcome>) -> Trial<Config> {
    Trial::new(TrialId(0), Space::from_bounds(&[(0.0, 1.0)]).unwrap().decode(&[x]), outcome)
}

#[test]
fn failures_and_hopeless_losses_are_survived() {
    type Evaluate = fn(u64) -> Outcome;
    let evaluators: [(&str, Evaluate); 6] = [
        ("all fail", |_| Outcome::failed("no")),
        ("all equal", |_| Outcome::from(1.0)),
        ("all infinite", |_| Outcome::from(f64::INFINITY)),
        ("half NaN", |i| Outcome::from(if i % 2 == 0 { f64::NAN } else { i as f64 })),
        ("huge", |i| Outcome::from(1e300 * i as f64)),
        ("penalties", |i| Outcome::from(if i % 8 == 0 { i as f64 } else { f64::MAX })),
    ];
    for (name, evaluate) in evaluators {
        for (settings, failures) in presets()
            .into_iter()
            .flat_map(|s| [(s.clone(), FailurePolicy::AsInfinite), (s, FailurePolicy::Ignore)])
        {
            let settings = TpeSettings { failures, ..settings };
            let mut study = Study::new(optimizer(mixed(), settings), Seed(1)).with_stop(MaxTrials(40));
            let mut i = 0;
            study
                .run(|config: &Config, _| {
                    mixed().validate(config).unwrap();
                    i += 1;
                    evaluate(i)
                })
                .unwrap();
            assert_eq!(study.history().len(), 40, "{name}");
            let best = study.recommend().unwrap();
            assert_eq!(best.is_none(), name == "all fail" || name == "all infinite", "{name}");
        }
    }
}

/// A choice of numbers that was written as a whole number is the same trial.
#[test]
fn whole_numbers_are_the_choices_of_their_value() {
    let space =
        || Space::builder().categorical("rate", [0.5, 1.0, 2.0]).float("x", 0.0, 1.0).build().unwrap();
    let suggestions = |one: Value| {
        let known = (0..12_i32).map(|i| {
            let mut config = Config::new();
            config.insert("rate", if i % 3 == 0 { one.clone() } else { Value::Float(0.5) });
            config.insert("x", f64::from(i) / 11.0);
            (config, Outcome::from(f64::from(i % 3)))
        });
        let study = Study::new(TpeOptimizer::new(space()).unwrap(), Seed(1)).with_stop(MaxTrials(16));
        let mut study = study.with_known(known).unwrap();
        study.run(|config: &Config, _| config.float("x").unwrap()).unwrap();
        study.history().trials()[12..].iter().map(|trial| trial.query.clone()).collect::<Vec<_>>()
    };
    assert_eq!(suggestions(Value::Int(1)), suggestions(Value::Float(1.0)));
}

#[test]
fn bad_input_is_named() {
    let message = |result: Result<TpeOptimizer, _>| match result {
        Ok(_) => panic!("an error"),
        Err(error) => {
            let error: &dyn std::error::Error = &error;
            let mut text = error.to_string();
            let mut source = error.source();
            while let Some(inner) = source {
                text = format!("{text}: {inner}");
                source = inner.source();
            }
            text
        }
    };
    let new = || TpeOptimizer::new(mixed()).unwrap();
    let prior =
        |name: &str, prior: ParameterPrior| new().with_priors(BTreeMap::from([(name.to_owned(), prior)]));
    let probabilities = |p: &[f64]| ParameterPrior::Probabilities(p.to_vec());
    for (result, expected) in [
        (prior("kind", probabilities(&[0.5, 0.6])), "[0.5, 0.6]"),
        (prior("kind", probabilities(&[1.0])), "1 probabilities for 2 choices"),
        (prior("kind", probabilities(&[-0.5, 1.5])), "negative"),
        (prior("kind", probabilities(&[f64::NAN, 1.0])), "NaN"),
        (prior("x", probabilities(&[1.0])), "for a number"),
        (prior("y", probabilities(&[1.0])), "\"y\""),
        (prior("x", ParameterPrior::Normal { mean: 0.0, std_dev: 0.0 }), "deviation 0"),
        (prior("kind", ParameterPrior::Distances(vec![vec![0.0]])), "square"),
        (
            TpeOptimizer::new(mixed()).and_then(|tpe| {
                tpe.with_settings(TpeSettings { candidates: 0, ..TpeSettings::recommended() })
            }),
            "candidates is 0",
        ),
        (
            TpeOptimizer::new(mixed()).and_then(|tpe| {
                tpe.with_settings(TpeSettings {
                    split: Split::Linear { gamma: 1.5, cap: 25 },
                    ..TpeSettings::recommended()
                })
            }),
            "gamma is 1.5",
        ),
        (new().with_queue(vec![Config::new()]), "queued configuration 0"),
        (new().with_known(vec![(Config::new(), 1.0)]), "known trial 0"),
    ] {
        let text = message(result);
        assert!(text.contains(expected), "{text:?} should name {expected:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whatever the space and the losses: suggestions are of the space and of the same bits again.
    #[test]
    fn suggestions_are_of_the_space(
        low in -1e3..1e3_f64, range in 1e-9..1e6_f64, count in 1..50_i64, step in 1..5_i64, seed in any::<u64>(), preset in 0..7_usize,
    ) {
        let space = || {
            Space::builder()
                .float("x", low, low + range)
                .log_float("y", range, range * 1e6)
                .step_int("i", 0, count * step, step)
                .categorical("c", ["only"])
                .log_int("j", 1, count + 1)
                .when("i", [0, step])
                .build()
                .unwrap()
        };
        let settings = presets().swap_remove(preset);
        let make = || TpeOptimizer::new(space()).and_then(|tpe| tpe.with_settings(settings.clone())).unwrap();
        let mut studies = [Study::new(make(), Seed(seed)), Study::new(make(), Seed(seed))];
        for _ in 0..30 {
            let asked = studies.each_mut().map(|study| study.ask().unwrap());
            let [Next::Evaluate(one), Next::Evaluate(two)] = asked else { break };
            space().validate(&one.query).unwrap();
            prop_assert_eq!(&one.query, &two.query);
            let value = ((one.query.float("x").unwrap() - low) / range - 0.4).abs();
            studies.each_mut().into_iter().for_each(|study| study.tell(one.id, value).unwrap());
        }
    }
}

/// Ranges so small that no number holds a density of their values: ratios are numbers all the same, and the search goes to the least loss.
#[test]
fn the_smallest_ranges_are_searched() {
    for range in [1e-296, 1e-307, 1e-308, 1e-310, 5e-323] {
        let space = || Space::builder().float("x", 0.0, range).build().unwrap();
        let share = |config: &Config| config.float("x").unwrap() / range;
        for settings in presets() {
            let mut study =
                Study::new(optimizer(space(), settings.clone()), Seed(1)).with_stop(MaxTrials(40));
            study
                .run(|config: &Config, _| {
                    space().validate(config).unwrap();
                    (share(config) - 0.3).abs()
                })
                .unwrap();
            let mut numbers =
                study.history().trials().iter().flat_map(|trial| trial.diagnostics.values().copied());
            assert!(numbers.all(f64::is_finite), "{range:e}: {settings:?}");
        }
        let mut study = Study::new(optimizer(space(), TpeSettings::recommended()), Seed(1));
        for _ in 0..60 {
            let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a suggestion") };
            study.tell(trial.id, (share(&trial.query) - 0.3).abs()).unwrap();
        }
        let late = study.history().trials()[40..].iter().map(|trial| share(&trial.query));
        assert!(late.filter(|x| (x - 0.3).abs() < 0.2).count() >= 10, "{range:e}");
    }
}

/// The best trial is recommended as it was evaluated, to the bit: of the study, of a queue and of known trials.
#[test]
fn recommendations_are_configurations_that_were_evaluated() {
    let space = Space::builder().log_float("rate", 1e-5, 1.0).build().unwrap();
    let at = |rate: f64| {
        let mut config = Config::new();
        config.insert("rate", rate);
        config
    };
    let loss = |config: &Config| (config.float("rate").unwrap().ln() - 1e-3_f64.ln()).abs();
    let mut study = Study::new(TpeOptimizer::new(space.clone()).unwrap(), Seed(1)).with_stop(MaxTrials(5));
    study.enqueue(at(0.001)).unwrap();
    study.run(|config: &Config, _| loss(config)).unwrap();
    assert_eq!(study.recommend().unwrap().unwrap().config, at(0.001));
    assert_eq!(study.history().trials()[0].query, at(0.001));
    let known = TpeOptimizer::new(space).and_then(|tpe| tpe.with_known(vec![(at(0.001), -1.0)])).unwrap();
    let mut study = Study::new(known, Seed(1)).with_stop(MaxTrials(5));
    study.run(|config: &Config, _| loss(config)).unwrap();
    assert_eq!(study.recommend().unwrap().unwrap().config, at(0.001));
}

/// A failure that has nothing to do with the configuration does not count as asked: told at once or later, it is evaluated in the end.
#[test]
fn unrelated_failures_are_asked_again() {
    let loss = |config: &Config| match config.str("a").unwrap() {
        "p" => 3.0,
        "q" => -1.0,
        "r" => 2.0,
        _ => 4.0,
    };
    for late in [false, true] {
        let space = Space::builder().categorical("a", ["p", "q", "r", "t"]).build().unwrap();
        let mut study = Study::new(TpeOptimizer::new(space).unwrap(), Seed(1)).with_stop(MaxTrials(20));
        let (mut lost, mut waiting) = (false, None);
        while let Next::Evaluate(trial) = study.ask().unwrap() {
            if let Some(id) = waiting.take() {
                study.tell(id, Outcome::unrelated("machine down")).unwrap();
            }
            if trial.query.str("a").unwrap() == "q" && !lost {
                lost = true;
                if late {
                    waiting = Some(trial.id);
                } else {
                    study.tell(trial.id, Outcome::unrelated("machine down")).unwrap();
                }
            } else {
                study.tell(trial.id, loss(&trial.query)).unwrap();
            }
        }
        assert!(lost, "one was lost");
        assert_eq!(study.recommend().unwrap().unwrap().config.str("a"), Ok("q"), "late: {late}");
        assert_eq!(study.history().len(), 5, "each once, and one again");
    }
}
