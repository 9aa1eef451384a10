//! Suggestions that only change on purpose: short studies under every preset and policy, trial by trial.
//!
//! The numbers were recorded from this crate (`made_by` in the file); that they are good is the matter of other tests.

use serde_json::Value;
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{MaxTrials, Measurement, Outcome, Schedule, Study};
use thrifty_tpe::{
    Branching, CategoricalKernel, ConstraintPolicy, FailurePolicy, GridEnds, Joint, PendingPolicy, Repeats,
    Split, SplitScope, Startup, StartupCount, TpeOptimizer, TpeSettings,
};

const RECORD: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/stability_tpe.json"));

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
        .categorical("kind", ["a", "b", "c"])
        .float("x", -2.0, 3.0)
        .log_float("rate", 1e-4, 1.0)
        .when("kind", ["a"])
        .int("depth", 1, 9)
        .when("kind", ["b", "c"])
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
    let width = (config.float("width").unwrap().ln() - 3.0).powi(2);
    branch + config.float("x").unwrap().powi(2) + config.float("share").unwrap() + width
}

/// A loss; every seventh trial fails, every fifth is pruned.
fn plain(config: &Config, id: u64) -> Outcome {
    match id {
        _ if id % 7 == 3 => Outcome::failed("every seventh"),
        _ if id % 5 == 4 => Outcome::pruned(id % 3),
        _ => loss(config).into(),
    }
}

fn constrained(config: &Config, id: u64) -> Outcome {
    if id % 7 == 3 {
        return Outcome::failed("every seventh");
    }
    let constraints = vec![0.5 - config.float("x").unwrap(), config.float("share").unwrap() - 0.6];
    Measurement { objectives: vec![loss(config)], constraints, ..Measurement::default() }.into()
}

fn several(config: &Config, _: u64) -> Outcome {
    let other = (config.float("x").unwrap() - 1.0).powi(2) - config.float("share").unwrap();
    Measurement { objectives: vec![loss(config), other], ..Measurement::default() }.into()
}

fn run(name: &str, settings: TpeSettings, window: usize, outcome: fn(&Config, u64) -> Outcome) {
    let optimizer = TpeOptimizer::new(space()).and_then(|tpe| tpe.with_settings(settings)).unwrap();
    let mut study =
        Study::new(optimizer, Seed(11)).with_stop(MaxTrials(24)).with_schedule(Schedule::Window(window));
    study.run(|config, context| outcome(config, context.id.0)).unwrap();
    let one = |trial: &thrifty_study::Trial<Config>| {
        let mut numbers = space().encode(&trial.query).unwrap();
        numbers.extend(trial.diagnostics.values().filter(|v| v.is_finite()));
        numbers
    };
    check(name, &study.history().trials().iter().flat_map(one).collect::<Vec<f64>>());
}

fn presets() -> Vec<(&'static str, TpeSettings)> {
    vec![
        ("thrifty", TpeSettings::recommended()),
        ("hyperopt", TpeSettings::hyperopt()),
        ("optuna5", TpeSettings::optuna5()),
        ("optuna4", TpeSettings::optuna4()),
        ("watanabe2023", TpeSettings::watanabe2023()),
        ("nnpdf", TpeSettings::nnpdf()),
    ]
}

/// A preset after few trials, so that most of a short study is modelled.
fn soon(settings: &TpeSettings) -> TpeSettings {
    TpeSettings { startup: Startup::Random(6), ..settings.clone() }
}

#[test]
fn presets_keep_their_suggestions() {
    for (name, settings) in presets() {
        run(name, settings.clone(), 1, plain);
        run(&format!("{name}_soon"), soon(&settings), 1, plain);
        run(&format!("{name}_constrained"), soon(&settings), 2, constrained);
        run(&format!("{name}_several"), soon(&settings), 2, several);
    }
}

#[test]
fn policies_keep_their_suggestions() {
    let base = || soon(&TpeSettings::recommended());
    for (name, pending) in [
        ("as_bad", PendingPolicy::AsBad),
        ("as_infinite", PendingPolicy::AsInfinite),
        ("liar_best", PendingPolicy::LiarBest),
        ("liar_mean", PendingPolicy::LiarMean),
        ("liar_worst", PendingPolicy::LiarWorst),
        ("pending_ignored", PendingPolicy::Ignore),
    ] {
        run(name, TpeSettings { pending, ..base() }, 4, plain);
    }
    for (name, joint) in [
        ("independent", Joint::Independent),
        ("unconditional", Joint::Unconditional),
        ("grouped", Joint::Grouped),
        ("tree", Joint::Tree),
    ] {
        run(name, TpeSettings { joint, ..base() }, 1, plain);
        run(
            &format!("{name}_by_ratio"),
            TpeSettings { joint, branching: Branching::ByRatio, ..base() },
            1,
            plain,
        );
    }
    run("failures_ignored", TpeSettings { failures: FailurePolicy::Ignore, ..base() }, 1, plain);
    run("all_trials", TpeSettings { scope: SplitScope::AllTrials, ..base() }, 1, plain);
    run("product", TpeSettings { constraints: ConstraintPolicy::Product, ..base() }, 1, constrained);
    run("sobol", TpeSettings { startup: Startup::Sobol(8), ..base() }, 1, plain);
    run("asked", TpeSettings { startup_count: StartupCount::Asked, ..base() }, 3, plain);
    run("cut", TpeSettings { grid_ends: GridEnds::Cut, ..base() }, 1, plain);
    run("repeats", TpeSettings { repeats: Repeats::Allowed, ..base() }, 1, plain);
    run("target", TpeSettings { split: Split::Target { loss: 4.0 }, ..base() }, 1, plain);
    run("linear", TpeSettings { split: Split::Linear { gamma: 0.2, cap: 5 }, ..base() }, 1, plain);
    run("root", TpeSettings { split: Split::SquareRoot { gamma: 0.5, cap: 9 }, ..base() }, 1, plain);
    for (name, weights) in [
        ("uniform", thrifty_tpe::Weights::Uniform),
        ("forgetting", thrifty_tpe::Weights::LinearForgetting),
        ("expected", thrifty_tpe::Weights::ExpectedImprovement),
    ] {
        run(name, TpeSettings { weights, ..base() }, 1, plain);
    }
    let mut counts = base();
    counts.kernels.categorical = CategoricalKernel::Counts;
    run("counts", counts, 1, plain);
}
