//! Optima, evaluation counts and iterates against scipy's L-BFGS-B.

use serde_json::Value;
use thrifty_optim::{Lbfgsb, suite};

const GOLDEN: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/optim.json"));

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("an array").iter().map(|v| v.as_f64().expect("a number")).collect()
}

#[test]
fn optima_are_reached_with_about_as_many_evaluations() {
    let golden: Value = serde_json::from_str(GOLDEN).expect("JSON");
    // The settings under which the file was made.
    let optimiser = Lbfgsb { gradient_tolerance: 1e-9, value_tolerance: 1e-15, ..Lbfgsb::default() };
    let mut ratios = Vec::new();
    for case in golden["cases"].as_array().expect("cases") {
        let name = case["name"].as_str().expect("a name");
        let start = numbers(&case["x0"]);
        let bounds: Vec<(f64, f64)> =
            case["bounds"].as_array().expect("bounds").iter().map(numbers).map(|b| (b[0], b[1])).collect();
        let function =
            suite::matching(name, &start, case["f_start"].as_f64().expect("a number")).expect(name);
        let found = optimiser.minimize(function, &start, &bounds).expect(name);
        let best = case["f_best"].as_f64().expect("a number");
        let ratio = found.evaluations as f64 / case["evaluations"].as_f64().expect("a number");
        println!(
            "{name}: {:e} (scipy {best:e}) in {} evaluations, ratio {ratio:.2}, {:?}",
            found.value, found.evaluations, found.termination
        );
        assert!(found.value <= best + 1e-8 * best.abs().max(1.0), "{name}: {} against {best}", found.value);
        ratios.push(ratio);
    }
    ratios.sort_by(f64::total_cmp);
    assert!(ratios[ratios.len() / 2] <= 1.5 && ratios[ratios.len() - 1] <= 3.0, "{ratios:?}");
}

const ITERATES: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/lbfgsb_iterates.json"));

#[test]
fn the_first_iterates_are_those_of_scipy() {
    let golden: Value = serde_json::from_str(ITERATES).expect("JSON");
    for case in golden["cases"].as_array().expect("cases") {
        let name = case["name"].as_str().expect("a name");
        let function = suite::by_name(name).expect(name);
        let start = numbers(&case["x0"]);
        let end = |value: &Value, open: f64| value.as_f64().unwrap_or(open);
        let bounds: Vec<(f64, f64)> = case["bounds"]
            .as_array()
            .expect("bounds")
            .iter()
            .map(|b| (end(&b[0], f64::NEG_INFINITY), end(&b[1], f64::INFINITY)))
            .collect();
        let memory = case["memory"].as_u64().expect("a number") as usize;
        for (k, expected) in case["iterates"].as_array().expect("iterates").iter().enumerate() {
            let expected = numbers(expected);
            let optimiser = Lbfgsb {
                memory,
                gradient_tolerance: 1e-9,
                value_tolerance: 1e-15,
                max_iterations: k + 1,
                ..Lbfgsb::default()
            };
            let found = optimiser.minimize(function, &start, &bounds).expect(name);
            assert_eq!(found.iterations, k + 1, "{name}");
            assert_eq!(Some(found.evaluations as u64), case["evaluations"][k].as_u64(), "{name} {k}");
            for (a, b) in found.x.iter().zip(&expected) {
                assert!((a - b).abs() <= 1e-10, "{name} {k}: {:?} {expected:?}", found.x);
            }
        }
    }
}
