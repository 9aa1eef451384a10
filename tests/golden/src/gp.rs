//! Gaussian processes: covariances, likelihoods, posteriors, leave-one-out.

use std::collections::BTreeMap;

use serde_json::Value;
use thrifty_domain::Points;
use thrifty_gp::{ExactLikelihood, Gp, GpSettings, Mean, Noise};
use thrifty_kernel::Kernel;
use thrifty_params::{LogLikelihood, Parameterized};
use thrifty_surrogate::{JointPosterior, PosteriorGradient};

use crate::findings::Findings;
use crate::json::{number, numbers, points, relative_to_largest, rows};
use crate::kernels::kernel;
use crate::line::Family;

/// Relative to the largest number of each quantity: covariance rows 1e-13, likelihoods 1e-11, posteriors and
/// leave-one-out 1e-10, gradients 1e-9. The reference is double precision; the condition numbers of its cases
/// reach 1e6.
const QUANTITIES: [(&str, f64); 8] = [
    ("covariance row", 1e-13),
    ("log likelihood", 1e-11),
    ("likelihood gradient", 1e-9),
    ("posterior mean and covariance", 1e-10),
    ("posterior gradients", 1e-9),
    ("leave-one-out", 1e-10),
    ("likelihood of the posterior", 1e-11),
    ("jitter", 0.0),
];

pub(crate) fn check(file: &Value) -> Result<Findings, String> {
    let mut families: BTreeMap<String, Vec<Family>> = BTreeMap::new();
    let mut findings = Findings::default();
    let Some(cases) = findings.section(file, "cases") else { return Ok(findings) };
    for case in rows(cases) {
        let name = case["kernel"].as_str().ok_or("a case without a kernel")?;
        let Some((kernel, order)) = kernel(name, &case["params"])? else {
            findings.unknown(format!("kernel {name}"));
            continue;
        };
        let own = families.entry(name.into()).or_insert_with(|| {
            QUANTITIES
                .iter()
                .map(|(what, tolerance)| Family::new(format!("{name}: {what}"), *tolerance))
                .collect()
        });
        for (family, error) in own.iter_mut().zip(errors(case, kernel, &order)?) {
            family.add(error);
        }
    }
    families.into_values().for_each(|own| findings.extend(own));
    findings.name_others(file, &["made_by", "worst_lml_relative", "convention", "cases"]);
    Ok(findings)
}

/// Log likelihood, its gradient, and the gradient of the file.
fn likelihood(
    case: &Value,
    kernel: &mut Box<dyn Kernel>,
    order: &[&str],
    (x, y): (&Points, &[f64]),
) -> Result<(f64, Vec<f64>, Vec<f64>), String> {
    let (noise, mean) = (number(&case["noise_variance"])?, number(&case["mean"])?);
    let learned = Noise::Learned { start: noise, floor: noise * 1e-3, ceiling: noise * 1e3, prior: None };
    let mut likelihood = ExactLikelihood::new(kernel, x.as_ref(), y, &learned, Mean::Learned);
    let mut values: Vec<f64> = likelihood.params().iter().map(|p| p.value).collect();
    if let Some(last) = values.last_mut() {
        *last = mean;
    }
    likelihood.set_params(&values);
    let mut gradient = vec![0.0; values.len()];
    let lml =
        likelihood.log_likelihood(&mut gradient).map_err(|pivot| format!("pivot {pivot} is not positive"))?;
    let of = &case["lml_grad_natural"];
    let mut truth = Vec::new();
    for name in order.iter().chain(&["noise", "mean"]) {
        if name.is_empty() {
            // No reference: as good as the number found.
            truth.push(gradient[truth.len()]);
        } else {
            truth.extend(numbers(&of[*name])?);
        }
    }
    Ok((lml, gradient, truth))
}

/// One error per quantity.
fn errors(case: &Value, mut kernel: Box<dyn Kernel>, order: &[&str]) -> Result<[f64; 8], String> {
    let (x, y) = (points(&case["X"])?, numbers(&case["y"])?);
    let (noise, mean) = (number(&case["noise_variance"])?, number(&case["mean"])?);
    if x.is_empty() {
        return Err("a case without points".into());
    }
    let row: Vec<f64> = x.rows().map(|point| kernel.eval(x.row(0), point)).collect();
    let first_row = relative_to_largest(&row, &numbers(&case["K_first_row"])?, 1e-300);

    let (lml, gradient, truth) = likelihood(case, &mut kernel, order, (&x, &y))?;
    let reference = [number(&case["lml"])?];
    let settings = GpSettings {
        noise: Noise::Fixed(noise),
        mean: Mean::Fixed(mean),
        standardize_targets: false,
        ..GpSettings::default()
    };
    let posterior =
        Gp::new(kernel).with_settings(settings).condition(x.as_ref(), &y).map_err(|e| e.to_string())?;
    let test = points(&case["X_test"])?;
    let (m, d) = (test.len(), test.dim());
    let (mut mean, mut variance, mut covariance) = (vec![0.0; m], vec![0.0; m], vec![0.0; m * m]);
    let (mut of_mean, mut of_variance) = (vec![0.0; m * d], vec![0.0; m * d]);
    posterior.predict_with_gradient_into(
        test.as_ref(),
        &mut mean,
        &mut variance,
        &mut of_mean,
        &mut of_variance,
    );
    posterior.covariance_into(test.as_ref(), &mut covariance);
    let diagonal: Vec<f64> = (0..m).map(|i| covariance[i * m + i]).collect();
    let (loo_mean, loo_variance): (Vec<f64>, Vec<f64>) = posterior.leave_one_out().into_iter().unzip();
    let against = |found: &[f64], name: &str| {
        Ok::<f64, String>(relative_to_largest(found, &numbers(&case[name])?, 1e-3))
    };
    Ok([
        first_row,
        relative_to_largest(&[lml], &reference, 1e-3),
        relative_to_largest(&gradient, &truth, 1e-3),
        against(&mean, "post_mean")?
            .max(against(&covariance, "post_cov_latent")?)
            .max(relative_to_largest(&variance, &diagonal, 1e-3)),
        against(&of_mean, "post_mean_grad")?.max(against(&of_variance, "post_var_grad")?),
        against(&loo_mean, "loo_mean")?.max(against(&loo_variance, "loo_var_with_noise")?),
        relative_to_largest(&[posterior.log_likelihood()], &reference, 1e-3),
        posterior.jitter(),
    ])
}
