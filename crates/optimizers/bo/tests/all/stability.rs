//! Suggestions that only change on purpose: short studies under every setting, trial by trial.
//!
//! The numbers were recorded from this crate (`made_by` in the file); that they are good is the matter of other tests.

use serde_json::Value;
use thrifty_acquisition::{AcquisitionKind, ImprovementTarget};
use thrifty_bo::{
    BayesianOptimizer, BoSettings, Convergence, CostAwareness, FailurePolicy, InitialDesign, LossTransform,
    Maximizer, MultiObjectiveOptimizer, MultiObjectiveRule, MultiObjectiveSettings, PendingPolicy,
};

use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{History, MaxTrials, Measurement, MemoKey, Optimizer, Outcome, Schedule, Study};

const RECORD: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/stability_bo.json"));

/// Diagnostics that are younger than the record.
const LATER: [&str; 5] = ["expected_gain", "expected_cost", "predicted", "predicted_low", "predicted_high"];

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
    Space::builder()
        .float("x", -1.0, 2.0)
        .log_float("rate", 1e-3, 1.0)
        .categorical("kind", ["a", "b"])
        .build()
        .unwrap()
}

fn losses(config: &Config) -> (f64, f64) {
    let (x, rate) = (config.float("x").unwrap(), config.float("rate").unwrap().log10());
    let side = if config.str("kind") == Ok("a") { 0.0 } else { 0.3 };
    (x * x + 0.3 * (rate + 1.5).powi(2) + side, (x - 1.0).powi(2) + 0.2 * (rate + 1.0).powi(2) - 0.5 * side)
}

/// One loss with a cost and a constraint; trial 2 fails.
fn weighted(config: &Config, id: u64) -> Outcome {
    let x = config.float("x").unwrap();
    if id == 2 {
        return Outcome::failed("the third");
    }
    let objectives = vec![losses(config).0];
    Measurement { objectives, constraints: vec![0.4 - x], cost: Some(1.0 + x * x), ..Measurement::default() }
        .into()
}

fn plain(config: &Config, id: u64) -> Outcome {
    if id == 2 { Outcome::failed("the third") } else { losses(config).0.into() }
}

fn several(config: &Config, id: u64) -> Outcome {
    let (a, b) = losses(config);
    if id == 2 {
        return Outcome::failed("the third");
    }
    Measurement { objectives: vec![a, b], ..Measurement::default() }.into()
}

fn several_constrained(config: &Config, id: u64) -> Outcome {
    let (a, b) = losses(config);
    if id == 2 {
        return Outcome::failed("the third");
    }
    let constraints = vec![0.3 - config.float("x").unwrap()];
    Measurement { objectives: vec![a, b], constraints, ..Measurement::default() }.into()
}

/// Diagnostics by the names that they had when the record was made. The number of the run was one of them where there is one
/// objective.
fn recorded(trial: &thrifty_study::Trial<Config>, has_runs: bool) -> std::collections::BTreeMap<&str, f64> {
    let mut diagnostics: std::collections::BTreeMap<&str, f64> =
        trial.diagnostics.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    diagnostics.retain(|name, _| !LATER.contains(name));
    if let Some(std_dev) = diagnostics.remove("std_dev") {
        diagnostics.insert("deviation", std_dev);
    }
    if has_runs {
        let run = trial.memo.get(&MemoKey::<u64>::new("run")).unwrap_or(0);
        diagnostics.insert("run", run as f64);
    }
    diagnostics
}

/// Encoded suggestions, and the diagnostics of each trial.
fn numbers(space: &Space, history: &History<Config>, has_runs: bool) -> Vec<f64> {
    let one = |trial: &thrifty_study::Trial<Config>| {
        let mut numbers = space.encode(&trial.query).unwrap();
        numbers.extend(recorded(trial, has_runs).values().filter(|v| v.is_finite()));
        numbers
    };
    history.trials().iter().flat_map(one).collect()
}

fn run<O: Optimizer<Query = Config>>(
    name: &str,
    optimizer: O,
    trials: usize,
    (window, has_runs): (usize, bool),
    outcome: fn(&Config, u64) -> Outcome,
) {
    let mut study =
        Study::new(optimizer, Seed(3)).with_stop(MaxTrials(trials)).with_schedule(Schedule::Window(window));
    study.run(|config, context| outcome(config, context.id.0)).unwrap();
    check(name, &numbers(&space(), study.history(), has_runs));
}

/// Settings of most of the record, with the transform of losses and the policy for failures that were the defaults when it was made.
fn settings() -> BoSettings {
    BoSettings {
        initial: InitialDesign::Sobol(4),
        maximizer: Maximizer { raw: 32, around_best: 3, climbs: 2 },
        losses: LossTransform::UpperTail,
        failures: FailurePolicy::AsWorst,
        ..BoSettings::default()
    }
}

#[test]
fn one_objective() {
    let improvement = AcquisitionKind::ExpectedImprovement(ImprovementTarget::BestMean);
    let one = |name: &str, settings: BoSettings, window, outcome| {
        let optimizer = BayesianOptimizer::new(space()).with_settings(settings).unwrap();
        run(name, optimizer, 8, (window, true), outcome);
    };
    one("defaults", settings(), 1, plain);
    one("random", BoSettings { initial: InitialDesign::Random(3), ..settings() }, 1, plain);
    one("best_mean", BoSettings { rule: improvement, ..settings() }, 1, plain);
    one(
        "noisy",
        BoSettings { rule: AcquisitionKind::LogNoisyExpectedImprovement { draws: 8 }, ..settings() },
        2,
        plain,
    );
    one(
        "knowledge",
        BoSettings { rule: AcquisitionKind::LogKnowledgeGradient { anchors: 6 }, ..settings() },
        1,
        plain,
    );
    one("upper_half", BoSettings { losses: LossTransform::UpperHalf, ..settings() }, 1, plain);
    one("no_transform", BoSettings { losses: LossTransform::None, ..settings() }, 1, plain);
    one("both_tails", BoSettings { losses: LossTransform::BothTails, ..settings() }, 1, plain);
    one("failures_ignored", BoSettings { failures: FailurePolicy::Ignore, ..settings() }, 1, plain);
    one("failures_valued", BoSettings { failures: FailurePolicy::AsValue(2.0), ..settings() }, 1, plain);
    let learnt = || BoSettings { failures: FailurePolicy::AsConstraint, ..settings() };
    one("failures_learnt", learnt(), 1, plain);
    one("failures_learnt_constrained_parallel", learnt(), 2, weighted);
    for (name, pending) in [
        ("believer", PendingPolicy::KrigingBeliever),
        ("liar_best", PendingPolicy::LiarBest),
        ("liar_mean", PendingPolicy::LiarMean),
        ("liar_worst", PendingPolicy::LiarWorst),
        ("fantasies", PendingPolicy::Fantasies { draws: 4 }),
    ] {
        one(name, BoSettings { pending, ..settings() }, 3, plain);
    }
    one("constrained", settings(), 1, weighted);
    one("constrained_parallel", settings(), 2, weighted);
    let cost = CostAwareness::PerUnit { exponent: 0.7 };
    one("per_cost", BoSettings { cost, rule: improvement, ..settings() }, 1, weighted);
    one("cooled", BoSettings { cost: CostAwareness::Cooled { budget: 20.0 }, ..settings() }, 1, weighted);
    one(
        "restarts",
        BoSettings { convergence: Convergence::Restart { epsilon: 0.5 }, ..settings() },
        1,
        plain,
    );
    one("budget", BoSettings { initial: InitialDesign::Automatic, budget: Some(10), ..settings() }, 1, plain);
}

#[test]
fn several_objectives() {
    let settings = |rule| MultiObjectiveSettings {
        rule,
        initial: InitialDesign::Sobol(4),
        maximizer: Maximizer { raw: 32, around_best: 3, climbs: 2 },
        failures: FailurePolicy::AsWorst,
        ..MultiObjectiveSettings::default()
    };
    let one = |name: &str, settings: MultiObjectiveSettings, window, outcome| {
        let optimizer = MultiObjectiveOptimizer::new(space()).with_settings(settings).unwrap();
        run(name, optimizer, 8, (window, false), outcome);
    };
    let automatic = || settings(MultiObjectiveRule::Automatic);
    one("automatic", automatic(), 1, several);
    one("automatic_parallel", automatic(), 3, several);
    one("automatic_constrained", automatic(), 1, several_constrained);
    one("automatic_constrained_parallel", automatic(), 2, several_constrained);
    one("reference", MultiObjectiveSettings { reference: Some(vec![3.0, 2.0]), ..automatic() }, 1, several);
    one("tails", MultiObjectiveSettings { losses: LossTransform::BothTails, ..automatic() }, 1, several);
    let failures = FailurePolicy::AsValue(4.0);
    one("failures_valued_several", MultiObjectiveSettings { failures, ..automatic() }, 1, several);
    let failures = FailurePolicy::Ignore;
    one("failures_ignored_several", MultiObjectiveSettings { failures, ..automatic() }, 1, several);
    let failures = FailurePolicy::AsConstraint;
    one(
        "failures_learnt_several",
        MultiObjectiveSettings { failures, ..automatic() },
        2,
        several_constrained,
    );
    one("hypervolume", settings(MultiObjectiveRule::ExpectedHypervolume), 1, several);
    one("noisy_hypervolume", settings(MultiObjectiveRule::NoisyExpectedHypervolume { draws: 4 }), 2, several);
    let rule = MultiObjectiveRule::NoisyExpectedHypervolume { draws: 4 };
    one("noisy_hypervolume_constrained", settings(rule), 1, several_constrained);
    one("chebyshev", settings(MultiObjectiveRule::Chebyshev { augmentation: 0.05 }), 2, several);
    one(
        "chebyshev_constrained",
        settings(MultiObjectiveRule::Chebyshev { augmentation: 0.1 }),
        1,
        several_constrained,
    );
}
