//! First iterates of the bounded quasi-Newton method.

use serde_json::Value;
use thrifty_optim::{Lbfgsb, suite};

use crate::findings::Findings;
use crate::json::{number, numbers, rows};
use crate::line::Family;

/// Iterates to 1e-10 and counts of evaluations exactly, under the settings recorded in the file.
pub(crate) fn check(file: &Value) -> Result<Findings, String> {
    let mut findings = Findings::default();
    let (mut points, mut counts) =
        (Family::new("iterates", 1e-10), Family::new("evaluations and iterations", 0.0));
    let Some(cases) = findings.section(file, "cases") else { return Ok(findings) };
    for case in rows(cases) {
        let name = case["name"].as_str().ok_or("a case without a name")?;
        let Some(function) = suite::by_name(name) else {
            findings.unknown(format!("function {name}"));
            continue;
        };
        let start = numbers(&case["x0"])?;
        let end = |value: &Value, open: f64| value.as_f64().unwrap_or(open);
        let bounds: Vec<(f64, f64)> = rows(&case["bounds"])
            .iter()
            .map(|b| (end(&b[0], f64::NEG_INFINITY), end(&b[1], f64::INFINITY)))
            .collect();
        for (k, truth) in rows(&case["iterates"]).iter().enumerate() {
            let optimizer = Lbfgsb {
                memory: number(&case["memory"])? as usize,
                gradient_tolerance: 1e-9,
                value_tolerance: 1e-15,
                max_iterations: k + 1,
                ..Lbfgsb::default()
            };
            let found =
                optimizer.minimize(function, &start, &bounds).map_err(|error| format!("{name}: {error}"))?;
            let truth = numbers(truth)?;
            if truth.len() != found.x.len() {
                return Err(format!("{name}: iterate {k} has {} coordinates", truth.len()));
            }
            found.x.iter().zip(truth).for_each(|(found, truth)| points.add((found - truth).abs()));
            counts.add((found.evaluations as f64 - number(&case["evaluations"][k])?).abs());
            counts.add((found.iterations as f64 - (k + 1) as f64).abs());
        }
    }
    findings.extend([points, counts]);
    Ok(findings)
}
