//! Exploration by coin flip around an optimiser that is written down here.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use thrifty_bo::{BayesianOptimizer, BoSettings, Convergence, InitialDesign, Maximizer};
use thrifty_cmaes::CmaEs;
use thrifty_hybrid::{CoinFlip, Exploration, Hybrid, HybridSettings, OnConvergence};
use thrifty_sampling::Seed;
use thrifty_search::RandomSearch;
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, Fingerprint, History, MaxTrials, MemoKey, Optimizer, OptimizerError, StopReason, Study, Suggestion,
    TrialId,
};

fn line() -> Space {
    Space::builder().float("x", 0.0, 1.0).build().unwrap()
}

/// Suggests x = 1/(id + 2) with a memo and a diagnostic, waits in trial 50 and stops in trial 60.
struct Given;

impl Optimizer for Given {
    type Query = Config;
    type Recommendation = usize;

    fn ask(&mut self, _: &History<Config>, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        Ok(match id.0 {
            50 => Ask::Wait,
            60 => Ask::Stop(StopReason::Exhausted),
            at => {
                let suggestion = Suggestion::new(line().decode(&[own(at)])).with_diagnostic("own", 1.0);
                Ask::Evaluate(suggestion.with_memo(&MemoKey::<u64>::new("turn"), &at))
            }
        })
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<usize>, OptimizerError> {
        Ok(Some(history.len()))
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("given"))
    }
}

fn own(id: u64) -> f64 {
    1.0 / (id + 2) as f64
}

fn suggestion(optimizer: &mut CoinFlip<Given>, history: &History<Config>, id: u64) -> Suggestion<Config> {
    match optimizer.ask(history, TrialId(id)).unwrap() {
        Ask::Evaluate(suggestion) => suggestion,
        other => panic!("{other:?}"),
    }
}

fn x(config: &Config) -> f64 {
    config.float("x").unwrap()
}

/// The coin of trial i is the first number of the stream ("coin", i), the point the first of its own streams.
#[test]
fn coins_and_points_are_those_of_the_streams_of_the_trial() {
    let history = History::new(Seed(7));
    let (mut explored, start) = (0, 5);
    for rate in [0.0, 0.3, 1.0] {
        let mut optimizer = CoinFlip::new(Given, line(), rate).unwrap().after(start);
        for id in 0..50 {
            let found = suggestion(&mut optimizer, &history, id);
            let coin = history.seed().stream("coin", id).uniform();
            let expected = if id >= start as u64 && coin < rate {
                explored += 1;
                let point = history.seed().child("explore", id).stream("uniform", 0).uniform();
                (point, Some(1.0), None)
            } else {
                (own(id), Some(0.0), Some(1.0))
            };
            let of = |name: &str| found.diagnostics.get(name).copied();
            assert!((x(&found.query) - expected.0).abs() < 1e-12, "{rate} {id}");
            assert_eq!((of("explored"), of("own")), (expected.1, expected.2), "{rate} {id}");
            // The memo of the optimiser is kept in any case.
            assert_eq!(found.memo.get(&MemoKey::<u64>::new("turn")), Some(id));
        }
    }
    assert!((45 + 5..45 + 25).contains(&explored), "{explored}");
}

#[test]
fn waits_stops_and_recommendations_are_those_of_the_optimizer() {
    let mut optimizer = CoinFlip::new(Given, line(), 1.0).unwrap();
    let history = History::new(Seed(7));
    assert!(matches!(optimizer.ask(&history, TrialId(50)).unwrap(), Ask::Wait));
    assert!(matches!(optimizer.ask(&history, TrialId(60)).unwrap(), Ask::Stop(StopReason::Exhausted)));
    assert_eq!(optimizer.recommend(&history).unwrap(), Some(0));
}

/// Explored points obey the known constraint: the first of the streams of the trial that is allowed.
#[test]
fn explored_points_are_allowed() {
    let history = History::new(Seed(7));
    let mut optimizer =
        CoinFlip::new(Given, line(), 1.0).unwrap().with_known_constraint(|config| x(config) < 0.1);
    for id in 0..20 {
        let seed = history.seed().child("explore", id);
        let expected =
            (0..10_000).map(|k| seed.stream("uniform", k).uniform()).find(|u| *u < 0.1).expect("one in ten");
        assert!((x(&suggestion(&mut optimizer, &history, id).query) - expected).abs() < 1e-12);
    }
    let mut hopeless = CoinFlip::new(Given, line(), 1.0).unwrap().with_known_constraint(|_| false);
    let error = hopeless.ask(&history, TrialId(3)).map(|_| ()).unwrap_err();
    let text = format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string));
    assert!(text.contains("exploring in trial 3"), "{text}");
    assert!(text.contains("none of 10000 random configurations is allowed"), "{text}");
}

/// Explored points of an evolution strategy count as trials from elsewhere: they have nothing of the point that they replace.
#[test]
fn explored_points_have_no_memo_of_another_point() {
    const DIM: usize = 10;
    let memos = |rate: f64| {
        let optimizer =
            CoinFlip::new(CmaEs::new(Space::unit_cube(DIM)), Space::unit_cube(DIM), rate).unwrap();
        let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(40));
        let loss = |config: &Config| (0..DIM).map(|d| config.float(&format!("x{d}")).unwrap()).sum::<f64>();
        study.run(|config, _| loss(config)).unwrap();
        study.history().trials().iter().filter(|trial| !trial.memo.is_empty()).count()
    };
    assert_eq!((memos(0.0), memos(1.0)), (40, 0));
}

/// A point of a finite space that was asked already gives way to the suggestion of the optimiser.
#[test]
fn explored_points_are_new() {
    let space = Space::builder().int("i", 0, 2).build().unwrap();
    let optimizer = CoinFlip::new(RandomSearch::new(space.clone()), space, 1.0).unwrap();
    let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(12));
    study.run(|config, _| config.int("i").unwrap() as f64).unwrap();
    let mut seen = Vec::new();
    for trial in study.history().trials() {
        if trial.diagnostics["explored"] == 1.0 {
            assert!(!seen.contains(&&trial.query), "{}", trial.query);
        }
        seen.push(&trial.query);
    }
    let explored: f64 = study.history().trials().iter().map(|trial| trial.diagnostics["explored"]).sum();
    assert!((1.0..=3.0).contains(&explored), "{explored}");
    let _ = study.optimizer().optimizer();
}

/// Each of two coins of rate ½ explores half of the trials, and both together three quarters: they are independent.
#[test]
fn coins_around_each_other_are_independent() {
    let inner = CoinFlip::new(Given, line(), 0.5).unwrap();
    let mut optimizer = CoinFlip::new(inner, line(), 0.5).unwrap();
    let (history, mut explored) = (History::new(Seed(7)), [0, 0]);
    let trials: Vec<u64> = (0..400).filter(|id| ![50, 60].contains(id)).collect();
    for &id in &trials {
        let coins = ["coin", "coin 2"].map(|name| history.seed().stream(name, id).uniform() < 0.5);
        let Ask::Evaluate(found) = optimizer.ask(&history, TrialId(id)).unwrap() else { panic!("{id}") };
        assert_eq!(found.diagnostics["explored"] == 1.0, coins[0] || coins[1], "{id}");
        explored[0] += usize::from(coins[0]);
        explored[1] += usize::from(coins[0] || coins[1]);
    }
    let share = |count: usize| count as f64 / trials.len() as f64;
    assert!(
        (share(explored[0]) - 0.5).abs() < 0.1 && (share(explored[1]) - 0.75).abs() < 0.09,
        "{explored:?}"
    );
    // The outer rate is part of the journal beside the inner one.
    let of = |rate| {
        let inner = CoinFlip::new(Given, line(), 0.5).unwrap();
        CoinFlip::new(inner, line(), rate).unwrap().fingerprint().unwrap()
    };
    let differences = of(0.5).differences(&of(0.25));
    assert_eq!(differences.iter().map(|d| &d.path[..]).collect::<Vec<_>>(), ["coin 2[0]"]);
}

/// A hybrid explores by its own coin beside one of the same rate.
#[test]
fn a_hybrid_has_a_coin_of_its_own() {
    let base = BoSettings {
        initial: InitialDesign::Sobol(4),
        maximizer: Maximizer { raw: 16, around_best: 2, climbs: 1 },
        convergence: Convergence::Continue,
        ending: 0,
        ..BoSettings::default()
    };
    let settings = HybridSettings {
        exploration: Exploration::FixedRate { rate: 0.6 },
        convergence: OnConvergence::Ignore,
        ..HybridSettings::default()
    };
    let base = BayesianOptimizer::new(line()).with_settings(base).unwrap();
    let hybrid = Hybrid::new(base).with_settings(settings).unwrap();
    let optimizer = CoinFlip::new(hybrid, line(), 0.6).unwrap().after(4);
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(30));
    study.run(|config, _| (7.0 * x(config)).sin()).unwrap();
    let mut by_hybrid = 0;
    for trial in &study.history().trials()[4..] {
        let coin = |name| Seed(3).stream(name, trial.id.0).uniform();
        let (inner, outer) = (coin("coin") < 0.6, coin("coin 2") < 0.6);
        assert_eq!(trial.diagnostics["explored"] == 1.0, inner || outer, "{:?}", trial.id);
        by_hybrid += usize::from(inner && !outer);
    }
    assert!(by_hybrid > 0, "explored by the hybrid");
}

/// Explored points that the optimiser does not accept, of a space in which it has a fixed value, give way to its suggestions.
#[test]
fn explored_points_are_accepted_by_the_optimizer() {
    let whole = Space::builder().float("x", 0.0, 1.0).int("n", 1, 4).build().unwrap();
    let part = whole.with_fixed("n", 3).unwrap();
    let optimizer = CoinFlip::new(RandomSearch::new(part.clone()), whole, 1.0).unwrap();
    let mut study = Study::new(optimizer, Seed(2)).with_stop(MaxTrials(60));
    study.run(|config, _| x(config)).unwrap();
    let trials = study.history().trials();
    assert!(trials.iter().all(|trial| part.validate(&trial.query).is_ok()));
    let explored: f64 = trials.iter().map(|trial| trial.diagnostics["explored"]).sum();
    assert!((4.0..30.0).contains(&explored), "a quarter of them: {explored}");
}

#[test]
fn rates_outside_of_probabilities_are_named() {
    for rate in [-1e-9, 1.0 + 1e-9, f64::NAN] {
        let error = CoinFlip::new(Given, line(), rate).err().expect("refused").to_string();
        assert!(error.contains(&format!("rate is {rate}")), "{error}");
    }
    assert!(CoinFlip::new(Given, line(), 0.0).is_ok() && CoinFlip::new(Given, line(), 1.0).is_ok());
}

#[test]
fn fingerprints_hold_rate_start_and_optimizer() {
    let of = |rate, start| CoinFlip::new(Given, line(), rate).unwrap().after(start).fingerprint().unwrap();
    assert!(of(0.5, 3).differences(&of(0.5, 3)).is_empty());
    let found = of(0.5, 3).differences(&of(0.25, 4));
    let values: Vec<(&str, &str)> = found.iter().map(|d| (&d.found[..], &d.expected[..])).collect();
    assert_eq!(values, [("0.5", "0.25"), ("3", "4")]);
    let method = &of(0.5, 3).differences(&Given.fingerprint().unwrap())[0];
    assert_eq!(method.found, "\"coin flip over given\"");
}

/// Random configurations that are tried for an explored point: ten thousand, as the error says.
#[test]
fn an_explored_point_is_tried_for_as_often_as_the_error_says() {
    let tried = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&tried);
    let mut hopeless = CoinFlip::new(Given, line(), 1.0).unwrap().with_known_constraint(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        false
    });
    assert!(hopeless.ask(&History::new(Seed(7)), TrialId(3)).is_err(), "nothing is allowed");
    assert_eq!(tried.load(Ordering::Relaxed), 10_000, "configurations");
}
