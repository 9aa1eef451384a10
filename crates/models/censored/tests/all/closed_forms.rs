//! Closed forms without expectation propagation: one bound, values alone, two and three bounds by quadrature.

use std::f64::consts::PI;

use thrifty_censored::{Bound, CensoredGp, Propagation, Response, Side, expectation_propagation};
use thrifty_domain::Points;
use thrifty_gp::{Gp, GpSettings, Mean, Noise};
use thrifty_kernel::{Kernel, Matern52, Scaled};
use thrifty_linalg::{Cholesky, JitterLadder, Matrix};
use thrifty_prob::{cdf, log_cdf, pdf};
use thrifty_sampling::Seed;
use thrifty_surrogate::{Posterior, Prediction};

fn known(noise: f64, mean: f64) -> GpSettings {
    GpSettings {
        noise: Noise::Fixed(noise),
        mean: Mean::Fixed(mean),
        standardize_targets: false,
        ..GpSettings::default()
    }
}

fn process(variance: f64, noise: f64, mean: f64) -> Gp<Scaled<Matern52>> {
    let kernel = Scaled::new(Matern52::new(vec![0.5]).unwrap(), variance).unwrap();
    Gp::new(kernel).with_settings(known(noise, mean))
}

/// y = f + ε, V = k + σ², z = (c - m)/√V: E[y] = m - √V φ/Φ, Var[y] = V (1 - r(z + r)).
#[test]
fn one_bound_is_a_truncated_normal_variable() {
    let x = Points::from_flat(vec![0.4], 1);
    for (k, noise, m, c) in
        [(2.0, 0.1, 0.3, 0.0), (1.0, 1e-6, 0.0, -3.0), (0.5, 2.0, 1.0, 4.0), (1.0, 0.5, 0.0, -8.0)]
    {
        for response in [Response::AtMost(c), Response::AtLeast(c)] {
            let s = if matches!(response, Response::AtMost(_)) { 1.0 } else { -1.0 };
            let posterior = CensoredGp::new(process(k, noise, m)).condition(x.as_ref(), &[response]).unwrap();
            let total: f64 = k + noise;
            let z = s * (c - m) / total.sqrt();
            let r = pdf(z) / cdf(z);
            let mean = m - s * k / total * total.sqrt() * r;
            let variance = k - k * k / total * r * (z + r);
            let Prediction { mean: found, variance: spread } = posterior.predict(&[0.4]);
            assert!((found - mean).abs() < 1e-9 * (1.0 + mean.abs()), "{response:?}: {found} {mean}");
            assert!((spread - variance).abs() < 1e-9, "{response:?}: {spread} {variance}");
            assert!((posterior.log_likelihood() - log_cdf(z)).abs() < 1e-10 * (1.0 + z * z), "{response:?}");
            assert!(posterior.converged() && posterior.sweeps() <= 3, "{}", posterior.sweeps());
        }
    }
}

#[test]
fn values_alone_are_an_ordinary_process() {
    let x = Points::from_flat((0..9).map(|i| f64::from(i) / 8.0).collect(), 1);
    let y: Vec<f64> = x.rows().map(|p| 40.0 + 7.0 * (5.0 * p[0]).sin()).collect();
    let responses: Vec<Response> = y.iter().map(|y| Response::Value(*y)).collect();
    for settings in [GpSettings::default(), GpSettings { normalize_inputs: true, ..known(0.01, 41.0) }] {
        let gp = Gp::matern52(1).with_settings(settings);
        let ordinary = gp.fit(x.as_ref(), &y, &mut Seed(3).stream("fit", 0)).unwrap();
        let ours = CensoredGp::new(gp).fit(x.as_ref(), &responses, &mut Seed(3).stream("fit", 0)).unwrap();
        assert_eq!(ours.hyperparameters(), ordinary.hyperparameters());
        let difference = ours.log_likelihood() - ordinary.log_likelihood();
        assert!(difference.abs() < 1e-10 * ordinary.log_likelihood().abs(), "{difference}");
        assert_eq!(ours.sweeps(), 0);
        for at in [0.0, 0.17, 0.5, 0.93] {
            let (a, b) = (ours.predict(&[at]), ordinary.predict(&[at]));
            assert!(
                (a.mean - b.mean).abs() < 1e-10 * b.mean.abs() && (a.variance - b.variance).abs() < 1e-10,
                "{a:?} {b:?}"
            );
        }
    }
}

/// P(both above) = ¼ + asin(ρ)/2π: expectation propagation is exact at ρ = 0 and close elsewhere.
#[test]
fn quadrants_have_their_probabilities() {
    let bounds = [Bound { at: 0.0, side: Side::Above }; 2];
    for (rho, tolerance) in [(0.0_f64, 1e-14), (0.5, 2e-3), (-0.5, 1e-2), (0.9, 4e-2), (0.99, 1.5e-1)] {
        let c = Matrix::from_fn(2, 2, |i, j| if i == j { 1.0 } else { rho });
        let found = expectation_propagation(&[0.0; 2], &c, &bounds, &Propagation::default(), None).unwrap();
        let exact = (0.25 + rho.asin() / (2.0 * PI)).ln();
        let error = (found.log_probability - exact).abs();
        assert!(found.converged && error <= tolerance, "{rho}: {error}, {} sweeps", found.sweeps);
    }
}

/// Two bounds and a value against a grid of 600² points.
#[test]
fn values_and_bounds_agree_with_quadrature() {
    let (variance, noise) = (1.5, 0.1);
    let x = Points::from_flat(vec![0.1, 0.35, 0.6], 1);
    let responses = [Response::Value(0.8), Response::AtMost(0.1), Response::AtLeast(-0.2)];
    let gp = process(variance, noise, 0.2);
    let posterior = CensoredGp::new(gp.clone()).condition(x.as_ref(), &responses).unwrap();
    // The two latent numbers given the value, by the ordinary process.
    let given = gp.condition(x.as_ref().slice(0, 1), &[0.8]).unwrap();
    let two = Points::from_flat(vec![0.35, 0.6], 1);
    let (mut m, mut v, mut c) = ([0.0; 2], [0.0; 2], [0.0; 4]);
    given.predict_into(two.as_ref(), &mut m, &mut v);
    given.joint().unwrap().covariance_into(two.as_ref(), &mut c);
    let rho = c[1] / (v[0] * v[1]).sqrt();
    let (mut total, mut first, mut second) = (0.0, [0.0; 2], [0.0; 2]);
    let step = 16.0 / 600.0;
    for i in 0..600 {
        for j in 0..600 {
            let (a, b) = (-8.0 + step * (f64::from(i) + 0.5), -8.0 + step * (f64::from(j) + 0.5));
            let f = [m[0] + v[0].sqrt() * a, m[1] + v[1].sqrt() * (rho * a + (1.0 - rho * rho).sqrt() * b)];
            let kept = cdf((0.1 - f[0]) / noise.sqrt()) * cdf((f[1] + 0.2) / noise.sqrt());
            let weight = pdf(a) * pdf(b) * kept * step * step;
            total += weight;
            for k in 0..2 {
                first[k] += weight * f[k];
                second[k] += weight * f[k] * f[k];
            }
        }
    }
    let of_value = given.log_likelihood();
    let error = posterior.log_likelihood() - of_value - total.ln();
    assert!(error.abs() < 5e-3, "log evidence off by {error}");
    for k in 0..2 {
        let mean = first[k] / total;
        let Prediction { mean: found, variance: spread } = posterior.predict(two.row(k));
        let variance = second[k] / total - mean * mean;
        assert!((found - mean).abs() < 0.02 * v[k].sqrt(), "mean {k}: {found} {mean}");
        assert!((spread / variance - 1.0).abs() < 0.04, "variance {k}: {spread} {variance}");
    }
}

/// A probit classifier of three points against a grid of 60³ points of the whitened latent numbers.
#[test]
fn a_small_classifier_agrees_with_quadrature() {
    let at = [0.1, 0.4, 0.8];
    let signs = [true, false, true];
    let gp = process(4.0, 1.0, 0.0);
    let x = Points::from_flat(at.to_vec(), 1);
    let responses: Vec<Response> = signs.iter().map(|above| Response::sign(*above)).collect();
    let posterior = CensoredGp::new(gp.clone()).condition(x.as_ref(), &responses).unwrap();
    let k = |i: usize, j: usize| gp.kernel().eval(&[at[i]], &[at[j]]);
    let factor = Cholesky::new(&Matrix::from_fn(3, 3, k), &JitterLadder::default()).unwrap();
    let l = |i: usize, j: usize| factor.factor()[(i, j)];
    let step = 12.0 / 60.0;
    let node = |i: usize| -6.0 + step * (i as f64 + 0.5);
    let (mut total, mut first) = (0.0, [0.0; 3]);
    for cell in 0..60 * 60 * 60 {
        let z = [node(cell % 60), node(cell / 60 % 60), node(cell / 3600)];
        let f = [
            l(0, 0) * z[0],
            l(1, 0) * z[0] + l(1, 1) * z[1],
            l(2, 0) * z[0] + l(2, 1) * z[1] + l(2, 2) * z[2],
        ];
        let likelihood: f64 =
            f.iter().zip(signs).map(|(f, above)| cdf(if above { *f } else { -f })).product();
        let weight = z.iter().map(|z| pdf(*z) * step).product::<f64>() * likelihood;
        total += weight;
        first.iter_mut().zip(f).for_each(|(slot, f)| *slot += weight * f);
    }
    let error = posterior.log_likelihood() - total.ln();
    assert!(error.abs() < 5e-3, "log evidence off by {error}");
    for i in 0..3 {
        let (found, mean) = (posterior.predict(&[at[i]]).mean, first[i] / total);
        assert!((found - mean).abs() < 0.02, "mean {i}: {found} {mean}");
    }
}

/// One of each sign at mirrored points.
#[test]
fn mirrored_signs_meet_at_zero() {
    let x = Points::from_flat(vec![0.2, 0.8], 1);
    let responses = [Response::sign(false), Response::sign(true)];
    let posterior = CensoredGp::new(process(1.0, 1.0, 0.0)).condition(x.as_ref(), &responses).unwrap();
    assert!(posterior.predict(&[0.5]).mean.abs() < 1e-12);
    assert!(posterior.predict(&[0.9]).mean > 0.1);
}
