//! Dominance, hypervolume and its expected improvement.

use serde_json::Value;
use thrifty_domain::Points;
use thrifty_pareto::{
    Duplicates, ExpectedHypervolumeImprovement, Hypervolume, additive_epsilon, hypervolume, igd, igd_plus,
    non_dominated, non_dominated_ranks,
};

use crate::findings::Findings;
use crate::json::{number, numbers, points, relative, rows, text};
use crate::line::Family;

/// Volumes, contributions, ranks and indicators.
pub(crate) fn volumes(file: &Value) -> Result<Findings, String> {
    let mut findings = Findings::default();
    let none = &Value::Null;
    let mut exact = Family::new("hypervolume", 2e-15);
    for case in rows(&findings.section(file, "hypervolume").unwrap_or(none)["cases"]) {
        let found = hypervolume(points(&case["points"])?.as_ref(), &numbers(&case["ref"])?).map_err(text)?;
        exact.add(relative(found, number(&case["hv_exact"])?, 1e-290));
    }
    let mut large = Family::new("hypervolume of many points", 4e-15);
    for case in rows(findings.section(file, "hypervolume_large").unwrap_or(none)) {
        let found = hypervolume(points(&case["points"])?.as_ref(), &numbers(&case["ref"])?).map_err(text)?;
        let truth = if case["hv_exact"].is_null() { &case["moocore"] } else { &case["hv_exact"] };
        large.add(relative(found, number(truth)?, 1e-290));
    }
    let mut contributions = Family::new("contributions", 1e-16);
    for case in rows(&findings.section(file, "hv_contributions").unwrap_or(none)["cases"]) {
        let volume = Hypervolume::new(&numbers(&case["ref"])?).map_err(text)?;
        let found = volume.contributions(points(&case["points"])?.as_ref()).map_err(text)?;
        for (found, truth) in found.iter().zip(numbers(&case["contrib_exact"])?) {
            contributions.add((found - truth).abs());
        }
    }
    findings.extend([exact, large, contributions]);
    if let Some(section) = findings.section(file, "nondominated_rank") {
        findings.extend([ranks(section)?]);
    }
    if let Some(section) = findings.section(file, "indicators") {
        findings.extend([indicators(section)?]);
    }
    let known = [
        "made_by",
        "hypervolume",
        "hypervolume_large",
        "hv_contributions",
        "nondominated_rank",
        "indicators",
    ];
    findings.name_others(file, &known);
    Ok(findings)
}

fn ranks(section: &Value) -> Result<Family, String> {
    let mut ranks = Family::new("ranks and fronts", 0.0);
    for case in rows(&section["cases"]) {
        let set = points(&case["points"])?;
        let found: Vec<f64> =
            non_dominated_ranks(set.as_ref()).map_err(text)?.iter().map(|rank| *rank as f64).collect();
        let truth = numbers(&case["rank0"])?;
        ranks.add(f64::from(u8::from(found != truth)));
        let kept = non_dominated(set.as_ref(), Duplicates::First).map_err(text)?;
        for (i, flag) in rows(&case["is_nondominated_first_dup"]).iter().enumerate() {
            ranks.add(f64::from(u8::from(kept.contains(&i) != (*flag == Value::Bool(true)))));
        }
    }
    Ok(ranks)
}

fn indicators(case: &Value) -> Result<Family, String> {
    let (set, target) = (points(&case["set"])?, points(&case["reference_set"])?);
    let mut indicators = Family::new("indicators", 1e-14);
    for (name, found) in [
        ("igd", igd(set.as_ref(), target.as_ref())),
        ("igd_plus", igd_plus(set.as_ref(), target.as_ref())),
        ("epsilon_additive", additive_epsilon(set.as_ref(), target.as_ref())),
    ] {
        indicators.add((found.map_err(text)? - number(&case[name])?).abs());
    }
    Ok(indicators)
}

/// Expected improvements of the hypervolume with their gradients, and means over samples that are given. The file maximises: everything changes its
/// sign.
pub(crate) fn improvements(file: &Value) -> Result<Findings, String> {
    let mut findings = Findings::default();
    if let Some(section) = findings.section(file, "ehvi") {
        findings.extend(expected_improvements(section)?);
    }
    if let Some(section) = findings.section(file, "qehvi_fixed_samples") {
        findings.extend([means_over_samples(section)?]);
    }
    findings.name_others(file, &["made_by", "ehvi", "qehvi_fixed_samples"]);
    Ok(findings)
}

fn negative(value: &Value) -> Result<Vec<f64>, String> {
    Ok(numbers(value)?.iter().map(|x| -x).collect())
}

fn front(case: &Value) -> Result<Points, String> {
    let rows: Vec<Vec<f64>> = rows(&case["front"]).iter().map(negative).collect::<Result<_, _>>()?;
    Points::from_rows(&rows).map_err(text)
}

/// Values, logarithms and derivatives; far in the tails the rounding of distances is magnified.
fn expected_improvements(section: &Value) -> Result<[Family; 4], String> {
    let mut values = Family::new("expected improvement, in units of 1 + |log|", 1e-14);
    let mut logs = Family::new("its logarithm, in units of 1 + |log|", 1e-14);
    let mut by_means = Family::new("gradient by the mean, in units of 1 + |log|", 1e-14);
    let mut by_std_devs = Family::new("gradient by the standard deviation", 1e-12);
    for case in rows(&section["cases"]) {
        let reference = negative(&case["ref"])?;
        let ehvi = ExpectedHypervolumeImprovement::new(front(case)?.as_ref(), &reference).map_err(text)?;
        let (mean, std_dev) = (negative(&case["mu"])?, numbers(&case["sigma"])?);
        let (mut by_mean, mut by_std_dev) = (vec![0.0; mean.len()], vec![0.0; mean.len()]);
        let found = ehvi.value_with_grad(&mean, &std_dev, &mut by_mean, &mut by_std_dev).map_err(text)?;
        let (truth, log_truth) = (number(&case["ehvi"])?, number(&case["log_ehvi"])?);
        let unit = 1.0 + log_truth.abs();
        values.add(relative(found, truth, 1e-290) / unit);
        let log = ehvi.log_value(&mean, &std_dev).map_err(text)?;
        logs.add((log - log_truth).abs() / unit);
        for (found, slope) in by_mean.iter().zip(negative(&case["dmu"])?) {
            by_means.add(relative(*found, slope, 1e-290) / unit);
        }
        for (found, slope) in by_std_dev.iter().zip(numbers(&case["dsigma"])?) {
            by_std_devs.add((found - slope).abs() / slope.abs().max(truth).max(1e-290));
        }
    }
    Ok([values, logs, by_means, by_std_devs])
}

/// Improvements by samples that the file gives.
fn means_over_samples(section: &Value) -> Result<Family, String> {
    let mut samples = Family::new("mean over given samples", 1e-12);
    for case in rows(&section["cases"]) {
        let (front, reference) = (front(case)?, negative(&case["ref"])?);
        let before = hypervolume(front.as_ref(), &reference).map_err(text)?;
        let mut sum = 0.0;
        for sample in rows(&case["samples"]) {
            let mut all = front.clone();
            for row in rows(sample) {
                all.push(&negative(row)?);
            }
            sum += hypervolume(all.as_ref(), &reference).map_err(text)? - before;
        }
        let mean = sum / rows(&case["samples"]).len() as f64;
        samples.add(relative(mean, number(&case["qehvi"])?, 1e-290));
    }
    Ok(samples)
}
