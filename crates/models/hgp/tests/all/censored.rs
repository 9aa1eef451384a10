//! Losses of folds of which some are bounds.

use thrifty_censored::{CensoredError, Limits, Response};
use thrifty_check::InputError;
use thrifty_domain::Points;
use thrifty_hgp::{Hgp, HgpError, HgpPosterior};
use thrifty_sampling::Seed;
use thrifty_surrogate::{Posterior, Prediction};

/// Sixteen configurations on four folds; a valley at 0.5 with folds that are shifted up and down.
fn losses() -> (Points, Vec<usize>, Vec<f64>) {
    let x: Vec<f64> = (0..16).map(|i| (f64::from(i) + 0.5) / 16.0).collect();
    let folds: Vec<usize> = (0..16).map(|i| (3 * i) % 4).collect();
    let loss = |(x, fold): (&f64, &usize)| 4.0 * (x - 0.5).powi(2) + 0.02 * (*fold as f64 - 1.5);
    let y = x.iter().zip(&folds).map(loss).collect();
    (Points::from_flat(x, 1), folds, y)
}

fn fit(limits: Limits) -> HgpPosterior {
    let (x, folds, y) = losses();
    let responses: Vec<Response> = y.iter().map(|y| limits.response(*y)).collect();
    let rng = &mut Seed(3).stream("fit", 0);
    Hgp::matern52(1).fit_censored(x.as_ref(), &folds, &responses, &[0.0; 16], rng).unwrap()
}

#[test]
fn without_bounds_it_is_the_ordinary_fit() {
    let (x, folds, y) = losses();
    let ordinary = Hgp::matern52(1).fit(x.as_ref(), &folds, &y, &mut Seed(3).stream("fit", 0)).unwrap();
    let censored = fit(Limits { floor: Some(-10.0), ceiling: Some(10.0) });
    assert_eq!(censored.hyperparameters(), ordinary.hyperparameters());
    for at in [0.0, 0.31, 0.5, 1.0] {
        let (p, q) = (ordinary.common().predict(&[at]), censored.common().predict(&[at]));
        assert!((p.mean - q.mean).abs() < 1e-12 && (p.variance - q.variance).abs() < 1e-12, "{p:?} {q:?}");
    }
}

/// The valley continues below the floor; clipped losses taken as values flatten it.
#[test]
fn the_mean_of_folds_goes_on_beyond_a_limit() {
    let floor = 0.25;
    let censored = fit(Limits::above(floor)).mean_of(4).unwrap();
    let (x, folds, y) = losses();
    let flat: Vec<f64> = y.iter().map(|y| y.max(floor)).collect();
    let rng = &mut Seed(3).stream("fit", 0);
    let values = Hgp::matern52(1).fit(x.as_ref(), &folds, &flat, rng).unwrap().mean_of(4).unwrap();
    let (Prediction { mean: below, variance }, Prediction { mean: at, .. }) =
        (censored.predict(&[0.5]), values.predict(&[0.5]));
    assert!(below < floor - 0.05 && variance > 0.0, "{below} ± {}", variance.sqrt());
    assert!((at - floor).abs() < 0.03, "{at}");
    // Above the floor, both use the losses.
    assert!((censored.predict(&[0.03]).mean - values.predict(&[0.03]).mean).abs() < 0.05);
    // A ceiling is the same upside down.
    let ceiling = fit(Limits::below(0.6)).mean_of(4).unwrap();
    assert!(ceiling.predict(&[0.0]).mean > 0.65, "{:?}", ceiling.predict(&[0.0]));
}

#[test]
fn further_losses_and_warm_starts_are_those_of_an_ordinary_posterior() {
    let censored = fit(Limits::above(0.25));
    let more = censored.with_observations(Points::from_flat(vec![0.5], 1).as_ref(), &[2], &[0.0]).unwrap();
    assert_eq!(more.hyperparameters(), censored.hyperparameters());
    assert!(more.fold(2).predict(&[0.5]).variance < censored.fold(2).predict(&[0.5]).variance);
    let (x, folds, y) = losses();
    let responses: Vec<Response> = y.iter().map(|y| Limits::above(0.25).response(*y)).collect();
    let warm = Hgp::matern52(1).warm_started(censored.hyperparameters());
    let rng = &mut Seed(4).stream("fit", 0);
    let again = warm.fit_censored(x.as_ref(), &folds, &responses, &[0.0; 16], rng).unwrap();
    for (a, b) in again.hyperparameters().iter().zip(censored.hyperparameters()) {
        assert!((a / b - 1.0).abs() < 0.5 || (a - b).abs() < 0.05, "{a} {b}");
    }
}

#[test]
fn bad_input_is_named() {
    let fit = |folds: &[usize], responses: &[Response]| {
        let x = Points::from_flat(vec![0.1, 0.6], 1);
        let rng = &mut Seed(1).stream("fit", 0);
        Hgp::matern52(1).fit_censored(x.as_ref(), folds, responses, &[0.0; 2], rng).err()
    };
    let value = Response::Value(1.0);
    assert_eq!(fit(&[0, 1], &[value, Response::AtMost(0.5)]), None);
    assert_eq!(
        fit(&[0], &[value, value]),
        Some(HgpError::Input(InputError::Length { name: "folds", found: 1, expected: 2 }))
    );
    let (name, expected) = ("response", "a finite number");
    let infinite = CensoredError::from(InputError::Entry { name, index: 1, value: f64::INFINITY, expected });
    assert_eq!(fit(&[0, 1], &[value, Response::AtLeast(f64::INFINITY)]), Some(infinite.into()));
}
