//! Hybrids around optimisers of several objectives.

use thrifty_bo::{InitialDesign, Maximizer, MultiObjectiveOptimizer, MultiObjectiveSettings};
use thrifty_hybrid::{Exploration, ExplorePoint, Hybrid, HybridSettings, OnConvergence};
use thrifty_levelset::{LevelSetOptimizer, LevelSetSettings};
use thrifty_model_based::{ModelBased, Turn};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Ask, History, MaxTrials, Measurement, Optimizer, Study, Suggestion, TrialId};

fn line() -> Space {
    Space::builder().float("x", 0.0, 1.0).build().unwrap()
}

fn base() -> MultiObjectiveOptimizer {
    let maximizer = Maximizer { raw: 256, around_best: 4, climbs: 4 };
    let settings = MultiObjectiveSettings { maximizer, ..MultiObjectiveSettings::default() };
    MultiObjectiveOptimizer::new(line()).with_settings(settings).unwrap()
}

fn history() -> History<Config> {
    let mut study = Study::new(base(), Seed(3)).with_stop(MaxTrials(6));
    study
        .run(|config: &Config, _| {
            let x = config.float("x").unwrap();
            Measurement { objectives: vec![(12.0 * x).sin(), (x - 0.7).powi(2)], ..Measurement::default() }
        })
        .unwrap();
    study.history().clone()
}

fn ask(exploration: Exploration, point: ExplorePoint) -> Result<Suggestion<Config>, String> {
    let convergence = OnConvergence::Ignore;
    let settings = HybridSettings { exploration, point, convergence, ..HybridSettings::default() };
    let mut hybrid = Hybrid::new(base()).with_settings(settings).unwrap();
    match hybrid.ask(&history(), TrialId(6)) {
        Ok(Ask::Evaluate(suggestion)) => Ok(suggestion),
        Ok(other) => panic!("{other:?}"),
        Err(error) => {
            Err(format!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string)))
        }
    }
}

/// The point to explore has the largest sum of the logarithms of the standard deviations of all objectives.
#[test]
fn the_largest_std_dev_is_that_of_all_objectives() {
    let (history, mut optimizer) = (history(), base());
    let Turn::Modelled(turn) = optimizer.turn(&history, TrialId(6)).unwrap() else { panic!("models") };
    let posteriors = turn.posteriors();
    assert_eq!(posteriors.len(), 2);
    let entropy = |x: f64| posteriors.iter().map(|p| p.predict(&[x]).variance.sqrt().ln()).sum::<f64>();
    let largest = (0..=2000).map(|i| entropy(f64::from(i) / 2000.0)).fold(f64::NEG_INFINITY, f64::max);
    let found = ask(Exploration::FixedRate { rate: 1.0 }, ExplorePoint::MaxStdDev).unwrap();
    let at = entropy(found.query.float("x").unwrap());
    assert!(at > largest - 1e-3, "{at} {largest}");
    // Elsewhere it is less, so that the maximum says something.
    assert!((0..20).any(|i| entropy(f64::from(i) / 20.0) < largest - 0.5));
    assert_eq!((found.diagnostics["explored"], found.diagnostics["forced"]), (1.0, 0.0));
}

/// Rules that need one objective return a typed error.
#[test]
fn rules_of_one_objective_are_errors() {
    let rate = Exploration::FixedRate { rate: 1.0 };
    let error = ask(rate, ExplorePoint::Pareto).unwrap_err();
    assert!(error.contains("needs an optimiser with one objective"), "{error}");
    let error = ask(Exploration::PiScaled { basis: 1.0, floor: 0.0 }, ExplorePoint::MaxStdDev).unwrap_err();
    assert!(
        error.contains("the probability of improvement needs an optimiser with one objective"),
        "{error}"
    );
    assert!(ask(Exploration::EpsPareto { epsilon: 1.0 }, ExplorePoint::MaxStdDev).is_err());
    assert!(ask(rate, ExplorePoint::Uniform).is_ok());
}

/// They are errors at the first turn, whatever the coin says, and none where the rule has no say.
#[test]
fn rules_of_one_objective_are_errors_before_they_are_needed() {
    let never = Exploration::FixedRate { rate: 0.0 };
    assert!(ask(never, ExplorePoint::MaxStdDev).is_ok());
    let error = ask(never, ExplorePoint::Pareto).unwrap_err();
    assert!(error.contains("trial 6") && error.contains("needs an optimiser with one objective"), "{error}");
    for greedy in [Exploration::EpsRandom { epsilon: 1.0 }, Exploration::EpsRandom { epsilon: 0.0 }] {
        let error = ask(greedy, ExplorePoint::MaxStdDev).unwrap_err();
        assert!(error.contains("needs an optimiser with one objective"), "{error}");
    }
    assert!(ask(Exploration::Never, ExplorePoint::Pareto).is_ok());
}

/// Weighted sums of many objectives have one model, and level sets too: neither takes another acquisition function.
#[test]
fn another_acquisition_function_is_an_error_at_the_first_turn() {
    for epsilon in [1.0, 0.0] {
        let settings = || HybridSettings {
            exploration: Exploration::EpsRandom { epsilon },
            convergence: OnConvergence::Ignore,
            ..HybridSettings::default()
        };
        let many = Hybrid::new(base()).with_settings(settings()).unwrap();
        let mut many = Study::new(many, Seed(1)).with_stop(MaxTrials(9));
        let error = many.run(|config: &Config, _| {
            let x = config.float("x").unwrap();
            Measurement {
                objectives: (0..5).map(|j| (x - f64::from(j)).powi(2)).collect(),
                ..Default::default()
            }
        });
        let level_set = LevelSetOptimizer::new(line(), LevelSetSettings::above(0.5)).unwrap();
        let level_set = Hybrid::new(level_set).with_settings(settings()).unwrap();
        let mut level_set = Study::new(level_set, Seed(1)).with_stop(MaxTrials(9));
        for error in [error, level_set.run(|config: &Config, _| config.float("x").unwrap())] {
            let error = format!("{:?}", error.unwrap_err());
            assert!(
                error.contains("another acquisition function needs an optimiser with one objective"),
                "{error}"
            );
        }
        assert!(many.history().len() < 9 && level_set.history().len() < 9);
    }
}

/// There is an expected improvement of the hypervolume, but no loss to improve on.
#[test]
fn suggestions_have_no_threshold() {
    let found = ask(Exploration::Never, ExplorePoint::MaxStdDev).unwrap();
    assert_eq!((found.diagnostics["explored"], found.diagnostics["rate"]), (0.0, 0.0));
    assert!(found.diagnostics["max_expected_improvement"] > 0.0);
    assert!(!found.diagnostics.contains_key("probability_of_improvement"));
    assert_eq!(found.diagnostics["turns"], 1.0);
}

/// Random points are no use where next to nothing is allowed: those around what was measured are.
#[test]
fn exploration_finds_the_few_points_that_are_allowed() {
    let given: Vec<Config> =
        [[0.5; 4], [0.49, 0.5, 0.51, 0.5], [0.51; 4]].map(|x| Space::unit_cube(4).decode(&x)).to_vec();
    let at = |config: &Config| Space::unit_cube(4).encode(config).unwrap();
    let allowed = move |config: &Config| at(config).iter().all(|x| (x - 0.5).abs() < 0.02);
    let settings = MultiObjectiveSettings { initial: InitialDesign::Only(given), ..Default::default() };
    let base = MultiObjectiveOptimizer::new(Space::unit_cube(4)).with_settings(settings).unwrap();
    let settings = HybridSettings {
        exploration: Exploration::FixedRate { rate: 1.0 },
        point: ExplorePoint::Uniform,
        convergence: OnConvergence::Ignore,
        ..HybridSettings::default()
    };
    let optimizer = Hybrid::new(base.with_known_constraint(allowed)).with_settings(settings).unwrap();
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(6));
    study
        .run(|config: &Config, _| {
            let objectives = vec![at(config)[0], -at(config)[0] + at(config)[1]];
            Measurement { objectives, ..Measurement::default() }
        })
        .unwrap();
    let trials = study.history().trials();
    assert!(trials.len() == 6 && trials.iter().all(|trial| allowed(&trial.query)));
}
