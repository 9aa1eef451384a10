//! Against 30 to 40 digits from independent high-precision computations.

use serde_json::Value;
use thrifty_prob::{Prior, cdf, h, inverse_mills, log_cdf, log_h, log_h_derivative, pdf, quantile};

fn golden(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn prob() -> Value {
    golden(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/prob.json")))
}

fn number(value: &Value) -> f64 {
    value.as_f64().or_else(|| value.as_str()?.parse().ok()).expect("a number")
}

/// The error relative to the truth; absolute below 1e-290, where doubles lose digits and the file has some as 0.
fn relative(found: f64, value: &Value) -> f64 {
    let truth = number(value);
    (found - truth).abs() / truth.abs().max(1e-290)
}

#[test]
fn normal_functions() {
    for row in prob()["normal"].as_array().expect("rows") {
        let z = number(&row["z"]);
        for (name, found) in [
            ("pdf", pdf(z)),
            ("cdf", cdf(z)),
            ("log_cdf", log_cdf(z)),
            ("inverse_mills_upper", inverse_mills(-z)),
        ] {
            let error = relative(found, &row[name]);
            assert!(error <= 2e-15, "{name}({z}): {found} against {}, error {error:e}", row[name]);
        }
    }
}

#[test]
fn quantiles() {
    for row in prob()["normal_quantile"].as_array().expect("rows") {
        let found = quantile(number(&row["p"]));
        assert!((found - number(&row["z"])).abs() <= 1e-15 * (1.0 + found.abs()), "{row}: {found}");
    }
}

#[test]
fn prior_densities_and_derivatives() {
    for row in prob()["priors"].as_array().expect("rows") {
        let tagged = serde_json::json!({ row["prior"].as_str().expect("a name"): row["params"]
            .as_object().expect("parameters").iter().map(|(k, v)| (k.clone(), number(v))).collect::<std::collections::BTreeMap<_, _>>() });
        let prior: Prior = serde_json::from_value(tagged).expect("a known prior");
        let x = number(&row["x"]);
        let (density, derivative) = (prior.log_density(x), prior.derivative(x));
        // x is a decimal in the file: its rounding moves the density by up to derivative · ε x, and near the end
        // of beta's support the derivative by as much as 1 - x is rounded.
        let (expected, slope) = (number(&row["log_density"]), number(&row["derivative"]));
        let rounding = f64::EPSILON * x * slope.abs();
        assert!((density - expected).abs() <= 4e-15 * (1.0 + density.abs()) + rounding, "{row}: {density}");
        let scale = slope.abs().max(1e-3) * if prior.name() == "beta" { 1.0 / (1.0 - x) } else { 1.0 };
        assert!((derivative - slope).abs() <= 4e-15 * scale, "{row}: {derivative}");
    }
}

#[test]
fn the_improvement_function() {
    let all =
        golden(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/acquisitions.json")));
    for row in all["ei_z"]["rows"].as_array().expect("rows") {
        let z = number(&row["z"]);
        let truth = number(&row["log_h"]);
        let ulp = truth.abs().max(0.5).next_up() - truth.abs().max(0.5);
        assert!((log_h(z) - truth).abs() <= 4.0 * ulp, "log_h({z}): {} against {truth}", log_h(z));
        assert!(relative(h(z), &row["h"]) <= 4e-16 * (1.0 + z * z), "h({z}): {} against {}", h(z), row["h"]);
        assert!(relative(log_h_derivative(z), &row["dlog_h_dz"]) <= 2e-15, "z = {z}");
        assert!(relative(log_cdf(z), &row["log_Phi"]) <= 2e-15, "z = {z}");
        assert!(relative(inverse_mills(-z), &row["inv_mills_phi_over_Phi"]) <= 2e-15, "z = {z}");
    }
}
