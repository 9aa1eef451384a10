//! Minima of bounded problems, and how many evaluations they take.

use serde_json::Value;
use thrifty_optim::{Lbfgsb, suite};

use crate::findings::Findings;
use crate::json::{number, numbers, rows};
use crate::line::Family;

/// Optima to 1e-8 of max(1, |f|); evaluations against those of the file: at most 1.5 times in the median and 3
/// times anywhere. Settings are those recorded in the file.
pub(crate) fn check(file: &Value) -> Result<Findings, String> {
    let optimizer = Lbfgsb { gradient_tolerance: 1e-9, value_tolerance: 1e-15, ..Lbfgsb::default() };
    let mut findings = Findings::default();
    let (mut optima, mut most) =
        (Family::new("optima", 1e-8), Family::new("evaluations, largest ratio", 3.0));
    let mut ratios = Vec::new();
    let Some(cases) = findings.section(file, "cases") else { return Ok(findings) };
    for case in rows(cases) {
        let name = case["name"].as_str().ok_or("a case without a name")?;
        let start = numbers(&case["x0"])?;
        let bounds: Vec<(f64, f64)> = rows(&case["bounds"])
            .iter()
            .map(|pair| Ok((number(&pair[0])?, number(&pair[1])?)))
            .collect::<Result<_, String>>()?;
        let projected: Vec<f64> = start.iter().zip(&bounds).map(|(x, b)| x.clamp(b.0, b.1)).collect();
        let Some(function) = suite::matching(name, &projected, number(&case["f_start"])?) else {
            findings.unknown(format!("function {name}"));
            continue;
        };
        let found =
            optimizer.minimize(function, &start, &bounds).map_err(|error| format!("{name}: {error}"))?;
        let best = number(&case["f_best"])?;
        optima.add((found.value - best).max(0.0) / best.abs().max(1.0));
        let ratio = found.evaluations as f64 / number(&case["evaluations"])?;
        most.add(ratio);
        ratios.push(ratio);
    }
    let mut median = Family::new("evaluations, median ratio", 1.5);
    if !ratios.is_empty() {
        ratios.sort_by(f64::total_cmp);
        median.add(ratios[ratios.len() / 2]);
        median.cases = ratios.len();
        findings.extend([optima, median, most]);
    }
    findings.name_others(file, &["made_by", "functions", "cases"]);
    Ok(findings)
}
