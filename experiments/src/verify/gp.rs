use std::collections::BTreeMap;

use serde_json::Value;
use thrifty_domain::Points;
use thrifty_gp::{ExactLikelihood, Gp, GpSettings, Mean, Noise};
use thrifty_kernel::{
    Constant, Kernel, Linear, Matern12, Matern32, Matern52, Periodic, Product, RationalQuadratic, Scaled,
    SquaredExponential, Sum,
};
use thrifty_params::{LogLikelihood, Parameterized};
use thrifty_surrogate::{JointPosterior, PosteriorGradient};

use super::{Family, Findings, number, numbers, relative_to_largest, rows};

/// Relative to the largest number of each quantity: likelihoods and covariance rows 1e-11, posteriors and
/// leave-one-out 1e-9, gradients 1e-8. The reference is double precision; the condition numbers of its cases
/// reach 1e6.
const QUANTITIES: [(&str, f64); 7] = [
    ("covariance row", 1e-13),
    ("log likelihood", 1e-11),
    ("likelihood gradient", 1e-8),
    ("posterior mean and covariance", 1e-9),
    ("posterior gradients", 1e-8),
    ("leave-one-out", 1e-9),
    ("likelihood of the posterior", 1e-11),
];

pub fn check(file: &Value) -> Result<Findings, String> {
    let mut families: BTreeMap<String, Vec<Family>> = BTreeMap::new();
    let mut findings = Findings::default();
    for case in rows(&file["cases"]) {
        let name = case["kernel"].as_str().ok_or("a case without a kernel")?;
        let Some((kernel, order)) = kernel(name, &case["params"])? else {
            if !findings.skipped.contains(&name.to_owned()) {
                findings.skipped.push(name.into());
            }
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
    findings.lines = families.into_values().flatten().map(|family| family.line("gp.json")).collect();
    Ok(findings)
}

/// A kernel and the names of its parameters in our order; parameters without a reference have the name "".
type Named = (Box<dyn Kernel>, Vec<&'static str>);

/// The kernel of a case, if this build has it.
fn kernel(name: &str, params: &Value) -> Result<Option<Named>, String> {
    let text = |error: thrifty_kernel::KernelError| error.to_string();
    let at = |key: &str| number(&params[key]);
    let scaled = |name: &str, suffix: &str| -> Result<Box<dyn Kernel>, String> {
        let l = numbers(&params[format!("lengthscale{suffix}")])?;
        let unit: Box<dyn Kernel> = match name {
            "se" => Box::new(SquaredExponential::new(l).map_err(text)?),
            "matern12" => Box::new(Matern12::new(l).map_err(text)?),
            "matern32" => Box::new(Matern32::new(l).map_err(text)?),
            "rational_quadratic" => {
                let kernel = RationalQuadratic::new(l).map_err(text)?;
                Box::new(kernel.with_alpha(at("alpha")?).map_err(text)?)
            }
            "periodic" => Box::new(Periodic::new(l, at("period")?).map_err(text)?),
            _ => Box::new(Matern52::new(l).map_err(text)?),
        };
        Ok(Box::new(Scaled::new(unit, number(&params[format!("variance{suffix}")])?).map_err(text)?))
    };
    let affine = |weights: Vec<f64>, variance: &str| -> Result<Box<dyn Kernel>, String> {
        let slopes = Scaled::new(Linear::new(weights).map_err(text)?, at(variance)?).map_err(text)?;
        let bias = Scaled::new(Constant, at("bias_variance")?).map_err(text)?;
        Ok(Box::new(Sum::new(slopes, bias).map_err(text)?))
    };
    Ok(match name {
        "se" | "matern12" | "matern32" | "matern52" => {
            Some((scaled(name, "")?, vec!["variance", "lengthscale"]))
        }
        "rational_quadratic" => Some((scaled(name, "")?, vec!["variance", "lengthscale", "alpha"])),
        "periodic" => Some((scaled(name, "")?, vec!["variance", "lengthscale", "period"])),
        "linear" => {
            let kernel = affine(numbers(&params["weight"])?, "variance")?;
            Some((kernel, vec!["variance", "weight", "bias_variance"]))
        }
        "sum_matern52_se" => {
            let sum = Sum::new(scaled("matern52", "")?, scaled("se", "2")?).map_err(text)?;
            Some((Box::new(sum), vec!["variance", "lengthscale", "variance2", "lengthscale2"]))
        }
        "product_matern32_linear" => {
            let dim = numbers(&params["lengthscale"])?.len();
            let product = Product::new(scaled("matern32", "")?, affine(vec![1.0; dim], "lin_variance")?);
            let mut names = vec!["variance", "lengthscale", "lin_variance"];
            names.extend(vec![""; dim]);
            names.push("bias_variance");
            Some((Box::new(product.map_err(text)?), names))
        }
        _ => None,
    })
}

fn points(value: &Value) -> Result<Points, String> {
    let rows = rows(value).iter().map(numbers).collect::<Result<Vec<_>, _>>()?;
    Points::from_rows(&rows).map_err(|error| error.to_string())
}

/// One error a quantity.
fn errors(case: &Value, mut kernel: Box<dyn Kernel>, order: &[&str]) -> Result<[f64; 7], String> {
    let (x, y) = (points(&case["X"])?, numbers(&case["y"])?);
    let (noise, mean) = (number(&case["noise_variance"])?, number(&case["mean"])?);
    let row: Vec<f64> = x.rows().map(|point| kernel.eval(x.row(0), point)).collect();
    let first_row = relative_to_largest(&row, &numbers(&case["K_first_row"])?, 1e-300);

    let learned = Noise::Learned { start: noise, floor: noise * 1e-3, ceiling: noise * 1e3, prior: None };
    let mut likelihood = ExactLikelihood::new(&mut kernel, x.as_ref(), &y, &learned, Mean::Learned);
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
    let reference = [number(&case["lml"])?];
    let settings = GpSettings {
        noise: Noise::Fixed(noise),
        mean: Mean::Fixed(mean),
        standardise_targets: false,
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
    ])
}
