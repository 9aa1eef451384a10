//! The approximation beside quadrature, and beside an ordinary process where both are the same.

use thrifty_domain::Points;
use thrifty_gp::{Gp, GpSettings, Mean, Noise};
use thrifty_kernel::{Kernel, Matern52, Scaled};
use thrifty_robust::{RobustGp, StudentT};
use thrifty_sampling::Seed;
use thrifty_surrogate::{Posterior, Prediction};

fn known(noise: f64) -> Gp<Scaled<Matern52>> {
    let settings = GpSettings {
        noise: Noise::Fixed(noise),
        mean: Mean::Zero,
        standardize_targets: false,
        ..GpSettings::default()
    };
    Gp::new(Scaled::new(Matern52::new(vec![0.5]).unwrap(), 1.0).unwrap()).with_settings(settings)
}

/// Exact posterior mean and standard deviation of the function at the first of two points, by a grid over both values.
fn exact(x: [f64; 2], y: [f64; 2], noise: f64, nu: f64) -> (f64, f64) {
    let kernel = Scaled::new(Matern52::new(vec![0.5]).unwrap(), 1.0).unwrap();
    let rho = kernel.eval(&x[..1], &x[1..]);
    let log_t = |e: f64| -0.5 * (nu + 1.0) * (e * e / (nu * noise)).ln_1p();
    let (step, mut sums) = (0.02, [0.0; 3]);
    for i in -400..=400 {
        for j in -400..=400 {
            let (f, g) = (f64::from(i) * step, f64::from(j) * step);
            let prior = -0.5 * (f * f - 2.0 * rho * f * g + g * g) / (1.0 - rho * rho);
            let weight = (prior + log_t(y[0] - f) + log_t(y[1] - g)).exp();
            sums[0] += weight;
            sums[1] += weight * f;
            sums[2] += weight * f * f;
        }
    }
    let mean = sums[1] / sums[0];
    (mean, (sums[2] / sums[0] - mean * mean).sqrt())
}

/// Two observations, of which the second fits, is doubtful, and is an outlier. The exact posterior is wider, most where it is doubtful.
#[test]
fn moments_are_near_those_of_quadrature() {
    let x = [0.3, 0.6];
    for (second, off, wide) in [(0.6, 0.01, 1.25), (2.5, 0.05, 1.5), (8.0, 0.01, 1.3)] {
        let y = [0.5, second];
        let posterior =
            RobustGp::new(known(0.05)).condition(Points::from_flat(x.to_vec(), 1).as_ref(), &y).unwrap();
        let Prediction { mean, variance } = posterior.predict(&[0.3]);
        let (exact_mean, exact_std_dev) = exact(x, y, 0.05, 4.0);
        assert!((mean - exact_mean).abs() < off, "{second}: {mean} {exact_mean}");
        let ratio = exact_std_dev / variance.sqrt();
        assert!(ratio > 0.99 && ratio < wide, "{second}: {ratio}");
    }
}

/// Many degrees of freedom: it is an ordinary process: posterior, evidence and learnt hyperparameters.
#[test]
fn many_degrees_of_freedom_are_an_ordinary_process() {
    let x = Points::from_flat((0..15).map(|i| f64::from(i) / 14.0).collect(), 1);
    let y: Vec<f64> =
        x.rows().enumerate().map(|(i, p)| (5.0 * p[0]).sin() + 0.1 * (i as f64).cos()).collect();
    let settings = GpSettings {
        noise: Noise::Learned { start: 0.01, floor: 1e-6, ceiling: 1.0, prior: None },
        standardize_targets: false,
        ..GpSettings::default()
    };
    let process = Gp::matern52(1).with_settings(settings);
    let rng = || Seed(3).stream("fit", 0);
    let ordinary = process.fit(x.as_ref(), &y, &mut rng()).unwrap();
    let robust = RobustGp::new(process).with_student_t(StudentT::new(1e9));
    let robust = robust.fit(x.as_ref(), &y, &mut rng()).unwrap();
    for (a, b) in ordinary.hyperparameters().iter().zip(robust.hyperparameters()) {
        assert!((a - b).abs() < 1e-3 * a.abs().max(0.01), "{a} {b}");
    }
    for point in [0.1, 0.33, 0.9, 1.5] {
        let (a, b) = (ordinary.predict(&[point]), robust.predict(&[point]));
        assert!((a.mean - b.mean).abs() < 1e-4 && (a.variance - b.variance).abs() < 1e-4, "{a:?} {b:?}");
    }
}

/// Hyperparameters of an earlier fit, given to a process that does not learn: its posterior is that of the fit.
#[test]
fn a_warm_start_conditions_with_the_hyperparameters_of_a_fit() {
    let x = Points::from_flat((0..9).map(|i| f64::from(i) / 8.0).collect(), 1);
    let y = [0.0, 0.5, 0.9, 1.0, 0.8, 0.3, -0.2, -0.6, -0.9];
    let process = RobustGp::new(Gp::matern52(1));
    let learnt = process.fit(x.as_ref(), &y, &mut Seed(1).stream("fit", 0)).unwrap();
    let plain = process.condition(x.as_ref(), &y).unwrap().hyperparameters();
    assert_ne!(plain, learnt.hyperparameters(), "something was learnt");
    let warm = process.warm_started(learnt.hyperparameters()).condition(x.as_ref(), &y).unwrap();
    assert_eq!(warm.hyperparameters(), learnt.hyperparameters(), "hyperparameters of the fit");
    assert_eq!(warm.predict(&[0.43]), learnt.predict(&[0.43]), "predictions of the fit");
}

/// One more observation has the noise σ² ν/(ν + 1) of one without residual: it draws the mean by the share of the variance that is not
/// noise, and leaves the weights.
#[test]
fn one_more_observation_has_the_least_noise() {
    let x = Points::from_flat(vec![0.2, 0.5, 0.9], 1);
    for (nu, least) in [(1.0, 0.025), (4.0, 0.04), (9.0, 0.045)] {
        let process = RobustGp::new(known(0.05)).with_student_t(StudentT::new(nu));
        let posterior = process.condition(x.as_ref(), &[0.1, 3.0, -0.2]).unwrap();
        assert!((posterior.noise_variance() - least).abs() < 1e-15, "{nu}: {}", posterior.noise_variance());
        let Prediction { mean, variance } = posterior.predict(&[0.7]);
        let after = posterior.with_observation(&[0.7], mean + 2.0).unwrap();
        let gain = (after.predict(&[0.7]).mean - mean) / 2.0;
        let expected = variance / (variance + least);
        assert!((gain - expected).abs() < 1e-9, "{nu}: gain {gain}, expected {expected}");
        assert_eq!(after.weights(), posterior.weights(), "{nu}: weights");
    }
}

/// Many degrees of freedom: the bound is the log marginal likelihood of the ordinary process, its constant included.
#[test]
fn the_evidence_of_normal_noise_is_that_of_an_ordinary_process() {
    let (x, y) = ([0.1, 0.4, 0.5, 0.9], [0.3, -0.8, -1.1, 0.6]);
    for n in 1..=4 {
        let points = Points::from_flat(x[..n].to_vec(), 1);
        let ordinary = known(0.05).condition(points.as_ref(), &y[..n]).unwrap().log_likelihood();
        let robust = RobustGp::new(known(0.05)).with_student_t(StudentT::new(1e9));
        let bound = robust.condition(points.as_ref(), &y[..n]).unwrap().evidence_bound();
        assert!((bound - ordinary).abs() < 1e-6, "{n} observations: {bound}, expected {ordinary}");
    }
}

/// Starts of a fit: the posterior has the end of the best of them; conditioning alone has none.
#[test]
fn a_fit_reports_its_starts() {
    let x = Points::from_flat((0..9).map(|i| f64::from(i) / 8.0).collect(), 1);
    let y = [0.0, 0.5, 0.9, 1.0, 5.0, 0.3, -0.2, -0.6, -0.9];
    let process = RobustGp::new(Gp::matern52(1));
    let fitted = process.fit(x.as_ref(), &y, &mut Seed(1).stream("fit", 0)).unwrap();
    let density = |at: usize| fitted.restarts()[at].log_posterior.unwrap_or(f64::NEG_INFINITY);
    let best = (0..fitted.restarts().len()).max_by(|a, b| density(*a).total_cmp(&density(*b)));
    let best = best.expect("a start of the fit");
    assert_eq!(fitted.restarts()[best].end, fitted.hyperparameters(), "the end of the best start");
    assert!(process.condition(x.as_ref(), &y).unwrap().restarts().is_empty(), "no start without a fit");
}
