//! Conditioning and looking ahead, against a model of five weights whose posterior is known without joint covariances.
//!
//! `f(x) = wᵀ φ(x)` with normal weights: an observation changes mean and covariance of w by a Kalman update, which
//! neither solves a system of all observations nor evaluates a covariance of two points.

use thrifty_domain::{Points, PointsRef};
use thrifty_sampling::{Seed, latin_hypercube};
use thrifty_surrogate::{
    Conditioned, ConditioningError, JointLookahead, JointPosterior, Lookahead, LookaheadCotangent, Posterior,
    Prediction, SamplePath, contract,
};

use crate::weights::Weights;

fn points(count: usize, id: u64) -> Points {
    latin_hypercube(count, 2, &mut Seed(3).stream("points", id))
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-10 * (1.0 + expected.abs())
}

/// Predictions, covariances and cross-covariances are those of the expected weights.
fn agrees(found: &dyn JointPosterior, expected: &Weights) {
    let (x, others) = (points(6, 1), points(4, 2));
    for point in x.rows() {
        let (Prediction { mean: m, variance: v }, Prediction { mean, variance }) =
            (found.predict(point), expected.predict(point));
        assert!(close(m, mean) && close(v, variance), "{m} ± {v}, expected {mean} ± {variance}");
    }
    let (mut a, mut b) = (vec![f64::NAN; 36], vec![f64::NAN; 36]);
    found.covariance_into(x.as_ref(), &mut a);
    expected.covariance_into(x.as_ref(), &mut b);
    assert!(a.iter().zip(&b).all(|(a, b)| close(*a, *b)), "{a:?}\n{b:?}");
    let (mut a, mut b) = (vec![f64::NAN; 24], vec![f64::NAN; 24]);
    found.cross_covariance_into(x.as_ref(), others.as_ref(), &mut a);
    expected.cross_covariance_into(x.as_ref(), others.as_ref(), &mut b);
    assert!(a.iter().zip(&b).all(|(a, b)| close(*a, *b)), "{a:?}\n{b:?}");
}

#[test]
fn conditioning_equals_kalman_updates() {
    let prior = Weights::new();
    for count in [0, 1, 3, 4] {
        for noise in [0.01, 0.5] {
            let at = points(count, 7);
            let y: Vec<f64> = (0..count).map(|i| (i as f64).cos()).collect();
            let found = Conditioned::new(&prior, at.as_ref(), &y, noise).expect("finite numbers");
            let mut expected = prior.clone();
            at.rows().zip(&y).for_each(|(x, y)| expected.update(x, *y, noise));
            agrees(&found, &expected);
        }
    }
}

#[test]
fn conditioning_twice_is_conditioning_on_all() {
    let (prior, at) = (Weights::new(), points(3, 7));
    let first = Conditioned::new(&prior, PointsRef::single(at.row(0)), &[1.0], 0.1).expect("finite numbers");
    let rest = Points::from_rows(&[at.row(1), at.row(2)]).expect("rows of one length");
    let second = Conditioned::new(&first, rest.as_ref(), &[-0.5, 2.0], 0.1).expect("finite numbers");
    let mut expected = prior.clone();
    at.rows().zip([1.0, -0.5, 2.0]).for_each(|(x, y)| expected.update(x, y, 0.1));
    agrees(&second, &expected);
}

/// Two points, for which the factor of the covariance is written down.
#[test]
fn imagined_outcomes_are_the_mean_and_the_factor_times_the_normals() {
    let (prior, at, noise) = (Weights::new(), points(2, 8), 0.2);
    let [a, b] = [at.row(0), at.row(1)];
    let l00 = (prior.covariance(a, a) + noise).sqrt();
    let l10 = prior.covariance(b, a) / l00;
    let l11 = (prior.covariance(b, b) + noise - l10 * l10).sqrt();
    let normals = Points::from_rows(&[[0.0, 0.0], [1.0, 0.0], [-0.7, 1.6]]).expect("rows of one length");
    let found = Conditioned::imagined(&prior, at.as_ref(), noise, normals.as_ref()).expect("finite numbers");
    assert_eq!(found.len(), 3);
    for (found, z) in found.iter().zip(normals.rows()) {
        let y = [prior.predict(a).mean + l00 * z[0], prior.predict(b).mean + l10 * z[0] + l11 * z[1]];
        let mut expected = prior.clone();
        at.rows().zip(y).for_each(|(x, y)| expected.update(x, y, noise));
        agrees(found, &expected);
    }
}

#[test]
fn conditioned_posteriors_obey_the_contract() {
    let (prior, at, x) = (Weights::new(), points(3, 7), points(4, 9));
    let posterior = Conditioned::new(&prior, at.as_ref(), &[1.0, -0.5, 2.0], 0.1).expect("finite numbers");
    contract::batch_is_pointwise(&posterior, x.as_ref(), 1e-12);
    contract::gradients_match(&posterior, x.as_ref(), 1e-5, 1e-7);
    contract::covariance_is_consistent(&posterior, &x, 1e-12);
    let weights: Vec<f64> = (0..16).map(|i| f64::from(i * 7 % 11) / 5.0 - 1.0).collect();
    contract::joint_gradient_matches(&posterior, &x, (&[0.3, -1.0, 2.0, 0.7], &weights), 1e-5, 1e-7);
}

/// A variance that rounding leaves at 0, where a point was told without noise, is at its minimum.
#[test]
fn a_variance_of_zero_has_no_slope() {
    let (prior, at) = (Weights::new(), points(60, 7));
    let mut known = 0;
    for point in at.rows().map(PointsRef::single) {
        let found = Conditioned::new(&prior, point, &[1.0], 0.0).expect("finite numbers");
        let (mut mean, mut variance, mut of_mean, mut of_variance) = ([0.0], [0.0], [0.0; 2], [f64::NAN; 2]);
        let gradient = found.gradient().expect("weights have gradients");
        gradient.predict_with_gradient_into(point, &mut mean, &mut variance, &mut of_mean, &mut of_variance);
        if variance[0] == 0.0 {
            known += 1;
            assert_eq!(of_variance, [0.0; 2], "at {point:?}");
        }
    }
    assert!(known > 0, "no variance is 0");
}

/// Gradients after no observation are those of the prior.
#[test]
fn the_gradient_after_no_observations_is_that_before() {
    let (prior, x) = (Weights::new(), points(3, 9));
    let unchanged = Conditioned::new(&prior, points(0, 7).as_ref(), &[], 0.1).expect("finite numbers");
    let of_covariance: Vec<f64> = (0..9).map(|i| f64::from(i * 5 % 7) / 3.0 - 1.0).collect();
    let slopes = |posterior: &dyn JointPosterior| {
        let mut slopes = vec![0.0; 6];
        let gradient = posterior.joint_gradient().expect("weights have gradients");
        gradient.pull_back_joint(x.as_ref(), &[0.3, -1.0, 2.0], &of_covariance, &mut slopes);
        slopes
    };
    assert_eq!(slopes(&unchanged), slopes(&prior));
}

/// Observing a point without uncertainty does not change the posterior.
#[test]
fn certain_points_change_nothing() {
    let certain = Weights::certain();
    let at = points(2, 7);
    let found = Conditioned::new(&certain, at.as_ref(), &[9.0, -9.0], 0.0).expect("finite numbers");
    agrees(&found, &certain);
}

#[test]
fn a_look_ahead_says_how_far_an_outcome_moves_the_means() {
    let (prior, anchors, x, noise) = (Weights::new(), points(5, 4), points(3, 5), 0.3);
    let ahead = JointLookahead::new(&prior, anchors.as_ref(), noise);
    let (mut mean, mut variance, mut covariance) = ([0.0; 3], [0.0; 3], [0.0; 18]);
    ahead.moments_into(x.as_ref(), &mut mean, &mut variance, &mut covariance);
    assert_eq!(ahead.dim(), 2);
    for (i, point) in x.rows().enumerate() {
        let Prediction { mean: m, variance: v } = prior.predict(point);
        assert!(close(mean[i], m) && close(variance[i], v + noise) && close(covariance[i * 6 + 5], v));
        // An outcome 1.3 standard deviations above its mean.
        let mut after = prior.clone();
        after.update(point, m + 1.3 * variance[i].sqrt(), noise);
        for (j, anchor) in anchors.rows().enumerate() {
            assert!(close(ahead.means()[j], prior.predict(anchor).mean));
            let moved = 1.3 * covariance[i * 6 + j] / variance[i].sqrt();
            assert!(close(ahead.means()[j] + moved, after.predict(anchor).mean));
        }
    }
}

#[test]
fn the_gradient_of_a_look_ahead_is_that_of_its_values() {
    let (prior, anchors) = (Weights::new(), points(5, 4));
    let ahead = JointLookahead::new(&prior, anchors.as_ref(), 0.3);
    // Weights of 0 leave anchors out.
    for covariance in [[0.0, 0.0, 1.0, 0.0, -2.0, 0.5], [0.4, 1.0, -0.3, 2.0, 0.9, 0.0], [0.0; 6]] {
        let weights = LookaheadCotangent { mean: 0.8, variance: -1.2, covariance: &covariance };
        contract::lookahead_gradient_matches(&ahead, &[0.3, 0.8], weights, 1e-5, 1e-7);
    }
}

#[test]
fn impossible_observations_are_named() {
    let (prior, at) = (Weights::new(), points(2, 7));
    let error = |at: PointsRef<'_>, y: &[f64], noise| Conditioned::new(&prior, at, y, noise).err();
    let size = |name, found, expected| Some(ConditioningError::Size { name, found, expected });
    assert_eq!(error(at.as_ref(), &[1.0], 0.1), size("outcomes", 1, 2));
    let line = Points::from_flat(vec![0.1, 0.2], 1);
    assert_eq!(error(line.as_ref(), &[1.0, 2.0], 0.1), size("dimension of the points", 1, 2));
    let infinite = Some(ConditioningError::InvalidNumber { name: "outcome", index: 1, value: f64::INFINITY });
    assert_eq!(error(at.as_ref(), &[1.0, f64::INFINITY], 0.1), infinite);
    let negative = Some(ConditioningError::InvalidNumber { name: "noise variance", index: 0, value: -0.1 });
    assert_eq!(error(at.as_ref(), &[1.0, 2.0], -0.1), negative);
    let row = Points::from_flat(vec![0.0; 3], 3);
    let found = Conditioned::imagined(&prior, at.as_ref(), 0.1, row.as_ref()).err();
    assert_eq!(found, size("normal numbers a row", 3, 2));
}

/// `sin(x₀ + 3 x₁)`, with slopes or a value that may be wrong.
struct Wave {
    value_factor: f64,
    slopes: [f64; 2],
}

impl SamplePath for Wave {
    fn dim(&self) -> usize {
        2
    }

    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        out.iter_mut().zip(x.rows()).for_each(|(slot, x)| *slot = (x[0] + 3.0 * x[1]).sin());
    }

    fn value_with_gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let angle = x[0] + 3.0 * x[1];
        gradient.copy_from_slice(&self.slopes.map(|slope| slope * angle.cos()));
        self.value_factor * angle.sin()
    }
}

#[test]
fn the_contract_of_paths_finds_wrong_values_and_slopes() {
    let passes = |value_factor: f64, slopes: [f64; 2]| {
        let path = Wave { value_factor, slopes };
        std::panic::catch_unwind(|| contract::path_is_consistent(&path, points(4, 6).as_ref(), 1e-5, 1e-7))
            .is_ok()
    };
    assert!(passes(1.0, [1.0, 3.0]));
    assert!(!passes(1.001, [1.0, 3.0]));
    assert!(!passes(1.0, [1.001, 3.0]) && !passes(1.0, [1.0, 3.001]));
}

/// The jitter relative to the prior goes up to 1e-8 and no further.
#[test]
fn covariances_of_nothing_get_a_jitter_of_the_prior() {
    use thrifty_linalg::Matrix;
    use thrifty_surrogate::factor_covariance;
    // Eigenvalues ±e, mean diagonal 0: no jitter relative to the matrix helps.
    let rounding = |e: f64| Matrix::from_fn(2, 2, |i, j| if i == j { 0.0 } else { e });
    for (e, prior_scale, jitter) in [
        (5e-16, 1.0, 1e-15),
        (5e-12, 1.0, 1e-11),
        (5e-9, 1.0, 1e-8),
        (5e-9, 100.0, 1e-8),
        (5e-7, 100.0, 1e-6),
        (5e-7, 1.0, 1e-6),
    ] {
        let factor = factor_covariance(&rounding(e), prior_scale).unwrap();
        let found = factor.factor()[(0, 0)].powi(2);
        assert!((found / jitter - 1.0).abs() < 1e-9, "{e} {prior_scale}: {found}");
    }
    assert!(
        factor_covariance(&rounding(5e-6), 1.0).is_err() && factor_covariance(&rounding(5e-9), 0.0).is_err()
    );
}

/// A posterior without slopes has none to pull back, says so and adds nothing.
#[test]
fn a_look_ahead_without_slopes_says_so() {
    struct Flat;

    impl Posterior for Flat {
        fn dim(&self) -> usize {
            1
        }

        fn predict_into(&self, _: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
            mean.fill(0.5);
            variance.fill(1.0);
        }
    }

    impl JointPosterior for Flat {
        fn covariance_into(&self, _: PointsRef<'_>, out: &mut [f64]) {
            out.fill(1.0);
        }

        fn cross_covariance_into(&self, _: PointsRef<'_>, _: PointsRef<'_>, out: &mut [f64]) {
            out.fill(1.0);
        }
    }

    let anchors = Points::from_flat(vec![0.2, 0.4], 1);
    let ahead = JointLookahead::new(&Flat, anchors.as_ref(), 0.1);
    let weights = LookaheadCotangent { mean: 1.0, variance: 1.0, covariance: &[1.0, 1.0, 1.0] };
    let mut slopes = [7.0];
    assert!(!ahead.pull_back(&[0.3], weights, &mut slopes));
    assert_eq!(slopes, [7.0]);
}

/// NaN at a point to predict stays NaN: it is no certainty.
#[test]
fn no_number_is_no_certainty() {
    let (prior, at) = (Weights::new(), points(2, 7));
    let found = Conditioned::new(&prior, at.as_ref(), &[1.0, 0.5], 0.1).expect("finite numbers");
    let Prediction { mean, variance } = found.predict(&[f64::NAN, 0.5]);
    assert!(mean.is_nan() && variance.is_nan(), "{mean} ± {variance}");
    let x = Points::from_flat(vec![f64::NAN, 0.5, 0.5, 0.5], 2);
    let mut covariance = [0.0; 4];
    found.covariance_into(x.as_ref(), &mut covariance);
    assert!(covariance[0].is_nan() && covariance[1].is_nan() && covariance[3] >= 0.0, "{covariance:?}");
}
