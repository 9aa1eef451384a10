//! Against rational arithmetic and 50-digit quadrature, computed elsewhere.

use serde_json::Value;
use thrifty_domain::Points;
use thrifty_pareto::{
    Duplicates, ExpectedHypervolumeImprovement, Hypervolume, additive_epsilon, hypervolume, igd, igd_plus,
    non_dominated, non_dominated_ranks,
};

fn hypervolumes() -> Value {
    let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/hypervolume.json"));
    serde_json::from_str(text).expect("JSON")
}

fn number(value: &Value) -> f64 {
    value.as_f64().or_else(|| value.as_str()?.parse().ok()).expect("a number")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

fn points(value: &Value) -> Points {
    let rows: Vec<Vec<f64>> = value.as_array().expect("rows").iter().map(numbers).collect();
    Points::from_rows(&rows).expect("rows of equal length")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

#[test]
fn volumes() {
    let file = hypervolumes();
    for case in list(&file["hypervolume"]["cases"]) {
        let found = hypervolume(points(&case["points"]).as_ref(), &numbers(&case["ref"])).expect("a volume");
        let truth = number(&case["hv_exact"]);
        let error = if truth == 0.0 { found } else { (found - truth).abs() / truth };
        assert!(error <= 2e-15, "{}: {found} against {truth}, error {error:e}", case["name"]);
    }
}

#[test]
fn large_volumes() {
    let file = hypervolumes();
    for case in list(&file["hypervolume_large"]) {
        let found = hypervolume(points(&case["points"]).as_ref(), &numbers(&case["ref"])).expect("a volume");
        let truth = number(case.get("hv_exact").filter(|truth| !truth.is_null()).unwrap_or(&case["moocore"]));
        assert!((found - truth).abs() <= 4e-15 * truth, "{} of {}: {found}, {truth}", case["n"], case["m"]);
    }
}

#[test]
fn contributions() {
    let file = hypervolumes();
    for case in list(&file["hv_contributions"]["cases"]) {
        let volume = Hypervolume::new(&numbers(&case["ref"])).expect("a reference");
        let found = volume.contributions(points(&case["points"]).as_ref()).expect("contributions");
        for (found, truth) in found.iter().zip(numbers(&case["contrib_exact"])) {
            assert!((found - truth).abs() <= 1e-16, "{} objectives: {found} against {truth}", case["m"]);
        }
    }
}

#[test]
fn ranks() {
    let file = hypervolumes();
    for case in list(&file["nondominated_rank"]["cases"]) {
        let set = points(&case["points"]);
        let ranks = non_dominated_ranks(set.as_ref()).expect("ranks");
        let truth: Vec<usize> = numbers(&case["rank0"]).into_iter().map(|rank| rank as usize).collect();
        assert_eq!(ranks, truth);
        let kept = non_dominated(set.as_ref(), Duplicates::First).expect("a front");
        let flags = list(&case["is_nondominated_first_dup"]);
        let truth: Vec<usize> = (0..flags.len()).filter(|&i| flags[i] == Value::Bool(true)).collect();
        assert_eq!(kept, truth);
    }
}

#[test]
fn indicators() {
    let file = hypervolumes();
    let case = &file["indicators"];
    let (set, target) = (points(&case["set"]), points(&case["reference_set"]));
    for (name, found) in [
        ("igd", igd(set.as_ref(), target.as_ref())),
        ("igd_plus", igd_plus(set.as_ref(), target.as_ref())),
        ("epsilon_additive", additive_epsilon(set.as_ref(), target.as_ref())),
    ] {
        let (found, truth) = (found.expect("an indicator"), number(&case[name]));
        assert!((found - truth).abs() <= 1e-14, "{name}: {found} against {truth}");
    }
}

#[test]
fn expected_improvements() {
    let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/ehvi.json"));
    let file: Value = serde_json::from_str(text).expect("JSON");
    // The file maximises: everything changes its sign.
    let negative = |value: &Value| numbers(value).iter().map(|x| -x).collect::<Vec<_>>();
    for case in list(&file["ehvi"]["cases"]) {
        let rows: Vec<Vec<f64>> = list(&case["front"]).iter().map(negative).collect();
        let front = Points::from_rows(&rows).expect("rows");
        let ehvi =
            ExpectedHypervolumeImprovement::new(front.as_ref(), &negative(&case["ref"])).expect("boxes");
        let (mean, std_dev) = (negative(&case["mu"]), numbers(&case["sigma"]));
        let m = mean.len();
        let (mut by_mean, mut by_std_dev) = (vec![0.0; m], vec![0.0; m]);
        let found = ehvi.value_with_grad(&mean, &std_dev, &mut by_mean, &mut by_std_dev).expect("a value");
        let (truth, name) = (number(&case["ehvi"]), &case["name"]);
        // Where the improvement is far in the tails, the rounding of z is magnified.
        let log = ehvi.log_value(&mean, &std_dev).expect("a value");
        let log_truth = number(&case["log_ehvi"]);
        assert!(
            (log - log_truth).abs() <= 1e-14 * (1.0 + log_truth.abs()),
            "{name}: log {log} against {log_truth}"
        );
        let tolerance = 1e-14 * (1.0 + log_truth.abs());
        assert!((found - truth).abs() <= tolerance * truth, "{name}: {found} against {truth}");
        for (found, truth) in by_mean.iter().zip(negative(&case["dmu"])) {
            assert!(
                (found - truth).abs() <= tolerance * truth.abs() + 1e-300,
                "{name} by mean: {found}, {truth}"
            );
        }
        for (found, truth) in by_std_dev.iter().zip(numbers(&case["dsigma"])) {
            assert!(
                (found - truth).abs() <= 1e-12 * truth.abs().max(number(&case["ehvi"])),
                "{name} by deviation: {found}, {truth}"
            );
        }
    }
}
