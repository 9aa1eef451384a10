//! The optimiser at work: suggestions, reported outcomes and bad input.

use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space, Value};
use thrifty_study::{
    Ask, Best, History, MaxTrials, Measurement, Next, Optimizer, OptimizerError, Outcome, StopReason, Study,
    Trial, TrialId,
};
use thrifty_tpe::{
    ConstraintPolicy, CostPolicy, FailurePolicy, Joint, ParameterPrior, PendingPolicy, Repeats, Split,
    Startup, StartupCount, TpeOptimizer, TpeSettings,
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

fn mixed() -> Space {
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

fn loss(config: &Config) -> f64 {
    let branch = match config.str("kind").unwrap() {
        "a" => (config.float("rate").unwrap().log10() + 2.0).powi(2),
        _ => 0.5 + (config.float("depth").unwrap() - 4.0).abs(),
    };
    branch
        + config.float("x").unwrap().powi(2)
        + config.float("share").unwrap()
        + (config.float("width").unwrap().ln() - 3.0).powi(2)
}

fn optimizer(space: Space, settings: TpeSettings) -> TpeOptimizer {
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

#[test]
fn trials_of_another_number_of_objectives_or_constraints_are_named() {
    let measured = |objectives: usize, constraints: usize| Measurement {
        objectives: vec![1.0; objectives],
        constraints: vec![-1.0; constraints],
        ..Measurement::default()
    };
    for (other, message) in [
        (measured(1, 1), "trial 4 has 1 objective, those before it 2"),
        (measured(3, 1), "trial 4 has 3 objectives, those before it 2"),
        (measured(2, 0), "trial 4 has 0 constraints, those before it 1"),
        (measured(2, 2), "trial 4 has 2 constraints, those before it 1"),
    ] {
        // A study would refuse it; a history from elsewhere may have it.
        let trial = |id: u64| {
            Trial::new(
                TrialId(id),
                mixed().sample(&mut Seed(1).stream("trials", id)),
                Some(if id == 4 { other.clone() } else { measured(2, 1) }.into()),
            )
        };
        let history = History::from_trials((0..6).map(trial).collect(), Seed(1));
        let mut optimizer = optimizer(mixed(), TpeSettings::recommended());
        // A second ask gives the same suggestion.
        for _ in 0..2 {
            let error = optimizer.ask(&history, TrialId(6)).unwrap_err();
            let mut text = error.to_string();
            let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(&error);
            while let Some(inner) = cause {
                text += &format!(": {inner}");
                cause = inner.source();
            }
            assert!(text.contains(message), "{text:?} should name {message:?}");
        }
    }
}

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

/// The feasible trial with the smallest first loss and that loss, as with Bayesian optimisation of one objective.
#[test]
fn the_first_of_several_losses_is_recommended() {
    let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
    let losses = [(0.1, [5.0, 0.5]), (0.2, [0.25, 7.0]), (0.3, [2.0, 2.0]), (0.4, [-1.0, 9.0])];
    let trial = |(x, objectives): (f64, [f64; 2])| {
        let constraints = vec![if objectives[0] < 0.0 { 1.0 } else { -1.0 }];
        at(
            x,
            Some(Measurement { objectives: objectives.into(), constraints, ..Measurement::default() }.into()),
        )
    };
    let history = History::from_trials(losses.map(trial).into(), Seed(1));
    let best = optimizer(space.clone(), TpeSettings::recommended()).recommend(&history).unwrap().unwrap();
    assert_eq!(best, Best::observed(space.decode(&[0.2]), 0.25));
}

fn at(x: f64, outcome: Option<Outcome>) -> Trial<Config> {
    Trial::new(TrialId(0), Space::from_bounds(&[(0.0, 1.0)]).unwrap().decode(&[x]), outcome)
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

#[test]
fn a_target_is_aimed_at() {
    let settings = TpeSettings { split: Split::Target { loss: 0.5 }, ..TpeSettings::recommended() };
    let space = Space::from_bounds(&[(-5.0, 5.0), (-5.0, 5.0)]).unwrap();
    let mut study = Study::new(optimizer(space, settings), Seed(1)).with_stop(MaxTrials(120));
    let bowl = |config: &Config| config.float("x0").unwrap().powi(2) + config.float("x1").unwrap().powi(2);
    study.run(|config: &Config, _| bowl(config)).unwrap();
    let late = study.history().measured().skip(80).filter(|(_, loss)| *loss <= 0.5).count();
    assert!(late > 10, "{late} of the last 40 reach the target");
}

#[test]
fn constraints_are_met() {
    // The minimum without the constraint is at 0, with it at 0.6.
    let space = || Space::from_bounds(&[(-1.0, 1.0), (0.0, 1.0)]).unwrap();
    for constraints in [ConstraintPolicy::FeasibleFirst, ConstraintPolicy::Product] {
        let settings = TpeSettings { constraints, ..TpeSettings::recommended() };
        let mut study = Study::new(optimizer(space(), settings), Seed(3)).with_stop(MaxTrials(120));
        study
            .run(|config: &Config, _| {
                let x = config.float("x0").unwrap();
                Measurement { objectives: vec![x * x], constraints: vec![0.6 - x], ..Measurement::default() }
            })
            .unwrap();
        let best = study.recommend().unwrap().unwrap().config.float("x0").unwrap();
        assert!((0.6..0.7).contains(&best), "{constraints:?}: {best}");
    }
}

#[test]
fn several_objectives_are_traded() {
    let space = Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0), (0.0, 1.0)]).unwrap();
    let mut study =
        Study::new(optimizer(space, TpeSettings::recommended()), Seed(3)).with_stop(MaxTrials(150));
    study
        .run(|config: &Config, _| {
            let x: Vec<f64> = (0..3).map(|i| config.float(&format!("x{i}")).unwrap()).collect();
            let away = (x[1] - 0.2).powi(2) + (x[2] - 0.7).powi(2);
            Measurement { objectives: vec![x[0] + away, 1.0 - x[0] + away], ..Measurement::default() }
        })
        .unwrap();
    let late: Vec<f64> = study.history().trials()[100..]
        .iter()
        .map(|t| (t.query.float("x1").unwrap() - 0.2).abs().max((t.query.float("x2").unwrap() - 0.7).abs()))
        .collect();
    let near = late.iter().filter(|away| **away < 0.15).count();
    assert!(near > 25, "{near} of 50 near the Pareto set");
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

/// Two minima of the same depth, one of which costs a hundred times as much to evaluate.
fn dear_shares(policy: CostPolicy) -> (f64, f64) {
    let space =
        || Space::builder().float("x", 0.0, 1.0).categorical("size", ["small", "large"]).build().unwrap();
    let (mut dear, mut worst) = (0, f64::NEG_INFINITY);
    for seed in 0..6 {
        let settings = TpeSettings { cost: policy, ..TpeSettings::default() };
        let optimizer = TpeOptimizer::new(space()).unwrap().with_settings(settings).unwrap();
        let mut study = Study::new(optimizer, Seed(seed)).with_stop(MaxTrials(70));
        study
            .run(|config: &Config, _| {
                let x = config.float("x").unwrap();
                let loss = (x - 0.2).powi(2).min((x - 0.8).powi(2));
                let cost = if x > 0.5 { 100.0 } else { 1.0 }
                    * if config.str("size") == Ok("large") { 5.0 } else { 1.0 };
                Measurement { cost: Some(cost), ..loss.into() }
            })
            .unwrap();
        let modelled = &study.history().trials()[10..];
        dear += modelled.iter().filter(|trial| trial.query.float("x").unwrap() > 0.5).count();
        worst = study.history().best().unwrap().1.max(worst);
    }
    (dear as f64 / 360.0, worst)
}

/// Per unit of cost the cheap minimum is searched, and found as well; the other way round without.
#[test]
fn costs_draw_the_search_to_what_is_cheap() {
    let (ignored, _) = dear_shares(CostPolicy::Ignore);
    let (counted, loss) = dear_shares(CostPolicy::PerUnit { exponent: 1.0 });
    let (nothing, _) = dear_shares(CostPolicy::PerUnit { exponent: 0.0 });
    assert!(ignored > 0.3 && nothing > 0.3, "{ignored} {nothing}");
    assert!(counted < 0.15, "{counted}");
    assert!(loss < 1e-3, "{loss}");
}

#[test]
fn a_measurement_without_a_cost_is_refused_where_costs_count() {
    let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
    let settings = TpeSettings { cost: CostPolicy::PerUnit { exponent: 1.0 }, ..TpeSettings::default() };
    let optimizer = TpeOptimizer::new(space.clone()).unwrap().with_settings(settings.clone()).unwrap();
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(20));
    study.ask().unwrap();
    let measured = |cost| Measurement { cost, ..Measurement::from(1.0) };
    for (cost, named) in [(None, "cost is missing"), (Some(0.0), "cost is 0")] {
        let told = study.tell(TrialId(0), measured(cost)).unwrap_err().to_string();
        let mut known = Config::new();
        known.insert("x0", 0.5);
        let known = study.add_known(known, measured(cost)).unwrap_err().to_string();
        assert!(told.contains(named) && known.contains(named), "{told} {known}");
    }
    // A journal that has such a trial already is read without its cost.
    let cost = |id: u64| if id == 3 { None } else { Some(if id == 4 { 0.0 } else { 1.0 }) };
    study.tell(TrialId(0), measured(cost(0))).unwrap();
    study.run(|config, _| Measurement { cost: Some(1.0), ..config.float("x0").unwrap().into() }).unwrap();
    let mut trials = study.history().trials().to_vec();
    for trial in &mut trials {
        trial.outcome = Some(measured(cost(trial.id.0)).into());
    }
    let history = History::from_trials(trials, Seed(1));
    let mut older = TpeOptimizer::new(space.clone()).unwrap().with_settings(settings.clone()).unwrap();
    let Ask::Evaluate(next) = older.ask(&history, TrialId(20)).unwrap() else { panic!("a suggestion") };
    assert!(next.diagnostics["log_l"].is_finite());
    let exponent = CostPolicy::PerUnit { exponent: -1.0 };
    let refused = TpeOptimizer::new(space).unwrap().with_settings(TpeSettings { cost: exponent, ..settings });
    let error = refused.err().unwrap();
    assert!(matches!(error, OptimizerError::InvalidSetting { .. }), "{error}");
    assert!(error.to_string().contains("cost exponent is -1"), "{error}");
}

/// An optimiser that has followed one history suggests for another with other costs what a new one does.
#[test]
fn costs_of_another_history_are_not_kept() {
    let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
    let settings = TpeSettings { cost: CostPolicy::PerUnit { exponent: 1.0 }, ..TpeSettings::default() };
    let optimizer = || TpeOptimizer::new(space.clone()).unwrap().with_settings(settings.clone()).unwrap();
    let history = |price: fn(f64) -> f64| {
        let trial = |i: u32| {
            let x = f64::from(i) / 29.0;
            let measured = Measurement { cost: Some(price(x)), ..((x - 0.5).powi(2)).into() };
            Trial::new(
                TrialId(0),
                Space::from_bounds(&[(0.0, 1.0)]).unwrap().decode(&[x]),
                Some(measured.into()),
            )
        };
        History::from_trials((0..30).map(trial).collect(), Seed(2))
    };
    let (rising, falling) = (history(|x| (6.0 * x).exp()), history(|x| (-6.0 * x).exp()));
    let mut used = optimizer();
    let first = used.ask(&rising, TrialId(30)).unwrap();
    let second = used.ask(&falling, TrialId(30)).unwrap();
    assert_eq!(second, optimizer().ask(&falling, TrialId(30)).unwrap());
    assert_ne!(first, second);
}

/// Random configurations at the start follow the prior: a normal one cut at the bounds has the quantiles of that, at its
/// middle and at an end.
#[test]
fn the_start_follows_the_prior() {
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    for (mean, std_dev) in [(0.5, 0.1), (1.0, 0.2), (-0.1, 0.3)] {
        let prior = ParameterPrior::Normal { mean, std_dev };
        let settings = TpeSettings { startup: Startup::Random(1000), ..TpeSettings::default() };
        let mut optimizer = TpeOptimizer::new(space.clone())
            .unwrap()
            .with_settings(settings)
            .unwrap()
            .with_priors(BTreeMap::from([("x".to_owned(), prior)]))
            .unwrap();
        let history = History::new(Seed(4));
        let mut draws: Vec<f64> = (0..1000)
            .map(|id| match optimizer.ask(&history, TrialId(id)).unwrap() {
                Ask::Evaluate(suggestion) => suggestion.query.float("x").unwrap(),
                other => panic!("{other:?}"),
            })
            .collect();
        draws.sort_by(f64::total_cmp);
        let below = |x: f64| thrifty_prob::cdf((x - mean) / std_dev);
        // Kolmogorov's distance of 1000 draws is above 1.95/√1000 once in a thousand.
        let distance = draws
            .iter()
            .enumerate()
            .map(|(i, x)| ((below(*x) - below(0.0)) / (below(1.0) - below(0.0)) - i as f64 / 1000.0).abs())
            .fold(0.0, f64::max);
        assert!(distance < 0.062, "{mean} {std_dev}: {distance}");
    }
}

/// Marginal densities: one pair a value, of which both integrate to 1 between the bounds, and that of the good trials is higher at the best.
#[test]
fn marginals_are_densities() {
    let mut study =
        Study::new(optimizer(mixed(), TpeSettings::recommended()), Seed(1)).with_stop(MaxTrials(60));
    study.run(|config: &Config, _| loss(config)).unwrap();
    // Middles of 2000 intervals between -2 and 3.
    let (count, width) = (2000, 5.0 / 2000.0);
    let values: Vec<f64> = (0..count).map(|i| -2.0 + (f64::from(i) + 0.5) * width).collect();
    let mut anew = optimizer(mixed(), TpeSettings::recommended());
    let found = anew.marginals(study.history(), "x", &values).unwrap();
    assert_eq!(found.len(), values.len(), "pairs");
    let integral = |of: &dyn Fn(&(f64, f64)) -> f64| found.iter().map(|p| of(p).exp() * width).sum::<f64>();
    let integrals = (integral(&|p| p.0), integral(&|p| p.1));
    assert!((integrals.0 - 1.0).abs() < 1e-3 && (integrals.1 - 1.0).abs() < 1e-3, "{integrals:?}");
    let best = anew.marginals(study.history(), "x", &[0.0]).unwrap()[0];
    assert!(best.0 > best.1, "{best:?} at the smallest loss");
    assert!(anew.marginals(study.history(), "z", &values).is_err(), "no such parameter");
}

fn normal(mean: f64, std_dev: f64) -> ParameterPrior {
    ParameterPrior::Normal { mean, std_dev }
}

/// Space of one number with a normal prior that is centred beyond a bound: the start is near that bound. Without mass between the bounds
/// the prior is an error.
#[test]
fn priors_beyond_the_bounds_start_at_the_nearer_bound() {
    let with = |low: f64, high: f64, prior: ParameterPrior| {
        let space = Space::builder().float("x", low, high).build().unwrap();
        TpeOptimizer::new(space)?.with_priors(BTreeMap::from([("x".to_owned(), prior)]))
    };
    for (low, high) in [(9.0, 20.0), (-20.0, -9.0), (36.0, 40.0), (-40.0, -36.0)] {
        let mut study =
            Study::new(with(low, high, normal(0.0, 1.0)).unwrap(), Seed(1)).with_stop(MaxTrials(25));
        study.run(|config: &Config, _| config.float("x").unwrap()).unwrap();
        let nearer = low.abs().min(high.abs());
        let first = study.history().trials().iter().take(10).map(|t| t.query.float("x").unwrap());
        let first: Vec<f64> = first.collect();
        assert!(first.iter().all(|x| (nearer..nearer + 2.0).contains(&x.abs())), "{low} {high}: {first:?}");
        let distinct: HashSet<u64> = first.iter().map(|x| x.to_bits()).collect();
        assert_eq!(distinct.len(), 10, "{low} {high}: {first:?}");
        let mut tpe = with(low, high, normal(0.0, 1.0)).unwrap();
        for (l, g) in tpe.marginals(study.history(), "x", &[low, 0.5 * (low + high), high]).unwrap() {
            assert!(l.is_finite() && g.is_finite(), "{low} {high}: {l} {g}");
        }
    }
    for (low, high) in [(50.0, 60.0), (-60.0, -50.0)] {
        let error = with(low, high, normal(0.0, 1.0)).err().unwrap();
        let text = format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string));
        assert!(text.contains("\"x\"") || text.contains("`x`") || text.contains(" x"), "{text}");
        assert!(text.contains("no mass between the bounds"), "{text}");
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

/// A target is a loss, and fronts of several objectives have none.
#[test]
fn a_target_of_several_objectives_is_refused() {
    let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
    let settings = TpeSettings { split: Split::Target { loss: 900.0 }, ..TpeSettings::default() };
    let optimizer = TpeOptimizer::new(space).unwrap().with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(20));
    let two = Measurement { objectives: vec![1000.0, 1001.0], ..Measurement::default() };
    let error = study.run(|_, _| two.clone()).unwrap_err();
    let text = format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string));
    assert!(text.contains("trial 0") && text.contains("split has a target loss of 900"), "{text}");
}
