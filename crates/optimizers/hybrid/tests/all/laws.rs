//! Laws of every hybrid, whatever its settings.

use proptest::prelude::*;
use thrifty_bo::{BayesianOptimizer, BoSettings, Maximizer};
use thrifty_hybrid::{
    Anticipation, ConvergenceMeasure, Exploration, ExplorePoint, Hybrid, HybridSettings, OnConvergence,
};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{History, MaxTrials, Schedule, Study};

fn explorations() -> impl Strategy<Value = Exploration> {
    let share = || 0.0..=1.0_f64;
    prop_oneof![
        Just(Exploration::Never),
        Just(Exploration::ForcedOnConvergence),
        share().prop_map(|rate| Exploration::FixedRate { rate }),
        (share(), share()).prop_map(|(basis, floor)| Exploration::PiScaled { basis, floor }),
        share().prop_map(|epsilon| Exploration::EpsRandom { epsilon }),
        share().prop_map(|epsilon| Exploration::EpsPareto { epsilon }),
    ]
}

fn settings() -> impl Strategy<Value = HybridSettings> {
    let point =
        prop::sample::select(vec![ExplorePoint::MaxStdDev, ExplorePoint::Uniform, ExplorePoint::Pareto]);
    let convergence = prop::sample::select(vec![
        OnConvergence::Ignore,
        OnConvergence::Stop,
        OnConvergence::Skip,
        OnConvergence::Force,
    ]);
    let anticipation = prop::sample::select(vec![
        Anticipation::Own,
        Anticipation::ExpectedImprovement,
        Anticipation::ProbabilityOfImprovement,
        Anticipation::Mean,
    ]);
    let measure =
        prop::sample::select(vec![ConvergenceMeasure::ExpectedImprovement, ConvergenceMeasure::Anticipated]);
    let epsilon = prop::sample::select(vec![0.0, 1e-3, 0.1, 1.0]);
    (explorations(), point, convergence, epsilon, anticipation, measure).prop_map(
        |(exploration, point, convergence, epsilon, anticipation, measure)| HybridSettings {
            exploration,
            point,
            convergence,
            epsilon,
            max_turns: None,
            anticipation,
            measure,
        },
    )
}

fn run(settings: &HybridSettings, seed: u64, sittings: &[usize], window: usize) -> History<Config> {
    let space = Space::builder().float("x", 0.0, 1.0).categorical("c", ["a", "b"]).build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::default();
    for &end in sittings {
        let maximizer = Maximizer { raw: 32, around_best: 2, climbs: 1 };
        let base = BoSettings { maximizer, ..BoSettings::default() };
        let base = BayesianOptimizer::new(space.clone()).with_settings(base).unwrap();
        let optimizer = Hybrid::new(base).with_settings(settings.clone()).unwrap();
        let study = Study::new(optimizer, Seed(seed)).with_stop(MaxTrials(end));
        let study = study.with_schedule(Schedule::Window(window));
        let mut study = study.with_journal(folder.path().join("journal")).unwrap();
        let loss = |config: &Config| {
            let x = config.float("x").unwrap();
            if config.str("c") == Ok("a") { (9.0 * x).sin() } else { x - 0.5 }
        };
        study.run_parallel(1, |config, _| loss(config)).unwrap();
        history = study.history().clone();
    }
    history
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Diagnostics agree with each other, no point comes twice, and a study in parts is one in a piece.
    #[test]
    fn turns_make_sense(settings in settings(), seed in 0_u64..1000, window in 1_usize..4) {
        let history = run(&settings, seed, &[11], window);
        let mut turns = 0.0;
        for (i, trial) in history.trials().iter().enumerate() {
            prop_assert!(history.trials()[..i].iter().all(|other| other.query != trial.query), "a repeat");
            let Some(&now) = trial.diagnostics.get("turns") else { continue };
            let of = |name: &str| trial.diagnostics[name];
            prop_assert!(now > turns, "{now} after {turns}");
            turns = now;
            prop_assert!(of("explored") == 1.0 || of("explored") == 0.0);
            prop_assert!(of("forced") <= of("explored"));
            prop_assert!((0.0..=1.0).contains(&of("rate")));
            prop_assert!(of("max_expected_improvement") >= 0.0);
            match settings.exploration {
                Exploration::Never | Exploration::ForcedOnConvergence => {
                    // Where no improvement is expected the optimiser explores by itself.
                    let by_itself = !trial.diagnostics.contains_key("acquisition");
                    prop_assert_eq!(of("rate"), 0.0);
                    prop_assert!(by_itself || of("explored") == of("forced"));
                }
                Exploration::FixedRate { rate } => prop_assert_eq!(of("rate"), rate),
                Exploration::EpsRandom { epsilon } | Exploration::EpsPareto { epsilon } => {
                    prop_assert_eq!(of("rate"), epsilon);
                }
                Exploration::PiScaled { basis, floor } => {
                    prop_assert_eq!(of("rate"), floor.max(basis * of("probability_of_improvement")));
                }
            }
        }
        if window == 1 {
            prop_assert_eq!(run(&settings, seed, &[2, 5, 7, 11], 1).trials().iter().map(|t| t.query.clone()).collect::<Vec<_>>(),
                history.trials().iter().map(|t| t.query.clone()).collect::<Vec<_>>());
        }
    }
}

/// A finite space that is always explored is asked configuration by configuration, none of them twice, to the last.
#[test]
fn exploring_a_finite_space_repeats_nothing() {
    let space = Space::builder().int("i", 0, 4).categorical("c", ["a", "b", "d"]).build().unwrap();
    for point in [ExplorePoint::Uniform, ExplorePoint::Pareto, ExplorePoint::MaxStdDev] {
        let settings = HybridSettings {
            exploration: Exploration::FixedRate { rate: 1.0 },
            point,
            convergence: OnConvergence::Ignore,
            ..HybridSettings::default()
        };
        let maximizer = Maximizer { raw: 32, around_best: 2, climbs: 1 };
        let base = BoSettings { maximizer, ..BoSettings::default() };
        let base = BayesianOptimizer::new(space.clone()).with_settings(base).unwrap();
        let optimizer = Hybrid::new(base).with_settings(settings).unwrap();
        let mut study = Study::new(optimizer, Seed(5)).with_stop(MaxTrials(15));
        study.run(|config, _| (config.int("i").unwrap() as f64 - 1.3).powi(2)).unwrap();
        let asked: std::collections::BTreeSet<String> =
            study.history().trials().iter().map(|trial| trial.query.to_string()).collect();
        assert_eq!((asked.len(), study.history().len()), (15, 15), "{point:?}");
    }
}
