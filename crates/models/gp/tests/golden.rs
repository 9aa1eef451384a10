//! Likelihood, gradient, posterior and leave-one-out against reference numbers from automatic differentiation.

use serde_json::Value;
use thrifty_domain::Points;
use thrifty_gp::{ExactLikelihood, Gp, GpSettings, Mean, Noise};
use thrifty_kernel::{Kernel, Matern12, Matern32, Matern52, Scaled, SquaredExponential, Sum};
use thrifty_params::{LogLikelihood, Parameterized};
use thrifty_surrogate::{JointPosterior, Posterior, PosteriorGradient};

const GOLDEN: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/gp.json"));

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        value => vec![value.as_f64().expect("a number")],
    }
}

fn points(value: &Value) -> Points {
    let rows: Vec<Vec<f64>> = value.as_array().expect("rows").iter().map(numbers).collect();
    Points::from_rows(&rows).expect("rows of equal length")
}

/// The kernel of a case if it exists here, with the names of its parameters in our order.
fn kernel(case: &Value) -> Option<(Box<dyn Kernel>, Vec<&'static str>)> {
    let params = &case["params"];
    let scaled = |name: &str, suffix: &str| -> Box<dyn Kernel> {
        let l = numbers(&params[format!("lengthscale{suffix}")]);
        let unit: Box<dyn Kernel> = match name {
            "se" => Box::new(SquaredExponential::new(l).unwrap()),
            "matern12" => Box::new(Matern12::new(l).unwrap()),
            "matern32" => Box::new(Matern32::new(l).unwrap()),
            _ => Box::new(Matern52::new(l).unwrap()),
        };
        Box::new(Scaled::new(unit, params[format!("variance{suffix}")].as_f64().unwrap()).unwrap())
    };
    let name = case["kernel"].as_str()?;
    match name {
        "se" | "matern12" | "matern32" | "matern52" => {
            Some((scaled(name, ""), vec!["variance", "lengthscale"]))
        }
        "sum_matern52_se" => {
            let sum = Sum::new(scaled("matern52", ""), scaled("se", "2")).unwrap();
            Some((Box::new(sum), vec!["variance", "lengthscale", "variance2", "lengthscale2"]))
        }
        _ => None,
    }
}

fn close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1e-3, |m: f64, v| m.max(v.abs()));
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= tolerance * scale, "{what}: {f} against {e}");
    }
}

#[test]
fn every_case_with_a_known_kernel_agrees() {
    let golden: Value = serde_json::from_str(GOLDEN).expect("JSON");
    let mut checked = 0;
    for case in golden["cases"].as_array().expect("cases") {
        let Some((mut kernel, order)) = kernel(case) else { continue };
        checked += 1;
        let what = format!("{} n = {} d = {}", case["kernel"], case["n"], case["d"]);
        let (x, y) = (points(&case["X"]), numbers(&case["y"]));
        let (noise, mean) = (case["noise_variance"].as_f64().unwrap(), case["mean"].as_f64().unwrap());
        let learned = Noise::Learned { start: noise, floor: 1e-12, ceiling: 1.0, prior: None };
        let mut likelihood = ExactLikelihood::new(&mut kernel, x.as_ref(), &y, &learned, Mean::Learned);
        let mut values: Vec<f64> = likelihood.params().iter().map(|p| p.value).collect();
        *values.last_mut().unwrap() = mean;
        likelihood.set_params(&values);
        let mut gradient = vec![0.0; values.len()];
        let lml = likelihood.log_likelihood(&mut gradient).unwrap();
        close(&[lml], &[case["lml"].as_f64().unwrap()], 1e-11, &what);
        let of = &case["lml_grad_natural"];
        let mut expected: Vec<f64> = order.iter().flat_map(|name| numbers(&of[*name])).collect();
        expected.extend([of["noise"].as_f64().unwrap(), of["mean"].as_f64().unwrap()]);
        close(&gradient, &expected, 1e-9, &format!("{what} gradient"));

        let settings = GpSettings {
            noise: Noise::Fixed(noise),
            mean: Mean::Fixed(mean),
            standardise_targets: false,
            ..GpSettings::default()
        };
        let posterior = Gp::new(kernel).with_settings(settings).condition(x.as_ref(), &y).unwrap();
        assert_eq!(posterior.jitter(), 0.0);
        close(&[posterior.log_likelihood()], &[case["lml"].as_f64().unwrap()], 1e-11, &what);
        let test = points(&case["X_test"]);
        let (m, d) = (test.len(), test.dim());
        let (mut mean, mut variance, mut covariance) = (vec![0.0; m], vec![0.0; m], vec![0.0; m * m]);
        posterior.predict_into(test.as_ref(), &mut mean, &mut variance);
        close(&mean, &numbers(&case["post_mean"]), 1e-10, &format!("{what} mean"));
        posterior.covariance_into(test.as_ref(), &mut covariance);
        let expected = numbers(&case["post_cov_latent"]);
        close(&covariance, &expected, 1e-10, &format!("{what} covariance"));
        let diagonal: Vec<f64> = (0..m).map(|i| expected[i * m + i]).collect();
        close(&variance, &diagonal, 1e-10, &format!("{what} variance"));
        let (mut of_mean, mut of_variance) = (vec![0.0; m * d], vec![0.0; m * d]);
        posterior.predict_with_gradient_into(
            test.as_ref(),
            &mut mean,
            &mut variance,
            &mut of_mean,
            &mut of_variance,
        );
        close(&of_mean, &numbers(&case["post_mean_grad"]), 1e-9, &format!("{what} mean gradient"));
        close(&of_variance, &numbers(&case["post_var_grad"]), 1e-9, &format!("{what} variance gradient"));
        let (mean, variance): (Vec<f64>, Vec<f64>) = posterior.leave_one_out().into_iter().unzip();
        close(&mean, &numbers(&case["loo_mean"]), 1e-10, &format!("{what} leave-one-out"));
        close(&variance, &numbers(&case["loo_var_with_noise"]), 1e-10, &format!("{what} leave-one-out"));
    }
    assert!(checked >= 13, "only {checked} cases had a known kernel");
}
