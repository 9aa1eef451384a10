//! Values that only change on purpose: every problem at fixed points.
//!
//! The numbers were recorded from this crate (`made_by` in the file); that they are right is the matter of other tests.

use serde_json::Value;
use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::Outcome;
use thrifty_testbed::{
    Failing, LevelSetProblem, Maximized, MultiObjectiveFunction, Noisy, Problem, RandomFunction, Shifted,
    Spectrum, TestFunction,
};

const RECORD: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/stability_testbed.json"));

/// Compares with the record. The tolerance leaves room for other rounding on other machines.
fn check(name: &str, found: &[f64]) {
    println!("RECORD {name} {found:?}");
    let record: Value = serde_json::from_str(RECORD).unwrap();
    let expected: Vec<f64> =
        record[name].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    assert_eq!(found.len(), expected.len(), "{name}: {found:?}");
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() <= 1e-6 * expected.abs().max(1e-3), "{name}: {found} {expected}");
    }
}

/// Points inside a box: near its corner, its middle and elsewhere.
fn inside(bounds: &[(f64, f64)]) -> Vec<Vec<f64>> {
    let share = |k: usize, i: usize| {
        [0.08 + 0.01 * i as f64, 0.55 - 0.02 * i as f64, 0.31 + 0.13 * (i % 4) as f64][k]
    };
    let one = |k: usize| {
        bounds
            .iter()
            .enumerate()
            .map(|(i, (low, high))| low + (high - low) * share(k, i))
            .collect::<Vec<f64>>()
    };
    (0..3).map(one).collect()
}

#[test]
fn functions_of_one_loss_keep_their_values() {
    for function in TestFunction::all() {
        let mut found = vec![function.optimum()];
        for x in inside(function.bounds()) {
            found.push(function.value(&x));
            let config = TestFunction::config(&x);
            found.extend([function.truth(&config).unwrap(), function.regret(&config).unwrap()]);
            assert_eq!(function.point(&config).unwrap(), x);
        }
        found.extend(function.optimizers().iter().map(|x| function.value(x)));
        found.extend(function.bounds().iter().flat_map(|(low, high)| [*low, *high]));
        check(&format!("one_{}", function.name().replace(' ', "_")), &found);
        assert!(TestFunction::by_name(&function.name()).is_some());
    }
}

#[test]
fn functions_of_several_losses_keep_their_values() {
    for function in MultiObjectiveFunction::all() {
        let mut found = function.reference().to_vec();
        found.extend([function.max_hypervolume(), function.objectives() as f64]);
        for x in inside(function.bounds()) {
            found.extend(function.losses(&x));
            found.extend(function.constraint(&x));
            let truth = function.truth(&MultiObjectiveFunction::config(&x)).unwrap();
            found.extend(truth.objectives.iter().chain(&truth.constraints));
        }
        found.extend(function.bounds().iter().flat_map(|(low, high)| [*low, *high]));
        check(&format!("several_{}", function.name().replace(' ', "_")), &found);
    }
}

#[test]
fn level_sets_keep_their_values() {
    let draw = |spectrum| LevelSetProblem::draw(spectrum, &[0.3, 0.5], Seed(2));
    for (name, problem) in [
        ("valley2", LevelSetProblem::death_valley2()),
        ("valley2_of", LevelSetProblem::death_valley2_of(900.0)),
        ("valley4", LevelSetProblem::death_valley4()),
        ("valley4_clipped", LevelSetProblem::death_valley4_clipped()),
        ("caligo9", LevelSetProblem::caligo9()),
        ("caligo9_clipped", LevelSetProblem::caligo9_clipped()),
        ("branin", LevelSetProblem::branin()),
        ("himmelblau", LevelSetProblem::himmelblau()),
        ("rosenbrock", LevelSetProblem::rosenbrock()),
        ("goldstein_price", LevelSetProblem::goldstein_price()),
        ("lake", LevelSetProblem::lake(Seed(3))),
        ("drawn", draw(Spectrum::SquaredExponential)),
        ("drawn_rough", draw(Spectrum::Matern { twice_smoothness: 5 })),
    ] {
        let mut found = vec![problem.threshold()];
        for u in inside(&vec![(0.0, 1.0); problem.space().dim()]) {
            let config = problem.space().decode(&u);
            let truth = problem.truth(&config).unwrap();
            assert_eq!(problem.is_above(&config).unwrap(), truth > problem.threshold(), "{name}");
            let outcome = problem.evaluate(&config, &mut Seed(0).stream("noise", 0));
            assert_eq!(outcome.measurement().map(|m| m.objectives[0]), Some(truth), "{name}");
            found.push(truth);
        }
        check(&format!("level_{name}"), &found);
    }
}

#[test]
fn wrapped_problems_keep_their_outcomes() {
    let losses = |problem: &dyn Problem, config: &Config| -> Vec<f64> {
        let outcome = |id| problem.evaluate(config, &mut Seed(4).stream("noise", id));
        let loss = |outcome: Outcome| outcome.measurement().map_or(-1e9, |m| m.objectives[0]);
        (0..8)
            .map(|id| loss(outcome(id)))
            .chain([problem.truth(config).unwrap(), problem.optimum()])
            .collect()
    };
    let branin = TestFunction::branin;
    let config = TestFunction::config(&[1.0, 4.0]);
    check("noisy", &losses(&Noisy { problem: branin(), std_dev: 0.5 }, &config));
    check("failing", &losses(&Failing { problem: branin(), rate: 0.4 }, &config));
    check("maximised", &losses(&Maximized(branin()), &config));
    check("shifted", &losses(&Shifted::new(branin(), &[("x0", 0.7), ("x1", -0.4)]).unwrap(), &config));
    let regret = |problem: &dyn Problem| problem.regret(&config).unwrap();
    assert!((regret(&Maximized(branin())) - regret(&branin())).abs() < 1e-12);
    for (name, spectrum) in
        [("smooth", Spectrum::SquaredExponential), ("rough", Spectrum::Matern { twice_smoothness: 3 })]
    {
        let function = RandomFunction::draw(spectrum, &[0.3, 0.5], &mut Seed(5).stream(name, 0));
        let found: Vec<f64> = inside(&[(0.0, 1.0); 2]).iter().map(|x| function.value(x)).collect();
        check(&format!("random_{name}"), &found);
    }
}
