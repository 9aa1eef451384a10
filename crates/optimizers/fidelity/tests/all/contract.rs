//! The contract of optimisers: reproducible, resumable, a function of the history.

use thrifty_fidelity::{FidelityCost, MultiFidelityOptimizer, MultiFidelitySettings};
use thrifty_model_based::{InitialDesign, Maximizer, PendingPolicy};
use thrifty_space::{Config, Space};
use thrifty_study::{Measurement, Outcome, TrialId, contract};

fn space() -> Space {
    let builder = Space::builder().float("x", 0.0, 1.0).categorical("c", ["a", "b"]);
    builder.log_int("epochs", 1, 27).log_float("y", 1e-3, 1.0).when("c", ["b"]).build().unwrap()
}

fn loss(config: &Config) -> f64 {
    let float = |name| config.float(name).unwrap_or(0.5);
    let epochs = config.int("epochs").unwrap() as f64;
    (float("x") - 0.3).powi(2) + 0.1 * float("y") + 0.3 / epochs
}

fn evaluate(config: &Config, id: TrialId) -> Outcome {
    let cost = Some(config.int("epochs").unwrap() as f64);
    match id.0 {
        2 => Outcome::failed("once"),
        4 => Outcome::pruned(1),
        _ => Measurement { cost, ..Measurement::from(loss(config)) }.into(),
    }
}

/// Small searches: what is tested is where state comes from, not how good suggestions are.
fn settings() -> MultiFidelitySettings {
    MultiFidelitySettings {
        initial: InitialDesign::Sobol(3),
        maximizer: Maximizer { raw: 16, around_best: 1, climbs: 1 },
        anchors: 6,
        ..MultiFidelitySettings::default()
    }
}

fn check(settings: &MultiFidelitySettings) {
    let make =
        || MultiFidelityOptimizer::new(space(), "epochs").unwrap().with_settings(settings.clone()).unwrap();
    contract::optimizer(make, evaluate, 7);
}

#[test]
fn the_default_is_reproducible() {
    check(&settings());
}

#[test]
fn continued_and_costed_evaluations_are_reproducible() {
    check(&MultiFidelitySettings { continues: true, ..settings() });
    let pending = PendingPolicy::Fantasies { draws: 4 };
    check(&MultiFidelitySettings { cost: FidelityCost::Measured, pending, ..settings() });
}
