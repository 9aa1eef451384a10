use std::collections::BTreeMap;

use serde_json::{Value, json};
use thrifty_prob::{Prior, cdf, inverse_mills, log_cdf, pdf, quantile};

use super::{Family, Findings, number, relative, rows};

/// The special functions to 2e-15 of the truth (absolute below 1e-290, where doubles lose digits); quantiles to
/// 1e-15 of 1 + |z|; priors to 4e-15 of 1 + |log density|, allowing for the rounding of decimal inputs.
pub fn check(file: &Value) -> Result<Findings, String> {
    let mut findings = Findings::default();
    let functions: [(&str, fn(f64) -> f64); 4] =
        [("pdf", pdf), ("cdf", cdf), ("log_cdf", log_cdf), ("inverse_mills_upper", |z| inverse_mills(-z))];
    for (name, function) in functions {
        let mut family = Family::new(format!("normal {name}"), 2e-15);
        for row in rows(&file["normal"]).iter().filter(|row| !row[name].is_null()) {
            let z = number(&row["z"])?;
            family.add(relative(function(z), number(&row[name])?, 1e-290));
        }
        push(&mut findings, family);
    }
    let mut family = Family::new("normal_quantile", 1e-15);
    for row in rows(&file["normal_quantile"]) {
        let truth = number(&row["z"])?;
        let p = number(&row["p"])?;
        // p is a decimal: its rounding moves z by ε p / φ(z).
        let rounding = f64::EPSILON * p / pdf(truth).max(1e-300);
        family.add(((quantile(p) - truth).abs() - rounding).max(0.0) / (1.0 + truth.abs()));
    }
    push(&mut findings, family);
    let mut families: BTreeMap<String, (Family, Family)> = BTreeMap::new();
    for row in rows(&file["priors"]) {
        let name = row["prior"].as_str().ok_or("a prior without a name")?;
        let Some(prior) = prior(name, &row["params"])? else {
            findings.skipped.push(format!("prior {name}"));
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
        slopes.add(
            relative(prior.derivative(x), slope, scale.max(1e-3))
                .min((prior.derivative(x) - slope).abs() / scale.max(1e-3)),
        );
    }
    for (densities, slopes) in families.into_values() {
        push(&mut findings, densities);
        push(&mut findings, slopes);
    }
    Ok(findings)
}

fn push(findings: &mut Findings, family: Family) {
    if family.cases > 0 {
        findings.lines.push(family.line("prob.json"));
    }
}

/// The prior of a row, if this build has it.
fn prior(name: &str, params: &Value) -> Result<Option<Prior>, String> {
    let params = params.as_object().ok_or("a prior without parameters")?;
    let params = params
        .iter()
        .map(|(k, v)| Ok((k.clone(), number(v)?)))
        .collect::<Result<BTreeMap<_, _>, String>>()?;
    Ok(serde_json::from_value(json!({ name: params })).ok())
}
