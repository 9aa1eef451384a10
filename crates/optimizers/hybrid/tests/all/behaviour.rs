//! Decisions of a hybrid in each turn: the rate of exploration, its points, and turns in which exploiting promises nothing.

use thrifty_acquisition::AcquisitionFactory;
use thrifty_acquisition::{ProbabilityOfImprovement, Utility};
use thrifty_bo::{BayesianOptimizer, BoSettings, Convergence, FailurePolicy, InitialDesign, Maximizer};
use thrifty_cv::FoldQuery;
use thrifty_fcvopt::FractionalCv;
use thrifty_hybrid::{Exploration, ExplorePoint, Hybrid, HybridSettings, OnConvergence};
use thrifty_levelset::{ClassificationSet, LevelSetOptimizer, LevelSetSettings};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, History, MaxTrials, Measurement, Next, Optimizer, Outcome, StopReason, Study, Suggestion, TrialId,
};
use thrifty_surrogate::Prediction;

fn line() -> Space {
    Space::builder().float("x", 0.0, 1.0).build().unwrap()
}

fn at(config: &Config) -> f64 {
    config.float("x").unwrap()
}

fn loss(config: &Config) -> f64 {
    (12.0 * at(config)).sin() + at(config)
}

fn base() -> BoSettings {
    BoSettings { maximizer: Maximizer { raw: 64, around_best: 4, climbs: 2 }, ..BoSettings::default() }
}

/// Coins alone decide: what has converged is ignored.
fn settings(exploration: Exploration) -> HybridSettings {
    HybridSettings { exploration, convergence: OnConvergence::Ignore, ..HybridSettings::default() }
}

fn hybrid(settings: &HybridSettings) -> Hybrid<BayesianOptimizer> {
    around(line(), base(), settings.clone())
}

fn around(space: Space, base: BoSettings, settings: HybridSettings) -> Hybrid<BayesianOptimizer> {
    let base = BayesianOptimizer::new(space).with_settings(base).unwrap();
    Hybrid::new(base).with_settings(settings).unwrap()
}

/// Five evaluations of Bayesian optimisation.
fn history() -> History<Config> {
    let optimizer = BayesianOptimizer::new(line()).with_settings(base()).unwrap();
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(5));
    study.run(|config, _| loss(config)).unwrap();
    study.history().clone()
}

/// An optimiser that explores by itself in a turn that exploits says so.
#[test]
fn points_that_the_optimizer_explores_count_as_explored() {
    let base = BoSettings { convergence: Convergence::Explore { epsilon: 0.1 }, ..base() };
    let hybrid = around(line(), base, settings(Exploration::Never));
    let mut study = Study::new(hybrid, Seed(1)).with_stop(MaxTrials(20));
    study.run(|config, _| (at(config) - 0.3).powi(2)).unwrap();
    let modelled = || study.history().trials()[4..].iter();
    let explored: f64 = modelled().map(|trial| trial.diagnostics["explored"]).sum();
    let unexploited = modelled().filter(|trial| !trial.diagnostics.contains_key("acquisition")).count();
    assert!(unexploited > 3, "{unexploited}");
    assert_eq!(explored, unexploited as f64);
    assert!(modelled().all(|trial| trial.diagnostics["forced"] == 0.0));
}

/// Suggestions to one history for trials of many numbers: one coin each.
fn suggestions(settings: &HybridSettings, count: u64) -> Vec<Suggestion<Config>> {
    let (mut hybrid, history) = (hybrid(settings), history());
    let one = |id| match hybrid.ask(&history, TrialId(id)).unwrap() {
        Ask::Evaluate(suggestion) => suggestion,
        other => panic!("{other:?}"),
    };
    (5..5 + count).map(one).collect()
}

fn sum(suggestions: &[Suggestion<Config>], name: &str) -> f64 {
    suggestions.iter().map(|s| s.diagnostics[name]).sum()
}

#[test]
fn the_coin_falls_at_its_rate() {
    for (rate, low, high) in [(0.0, 0.0, 0.0), (0.2, 20.0, 62.0), (0.8, 138.0, 180.0), (1.0, 200.0, 200.0)] {
        let found = suggestions(&settings(Exploration::FixedRate { rate }), 200);
        let explored = sum(&found, "explored");
        // 4 standard deviations about 200 times the rate.
        assert!((low..=high).contains(&explored), "rate {rate}: {explored} of 200");
        assert!(found.iter().all(|s| s.diagnostics["rate"] == rate && s.diagnostics["forced"] == 0.0));
    }
    assert_eq!(sum(&suggestions(&settings(Exploration::Never), 20), "explored"), 0.0);
}

#[test]
fn exploiting_takes_the_acquisition_and_exploring_the_largest_std_dev() {
    let history = history();
    let plain = BayesianOptimizer::new(line()).with_settings(base()).unwrap();
    let belief = plain.state(&history, TrialId(5)).unwrap().expect("a model");
    let std_dev = |x: f64| belief.posterior().predict(&[x]).variance.sqrt();
    let largest = (0..=1000).map(|i| std_dev(f64::from(i) / 1000.0)).fold(0.0, f64::max);
    let always = suggestions(&settings(Exploration::FixedRate { rate: 1.0 }), 3);
    assert!(always.iter().all(|s| std_dev(at(&s.query)) > 0.999 * largest), "{largest}");
    let never = suggestions(&settings(Exploration::Never), 1);
    let Ask::Evaluate(expected) =
        BayesianOptimizer::new(line()).with_settings(base()).unwrap().ask(&history, TrialId(5)).unwrap()
    else {
        panic!("a suggestion")
    };
    assert_eq!(never[0].query, expected.query);
}

#[test]
fn the_scaled_rate_follows_the_probability_of_improvement_down_to_its_floor() {
    let history = history();
    let plain = BayesianOptimizer::new(line()).with_settings(base()).unwrap();
    let target = plain.state(&history, TrialId(5)).unwrap().expect("a model").target(base().rule.target());
    // Always exploring: the suggestion is the point whose probability counts.
    let always = suggestions(&settings(Exploration::PiScaled { basis: 0.0, floor: 1.0 }), 3);
    let mut improvements = Vec::new();
    for (found, id) in always.iter().zip(5..) {
        let belief = plain.state(&history, TrialId(id)).unwrap().expect("a model");
        let Prediction { mean, variance } = belief.posterior().predict(&[at(&found.query)]);
        let improvement = ProbabilityOfImprovement { target }.value(mean, variance.sqrt());
        assert!((found.diagnostics["probability_of_improvement"] - improvement).abs() < 1e-9);
        assert_eq!((found.diagnostics["rate"], found.diagnostics["explored"]), (1.0, 1.0));
        improvements.push(improvement);
    }
    let improvement = improvements[0];
    assert!(improvement > 1e-3 && improvement < 0.9, "{improvement}");
    for (basis, floor) in [(1.0, 0.0), (0.5, 0.0), (1.0, 0.95 * improvement), (0.5, 0.9), (0.0, 0.3)] {
        let found = suggestions(&settings(Exploration::PiScaled { basis, floor }), 1);
        let expected: f64 = floor.max(basis * improvement);
        assert!(
            (found[0].diagnostics["rate"] - expected).abs() < 1e-6,
            "{basis} {floor}: {found:?} {expected}"
        );
    }
    let explored =
        sum(&suggestions(&settings(Exploration::PiScaled { basis: 0.0, floor: 0.3 }), 100), "explored");
    assert!((12.0..=48.0).contains(&explored), "{explored}");
}

/// Settings under which every exploit turn has converged: no improvement is as large as the range.
fn converged(exploration: Exploration, convergence: OnConvergence) -> HybridSettings {
    HybridSettings { convergence, epsilon: 1.0, ..settings(exploration) }
}

#[test]
fn a_converged_turn_is_exploited_forced_skipped_or_the_end() {
    let half = Exploration::FixedRate { rate: 0.5 };
    let ignored = suggestions(&converged(half, OnConvergence::Ignore), 60);
    assert!((10.0..=50.0).contains(&sum(&ignored, "explored")));
    assert_eq!((sum(&ignored, "forced"), sum(&ignored, "turns")), (0.0, 60.0));
    let forced = suggestions(&converged(half, OnConvergence::Force), 60);
    assert_eq!(sum(&forced, "explored"), 60.0);
    // Where the coin did not explore, force does.
    assert_eq!(sum(&forced, "forced"), 60.0 - sum(&ignored, "explored"));
    let skipped = suggestions(&converged(half, OnConvergence::Skip), 60);
    assert_eq!((sum(&skipped, "explored"), sum(&skipped, "forced")), (60.0, 0.0));
    // Two turns in the mean, √2 standard deviation of each: 120 ± 44 are 4 standard deviations of the sum.
    assert!((76.0..=164.0).contains(&sum(&skipped, "turns")), "{}", sum(&skipped, "turns"));
    let stop = |settings: &HybridSettings| match hybrid(settings).ask(&history(), TrialId(5)).unwrap() {
        Ask::Stop(StopReason::Decided { message, .. }) => message,
        other => panic!("{other:?}"),
    };
    assert_eq!(stop(&converged(Exploration::Never, OnConvergence::Stop)), "no improvement is expected");
    assert_eq!(stop(&converged(Exploration::Never, OnConvergence::Skip)), "every turn is spent");
    let spent = HybridSettings { max_turns: Some(0), ..settings(half) };
    assert_eq!(stop(&spent), "every turn is spent");
    let alone = suggestions(&converged(Exploration::ForcedOnConvergence, OnConvergence::Ignore), 5);
    assert_eq!((sum(&alone, "explored"), sum(&alone, "forced")), (5.0, 5.0));
    // What has not converged is exploited, whatever would happen then.
    let open = HybridSettings { epsilon: 0.0, ..converged(Exploration::Never, OnConvergence::Stop) };
    assert_eq!(sum(&suggestions(&open, 3), "explored"), 0.0);
}

#[test]
fn epsilon_rules_are_greedy_and_explore_where_they_say() {
    let history = history();
    let plain = BayesianOptimizer::new(line()).with_settings(base()).unwrap();
    let belief = plain.state(&history, TrialId(5)).unwrap().expect("a model");
    let moments: Vec<Prediction> =
        (0..=1000).map(|i| belief.posterior().predict(&[f64::from(i) / 1000.0])).collect();
    let least = moments.iter().map(|m| m.mean).fold(f64::INFINITY, f64::min);
    for exploration in [Exploration::EpsRandom { epsilon: 0.0 }, Exploration::EpsPareto { epsilon: 0.0 }] {
        for found in suggestions(&settings(exploration), 3) {
            assert!(found.diagnostics["mean"] < least + 1e-3, "{} {least}", found.diagnostics["mean"]);
        }
    }
    // On the front of small mean and large standard deviation among a thousand points: hardly any other point is better in both.
    let front = suggestions(&settings(Exploration::EpsPareto { epsilon: 1.0 }), 60);
    let mut places: Vec<f64> = Vec::new();
    for found in &front {
        let Prediction { mean, variance } = belief.posterior().predict(&[at(&found.query)]);
        let better = moments.iter().filter(|m| m.mean < mean && m.variance > variance).count();
        assert!(better <= 10, "{} points of 1001 dominate {}", better, found.query);
        places.push(mean);
    }
    // All of it, not an end alone.
    let spread = places.iter().copied().fold(f64::NEG_INFINITY, f64::max) - least;
    assert!(spread > 0.2, "{spread}");
    let uniform = suggestions(&settings(Exploration::EpsRandom { epsilon: 1.0 }), 100);
    let below = uniform.iter().filter(|s| at(&s.query) < 0.5).count();
    assert!((30..=70).contains(&below), "{below}");
    let chosen =
        HybridSettings { point: ExplorePoint::Uniform, ..settings(Exploration::FixedRate { rate: 1.0 }) };
    let below = suggestions(&chosen, 100).iter().filter(|s| at(&s.query) < 0.5).count();
    assert!((30..=70).contains(&below), "{below}");
}

#[test]
fn turns_are_counted_over_the_study() {
    let settings = HybridSettings { max_turns: Some(4), ..settings(Exploration::FixedRate { rate: 0.5 }) };
    let mut study = Study::new(hybrid(&settings), Seed(3)).with_stop(MaxTrials(40));
    let reason = study.run(|config, _| loss(config)).unwrap();
    assert!(matches!(reason, StopReason::Decided { .. }), "{reason:?}");
    // The four points of the design are no turns.
    assert_eq!(study.history().len(), 8);
}

/// Trials from elsewhere are no turns, and do not start the count again.
#[test]
fn turns_are_counted_over_trials_from_elsewhere() {
    let settings = HybridSettings { max_turns: Some(4), ..settings(Exploration::FixedRate { rate: 0.5 }) };
    let mut study = Study::new(hybrid(&settings), Seed(3)).with_stop(MaxTrials(40));
    for _ in 0..6 {
        let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a trial") };
        study.tell(trial.id, loss(&trial.query)).unwrap();
    }
    study.enqueue(line().decode(&[0.125])).unwrap();
    let reason = study.run(|config, _| loss(config)).unwrap();
    assert!(matches!(reason, StopReason::Decided { .. }), "{reason:?}");
    assert_eq!(study.history().len(), 9);
}

/// Random points are no use where next to nothing is allowed: those around what was measured are.
#[test]
fn exploration_finds_the_few_points_that_are_allowed() {
    let space = || Space::unit_cube(4);
    let allowed =
        |config: &Config| Space::unit_cube(4).encode(config).unwrap().iter().all(|x| (x - 0.5).abs() < 0.02);
    let given: Vec<Config> =
        [[0.5; 4], [0.49, 0.5, 0.51, 0.5], [0.51; 4]].map(|x| space().decode(&x)).to_vec();
    for point in [ExplorePoint::Uniform, ExplorePoint::Pareto, ExplorePoint::MaxStdDev] {
        let base = BoSettings { initial: InitialDesign::Only(given.clone()), ..BoSettings::default() };
        let base =
            BayesianOptimizer::new(space()).with_settings(base).unwrap().with_known_constraint(allowed);
        let settings = HybridSettings { point, ..settings(Exploration::FixedRate { rate: 1.0 }) };
        let optimizer = Hybrid::new(base).with_settings(settings).unwrap();
        let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(6));
        let stop = study.run(|config, _| space().encode(config).unwrap()[0]).unwrap();
        assert_ne!(stop, StopReason::Exhausted, "{point:?}");
        let trials = study.history().trials();
        assert!(trials.len() == 6 && trials.iter().all(|trial| allowed(&trial.query)), "{point:?}");
        assert_eq!(trials[5].diagnostics["explored"], 1.0);
    }
}

/// Exploration around folds and level sets: neither a rare constraint nor a front that was asked ends the study.
#[test]
fn exploration_around_folds_and_level_sets_goes_on() {
    for point in [ExplorePoint::Uniform, ExplorePoint::Pareto] {
        let rule = || HybridSettings { point, ..settings(Exploration::FixedRate { rate: 1.0 }) };
        let rare = |config: &Config| config.float("x0").unwrap() < 0.01;
        let square = || Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)]).unwrap();
        let folds = FractionalCv::new(square(), 3).unwrap().with_known_constraint(rare);
        let mut folds =
            Study::new(Hybrid::new(folds).with_settings(rule()).unwrap(), Seed(2)).with_stop(MaxTrials(16));
        let stop = folds.run(|query: &FoldQuery, _| query.config.float("x1").unwrap() + query.fold as f64);
        assert_eq!(stop.unwrap(), StopReason::Trials(16), "{point:?}");
        assert!(folds.history().trials().iter().all(|trial| rare(&trial.query.config)));

        // Four configurations of six folds: all are asked, although the front has one or two of them.
        let grid = Space::builder().int("i", 0, 3).build().unwrap();
        let folds = FractionalCv::new(grid, 6).unwrap();
        let mut folds =
            Study::new(Hybrid::new(folds).with_settings(rule()).unwrap(), Seed(2)).with_stop(MaxTrials(40));
        folds.run(|query: &FoldQuery, _| query.config.float("i").unwrap() + query.fold as f64).unwrap();
        assert_eq!(folds.history().len(), 24, "{point:?}");

        let tiny = |config: &Config| {
            let x = [config.float("x0").unwrap(), config.float("x1").unwrap()];
            x.iter().all(|x| (x - 0.5).abs() < 0.002)
        };
        let initial = [[0.5, 0.5], [0.499, 0.5], [0.501, 0.501]].map(|x| square().decode(&x)).to_vec();
        let over = ClassificationSet::Domain { points: 64 };
        let settings =
            LevelSetSettings { initial: InitialDesign::Only(initial), over, ..LevelSetSettings::above(0.5) };
        let level_set = LevelSetOptimizer::new(square(), settings).unwrap().with_known_constraint(tiny);
        let mut level_set = Study::new(Hybrid::new(level_set).with_settings(rule()).unwrap(), Seed(2))
            .with_stop(MaxTrials(8));
        let stop = level_set.run(|config: &Config, _| config.float("x0").unwrap()).unwrap();
        assert_eq!(stop, StopReason::Trials(8), "{point:?}");
        assert!(level_set.history().trials().iter().all(|trial| tiny(&trial.query)), "{point:?}");
    }
}

#[test]
fn running_trials_are_not_asked_again() {
    let space = Space::builder().float("x", -5.0, 10.0).float("y", 0.0, 15.0).build().unwrap();
    let bowl = |config: &Config| {
        (config.float("x").unwrap() - 2.3).powi(2) + (config.float("y").unwrap() - 7.7).powi(2)
    };
    let mut near = 0;
    for seed in 0..10 {
        let settings = HybridSettings {
            exploration: Exploration::FixedRate { rate: 0.1 },
            convergence: OnConvergence::Ignore,
            ..HybridSettings::default()
        };
        let optimizer = around(space.clone(), BoSettings::default(), settings);
        let mut study = Study::new(optimizer, Seed(seed));
        let mut next = |tell: bool| {
            let Next::Evaluate(trial) = study.ask().unwrap() else { panic!("a trial") };
            if tell {
                study.tell(trial.id, bowl(&trial.query)).unwrap();
            }
            (trial.query.float("x").unwrap(), trial.query.float("y").unwrap())
        };
        for _ in 0..15 {
            next(true);
        }
        let batch: Vec<(f64, f64)> = (0..4).map(|_| next(false)).collect();
        for (i, a) in batch.iter().enumerate() {
            near += batch[..i].iter().filter(|b| (a.0 - b.0).hypot(a.1 - b.1) / 15.0 < 1e-4).count();
        }
    }
    assert!(near <= 1, "{near} of 60 pairs");
}

#[test]
fn finite_spaces_end_even_when_everything_fails() {
    let space = Space::builder().int("n", 1, 3).categorical("c", ["a", "b"]).build().unwrap();
    for failures in [FailurePolicy::AsWorst, FailurePolicy::Ignore] {
        for fails in [true, false] {
            let base = BoSettings { failures, ..base() };
            let optimizer = around(space.clone(), base, settings(Exploration::FixedRate { rate: 0.3 }));
            let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(50));
            let outcome = |config: &Config| {
                if fails { Outcome::failed("always") } else { (config.int("n").unwrap() as f64).into() }
            };
            assert_eq!(study.run(|config, _| outcome(config)).unwrap(), StopReason::Exhausted);
            let mut asked: Vec<String> =
                study.history().trials().iter().map(|t| t.query.to_string()).collect();
            asked.sort();
            asked.dedup();
            assert_eq!((asked.len(), study.history().len()), (6, 6), "{failures:?} {fails}");
        }
    }
}

#[test]
fn bad_settings_are_named() {
    let error = |settings: HybridSettings| {
        Hybrid::new(BayesianOptimizer::new(line()))
            .with_settings(settings)
            .err()
            .expect("refused")
            .to_string()
    };
    let exploration = |exploration| error(HybridSettings { exploration, ..HybridSettings::default() });
    assert!(exploration(Exploration::FixedRate { rate: 1.5 }).contains("rate is 1.5"));
    assert!(exploration(Exploration::PiScaled { basis: -0.1, floor: 0.0 }).contains("basis is -0.1"));
    assert!(exploration(Exploration::PiScaled { basis: 0.1, floor: f64::NAN }).contains("floor is NaN"));
    assert!(exploration(Exploration::EpsPareto { epsilon: 2.0 }).contains("epsilon is 2"));
    assert!(
        error(HybridSettings { epsilon: -1.0, ..HybridSettings::default() })
            .contains("epsilon of convergence")
    );
}

/// A constraint that the design does not meet: exploration by the probability of improvement looks for what is feasible first. It explored in
/// every turn, as every loss is an improvement on nothing.
#[test]
fn the_scaled_rule_looks_for_what_is_feasible() {
    let found = |seed: u64| {
        let space = Space::from_bounds(&[(0.0, 1.0); 3]).unwrap();
        let hybrid = around(space, base(), settings(Exploration::PiScaled { basis: 1.0, floor: 0.0 }));
        let mut study = Study::new(hybrid, Seed(seed)).with_stop(MaxTrials(25));
        let evaluate = |config: &Config| {
            let x = ["x0", "x1", "x2"].map(|name| config.float(name).unwrap());
            let distance = x.iter().map(|x| (x - 0.3).powi(2)).sum::<f64>().sqrt();
            Measurement { constraints: vec![distance - 0.15], ..Measurement::from(x[0]) }
        };
        study.run(|config, _| evaluate(config)).unwrap();
        study.history().best().is_some()
    };
    assert!((0..4).filter(|seed| found(*seed)).count() >= 3);
}
