//! The normal distribution and priors.

use std::collections::BTreeMap;

use serde_json::Value;
use thrifty_prob::{Prior, cdf, inverse_mills, log_cdf, pdf, quantile};

use crate::findings::Findings;
use crate::json::{number, relative, rows};
use crate::line::Family;

/// The special functions to 2e-15 of the truth (absolute below 1e-290, where doubles lose digits); quantiles to
/// 1e-15 of 1 + |z|; priors to 4e-15 of 1 + |log density|, allowing for the rounding of decimal inputs.
pub(crate) fn check(file: &Value) -> Result<Findings, String> {
    let mut findings = Findings::default();
    if let Some(section) = findings.section(file, "normal") {
        let functions: [(&str, fn(f64) -> f64); 4] = [
            ("pdf", pdf),
            ("cdf", cdf),
            ("log_cdf", log_cdf),
            ("inverse_mills_upper", |z| inverse_mills(-z)),
        ];
        for (name, function) in functions {
            let mut family = Family::new(format!("normal {name}"), 2e-15);
            for row in rows(section).iter().filter(|row| !row[name].is_null()) {
                let z = number(&row["z"])?;
                family.add(relative(function(z), number(&row[name])?, 1e-290));
            }
            findings.extend([family]);
        }
    }
    if let Some(section) = findings.section(file, "normal_quantile") {
        let mut family = Family::new("normal_quantile", 1e-15);
        for row in rows(section) {
            let truth = number(&row["z"])?;
            let p = number(&row["p"])?;
            // p is a decimal: its rounding moves z by ε p / φ(z).
            let rounding = f64::EPSILON * p / pdf(truth).max(1e-300);
            family.add(((quantile(p) - truth).abs() - rounding).max(0.0) / (1.0 + truth.abs()));
        }
        findings.extend([family]);
    }
    if let Some(section) = findings.section(file, "priors") {
        priors(section, &mut findings)?;
    }
    findings.name_others(file, &["made_by", "normal", "normal_quantile", "priors"]);
    Ok(findings)
}

/// Densities and their derivatives, by prior.
fn priors(section: &Value, findings: &mut Findings) -> Result<(), String> {
    let mut families: BTreeMap<String, (Family, Family)> = BTreeMap::new();
    for row in rows(section) {
        let name = row["prior"].as_str().ok_or("a prior without a name")?;
        let Ok(prior) = prior(name, &row["params"]) else {
            findings.unknown(format!("prior {name}"));
            continue;
        };
        let (x, density, slope) =
            (number(&row["x"])?, number(&row["log_density"])?, number(&row["derivative"])?);
        let (densities, slopes) = families.entry(name.into()).or_insert_with(|| {
            (
                Family::new(format!("prior {name}"), 4e-15),
                Family::new(format!("prior {name} derivative"), 4e-15),
            )
        });
        let rounding = f64::EPSILON * x.abs() * slope.abs();
        densities.add(((prior.log_density(x) - density).abs() - rounding).max(0.0) / (1.0 + density.abs()));
        let scale = if name == "beta" { slope.abs() / (1.0 - x) } else { slope.abs() };
        slopes.add((prior.derivative(x) - slope).abs() / scale.max(1e-3));
    }
    for (densities, slopes) in families.into_values() {
        findings.extend([densities, slopes]);
    }
    Ok(())
}

/// A prior by its name and parameters.
pub(crate) fn prior(name: &str, params: &Value) -> Result<Prior, String> {
    let params = params.as_object().ok_or("a prior without parameters")?;
    let params = params
        .iter()
        .map(|(k, v)| Ok((k.clone(), number(v)?.into())))
        .collect::<Result<serde_json::Map<_, _>, String>>()?;
    serde_json::from_value(serde_json::json!({ name: params })).map_err(crate::json::text)
}
