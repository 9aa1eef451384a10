//! Improvement and bounds against 40 digits.

use serde_json::Value;
use thrifty_acquisition::{
    ConfidenceBound, ExpectedImprovement, LogExpectedImprovement, LogProbabilityOfImprovement,
    ProbabilityOfImprovement, Utility,
};

const GOLDEN: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/acquisitions.json"));

fn number(value: &Value) -> f64 {
    value.as_f64().or_else(|| value.as_str()?.parse().ok()).expect("a number")
}

#[test]
fn ei_full() {
    let golden: Value = serde_json::from_str(GOLDEN).expect("JSON");
    let rows = golden["ei_full"]["rows"].as_array().expect("rows");
    for row in rows {
        let [mu, sigma, best, xi] = ["mu", "sigma", "best", "xi"].map(|name| number(&row[name]));
        // The file maximises: mirror mean and threshold.
        let (mean, threshold) = (-mu, -(best + xi));
        let (log_ei, by_mean, by_std_dev) =
            LogExpectedImprovement { threshold }.value_and_slopes(mean, sigma);
        let z = (threshold - mean) / sigma;
        for (name, found) in [
            ("EI", ExpectedImprovement { threshold }.value(mean, sigma)),
            ("LogEI", log_ei),
            ("PI", ProbabilityOfImprovement { threshold }.value(mean, sigma)),
            ("LogPI", LogProbabilityOfImprovement { threshold }.value(mean, sigma)),
            ("UCB_beta4", ConfidenceBound { beta: 4.0 }.value(mean, sigma)),
            ("LCB_beta4", -ConfidenceBound { beta: 4.0 }.value(-mean, sigma)),
            ("dLogEI_dmu", -by_mean),
            ("dLogEI_dsigma", by_std_dev),
        ] {
            let truth = number(&row[name]);
            // z carries the rounding of μ, τ and their difference, which the tail magnifies by z².
            let rounding = 2.0 * f64::EPSILON * (mu.abs() + best.abs()) / sigma * (1.0 + z.abs());
            let tolerance = (4e-16 * (1.0 + z * z) + rounding)
                * truth.abs().max(1e-290).max(if name.starts_with("Log") { 1.0 } else { 0.0 });
            assert!((found - truth).abs() <= tolerance, "{name} of {row}: {found} against {truth}");
        }
    }
    assert!(rows.len() >= 6);
}
