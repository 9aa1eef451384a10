//! Values that only change on purpose: bases, splines, filters and draws.
//!
//! The numbers were recorded from this crate (`made_by` in the file); that they are right is the matter of other tests.

use serde_json::Value;
use thrifty_domain::Points;
use thrifty_linear::{
    Basis, Coefficients, CovariancePrior, Drift, Fourier, Information, LinearModel, NormalInverseGamma,
    Polynomial, SmoothingSpline, Splines,
};
use thrifty_sampling::Seed;
use thrifty_surrogate::{JointPosterior, PathSampler, Posterior};

const RECORD: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/stability_linear.json"));

/// Compares with the record. The tolerance leaves room for other rounding on other machines.
fn check(name: &str, found: &[f64]) {
    println!("RECORD {name} {found:?}");
    let record: Value = serde_json::from_str(RECORD).unwrap();
    let expected: Vec<f64> =
        record[name].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    assert_eq!(found.len(), expected.len(), "{name}: {found:?}");
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() <= 1e-6 * expected.abs().max(1e-2), "{name}: {found} {expected}");
    }
}

fn bases() -> Vec<(&'static str, Box<dyn Basis>)> {
    vec![
        ("additive", Box::new(Polynomial::additive(2, 3, 0.5))),
        ("full", Box::new(Polynomial::full(2, 3, 0.3))),
        ("exponents", Box::new(Polynomial::of_exponents(vec![vec![0, 2], vec![3, 1]], vec![0.1, 0.2]))),
        ("fourier", Box::new(Fourier::new(2, 2, 2.0))),
        ("cubic", Box::new(Splines::new(2, 4, 3))),
        ("broken", Box::new(Splines::new(2, 3, 1))),
        ("steps", Box::new(Splines::new(2, 3, 0))),
    ]
}

const AT: [[f64; 2]; 5] = [[0.0, 1.0], [0.25, 0.5], [0.37, 0.81], [0.93, 0.04], [1.0, 0.0]];

fn prior(len: usize) -> Coefficients {
    let covariance = (0..len * len).map(|at| 0.3 + 0.2 * (1 + (at / len).min(at % len)) as f64).collect();
    Coefficients::new((0..len).map(|i| 0.1 * i as f64).collect(), covariance).unwrap()
}

#[test]
fn bases_keep_their_functions() {
    for (name, basis) in bases() {
        let mut found = vec![basis.len() as f64, basis.dim() as f64];
        for x in AT {
            let mut slopes = vec![0.0; 2 * basis.len()];
            found.extend(basis.eval(&x));
            if basis.gradient_into(&x, &mut slopes) {
                found.extend(slopes);
            }
        }
        check(&format!("basis_{name}"), &found);
        assert!(!basis.is_empty() && !basis.name().is_empty());
    }
    let names: Vec<String> = bases().iter().map(|(_, basis)| basis.name()).collect();
    let different: std::collections::HashSet<&String> = names.iter().collect();
    assert_eq!(different.len(), names.len(), "{names:?}");
}

#[test]
fn posteriors_keep_their_predictions() {
    let x = Points::from_rows(&[[0.2, 0.7], [0.6, 0.1], [0.8, 0.9]]).unwrap();
    let at = Points::from_rows(&AT[1..4]).unwrap();
    for (name, basis) in bases() {
        let len = basis.len();
        let model = LinearModel::new(basis, prior(len)).unwrap();
        let (posterior, evidence) =
            model.condition(x.as_ref(), &[0.3, -0.4, 0.9], &[0.0, 0.05, 0.2]).unwrap();
        let (mut mean, mut variance) = (vec![0.0; 3], vec![0.0; 3]);
        let (mut of_mean, mut of_variance) = (vec![0.0; 6], vec![0.0; 6]);
        posterior.predict_into(at.as_ref(), &mut mean, &mut variance);
        if let Some(gradient) = posterior.gradient() {
            gradient.predict_with_gradient_into(
                at.as_ref(),
                &mut mean,
                &mut variance,
                &mut of_mean,
                &mut of_variance,
            );
        }
        let mut covariance = vec![0.0; 9];
        posterior.covariance_into(at.as_ref(), &mut covariance);
        let paths = posterior.sample_paths(2, &mut Seed(1).stream(name, 0)).unwrap();
        let mut drawn = vec![0.0; 3];
        paths[1].values_into(at.as_ref(), &mut drawn);
        let coefficients = posterior.coefficients().mean();
        let found =
            [&[evidence][..], &mean, &variance, &of_mean, &of_variance, &covariance, &drawn, coefficients];
        check(&format!("posterior_{name}"), &found.concat());
    }
}

#[test]
fn filters_keep_their_beliefs() {
    let phis = [[1.0, 0.2, -0.5], [0.3, 1.0, 0.4], [-0.7, 0.1, 1.0]];
    let all = |belief: &Coefficients| [belief.mean(), belief.covariance()].concat();
    let (mut plain, mut joseph) = (prior(3), prior(3));
    let (mut information, mut unknown) =
        (Information::of(&prior(3)).unwrap(), NormalInverseGamma::new(prior(3), 2.5, 0.7).unwrap());
    let drift = Drift::new(
        vec![0.9, 0.1, 0.0, -0.1, 0.8, 0.2, 0.0, 0.3, 1.0],
        vec![0.2, 0.05, 0.0, 0.05, 0.3, 0.1, 0.0, 0.1, 0.4],
    )
    .unwrap();
    let mut filtered = vec![prior(3)];
    for (i, phi) in phis.iter().enumerate() {
        let y = [0.4, -1.1, 0.8][i];
        let innovation = plain.update(phi, y, 0.2).unwrap();
        check(
            &format!("innovation_{i}"),
            &[innovation.residual, innovation.variance, innovation.log_density()],
        );
        joseph.update_joseph(phi, y, 0.2).unwrap();
        information.update(phi, y, 0.2).unwrap();
        unknown.update(phi, y).unwrap();
        let mut moved = drift.predict(&filtered[i]).unwrap();
        moved.update(phi, y, 0.2).unwrap();
        filtered.push(moved);
    }
    check("updated", &all(&plain));
    check("joseph", &all(&joseph));
    check("information", &all(&information.coefficients().unwrap()));
    check("root", &plain.square_root().unwrap());
    check(
        "moments",
        &[plain.moments(&phis[0]).0, plain.moments(&phis[0]).1, plain.covariance_of(&phis[0], &phis[2])],
    );
    let (latent, seen) = (unknown.predict_latent(&phis[1]), unknown.predict(&phis[1]));
    let students = [latent, seen].map(|s| [s.location, s.scale_squared, s.freedom, s.variance()]).concat();
    let noise = [unknown.noise().0, unknown.noise().1, unknown.noise_mean(), unknown.mean(&phis[2])];
    check("unknown_noise", &[&students[..], &noise, &all(unknown.unit())].concat());
    check("filtered", &all(&filtered[3]));
    let smoothed = drift.smooth(&filtered).unwrap();
    check("smoothed", &smoothed.iter().flat_map(all).collect::<Vec<f64>>());
    check("walk", &all(&Drift::random_walk(&[0.1, 0.2, 0.3]).unwrap().predict(&prior(3)).unwrap()));
}

#[test]
fn covariances_keep_their_draws() {
    for (name, law) in
        [("wishart", CovariancePrior::Wishart { degrees: 7.0 }), ("lkj", CovariancePrior::Lkj { eta: 1.5 })]
    {
        let drawn = law.around(&prior(3), &mut Seed(2).stream(name, 0)).unwrap();
        check(&format!("law_{name}"), &[drawn.mean(), drawn.covariance()].concat());
    }
}

#[test]
fn splines_keep_their_fit() {
    let mut rng = Seed(3).stream("points", 0);
    for dim in 1..=3 {
        let x = Points::from_flat((0..9 * dim).map(|_| rng.uniform()).collect(), dim);
        let y: Vec<f64> =
            x.rows().enumerate().map(|(i, p)| (4.0 * p[0]).sin() + 0.3 * (i as f64).cos()).collect();
        let spline = SmoothingSpline::new(x.as_ref()).unwrap();
        for (name, smoothed) in [
            ("chosen", spline.smooth(&y).unwrap()),
            ("stiff", spline.smooth_with(&y, 1.0).unwrap()),
            ("loose", spline.smooth_with(&y, 1e-4).unwrap()),
        ] {
            let mut found = smoothed.fitted.clone();
            found.push(smoothed.degrees_of_freedom);
            // The minimum of the score is flat: its place is known to few digits.
            let at = [vec![0.4; dim], vec![1.2; dim], x.row(2).to_vec()];
            found.extend(at.iter().map(|x| smoothed.eval(x).unwrap()));
            check(&format!("spline_{dim}_{name}"), &found);
        }
    }
    // Points that repeat, and values on a line, which every spline keeps.
    let x = Points::from_flat(vec![0.1, 0.1, 0.4, 0.7, 0.9], 1);
    let smoothed =
        SmoothingSpline::new(x.as_ref()).unwrap().smooth_with(&[0.0, 1.0, 0.5, 0.2, 0.9], 0.01).unwrap();
    check("spline_repeats", &smoothed.fitted);
}
