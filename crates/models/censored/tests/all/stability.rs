//! Values that only change on purpose: approximations, fits and predictions on fixed responses.
//!
//! The numbers were recorded from this crate (`made_by` in the file); that they are right is the matter of other tests.

use serde_json::Value;
use thrifty_censored::{
    Bound, CensoredGp, CensoredPosterior, Propagation, Response, Side, Truncated, expectation_propagation,
};
use thrifty_domain::Points;
use thrifty_gp::{Gp, GpSettings, Mean, Noise};
use thrifty_kernel::{Matern52, Scaled};
use thrifty_linalg::Matrix;
use thrifty_sampling::Seed;
use thrifty_surrogate::Posterior;

const RECORD: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/stability_censored.json"));

/// Compares with the record. The tolerance leaves room for other rounding on other machines.
fn check(name: &str, found: &[f64]) {
    println!("RECORD {name} {found:?}");
    let record: Value = serde_json::from_str(RECORD).unwrap();
    let expected: Vec<f64> =
        record[name].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    assert_eq!(found.len(), expected.len(), "{name}: {found:?}");
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() <= 1e-5 * expected.abs().max(1e-2), "{name}: {found} {expected}");
    }
}

/// All numbers of an approximation.
fn told(found: &Truncated) -> Vec<f64> {
    let n = found.mean.len();
    let covariance = (0..n * n).map(|at| found.covariance[(at / n, at % n)]);
    let sites = found.sites.precision.iter().chain(&found.sites.shift).copied();
    let rest = [found.log_probability, found.sweeps as f64, f64::from(u8::from(found.converged))];
    found.mean.iter().copied().chain(covariance).chain(sites).chain(rest).collect()
}

#[test]
fn approximations_keep_their_moments() {
    let a = [[1.0, 0.3, -0.2], [0.4, 0.9, 0.1], [0.0, -0.5, 1.2]];
    let entry =
        |i: usize, j: usize| (0..3).map(|k| a[i][k] * a[j][k]).sum::<f64>() + if i == j { 0.05 } else { 0.0 };
    let covariance = Matrix::from_fn(3, 3, entry);
    let bounds = |at: [f64; 3]| {
        let side = [Side::Above, Side::Below, Side::Above];
        (0..3).map(|i| Bound { at: at[i], side: side[i] }).collect::<Vec<Bound>>()
    };
    let settings = Propagation::default;
    for (name, at) in [("near", [0.2, -0.3, 0.1]), ("far", [4.0, -6.0, 5.0]), ("idle", [-9.0, 8.0, -7.0])] {
        let mean = [0.1, -0.2, 0.3];
        let found = expectation_propagation(&mean, &covariance, &bounds(at), &settings(), None).unwrap();
        check(&format!("truncated_{name}"), &told(&found));
        let again = expectation_propagation(&mean, &covariance, &bounds(at), &settings(), Some(&found.sites))
            .unwrap();
        check(&format!("warm_{name}"), &[again.sweeps as f64, again.log_probability]);
        assert!(again.converged && again.sweeps <= found.sweeps, "{name}");
        let few = Propagation { max_sweeps: 2, step: 0.5, ..settings() };
        check(
            &format!("few_{name}"),
            &told(&expectation_propagation(&mean, &covariance, &bounds(at), &few, None).unwrap()),
        );
        let rough = Propagation { tolerance: 0.05, ..settings() };
        check(
            &format!("rough_{name}"),
            &told(&expectation_propagation(&mean, &covariance, &bounds(at), &rough, None).unwrap()),
        );
    }
    // Two components that are nearly the same: their sum of precisions cancels.
    let twins = Matrix::from_fn(2, 2, |i, j| if i == j { 1.0 + 1e-9 } else { 1.0 });
    let both = [Bound { at: 0.5, side: Side::Above }, Bound { at: 0.4, side: Side::Above }];
    check("twins", &told(&expectation_propagation(&[0.0, 0.0], &twins, &both, &settings(), None).unwrap()));
}

fn at() -> Points {
    Points::from_rows(&[[0.3, 0.4], [0.65, 0.8], [0.9, 0.15]]).unwrap()
}

fn seen(posterior: &CensoredPosterior<Scaled<Matern52>>) -> Vec<f64> {
    let x = at();
    let (mut mean, mut variance, mut covariance) = (vec![0.0; 3], vec![0.0; 3], vec![0.0; 9]);
    posterior.predict_into(x.as_ref(), &mut mean, &mut variance);
    posterior.joint().unwrap().covariance_into(x.as_ref(), &mut covariance);
    let rest = [posterior.log_likelihood(), posterior.sweeps() as f64, posterior.noise_variance()];
    [&mean[..], &variance, &covariance, &rest, &posterior.hyperparameters()].concat()
}

#[test]
fn posteriors_keep_their_predictions() {
    let mut rng = Seed(1).stream("points", 0);
    let x = Points::from_flat((0..18).map(|_| rng.uniform()).collect(), 2);
    let truth = |p: &[f64]| (5.0 * p[0]).sin() + p[1] - 0.3;
    let values: Vec<Response> = x.rows().map(|p| Response::Value(truth(p))).collect();
    let clipped: Vec<Response> = x.rows().map(|p| Response::clipped(truth(p), 0.2)).collect();
    let signs: Vec<Response> = x.rows().map(|p| Response::sign(truth(p) > 0.0)).collect();
    let mixed: Vec<Response> = x
        .rows()
        .enumerate()
        .map(|(i, p)| match i % 3 {
            0 => Response::AtMost(truth(p) + 0.3),
            1 => Response::AtLeast(truth(p) - 0.2),
            _ => Response::Value(truth(p)),
        })
        .collect();
    // Bounds almost without information, and no other data.
    let silent: Vec<Response> = (0..9).map(|i| Response::AtMost(30.0 + f64::from(i))).collect();
    for (name, responses) in
        [("values", values), ("clipped", clipped), ("signs", signs), ("mixed", mixed), ("silent", silent)]
    {
        for (how, mean, standardize_targets) in
            [("plain", Mean::Fixed(0.1), false), ("scaled", Mean::Learned, true), ("zero", Mean::Zero, false)]
        {
            let settings = GpSettings {
                noise: Noise::Learned { start: 1e-2, floor: 1e-4, ceiling: 1.0, prior: None },
                mean,
                standardize_targets,
                restarts: 1,
                ..GpSettings::default()
            };
            let process = || CensoredGp::new(Gp::matern52(2).with_settings(settings.clone()));
            if let Ok(found) = process().condition(x.as_ref(), &responses) {
                check(&format!("conditioned_{name}_{how}"), &seen(&found));
                let more = found.with_observation(&[0.5, 0.5], 0.4).unwrap();
                check(&format!("extended_{name}_{how}"), &seen(&more));
            }
            let noise: Vec<f64> = (0..9).map(|i| 0.01 * f64::from(i)).collect();
            if let Ok(found) = process().condition_with_noise(x.as_ref(), &responses, &noise) {
                check(&format!("noisy_{name}_{how}"), &seen(&found));
            }
            if name != "silent"
                && let Ok(found) = process().fit(x.as_ref(), &responses, &mut Seed(2).stream(name, 0))
            {
                check(&format!("fitted_{name}_{how}"), &seen(&found));
            }
        }
    }
}

#[test]
fn bad_settings_of_the_approximation_are_named() {
    let covariance = Matrix::from_fn(1, 1, |_, _| 1.0);
    let bounds = [Bound { at: 0.0, side: Side::Above }];
    let default = Propagation::default;
    for (name, settings) in [
        ("max_sweeps", Propagation { max_sweeps: 0, ..default() }),
        ("tolerance", Propagation { tolerance: 0.0, ..default() }),
        ("tolerance", Propagation { tolerance: f64::INFINITY, ..default() }),
        ("step", Propagation { step: 0.0, ..default() }),
        ("step", Propagation { step: 1.0 + f64::EPSILON, ..default() }),
    ] {
        let error =
            expectation_propagation(&[0.0], &covariance, &bounds, &settings, None).unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
        let model = CensoredGp::new(Gp::matern52(1)).with_propagation(settings);
        let x = Points::from_flat(vec![0.1, 0.6], 1);
        assert!(
            model.condition(x.as_ref(), &[Response::Value(0.3), Response::AtMost(0.1)]).is_err(),
            "{name}"
        );
    }
    let whole = Propagation { step: 1.0, max_sweeps: 1, ..default() };
    assert!(expectation_propagation(&[0.0], &covariance, &bounds, &whole, None).is_ok());
}
