//! Acquisition functions and what they are made of.

use serde_json::Value;
use thrifty_acquisition::{
    Acquisition, ConfidenceBound, ExpectedImprovement, Gibbon, Gumbel, KnowledgeGradient,
    LogExpectedImprovement, LogProbabilityOfImprovement, MaxValueEntropySearch, ProbabilityOfImprovement,
    Utility,
};
use thrifty_domain::Points;
use thrifty_gp::{Gp, GpSettings, Mean, Noise};
use thrifty_kernel::Scaled;
use thrifty_prob::{
    UpperEnvelope, cdf, h, inverse_mills, log_cdf, log_h, log_h_derivative, pdf, truncated_variance,
};

use crate::findings::Findings;
use crate::json::{number, numbers, relative, rows, text};
use crate::kernels::unit;
use crate::line::Family;

const SECTIONS: [&str; 8] =
    ["made_by", "ei_z", "ei_full", "botorch_log_ei_helper", "kg_affine", "kg_gp_grid", "mes", "mes_gumbel"];

type Section = fn(&Value, &mut Findings) -> Result<(), String>;

/// `h` to 4e-16 (1 + z²) of the truth, its logarithm to 4 ulp, the rest to 2e-15; on means and deviations the
/// rounding of z, magnified by the tail, is allowed for. Errors are in units of these tolerances.
pub(crate) fn check(file: &Value) -> Result<Findings, String> {
    let mut findings = Findings::default();
    if let Some(section) = findings.section(file, "ei_z") {
        improvement_function(section, &mut findings)?;
    }
    let sections: [(&str, Section); 5] = [
        ("ei_full", ei_full),
        ("kg_affine", knowledge_gradient_of_lines),
        ("kg_gp_grid", knowledge_gradient_on_grid),
        ("mes", max_value),
        ("mes_gumbel", gumbel),
    ];
    for (name, compare) in sections {
        if let Some(section) = findings.section(file, name) {
            compare(section, &mut findings)?;
        }
    }
    let mut helper = Family::new("botorch_log_ei_helper", 2e-15);
    for row in rows(findings.section(file, "botorch_log_ei_helper").unwrap_or(&Value::Null)) {
        helper.add(relative(log_h(number(&row["z"])?), number(&row["truth"])?, 1e-3));
    }
    findings.extend([helper]);
    findings.name_others(file, &SECTIONS);
    Ok(findings)
}

/// Functions of the standardised improvement.
fn improvement_function(section: &Value, findings: &mut Findings) -> Result<(), String> {
    let families: [(&str, &str, fn(f64) -> f64, fn(f64, f64) -> f64); 8] = [
        ("h", "h", h, |z, truth| 4e-16 * (1.0 + z * z) * floored(truth)),
        ("log_h", "log h", log_h, |_, truth| 4.0 * ulp(truth)),
        ("Phi", "Φ", cdf, |z, truth| (2e-15 + 2e-16 * z * z) * floored(truth)),
        ("log_Phi", "log Φ", log_cdf, |_, truth| 2e-15 * floored(truth)),
        ("phi", "φ", pdf, |z, truth| (2e-15 + 2e-16 * z * z) * floored(truth)),
        ("dlog_h_dz", "d log h / dz", log_h_derivative, |_, truth| 2e-15 * floored(truth)),
        (
            "inv_mills_phi_over_Phi",
            "inverse Mills ratio",
            |z| inverse_mills(-z),
            |_, truth| 2e-15 * floored(truth),
        ),
        ("h_f64", "h in double", h, |z, truth| 8e-16 * (1.0 + z * z) * floored(truth)),
    ];
    for (key, name, function, tolerance) in families {
        let mut family = Family::new(format!("ei_z: {name}"), 1.0);
        for row in rows(&section["rows"]).iter().filter(|row| !row[key].is_null()) {
            let (z, truth) = (number(&row["z"])?, number(&row[key])?);
            let found = function(z);
            family.add(if found == truth { 0.0 } else { (found - truth).abs() / tolerance(z, truth) });
        }
        findings.extend([family]);
    }
    Ok(())
}

fn floored(truth: f64) -> f64 {
    truth.abs().max(1e-290)
}

fn ulp(truth: f64) -> f64 {
    let size = truth.abs().max(0.5);
    size.next_up() - size
}

/// Exact knowledge gradients of lines.
fn knowledge_gradient_of_lines(section: &Value, findings: &mut Findings) -> Result<(), String> {
    let (mut gain, mut logarithm) =
        (Family::new("kg_affine", 1e-13), Family::new("kg_affine: logarithm", 1e-12));
    for case in rows(&section["cases"]) {
        let envelope = UpperEnvelope::of(&numbers(&case["a"])?, &numbers(&case["b"])?);
        gain.add(relative(envelope.expected_gain(), number(&case["kg"])?, 1e-290));
        if !case["log_kg"].is_null() {
            let truth = number(&case["log_kg"])?;
            logarithm.add(relative(envelope.log_expected_gain(), truth, 1.0));
        }
    }
    findings.extend([gain, logarithm]);
    Ok(())
}

/// Exact knowledge gradients of a Gaussian process on a grid.
fn knowledge_gradient_on_grid(case: &Value, findings: &mut Findings) -> Result<(), String> {
    let name = case["kernel"].as_str().ok_or("kg_gp_grid: no kernel")?;
    let Some(unit) = unit(name, vec![number(&case["lengthscale"])?], case)? else {
        findings.unknown(format!("kernel {name}"));
        return Ok(());
    };
    let (grid, truth) = (Points::from_flat(numbers(&case["grid"])?, 1), numbers(&case["kg_f64"])?);
    let kernel = Scaled::new(unit, number(&case["outputscale"])?).map_err(text)?;
    let noise = number(&case["noise_var"])?;
    let settings = GpSettings {
        noise: Noise::Fixed(noise),
        // The file maximises: everything is mirrored.
        mean: Mean::Fixed(-number(&case["prior_mean"])?),
        standardize_targets: false,
        ..GpSettings::default()
    };
    let mirrored: Vec<f64> = numbers(&case["train_y"])?.iter().map(|y| -y).collect();
    let train = Points::from_flat(numbers(&case["train_x"])?, 1);
    let posterior =
        Gp::new(kernel).with_settings(settings).condition(train.as_ref(), &mirrored).map_err(text)?;
    let kg = KnowledgeGradient::new(&posterior, grid.as_ref(), noise).map_err(text)?.among_anchors();
    let mut family = Family::new("kg_gp_grid", 1e-10);
    for (point, truth) in grid.rows().zip(truth) {
        family.add((kg.value(point) - truth).abs());
    }
    findings.extend([family]);
    Ok(())
}

/// Information on sampled maxima: mirrored, as the crate minimises. In units of a tolerance of 2e-14 for averages, and of
/// 4e-15 with what the tail makes of the rounding of γ for single terms.
fn max_value(section: &Value, findings: &mut Findings) -> Result<(), String> {
    let names = ["mes", "mes: parts", "mes: GIBBON", "mes: extreme", "mes: variance", "mes: GIBBON terms"];
    let mut families = names.map(|name| Family::new(name, 1.0));
    for case in rows(&section["cases"]) {
        let [mu, sigma, noise] = ["mu", "sigma", "noise_var"].map(|name| number(&case[name]));
        let (mu, sigma) = (mu?, sigma?);
        let minima: Vec<f64> = numbers(&case["max_samples"])?.iter().map(|y| -y).collect();
        let all = MaxValueEntropySearch::new(minima.clone()).map_err(text)?;
        families[0].add(relative(all.value(-mu, sigma), number(&case["mes"])?, 1e-290) / 2e-14);
        for (minimum, part) in minima.iter().zip(numbers(&case["mes_parts"])?) {
            // Below, the file's own logarithm of Φ was out of digits: it lacks the part -ln Φ.
            if part > 1e-50 {
                let one = MaxValueEntropySearch::new(vec![*minimum]).map_err(text)?;
                let gamma = (minimum + mu) / sigma;
                let tolerance = 2e-14 + 4e-16 * gamma * gamma;
                families[1].add(relative(one.value(-mu, sigma), part, 1e-290) / tolerance);
            }
        }
        let gibbon = Gibbon::new(minima, noise?).map_err(text)?;
        families[2].add(relative(gibbon.value(-mu, sigma), number(&case["gibbon_q1"])?, 1e-290) / 2e-14);
    }
    for row in rows(&section["extreme"]) {
        let gamma = number(&row["gamma"])?;
        let tolerance = 4e-15 + 4e-16 * gamma.max(0.0).powi(2);
        let mes = MaxValueEntropySearch::new(vec![0.0]).map_err(text)?;
        let gibbon = Gibbon::new(vec![0.0], 0.0).map_err(text)?;
        let found = [
            (3, mes.value(gamma, 1.0), "mes_term", tolerance),
            (4, truncated_variance(gamma), "trunc_var_ratio", 4e-15),
            (5, gibbon.value(gamma, 1.0), "gibbon_term_rho1", tolerance),
        ];
        for (family, value, name, tolerance) in found {
            // Below the smallest normal number there are fewer digits.
            families[family].add(relative(value, number(&row[name])?, f64::MIN_POSITIVE) / tolerance);
        }
    }
    findings.extend(families);
    Ok(())
}

/// The Gumbel law that matches the quartiles of the maximum of independent values: mirrored.
fn gumbel(case: &Value, findings: &mut Findings) -> Result<(), String> {
    let mut family = Family::new("mes_gumbel", 1e-13);
    let mean: Vec<f64> = numbers(&case["mu"])?.iter().map(|mu| -mu).collect();
    let fit = Gumbel::of_minimum(&mean, &numbers(&case["sigma"])?).map_err(text)?;
    family.add(relative(-fit.location, number(&case["gumbel_a"])?, 1e-3));
    family.add(relative(fit.scale, number(&case["gumbel_b"])?, 1e-3));
    findings.extend([family]);
    Ok(())
}

/// Acquisition functions of a mean and a standard deviation, with derivatives.
fn ei_full(section: &Value, findings: &mut Findings) -> Result<(), String> {
    let names = ["EI", "LogEI", "PI", "LogPI", "UCB_beta4", "LCB_beta4", "dLogEI_dmu", "dLogEI_dsigma"];
    let mut families = names.map(|name| Family::new(format!("ei_full: {name}"), 1.0));
    for row in rows(&section["rows"]) {
        let [mu, sigma, best, xi] = ["mu", "sigma", "best", "xi"].map(|name| number(&row[name]));
        let (mu, sigma, best, xi) = (mu?, sigma?, best?, xi.unwrap_or(0.0));
        // The file maximises: mirror mean and target.
        let (mean, target) = (-mu, -(best + xi));
        let z = (target - mean) / sigma;
        let (log_ei, by_mean, by_std_dev) = LogExpectedImprovement { target }.value_and_slopes(mean, sigma);
        let found = [
            ExpectedImprovement { target }.value(mean, sigma),
            log_ei,
            ProbabilityOfImprovement { target }.value(mean, sigma),
            LogProbabilityOfImprovement { target }.value(mean, sigma),
            ConfidenceBound { beta: 4.0 }.value(mean, sigma),
            -ConfidenceBound { beta: 4.0 }.value(mu, sigma),
            -by_mean,
            by_std_dev,
        ];
        // Rounding of τ - μ in units of σ.
        let shift = 2.0 * f64::EPSILON * (mu.abs() + best.abs()) / sigma;
        for ((name, found), family) in
            names.iter().zip(found).zip(&mut families).filter(|((name, _), _)| !row[**name].is_null())
        {
            let truth = number(&row[*name])?;
            let size = if name.starts_with("Log") { floored(truth).max(1.0) } else { floored(truth) };
            // The tail magnifies a shift of z by up to |z|; a logarithm turns it into |z| times the shift.
            let tolerance = (4e-16 * (1.0 + z * z) + shift * (1.0 + z.abs())) * size;
            family.add(if found == truth { 0.0 } else { (found - truth).abs() / tolerance });
        }
    }
    findings.extend(families);
    Ok(())
}
