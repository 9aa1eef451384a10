//! Suggestions that only change on purpose: short searches under every way to explore, trial by trial.
//!
//! The numbers were recorded from this crate (`made_by` in the file); that they are right is the matter of other tests.

use serde_json::Value;
use thrifty_bo::{BayesianOptimizer, BoSettings, InitialDesign, LossTransform, Maximizer};
use thrifty_hybrid::{Exploration, ExplorePoint, Hybrid, HybridSettings, OnConvergence};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{MaxTrials, Study};

const RECORD: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/stability_hybrid.json"));

/// Compares with the record. The tolerance leaves room for other rounding on other machines.
fn check(name: &str, found: &[f64]) {
    println!("RECORD {name} {found:?}");
    let record: Value = serde_json::from_str(RECORD).unwrap();
    let expected: Vec<f64> =
        record[name].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    assert_eq!(found.len(), expected.len(), "{name}: {found:?}");
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() <= 1e-4 * expected.abs().max(0.01), "{name}: {found} {expected}");
    }
}

fn space() -> Space {
    Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)]).unwrap()
}

fn loss(config: &Config) -> f64 {
    let (x, y) = (config.float("x0").unwrap(), config.float("x1").unwrap());
    (7.0 * x).sin() + (y - 0.4).powi(2)
}

fn run(name: &str, settings: &HybridSettings) {
    let base = BoSettings {
        initial: InitialDesign::Sobol(4),
        maximizer: Maximizer { raw: 32, around_best: 3, climbs: 2 },
        losses: LossTransform::UpperTail,
        ..BoSettings::default()
    };
    let optimizer = Hybrid::new(BayesianOptimizer::new(space()).with_settings(base).unwrap())
        .with_settings(settings.clone())
        .unwrap();
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(12));
    study.run(|config, _| loss(config)).unwrap();
    let mut found = vec![study.history().len() as f64];
    for trial in study.history().trials() {
        found.extend(space().encode(&trial.query).unwrap());
        found.extend(recorded(trial).values().filter(|v| v.is_finite()));
    }
    check(name, &found);
}

/// Diagnostics that are younger than the record.
const LATER: [&str; 6] =
    ["acquisition", "expected_gain", "expected_cost", "predicted", "predicted_low", "predicted_high"];

/// Diagnostics by the names that they had when the record was made; the number of the run was one of them.
fn recorded(trial: &thrifty_study::Trial<Config>) -> std::collections::BTreeMap<&str, f64> {
    let mut diagnostics: std::collections::BTreeMap<&str, f64> =
        trial.diagnostics.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    diagnostics.retain(|name, _| !LATER.contains(name));
    if let Some(std_dev) = diagnostics.remove("std_dev") {
        diagnostics.insert("deviation", std_dev);
    }
    diagnostics.insert("run", 0.0);
    diagnostics
}

#[test]
fn searches_keep_their_suggestions() {
    for (name, exploration) in [
        ("never", Exploration::Never),
        ("fixed", Exploration::FixedRate { rate: 0.5 }),
        ("scaled", Exploration::PiScaled { basis: 0.9, floor: 0.2 }),
        ("random", Exploration::EpsRandom { epsilon: 0.5 }),
        ("pareto", Exploration::EpsPareto { epsilon: 0.5 }),
        ("forced", Exploration::ForcedOnConvergence),
    ] {
        for (how, convergence) in [
            ("ignore", OnConvergence::Ignore),
            ("stop", OnConvergence::Stop),
            ("skip", OnConvergence::Skip),
            ("force", OnConvergence::Force),
        ] {
            let max_turns = Some(40);
            let settings = HybridSettings {
                exploration,
                convergence,
                epsilon: 0.02,
                max_turns,
                ..HybridSettings::default()
            };
            run(&format!("{name}_{how}"), &settings);
        }
    }
    for (name, point) in [
        ("deviation", ExplorePoint::MaxStdDev),
        ("uniform", ExplorePoint::Uniform),
        ("front", ExplorePoint::Pareto),
    ] {
        let exploration = Exploration::FixedRate { rate: 0.8 };
        run(name, &HybridSettings { exploration, point, ..HybridSettings::default() });
    }
}
