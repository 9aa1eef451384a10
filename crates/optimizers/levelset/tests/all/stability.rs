//! Suggestions that only change on purpose: short searches under every criterion, trial by trial.
//!
//! The numbers were recorded from this crate (`made_by` in the file); that they are right is the matter of other tests.

use serde_json::Value;
use thrifty_levelset::{
    ClassificationSet, Confidence, Criterion, FixedGp, Integration, LevelSetOptimizer, LevelSetSettings,
    Threshold,
};
use thrifty_model_based::{InitialDesign, KernelFamily, Maximizer};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{MaxTrials, Outcome, Schedule, Study};

const RECORD: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/stability_levelset.json"));

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

fn square() -> Space {
    Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)]).unwrap()
}

fn known() -> FixedGp {
    FixedGp {
        family: KernelFamily::Matern52,
        lengthscales: vec![0.35, 0.5],
        variance: 4.0,
        mean: 1.0,
        noise_variance: 0.01,
    }
}

/// A hill and a slope; trial 5 fails.
fn outcome(config: &Config, id: u64) -> Outcome {
    if id == 5 {
        return Outcome::failed("the sixth");
    }
    let (x, y) = (config.float("x0").unwrap(), config.float("x1").unwrap());
    (3.0 * (-8.0 * ((x - 0.6).powi(2) + (y - 0.4).powi(2))).exp() + x - 0.5 * y).into()
}

fn settings(criterion: Criterion) -> LevelSetSettings {
    LevelSetSettings {
        over: ClassificationSet::Grid { per_axis: 7 },
        initial: InitialDesign::Random(3),
        maximizer: Maximizer { raw: 16, around_best: 3, climbs: 1 },
        criterion,
        stop_when_certified: false,
        ..LevelSetSettings::above(1.5)
    }
}

fn run(name: &str, settings: LevelSetSettings, fixed: bool, window: usize) {
    let looks_ahead = matches!(
        settings.criterion,
        Criterion::IntegratedBernoulli
            | Criterion::MisclassifiedVolume
            | Criterion::TargetedVariance { .. }
            | Criterion::TruncatedVariance { .. }
            | Criterion::SuperlevelVolume { .. }
            | Criterion::BoundaryInformation
    );
    let mut optimizer = LevelSetOptimizer::new(square(), settings).unwrap();
    if fixed {
        optimizer = optimizer.with_fixed_model(known());
    }
    // When the record was made a known cost counted for criteria that look ahead alone.
    if looks_ahead {
        optimizer = optimizer.with_cost("walk", |config| 1.0 + config.float("x0").unwrap());
    }
    let mut study =
        Study::new(optimizer, Seed(2)).with_stop(MaxTrials(9)).with_schedule(Schedule::Window(window));
    study.run(|config, context| outcome(config, context.id.0)).unwrap();
    let mut found = Vec::new();
    for trial in study.history().trials() {
        found.extend(square().encode(&trial.query).unwrap());
        // The name that it had when the record was made gives the order.
        let named = trial
            .diagnostics
            .iter()
            .map(|(name, v)| (if name == "std_dev" { "deviation" } else { name }, *v));
        let named: std::collections::BTreeMap<&str, f64> = named.collect();
        found.extend(named.values().filter(|v| v.is_finite()));
        found.extend(
            study.optimizer().above_before(trial).map(|above| above.iter().filter(|a| **a).count() as f64),
        );
    }
    let classified = study.recommend().unwrap().unwrap();
    found.push(classified.predicted_above().iter().filter(|above| **above).count() as f64);
    check(name, &found);
}

#[test]
fn criteria_keep_their_suggestions() {
    for (name, criterion) in [
        ("straddle", Criterion::Straddle { kappa: 1.96 }),
        ("randomised", Criterion::RandomizedStraddle),
        ("ambiguity", Criterion::Ambiguity),
        ("feasibility", Criterion::ExpectedFeasibility { alpha: 2.0 }),
        ("ranjan", Criterion::Ranjan { alpha: 1.5 }),
        ("targeted_error", Criterion::TargetedError { bandwidth: 0.1 }),
        ("bernoulli_variance", Criterion::BernoulliVariance),
        ("bernoulli_entropy", Criterion::BernoulliEntropy),
        ("integrated", Criterion::IntegratedBernoulli),
        ("misclassified", Criterion::MisclassifiedVolume),
        ("targeted_variance", Criterion::TargetedVariance { bandwidth: 0.1 }),
        ("truncated", Criterion::TruncatedVariance { shrink: 0.1, slack: 0.2 }),
        ("superlevel", Criterion::SuperlevelVolume { kappa: 1.96, gamma: 1e-3 }),
        ("boundary", Criterion::BoundaryInformation),
        ("deviation", Criterion::MaxStdDev),
        ("random", Criterion::Random),
    ] {
        run(name, settings(criterion), true, 1);
        run(&format!("{name}_parallel"), settings(criterion), true, 2);
        let domain =
            LevelSetSettings { over: ClassificationSet::Domain { points: 40 }, ..settings(criterion) };
        run(&format!("{name}_domain"), domain, true, 1);
    }
}

#[test]
fn settings_keep_their_suggestions() {
    let base = || settings(Criterion::IntegratedBernoulli);
    run("fitted", base(), false, 1);
    let few = Integration { points: 10, limit: 1.0 };
    run("few_points", LevelSetSettings { integration: few, ..base() }, true, 1);
    run("shortlist", LevelSetSettings { shortlist: 5, ..base() }, true, 1);
    run("revisit", LevelSetSettings { revisit: true, epsilon: 0.2, ..base() }, true, 1);
    run("implicit", LevelSetSettings { threshold: Threshold::Implicit { omega: 0.6 }, ..base() }, true, 1);
    for (name, confidence) in [
        ("srinivas", Confidence::Srinivas { delta: 0.1 }),
        ("gotovos", Confidence::Gotovos { delta: 0.2 }),
        ("constant", Confidence::Constant { beta: 2.0 }),
    ] {
        let criterion = Criterion::TruncatedVariance { shrink: 0.5, slack: 0.0 };
        run(name, LevelSetSettings { confidence, ..settings(criterion) }, true, 1);
        run(
            &format!("{name}_ambiguity"),
            LevelSetSettings { confidence, ..settings(Criterion::Ambiguity) },
            true,
            1,
        );
    }
}
