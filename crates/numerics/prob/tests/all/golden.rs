//! Against 30 to 40 digits from independent high-precision computations.

use serde_json::Value;
use thrifty_prob::{Prior, cdf, h, inverse_mills, log_cdf, log_h, log_h_derivative, owen_t, pdf, quantile};

fn golden(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn acquisitions() -> Value {
    golden(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/acquisitions.json")))
}

fn prob() -> Value {
    golden(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/prob.json")))
}

fn level_sets() -> Value {
    golden(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/levelset.json")))
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
            assert!(error <= 1e-15, "{name}({z}): {found} against {}, error {error:e}", row[name]);
        }
    }
}

#[test]
fn quantiles() {
    for row in prob()["normal_quantile"].as_array().expect("rows") {
        let found = quantile(number(&row["p"]));
        assert!((found - number(&row["z"])).abs() <= 4e-16 * found.abs(), "{row}: {found}");
    }
}

#[test]
fn prior_densities_and_derivatives() {
    for row in prob()["priors"].as_array().expect("rows") {
        let name = row["prior"].as_str().expect("a name");
        let params = row["params"].as_object().expect("parameters");
        let params: serde_json::Map<_, _> =
            params.iter().map(|(k, v)| (k.clone(), number(v).into())).collect();
        let prior: Prior =
            serde_json::from_value(serde_json::json!({ name: params })).expect("a known prior");
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
    for row in acquisitions()["ei_z"]["rows"].as_array().expect("rows") {
        let z = number(&row["z"]);
        let truth = number(&row["log_h"]);
        let ulp = truth.abs().max(0.5).next_up() - truth.abs().max(0.5);
        assert!((log_h(z) - truth).abs() <= 4.0 * ulp, "log_h({z}): {} against {truth}", log_h(z));
        assert!(relative(h(z), &row["h"]) <= 4e-16 * (1.0 + z * z), "h({z}): {} against {}", h(z), row["h"]);
        for (name, found) in [
            ("dlog_h_dz", log_h_derivative(z)),
            ("Phi", cdf(z)),
            ("log_Phi", log_cdf(z)),
            ("phi", pdf(z)),
            ("inv_mills_phi_over_Phi", inverse_mills(-z)),
        ] {
            // The rows of the far tail leave out what underflows.
            if let Some(truth) = row.get(name).filter(|truth| !truth.is_null()) {
                assert!(relative(found, truth) <= 1e-15, "{name}({z}): {found} against {truth}");
            }
        }
    }
}

#[test]
fn expected_improvement_and_its_derivatives() {
    for row in acquisitions()["ei_full"]["rows"].as_array().expect("rows") {
        let of = |name: &str| number(&row[name]);
        let sigma = of("sigma");
        let z = (of("mu") - of("best") - of("xi")) / sigma;
        // The rounding of z moves φ(z) by z² ε; the logarithms of the far tail are quadratic, so 2ε there.
        let tolerance = 1e-15 * (1.0 + (z * z).min(100.0));
        for (name, found) in [
            ("EI", sigma * h(z)),
            ("LogEI", sigma.ln() + log_h(z)),
            ("PI", cdf(z)),
            ("LogPI", log_cdf(z)),
            ("dLogEI_dmu", log_h_derivative(z) / sigma),
            (
                "dLogEI_dsigma",
                if z < 0.0 { (1.0 - z * log_h_derivative(z)) / sigma } else { pdf(z) / h(z) / sigma },
            ),
        ] {
            assert!(relative(found, &row[name]) <= tolerance, "{name}({z}): {found} against {}", row[name]);
        }
    }
}

#[test]
fn owen_s_function() {
    let file = level_sets();
    let rows = file["owen_t"].as_array().expect("rows");
    assert_eq!(rows.len(), 23);
    for row in rows {
        let found = owen_t(number(&row["h"]), number(&row["a"]));
        assert!(relative(found, &row["T"]) <= 4e-15, "{row}: {found}");
    }
}
