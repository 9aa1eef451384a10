//! Suggestions that only change on purpose: short searches under every setting, trial by trial.
//!
//! The numbers were recorded from this crate (`made_by` in the file); that they are right is the matter of other tests.

use serde_json::Value;
use thrifty_acquisition::{AcquisitionKind, ImprovementTarget, Schedule as Width};
use thrifty_cv::FoldQuery;
use thrifty_fcvopt::{
    FoldAcquisition, FoldCosts, FoldRule, FractionalCv, FractionalSettings, Incumbent, InitialFolds,
    LossTarget,
};
use thrifty_model_based::{InitialDesign, Maximizer};
use thrifty_sampling::Seed;
use thrifty_space::Space;
use thrifty_study::{MaxTrials, Measurement, Outcome, Schedule, Study};

const RECORD: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/stability_fcvopt.json"));

/// Diagnostics that are younger than the record.
const LATER: [&str; 2] = ["expected_gain", "expected_cost"];

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

/// A loss with an effect of the fold, and a cost that grows along one axis; trial 6 fails.
fn outcome(query: &FoldQuery, id: u64) -> Outcome {
    if id == 6 {
        return Outcome::failed("the seventh");
    }
    let (x, y) = (query.config.float("x0").unwrap(), query.config.float("x1").unwrap());
    let (fold, repeat) = (query.fold as f64, query.repeat as f64);
    let loss = (x - 0.3).powi(2) + 0.7 * (y - 0.6).powi(2) + 0.1 * (2.1 * fold + 3.0 * x + repeat).sin();
    Measurement { objectives: vec![loss], cost: Some(1.0 + x + 0.2 * fold), ..Measurement::default() }.into()
}

fn base() -> FractionalSettings {
    FractionalSettings {
        initial: InitialDesign::Sobol(3),
        maximizer: Maximizer { raw: 16, around_best: 3, climbs: 1 },
        // The bound with which these values were recorded.
        acquisition: FoldAcquisition::OfLoss(AcquisitionKind::ConfidenceBound(Width::Constant { beta: 4.0 })),
        ..FractionalSettings::new(3)
    }
}

fn run(name: &str, settings: FractionalSettings, trials: usize, window: usize) {
    let optimizer =
        FractionalCv::new(space(), settings.folds).and_then(|cv| cv.with_settings(settings)).unwrap();
    let mut study =
        Study::new(optimizer, Seed(4)).with_stop(MaxTrials(trials)).with_schedule(Schedule::Window(window));
    study.run(|query, context| outcome(query, context.id.0)).unwrap();
    let mut found = Vec::new();
    for trial in study.history().trials() {
        found.extend(space().encode(&trial.query.config).unwrap());
        found.extend([trial.query.fold as f64, trial.query.repeat as f64]);
        // The name that it had when the record was made gives the order.
        let named = trial
            .diagnostics
            .iter()
            .map(|(name, v)| (if name == "std_dev" { "deviation" } else { name }, *v));
        let named: std::collections::BTreeMap<&str, f64> =
            named.filter(|(name, v)| v.is_finite() && !LATER.contains(name)).collect();
        found.extend(named.values());
    }
    if let Some(chosen) = study.recommend().unwrap() {
        found.extend(space().encode(&chosen.config).unwrap());
    }
    check(name, &found);
}

#[test]
fn searches_keep_their_suggestions() {
    run("defaults", base(), 12, 1);
    run("parallel", base(), 12, 3);
    for (name, initial_folds) in [
        ("folds_random", InitialFolds::Random),
        ("folds_two", InitialFolds::Two),
        ("balanced", InitialFolds::Balanced),
    ] {
        run(name, FractionalSettings { initial_folds, ..base() }, 10, 1);
    }
    for (name, fold) in [
        ("rule_random", FoldRule::Random),
        ("rule_round", FoldRule::RoundRobin),
        ("rule_package", FoldRule::Package),
        ("rule_variance", FoldRule::LeastVariance),
    ] {
        run(name, FractionalSettings { fold, ..base() }, 10, 1);
        run(&format!("{name}_parallel"), FractionalSettings { fold, ..base() }, 10, 2);
    }
    for (name, acquisition) in [
        (
            "improvement",
            FoldAcquisition::OfLoss(AcquisitionKind::LogExpectedImprovement(ImprovementTarget::BestMean)),
        ),
        ("knowledge", FoldAcquisition::KnowledgeGradient),
        ("joint_knowledge", FoldAcquisition::JointKnowledgeGradient),
    ] {
        run(name, FractionalSettings { acquisition, ..base() }, 10, 1);
        let costs = FoldCosts::Measured;
        run(&format!("{name}_costs"), FractionalSettings { acquisition, costs, ..base() }, 10, 1);
    }
    run("true_loss", FractionalSettings { target: LossTarget::TrueLoss, ..base() }, 10, 1);
    run("repeats", FractionalSettings { repeats: 2, ..base() }, 10, 1);
    run("repeats_differ", FractionalSettings { repeats: 2, repeats_differ: true, ..base() }, 10, 1);
    let acquisition = FoldAcquisition::JointKnowledgeGradient;
    run("worth", FractionalSettings { worth: 0.3, acquisition, ..base() }, 10, 1);
    run("kappa", FractionalSettings { incumbent: Incumbent::RiskAdjusted { kappa: 1.0 }, ..base() }, 10, 1);
    run("verified", FractionalSettings { budget: Some(14), finalists: Some(2), ..base() }, 14, 1);
    run("budget", FractionalSettings { budget: Some(14), ..base() }, 14, 1);
    run("finalists", FractionalSettings { budget: Some(14), finalists: Some(2), ..base() }, 14, 2);
    run("thorough", FractionalSettings { thorough: 5, ..base() }, 10, 1);
}
