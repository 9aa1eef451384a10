//! Numbers at the edge of what there is: named errors, not infinite variances that pass for results.

use thrifty_domain::{Points, PointsRef};
use thrifty_gp::{Gp, GpError, GpSettings, LARGEST_TARGET, Mean, Noise, TargetScaling};
use thrifty_kernel::{Matern52, Scaled};
use thrifty_params::ParamsError;
use thrifty_prob::Prior;
use thrifty_sampling::Seed;
use thrifty_surrogate::{JointPosterior, Posterior, PosteriorGradient, Prediction};

fn points(n: usize) -> Points {
    Points::from_flat((0..2 * n).map(|i| (0.37 * i as f64).fract()).collect(), 2)
}

fn targets(n: usize, scale: f64) -> Vec<f64> {
    (0..n).map(|i| scale * (0.7 * i as f64).sin()).collect()
}

fn fit(n: usize, y: &[f64]) -> Result<thrifty_gp::GpPosterior<Scaled<Matern52>>, GpError> {
    Gp::matern52(2).fit(points(n).as_ref(), y, &mut Seed(1).stream("fit", 0))
}

#[test]
fn targets_up_to_the_largest_work_and_others_are_named() {
    for exponent in [-150, -100, 0, 100, 149, 150] {
        let scale = 10_f64.powi(exponent);
        let posterior = fit(9, &targets(9, scale)).unwrap();
        let unit = fit(9, &targets(9, 1.0)).unwrap();
        let x = Points::from_flat((0..40).map(|i| 0.05 * f64::from(i)).collect(), 2);
        for row in x.rows() {
            let (Prediction { mean, variance }, Prediction { mean: m, variance: v }) =
                (posterior.predict(row), unit.predict(row));
            assert!(mean.is_finite() && variance.is_finite(), "1e{exponent}: {mean} {variance}");
            assert!((mean / scale - m).abs() < 1e-4 * (1.0 + m.abs()), "1e{exponent}: {mean} {m}");
            assert!((variance / scale / scale - v).abs() < 1e-4, "1e{exponent}: {variance} {v}");
        }
        assert!(posterior.leave_one_out().iter().all(|(m, v)| m.is_finite() && v.is_finite()));
        assert!(posterior.noise_variance().is_finite());
    }
    for value in [1.1e150, -1e155, 1e200, f64::MAX] {
        let mut y = targets(9, 1.0);
        y[4] = value;
        let expected = GpError::TargetTooLarge { index: 4, value, limit: LARGEST_TARGET };
        assert_eq!(fit(9, &y).unwrap_err(), expected);
        assert_eq!(Gp::matern52(2).condition(points(9).as_ref(), &y).unwrap_err(), expected);
        let posterior = fit(9, &targets(9, 1.0)).unwrap();
        let added = posterior.with_observations(points(1).as_ref(), &[value]).unwrap_err();
        assert_eq!(added, GpError::TargetTooLarge { index: 0, value, limit: LARGEST_TARGET });
    }
    // Small targets leave less room for one that comes later.
    let small = fit(9, &targets(9, 1e-20)).unwrap();
    let error = small.with_observations(points(1).as_ref(), &[1e140]).unwrap_err();
    assert!(matches!(error, GpError::TargetTooLarge { index: 0, value, .. } if value == 1e140), "{error}");
    // A noise that is no number on the scale of the targets.
    let variances = [0.0, 0.0, 1e10, 0.0];
    let y = targets(4, 1e-160);
    let error = Gp::matern52(2).condition_with_noise(points(4).as_ref(), &y, &variances).unwrap_err();
    assert!(matches!(error, GpError::NoiseTooLarge { index: 2, value, .. } if value == 1e10), "{error}");
    let scale = TargetScaling { offset: 0.0, width: 1e-160 };
    let on_scale =
        |y: &[f64]| Gp::matern52(2).condition_on_scale(points(4).as_ref(), y, &[0.0; 4], None, scale);
    assert!(on_scale(&y).is_ok() && on_scale(&[1.0; 4]).is_err());
}

#[test]
fn points_that_are_no_numbers_have_no_prediction() {
    let posterior = fit(9, &targets(9, 1.0)).unwrap();
    let good = posterior.predict(&[0.3, 0.4]);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let x = Points::from_flat(vec![0.3, bad, 0.3, 0.4, bad, bad], 2);
        let (mut mean, mut variance) = ([0.0; 3], [0.0; 3]);
        posterior.predict_into(x.as_ref(), &mut mean, &mut variance);
        for i in [0, 2] {
            assert!(mean[i].is_nan() && variance[i].is_nan(), "{bad}: {mean:?} {variance:?}");
        }
        assert_eq!(Prediction { mean: mean[1], variance: variance[1] }, good);
        let (mut of_mean, mut of_variance) = ([0.0; 6], [0.0; 6]);
        posterior.predict_with_gradient_into(
            x.as_ref(),
            &mut mean,
            &mut variance,
            &mut of_mean,
            &mut of_variance,
        );
        for i in [0, 2] {
            assert!(mean[i].is_nan() && variance[i].is_nan());
            assert!(of_mean[2 * i..2 * i + 2].iter().all(|g| g.is_nan()));
            assert!(of_variance[2 * i..2 * i + 2].iter().all(|g| g.is_nan()));
        }
        assert!(of_mean[2..4].iter().chain(&of_variance[2..4]).all(|g| g.is_finite()));
        let mut covariance = [0.0; 9];
        posterior.covariance_into(x.as_ref(), &mut covariance);
        for (at, value) in covariance.iter().enumerate() {
            assert_eq!(value.is_nan(), at != 4, "{bad}: {covariance:?}");
        }
    }
    // Far away there is the prior.
    for far in [1e10, 1e100, 1e200, f64::MAX] {
        let Prediction { mean, variance } = posterior.predict(&[far, 0.0]);
        assert!(mean.is_finite() && variance > 0.0 && variance.is_finite(), "{far}: {mean} {variance}");
    }
}

#[test]
#[should_panic(expected = "points of dimension 3, the process has 2")]
fn another_dimension_is_named() {
    fit(9, &targets(9, 1.0)).unwrap().predict_into(PointsRef::single(&[0.0; 3]), &mut [0.0], &mut [0.0]);
}

#[test]
fn every_setting_and_prior_is_checked() {
    let message = |settings: GpSettings| {
        let gp = Gp::matern52(2).with_settings(settings);
        gp.fit(points(4).as_ref(), &targets(4, 1.0), &mut Seed(1).stream("fit", 0)).unwrap_err().to_string()
    };
    let mean = |mean, std_dev| GpSettings { mean: Mean::Normal { mean, std_dev }, ..GpSettings::default() };
    assert_eq!(message(mean(f64::NAN, 1.0)), "setting mean of the mean is NaN, expected a finite number");
    for std_dev in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        let found = message(mean(0.0, std_dev));
        assert!(found.starts_with("setting deviation of the mean is"), "{found}");
    }
    let prior = Prior::LogNormal { mu: 0.0, sigma: -1.0 };
    let noise = Noise::Learned { start: 0.1, floor: 1e-6, ceiling: 1.0, prior: Some(prior.clone()) };
    let settings = GpSettings { noise, ..GpSettings::default() };
    assert!(matches!(settings.validate(), Err(GpError::InvalidPrior { name: "noise", .. })));
    assert!(message(settings).contains("sigma of the log_normal prior is -1"));
    // Priors of the kernel.
    let kernel = Scaled::new(Matern52::new(vec![1.0, 1.0]).unwrap(), 1.0).unwrap().with_prior(prior);
    let error =
        Gp::new(kernel).fit(points(4).as_ref(), &targets(4, 1.0), &mut Seed(1).stream("fit", 0)).unwrap_err();
    assert!(
        matches!(&error, GpError::Params(ParamsError::InvalidPrior { name, .. }) if name == "variance"),
        "{error}"
    );
}

#[test]
fn a_fit_that_runs_out_of_evaluations_says_so() {
    let (x, y) = (points(15), targets(15, 1.0));
    let run = |max_evaluations| {
        let settings = GpSettings { max_evaluations, ..GpSettings::default() };
        Gp::matern52(2).with_settings(settings).fit(x.as_ref(), &y, &mut Seed(1).stream("fit", 0)).unwrap()
    };
    let (few, enough) = (run(3), run(200));
    // The line search in progress ends with them: a fit costs no more than it may.
    assert!(few.restarts().iter().all(|restart| restart.evaluations <= 4), "{:?}", few.restarts());
    assert!(few.is_capped() && few.restarts().iter().all(|restart| restart.capped));
    assert!(!enough.is_capped() && enough.restarts().iter().all(|restart| !restart.capped));
    let text = serde_json::to_string(&few.restarts()[0]).unwrap();
    assert!(text.contains("\"capped\":true"));
    let old: thrifty_gp::Restart = serde_json::from_str(&text.replace(",\"capped\":true", "")).unwrap();
    assert!(!old.capped);
    assert!(!Gp::matern52(2).condition(x.as_ref(), &y).unwrap().is_capped());
}

/// Left out means left out, and squares of the targets' unit are squares.
#[test]
fn leave_one_out_is_on_the_scale_of_the_targets() {
    let (x, y) = (points(8), targets(8, 250.0));
    let shifted: Vec<f64> = y.iter().map(|y| y - 40.0).collect();
    let settings = GpSettings { noise: Noise::Fixed(0.05), ..GpSettings::default() };
    let gp = Gp::matern52(2).with_settings(settings);
    let posterior = gp.condition(x.as_ref(), &shifted).unwrap();
    let scale = posterior.target_scaling();
    assert!(scale.width > 50.0);
    for (i, (mean, variance)) in posterior.leave_one_out().into_iter().enumerate() {
        let mut others = Points::new(2);
        (0..8).filter(|j| *j != i).for_each(|j| others.push(x.row(j)));
        let rest: Vec<f64> = (0..8).filter(|j| *j != i).map(|j| shifted[j]).collect();
        let without = gp.condition_on_scale(others.as_ref(), &rest, &[0.0; 7], None, scale).unwrap();
        let Prediction { mean: expected, variance: latent } = without.predict(x.row(i));
        let with_noise = latent + without.noise_variance();
        assert!((mean - expected).abs() < 1e-8 * scale.width, "{mean} {expected}");
        assert!((variance / with_noise - 1.0).abs() < 1e-8, "{variance} {with_noise}");
    }
}
