//! Edges: nothing, one observation, duplicates, constants, what is no number, settings without sense.

use thrifty_check::InputError;
use thrifty_domain::Points;
use thrifty_gp::{Gp, GpError, GpSettings, Noise};
use thrifty_kernel::{Matern52, OnColumns};
use thrifty_linalg::{JitterLadder, NotPositiveDefinite};
use thrifty_robust::{RobustError, RobustGp, StudentT};
use thrifty_sampling::Seed;
use thrifty_surrogate::{Posterior, Prediction};

fn fit(x: Vec<f64>, y: &[f64]) -> Result<Prediction, RobustError> {
    let points = Points::from_flat(x, 1);
    let posterior = RobustGp::new(Gp::matern52(1)).fit(points.as_ref(), y, &mut Seed(1).stream("fit", 0))?;
    Ok(posterior.predict(&[0.5]))
}

#[test]
fn nothing_is_an_error_and_little_is_enough() {
    assert_eq!(fit(vec![], &[]).unwrap_err(), RobustError::Input(InputError::Empty { name: "observations" }));
    let one = fit(vec![0.5], &[3.0]).unwrap();
    assert!((one.mean - 3.0).abs() < 0.5 && one.variance.is_finite());
    for y in [[2.0; 4], [0.0; 4], [-1e12; 4], [1e-12; 4]] {
        let found = fit(vec![0.1, 0.4, 0.4, 0.9], &y).unwrap();
        assert!(
            (found.mean - y[0]).abs() <= 1e-6 * y[0].abs() + 1e-300 && found.variance >= 0.0,
            "{found:?}"
        );
    }
}

/// A kernel on the fourth column alone takes points of any dimension that has it.
#[test]
fn points_without_a_column_of_the_kernel_are_named() {
    let last = RobustGp::new(Gp::new(OnColumns::new(Matern52::new(vec![0.5]).unwrap(), vec![3]).unwrap()));
    let narrow = last.fit(Points::zeros(2, 2).as_ref(), &[0.0, 1.0], &mut Seed(1).stream("fit", 0));
    let text = narrow.unwrap_err().to_string();
    assert!(text.contains("dimension 2, expected 4"), "{text}");
}

/// Observations at one point that disagree: the mean is with the majority.
#[test]
fn the_majority_of_duplicates_decides() {
    let found = fit(vec![0.5; 7], &[1.0, 1.1, 0.9, 1.0, 1.05, 0.95, 30.0]).unwrap();
    assert!((found.mean - 1.0).abs() < 0.1, "{found:?}");
}

/// Targets that jump in the middle, and half of them far off: finite.
#[test]
fn jumps_and_halves_are_finite() {
    let x: Vec<f64> = (0..20).map(|i| f64::from(i) / 19.0).collect();
    let jump: Vec<f64> = (0..20).map(|i| if i < 10 { 0.0 } else { 1e9 }).collect();
    let half: Vec<f64> = (0..20).map(|i| if i % 2 == 0 { f64::from(i) } else { 1e12 }).collect();
    for y in [jump, half] {
        let found = fit(x.clone(), &y).unwrap();
        assert!(found.mean.is_finite() && found.variance >= 0.0 && found.variance.is_finite(), "{found:?}");
    }
}

/// One target that is far off, however far: the others are predicted as without it.
#[test]
fn an_outlier_of_any_size_changes_nothing() {
    let x: Vec<f64> = (0..20).map(|i| f64::from(i) / 19.0).collect();
    let clean: Vec<f64> = x.iter().map(|x| (6.0 * x).sin()).collect();
    for far in [1e3, 1e6, 1e8, 1e12, 1e100, 1e149] {
        for far in [far, -far] {
            let mut y = clean.clone();
            y[7] = far;
            let found = fit(x.clone(), &y).unwrap();
            assert!((found.mean - 3_f64.sin()).abs() < 0.02 && found.variance >= 0.0, "{far}: {found:?}");
        }
    }
}

#[test]
fn what_is_no_number_is_named() {
    let error = |x: Vec<f64>, y: &[f64]| fit(x, y).unwrap_err().to_string();
    assert!(error(vec![0.1, 0.2], &[1.0, f64::NAN]).starts_with("target 1 is NaN"));
    assert!(error(vec![0.1, f64::INFINITY], &[1.0, 2.0]).contains("point 1"));
    assert!(error(vec![0.1], &[1.0, 2.0]).starts_with("2 targets, expected 1"));
    let points = Points::from_flat(vec![0.1], 1);
    let condition = |process: RobustGp<_>, noise: f64| {
        process.condition_with_noise(points.as_ref(), &[1.0], &[noise]).unwrap_err().to_string()
    };
    let process = RobustGp::new(Gp::matern52(1));
    assert!(condition(process.clone(), -1.0).starts_with("noise variance 0 is -1"));
    assert!(
        condition(process.with_student_t(StudentT::new(-4.0)), 0.0).starts_with("degrees of freedom is -4")
    );
    let exact = GpSettings { noise: Noise::Fixed(0.0), ..GpSettings::default() };
    let error = condition(RobustGp::new(Gp::matern52(1).with_settings(exact)), 0.0);
    assert_eq!(error, "noise is 0, expected a positive finite number");
}

/// A fit that was stopped before its weights converged says so.
#[test]
fn a_fit_without_convergence_says_so() {
    let points = Points::from_flat(vec![0.1, 0.3, 0.5, 0.9], 1);
    let process = RobustGp::new(Gp::matern52(1));
    let few = StudentT { max_sweeps: 1, ..StudentT::default() };
    let stopped =
        process.clone().with_student_t(few).condition(points.as_ref(), &[0.0, 9.0, 0.1, 0.2]).unwrap();
    assert!(!stopped.converged() && stopped.sweeps() == 1);
    assert!(process.condition(points.as_ref(), &[0.0, 9.0, 0.1, 0.2]).unwrap().converged());
}

/// Sweeps up to their limit where the weights have not converged, and as many whatever the limit once they have.
#[test]
fn sweeps_are_counted() {
    let points = Points::from_flat(vec![0.1, 0.3, 0.5, 0.9], 1);
    let sweeps = |max_sweeps: usize| {
        let student = StudentT { max_sweeps, ..StudentT::default() };
        let process = RobustGp::new(Gp::matern52(1)).with_student_t(student);
        let posterior = process.condition(points.as_ref(), &[0.0, 9.0, 0.1, 0.2]).unwrap();
        (posterior.sweeps(), posterior.converged())
    };
    for limit in [1, 2, 3] {
        assert_eq!(sweeps(limit), (limit, false), "stopped after {limit}");
    }
    let (needed, _) = sweeps(500);
    assert!(needed > 3, "{needed} sweeps");
    assert_eq!((sweeps(needed), sweeps(needed - 1)), ((needed, true), (needed - 1, false)), "at the limit");
}

#[test]
fn noise_variances_of_another_number_are_named() {
    let points = Points::from_flat(vec![0.1, 0.7], 1);
    let process = RobustGp::new(Gp::matern52(1));
    for noise in [&[0.1][..], &[], &[0.1, 0.2, 0.3]] {
        let error = process.condition_with_noise(points.as_ref(), &[1.0, 2.0], noise).unwrap_err();
        let (found, expected) = (noise.len(), 2);
        assert_eq!(
            error,
            RobustError::Input(InputError::Length { name: "noise variances", found, expected })
        );
    }
}

/// Two observations at one point whose noise is lost in rounding: the second pivot is 0, which the jitter of the settings repairs.
#[test]
fn jitter_repairs_a_covariance_without_a_factor() {
    let points = Points::from_flat(vec![0.5, 0.5], 1);
    let condition = |jitter: JitterLadder| {
        let settings = GpSettings { noise: Noise::Fixed(1e-17), jitter, ..GpSettings::default() };
        RobustGp::new(Gp::matern52(1).with_settings(settings)).condition(points.as_ref(), &[1.0, 1.0])
    };
    let found = condition(JitterLadder::default()).unwrap();
    assert!(found.process().jitter() > 0.0 && (found.predict(&[0.5]).mean - 1.0).abs() < 1e-6, "{found:?}");
    let error = condition(JitterLadder { steps: vec![1e-30, 1e-20] }).unwrap_err();
    let expected = NotPositiveDefinite { n: 2, index: 1, jitter: 1e-20 };
    assert_eq!(error, RobustError::Process(GpError::NotPositiveDefinite(expected)));
}

/// A covariance without a factor, and no jitter that may be added: the second pivot is 0.
#[test]
fn a_covariance_without_a_factor_is_an_error() {
    let points = Points::from_flat(vec![0.5, 0.5], 1);
    let jitter = JitterLadder { steps: Vec::new() };
    let settings = GpSettings { noise: Noise::Fixed(1e-300), jitter, ..GpSettings::default() };
    let process = RobustGp::new(Gp::matern52(1).with_settings(settings));
    let error = process.condition(points.as_ref(), &[1.0, 2.0]).unwrap_err();
    let expected = NotPositiveDefinite { n: 2, index: 1, jitter: 0.0 };
    assert_eq!(error, RobustError::Process(GpError::NotPositiveDefinite(expected)));
}

/// Warm starts of another number or that are not finite are no warm starts; values beyond the bounds are brought to them.
#[test]
fn a_warm_start_that_does_not_fit_is_ignored() {
    let points = Points::from_flat(vec![0.1, 0.4, 0.9], 1);
    let process = RobustGp::new(Gp::matern52(1));
    let from = |start: Vec<f64>| {
        process.clone().warm_started(start).condition(points.as_ref(), &[0.0, 1.0, -0.4]).unwrap()
    };
    let plain = process.condition(points.as_ref(), &[0.0, 1.0, -0.4]).unwrap();
    let n = plain.params().len();
    let mut broken = vec![1.0; n];
    broken[n - 1] = f64::INFINITY;
    for wrong in [vec![], vec![1.0; n - 1], vec![1.0; n + 1], vec![f64::NAN; n], broken] {
        assert_eq!(from(wrong.clone()).hyperparameters(), plain.hyperparameters(), "{wrong:?}");
    }
    let low: Vec<f64> = plain.params().iter().map(|p| p.low).collect();
    let high: Vec<f64> = plain.params().iter().map(|p| p.high).collect();
    assert_eq!(from(vec![-1e300; n]).hyperparameters(), low, "the lower bounds");
    assert_eq!(from(vec![1e300; n]).hyperparameters(), high, "the upper bounds");
}

/// Targets more than 1e5 standard deviations off count as 1e5 off: whatever is beyond that changes no bit. Targets that are not standardised
/// count as they are.
#[test]
fn targets_beyond_the_farthest_count_as_equally_far() {
    let points = Points::from_flat((0..20).map(|i| f64::from(i) / 19.0).collect(), 1);
    let with = |far: f64, standardize_targets: bool| {
        let mut y: Vec<f64> = points.rows().map(|x| (6.0 * x[0]).sin()).collect();
        y[7] = far;
        let settings = GpSettings { standardize_targets, ..GpSettings::default() };
        let process = RobustGp::new(Gp::matern52(1).with_settings(settings));
        let posterior = process.condition(points.as_ref(), &y).unwrap();
        (posterior.predict(&[0.37]), posterior.weights().to_vec())
    };
    for sign in [1.0, -1.0] {
        assert_eq!(with(sign * 1e6, true), with(sign * 1e9, true), "beyond, sign {sign}");
        assert_ne!(with(sign * 1e3, true), with(sign * 1e4, true), "within, sign {sign}");
        assert_ne!(with(sign * 1e6, false), with(sign * 1e7, false), "as they are, sign {sign}");
    }
}
