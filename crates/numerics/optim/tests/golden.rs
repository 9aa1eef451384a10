//! Optima and evaluation counts against scipy's L-BFGS-B.

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
