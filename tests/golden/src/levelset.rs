//! Criteria of level sets.

use serde_json::Value;
use thrifty_acquisition::{
    BernoulliEntropy, BernoulliVariance, ExpectedFeasibility, ExpectedReduction, IntegratedBernoulli,
    LogBernoulliEntropy, LogBernoulliVariance, MisclassifiedVolume, PointState, RanjanImprovement, Straddle,
    TargetedMeanSquaredError, Utility,
};
use thrifty_prob::{cdf, owen_t};

use crate::findings::Findings;
use crate::json::{number, relative, rows};
use crate::line::Family;

/// Pointwise criteria in units of 2e-15 (1 + z²), the rounding of z as the tail magnifies it; look-ahead ones and
/// Owen's T to 1e-13 and 4e-15 of the value.
pub(crate) fn check(file: &Value) -> Result<Findings, String> {
    let mut findings = Findings::default();
    if let Some(section) = findings.section(file, "level_set_pointwise") {
        pointwise(section, &mut findings)?;
    }
    let mut variance = Family::new("sur: Bernoulli variance after", 1e-13);
    let mut volume = Family::new("sur: misclassified after", 1e-13);
    let section = findings.section(file, "sur_bernoulli_lookahead").unwrap_or(&Value::Null);
    for row in rows(&section["cases"]) {
        let (u, rho) = (number(&row["u"])?, number(&row["rho"])?);
        let seen = PointState { standardized: u, std_dev: 1.0 };
        let after = cdf(u) * cdf(-u) - IntegratedBernoulli::default().gain(seen, rho);
        variance.add(relative(after, number(&row["exp_bernoulli_var_after"])?, 1e-290));
        let truth = &row["exp_misclass_after_quad"];
        if !truth.is_null() {
            let after = cdf(-u.abs()) - MisclassifiedVolume.gain(seen, rho);
            volume.add(relative(after, number(truth)?, 1e-290));
        }
    }
    let mut owen = Family::new("owen_t", 4e-15);
    for row in rows(findings.section(file, "owen_t").unwrap_or(&Value::Null)) {
        owen.add(relative(owen_t(number(&row["h"])?, number(&row["a"])?), number(&row["T"])?, 1e-290));
    }
    findings.extend([variance, volume, owen]);
    findings.name_others(file, &["made_by", "level_set_pointwise", "sur_bernoulli_lookahead", "owen_t"]);
    Ok(findings)
}

fn pointwise(section: &Value, findings: &mut Findings) -> Result<(), String> {
    let families: [(&str, &str, fn(f64) -> Box<dyn Utility>); 8] = [
        ("straddle_196", "straddle", |threshold| Box::new(Straddle { threshold, kappa: 1.96 })),
        ("ambiguity_beta_1p96", "ambiguity", |threshold| Box::new(Straddle { threshold, kappa: 1.96 })),
        ("bernoulli_var", "Bernoulli variance", |threshold| Box::new(BernoulliVariance { threshold })),
        ("bernoulli_entropy_nats", "Bernoulli entropy", |threshold| Box::new(BernoulliEntropy { threshold })),
        ("expected_feasibility_egra_eps2s", "expected feasibility", |threshold| {
            Box::new(ExpectedFeasibility { threshold, alpha: 2.0 })
        }),
        ("ranjan_alpha2", "Ranjan's improvement", |threshold| {
            Box::new(RanjanImprovement { threshold, alpha: 2.0 })
        }),
        ("tmse", "targeted error", |threshold| {
            Box::new(TargetedMeanSquaredError { threshold, bandwidth: 0.0 })
        }),
        ("log", "logarithms", |threshold| Box::new(LogBernoulliVariance { threshold })),
    ];
    for (key, name, utility) in families {
        let mut family = Family::new(format!("pointwise: {name}"), 1.0);
        for row in rows(&section["cases"]) {
            let of = |name: &str| number(&row[name]);
            let (mean, sigma, threshold) = (of("mu")?, of("sigma")?, of("threshold")?);
            let z = (mean - threshold) / sigma;
            let tolerance = 2e-15 * (1.0 + z * z);
            // Where the file's 1 - p was rounded to 1 its entropy is -q ln q, without -(1 - q) ln(1 - q) = q.
            let q = cdf(-z.abs());
            let left_out = if q < 1e-60 { q } else { 0.0 };
            let mut add = |found: f64, truth: f64| family.add(relative(found, truth, 1e-290) / tolerance);
            if key == "log" {
                add(utility(threshold).value(mean, sigma).exp(), of("bernoulli_var")?);
                let entropy = LogBernoulliEntropy { threshold }.value(mean, sigma).exp();
                add(entropy - left_out, of("bernoulli_entropy_nats")?);
            } else if key == "bernoulli_entropy_nats" {
                add(utility(threshold).value(mean, sigma) - left_out, of(key)?);
            } else {
                add(utility(threshold).value(mean, sigma), of(key)?);
            }
        }
        findings.extend([family]);
    }
    Ok(())
}
