//! Edges: nothing, one observation, duplicates, constants, what is no number, settings without sense.

use thrifty_check::InputError;
use thrifty_domain::Points;
use thrifty_gp::{Gp, GpSettings, Noise};
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
