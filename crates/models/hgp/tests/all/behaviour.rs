//! Behaviour of the parts of a hierarchical process.

use proptest::prelude::*;
use thrifty_check::InputError;
use thrifty_domain::{Domain, Points, PointsRef, Variable};
use thrifty_hgp::{Hgp, HgpError};
use thrifty_kernel::{Kernel, MemberCode};
use thrifty_sampling::Seed;
use thrifty_surrogate::{JointPosterior, Lookahead, LookaheadCotangent, Posterior, Prediction, contract};

/// Configurations of two parameters, their folds, and losses with a bowl and an offset a fold.
fn data(n: usize, folds: usize, seed: u64) -> (Points, Vec<usize>, Vec<f64>) {
    let mut rng = Seed(seed).stream("data", 0);
    let (mut x, mut of, mut y) = (Points::new(2), Vec::new(), Vec::new());
    for i in 0..n {
        let point = [rng.uniform(), rng.uniform()];
        x.push(&point);
        of.push(i % folds);
        let bowl = (point[0] - 0.3).powi(2) + (point[1] - 0.6).powi(2);
        y.push(bowl + 0.2 * (i % folds) as f64 * point[0] + 0.01 * rng.uniform());
    }
    (x, of, y)
}

fn fitted(n: usize, folds: usize, seed: u64) -> thrifty_hgp::HgpPosterior {
    let (x, of, y) = data(n, folds, seed);
    Hgp::matern52(2).fit(x.as_ref(), &of, &y, &mut Seed(seed).stream("fit", 0)).unwrap()
}

#[test]
fn it_has_two_d_plus_five_hyperparameters() {
    assert_eq!(fitted(12, 4, 1).process().params().len(), 2 * 2 + 5);
}

#[test]
fn components_are_posteriors_with_gradients() {
    let posterior = fitted(20, 4, 2);
    let test = Points::from_rows(&[[0.2, 0.7], [0.5, 0.5], [0.9, 0.1]]).unwrap();
    for component in [posterior.common(), posterior.fold(1), posterior.fold(7)] {
        contract::batch_is_pointwise(&component, test.as_ref(), 1e-12);
        contract::covariance_is_consistent(&component, &test, 1e-9);
        contract::gradients_match(&component, test.as_ref(), 1e-5, 1e-6);
    }
    let average = posterior.mean_of(4).unwrap();
    contract::batch_is_pointwise(&average, test.as_ref(), 1e-12);
    contract::covariance_is_consistent(&average, &test, 1e-9);
}

const WEIGHTS: LookaheadCotangent<'static> =
    LookaheadCotangent { mean: 0.7, variance: -1.3, covariance: &[0.4, 0.0, -2.0, 1.1] };

/// The look-ahead agrees with conditioning: means move by slope times outcome.
#[test]
fn a_look_ahead_is_what_an_observation_does() {
    let posterior = fitted(14, 3, 6);
    let anchors = Points::from_rows(&[[0.2, 0.7], [0.5, 0.5], [0.9, 0.1]]).unwrap();
    let (at, common) = ([0.35, 0.6], posterior.common());
    for fold in [0, 2, 9] {
        let ahead = common.fold_lookahead(fold, anchors.as_ref());
        let (mut mean, mut variance, mut covariance) = ([0.0], [0.0], [0.0; 4]);
        ahead.moments_into(PointsRef::single(&at), &mut mean, &mut variance, &mut covariance);
        let outcome = posterior.fold(fold).predict(&at).mean + 2.0 * variance[0].sqrt();
        let next = posterior.with_observations(PointsRef::single(&at), &[fold], &[outcome]).unwrap();
        let moved = |x: &[f64]| next.common().predict(x).mean - posterior.common().predict(x).mean;
        let rows = anchors.rows().chain([at.as_slice()]);
        for (row, covariance) in rows.zip(covariance) {
            assert!((moved(row) - 2.0 * covariance / variance[0].sqrt()).abs() < 1e-9);
        }
        contract::lookahead_gradient_matches(&ahead, &at, WEIGHTS, 1e-5, 1e-6);
    }
    let ahead = thrifty_surrogate::lookahead(&common, anchors.as_ref(), 0.01);
    contract::lookahead_gradient_matches(&*ahead, &at, WEIGHTS, 1e-5, 1e-6);
}

/// The true loss is known less well than it is from the mean of the folds that were seen, and a fold that was never
/// seen less well than one that was.
#[test]
fn what_is_observed_is_known_best() {
    let posterior = fitted(30, 3, 3);
    let variance = |p: &dyn Posterior| p.predict(&[0.4, 0.4]).variance;
    assert!(variance(&posterior.fold(0)) < variance(&posterior.fold(9)));
    let average = posterior.mean_of(3).unwrap();
    assert!(variance(&average) < variance(&posterior.fold(0)));
}

/// The mean of folds has the moments of the mean of the folds themselves.
#[test]
fn the_mean_of_folds_has_the_moments_of_their_mean() {
    let posterior = fitted(15, 3, 4);
    let process = posterior.process();
    let x = [0.4, 0.8];
    let rows: Vec<f64> = (0..5).flat_map(|j| [x[0], x[1], f64::from(j)]).collect();
    let points = Points::from_flat(rows, 3);
    let (mut mean, mut variance, mut joint) = ([0.0; 5], [0.0; 5], [0.0; 25]);
    process.predict_into(points.as_ref(), &mut mean, &mut variance);
    process.covariance_into(points.as_ref(), &mut joint);
    let Prediction { mean: m, variance: v } = posterior.mean_of(5).unwrap().predict(&x);
    assert!((m - mean.iter().sum::<f64>() / 5.0).abs() < 1e-12);
    assert!((v - joint.iter().sum::<f64>() / 25.0).abs() < 1e-12);
    contract::gradients_match(&posterior.mean_of(5).unwrap(), PointsRef::single(&x), 1e-5, 1e-6);
}

#[test]
fn the_average_of_one_fold_is_the_fold() {
    let posterior = fitted(15, 3, 4);
    let test = Points::from_rows(&[[0.1, 0.2], [0.8, 0.6]]).unwrap();
    let (fold, average) = (posterior.fold(0), posterior.mean_of(1).unwrap());
    let (mut a, mut b) = ([0.0; 4], [0.0; 4]);
    fold.covariance_into(test.as_ref(), &mut a);
    average.covariance_into(test.as_ref(), &mut b);
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12), "{a:?} {b:?}");
    assert!((fold.predict(test.row(0)).mean - average.predict(test.row(0)).mean).abs() < 1e-12);
}

#[test]
fn categories_of_any_number_of_levels_are_taken() {
    let domain = Domain::new(vec![Variable::continuous(), Variable::one_hot(3)]).unwrap();
    let mut x = Points::new(4);
    let (mut folds, mut y) = (Vec::new(), Vec::new());
    for i in 0..18 {
        let mut row = [f64::from(i) / 17.0, 0.0, 0.0, 0.0];
        row[1 + (i % 3) as usize] = 1.0;
        x.push(&row);
        folds.push(i as usize % 5);
        y.push(row[0] + f64::from(i % 3));
    }
    let posterior =
        Hgp::on_domain(&domain).fit(x.as_ref(), &folds, &y, &mut Seed(1).stream("fit", 0)).unwrap();
    let at = |level: usize| {
        let mut row = [0.5, 0.0, 0.0, 0.0];
        row[1 + level] = 1.0;
        posterior.common().predict(&row).mean
    };
    assert!(at(0) < at(1) && at(1) < at(2));
}

#[test]
fn degenerate_data_are_survived() {
    let rng = || Seed(0).stream("fit", 0);
    let one = [0.3, 0.3];
    let fit = |n: usize, y: f64| {
        let x = Points::from_flat(one.repeat(n), 2);
        Hgp::matern52(2).fit(x.as_ref(), &vec![0; n], &vec![y; n], &mut rng())
    };
    for (n, y) in [(1, 0.5), (8, 0.5), (8, 1e12), (8, 1e-12)] {
        let Prediction { mean, variance } = fit(n, y).unwrap().common().predict(&one);
        assert!((mean - y).abs() <= 0.6 * y && variance >= 0.0, "{n} {y}: {mean} {variance}");
    }
}

#[test]
fn bad_input_is_named() {
    let (x, folds, y) = data(4, 2, 1);
    let mut rng = Seed(0).stream("fit", 0);
    let hgp = Hgp::matern52(2);
    let mut error = |folds: &[usize], y: &[f64]| match hgp.fit(x.as_ref(), folds, y, &mut rng) {
        Ok(_) => panic!("an error"),
        Err(error) => error.to_string(),
    };
    assert_eq!(error(&folds[..3], &y), "3 folds, expected 4");
    assert!(error(&folds, &[0.0, f64::NAN, 1.0, 1.0]).contains("NaN"));
    assert!(error(&folds, &y[..2]).contains('2'));
    let posterior = fitted(5, 2, 1);
    assert_eq!(
        posterior.common().fold_gains(&[0.1], &[0]),
        Err(HgpError::Input(InputError::Dimension { name: "point", found: 1, expected: 2 }))
    );
    assert_eq!(
        posterior.common().best_fold(&[0.1, 0.1], &[]),
        Err(HgpError::Input(InputError::Empty { name: "folds" }))
    );
    assert!(posterior.mean_of(0).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// The predicted variance after observing a fold is the variance after observing it, whatever its value.
    #[test]
    fn gains_come_true(seed in 0_u64..1000, a in 0.0..1.0_f64, b in 0.0..1.0_f64, shown in -3.0..3.0_f64) {
        let posterior = fitted(14, 4, seed);
        let x = [a, b];
        let before = posterior.common().predict(&x).variance;
        let gains = posterior.common().fold_gains(&x, &[0, 1, 2, 3, 4]).unwrap();
        for gain in &gains {
            let after = posterior.with_observations(PointsRef::single(&x), &[gain.fold], &[shown]).unwrap();
            let variance = after.common().predict(&x).variance;
            prop_assert!((variance - gain.remaining).abs() < 1e-8 * before, "{variance} {gain:?}");
            prop_assert!(gain.remaining <= before * (1.0 + 1e-12));
        }
        let best = posterior.common().best_fold(&x, &[0, 1, 2, 3, 4]).unwrap();
        prop_assert!(gains.iter().all(|gain| gain.remaining >= gains[best].remaining));
    }
}

/// The prior variance is on the scale of the targets, squared.
#[test]
fn the_prior_variance_is_on_the_scale_of_the_targets() {
    let (x, of, y) = data(14, 3, 8);
    let at = |scale: f64| {
        let y: Vec<f64> = y.iter().map(|y| scale * y).collect();
        Hgp::matern52(2).condition(x.as_ref(), &of, &y).unwrap()
    };
    let (unit, large) = (at(1.0), at(1000.0));
    let parts = |p: &thrifty_hgp::HgpPosterior| [p.common(), p.fold(1), p.mean_of(3).unwrap()];
    for (a, b) in parts(&unit).iter().zip(parts(&large)) {
        let (before, scaled) =
            (a.prior_variance(&[0.3, 0.4]).unwrap(), b.prior_variance(&[0.3, 0.4]).unwrap());
        assert!((scaled / before / 1e6 - 1.0).abs() < 1e-9, "{before} {scaled}");
        // Where no data reach there is the prior.
        let far = b.predict(&[1e6, 1e6]).variance;
        assert!((far / scaled - 1.0).abs() < 1e-9, "{far} {scaled}");
    }
}

/// Deviations of two folds of one repeat have a covariance of β, of two repeats β ρ times their variance.
#[test]
fn folds_of_two_repeats_are_less_alike_than_those_of_one() {
    let blocks = Hgp::matern52(1).with_repeats(3).unwrap();
    let kernel = blocks.kernel();
    let (x, common) = (0.4, MemberCode::Common.column());
    let of_common = kernel.eval(&[x, common], &[x, common]);
    let deviations = |a: f64, b: f64| kernel.eval(&[x, a], &[x, b]) - of_common;
    let (own, within, between) = (deviations(1.0, 1.0), deviations(0.0, 2.0), deviations(0.0, 3.0));
    assert!((own - 0.1).abs() < 1e-12 && (within - 0.2 * own).abs() < 1e-12, "{own} {within}");
    assert!((between - 0.5 * 0.2 * own).abs() < 1e-12, "{between}");
    // Fold 5 is of the second repeat as 3 is, and 6 of the third.
    assert!((deviations(3.0, 5.0) - within).abs() < 1e-12 && (deviations(5.0, 6.0) - between).abs() < 1e-12);
    // Without repeats all are alike.
    let plain = Hgp::matern52(1);
    let alike = plain.kernel().eval(&[x, 0.0], &[x, 3.0]) - of_common;
    assert!((alike - within).abs() < 1e-12);
}

/// A coordinate that is no number is refused by name, not taken for a point of which all is known.
#[test]
fn folds_of_no_point_are_refused() {
    let posterior = fitted(12, 3, 1);
    for value in [f64::NAN, f64::INFINITY] {
        let error = posterior.common().best_fold(&[0.5, value], &[0, 1]).unwrap_err().to_string();
        assert!(error.starts_with(&format!("coordinate 1 is {value}")), "{error}");
        assert!(posterior.common().fold_gains(&[value, 0.5], &[0]).is_err());
    }
}
