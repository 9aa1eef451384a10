//! The hierarchical process as a surrogate: the posterior is that of the mean over folds, whatever the fold of a point.

use proptest::prelude::*;
use thrifty_domain::{Domain, Points, PointsRef, Variable};
use thrifty_hgp::{FoldSurrogate, Hgp};
use thrifty_sampling::Seed;
use thrifty_surrogate::{EarlierFit, FittedSurrogate, Observations, Posterior, Surrogate, contract};

const FOLDS: usize = 3;

fn domain() -> Domain {
    Domain::new(vec![Variable::continuous(), Variable::stepped(FOLDS as u64)]).unwrap()
}

/// Points in the cube with their folds.
fn data() -> (Points, Points, Vec<usize>, Vec<f64>) {
    let domain = domain();
    let (mut with, mut without) = (Points::new(2), Points::new(1));
    let (mut folds, mut y) = (Vec::new(), Vec::new());
    for i in 0..9 {
        let (x, fold) = (f64::from(i) / 8.0, i as usize % FOLDS);
        let mut point = vec![x, 0.0];
        domain.set_level(1, fold as u64, &mut point);
        with.push(&point);
        without.push(&[x]);
        folds.push(fold);
        y.push((5.0 * x).sin() + 0.2 * fold as f64);
    }
    (with, without, folds, y)
}

#[test]
fn the_posterior_is_the_mean_over_folds() {
    let (with, without, folds, y) = data();
    let rng = || Seed(1).stream("fit", 0);
    let data = Observations::new(with.as_ref(), &y);
    let fitted = FoldSurrogate.fit(&domain(), data, None, &mut rng()).unwrap();
    let config = Domain::new(vec![Variable::continuous()]).unwrap();
    let process = Hgp::on_domain(&config).fit(without.as_ref(), &folds, &y, &mut rng()).unwrap();
    let mean = process.mean_of(FOLDS).unwrap();
    for x in [0.05, 0.33, 0.8] {
        for fold in [0.0, 0.5, 1.0] {
            assert_eq!(fitted.posterior().predict(&[x, fold]), mean.predict(&[x]));
        }
    }
    assert_eq!(fitted.hyperparameters(), process.process().hyperparameters());
    // A measurement of one fold varies around the mean by its noise and by what the fold differs.
    let fold = process.fold(0).prior_variance(&[0.5]).unwrap();
    let differs = fold - mean.prior_variance(&[0.5]).unwrap();
    assert!(differs > 0.0, "{differs}");
    let expected = process.process().noise_variance() + differs;
    assert!((fitted.noise_variance() - expected).abs() <= 1e-12 * expected, "{expected}");
    let warm = fitted.hyperparameters();
    assert!(FoldSurrogate.fit(&domain(), data, Some(&warm), &mut rng()).is_ok());
    // An outcome of one fold is one of the mean in part.
    let next = fitted.fantasize(&[0.33, 0.0], 5.0).unwrap();
    let (before, after) = (fitted.posterior().predict(&[0.33, 1.0]), next.posterior().predict(&[0.33, 1.0]));
    assert!(after.mean > before.mean + 0.1 && after.variance < before.variance, "{before:?} {after:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn gradients_and_covariances_are_consistent(x in 0.05..0.95_f64, other in 0.05..0.95_f64) {
        let (with, _, _, y) = data();
        let data = Observations::new(with.as_ref(), &y);
        let fitted = FoldSurrogate.fit(&domain(), data, None, &mut Seed(1).stream("fit", 0)).unwrap();
        let posterior = fitted.posterior();
        let gradient = posterior.gradient().unwrap();
        let (mut mean, mut variance) = ([0.0], [0.0]);
        let (mut of_mean, mut of_variance) = ([9.0; 2], [9.0; 2]);
        gradient.predict_with_gradient_into(
            PointsRef::single(&[x, 0.4]), &mut mean, &mut variance, &mut of_mean, &mut of_variance,
        );
        let step = 1e-5;
        let (up, down) = (posterior.predict(&[x + step, 0.4]), posterior.predict(&[x - step, 0.4]));
        prop_assert!((of_mean[0] - (up.mean - down.mean) / (2.0 * step)).abs() < 1e-4 * (1.0 + of_mean[0].abs()));
        prop_assert!((of_variance[0] - (up.variance - down.variance) / (2.0 * step)).abs() < 1e-4 * (1.0 + of_variance[0].abs()));
        prop_assert_eq!((of_mean[1], of_variance[1]), (0.0, 0.0));
        let joint = posterior.joint().unwrap();
        let pair = Points::from_rows(&[[x, 0.0], [other, 1.0]]).unwrap();
        let mut covariance = [0.0; 4];
        joint.covariance_into(pair.as_ref(), &mut covariance);
        prop_assert!((covariance[0] - posterior.predict(&[x, 1.0]).variance).abs() < 1e-9);
        prop_assert_eq!(covariance[1], covariance[2]);
    }
}

#[test]
fn the_domain_must_have_a_fold() {
    let x = Points::from_rows(&[[0.1], [0.9]]).unwrap();
    let fit = |domain: &Domain| {
        let data = Observations::new(x.as_ref(), &[0.0, 1.0]);
        FoldSurrogate
            .fit(domain, data, None, &mut Seed(1).stream("fit", 0))
            .map(|_| ())
            .unwrap_err()
            .to_string()
    };
    assert!(fit(&Domain::unit_cube(1)).contains("no parameter beside the fold"));
    let two = Points::from_rows(&[[0.1, 0.2], [0.9, 0.3]]).unwrap();
    let data = Observations::new(two.as_ref(), &[0.0, 1.0]);
    let error = FoldSurrogate.fit(&Domain::unit_cube(2), data, None, &mut Seed(1).stream("fit", 0));
    let error = error.map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("two or more discrete levels"), "{error}");
    assert_eq!(FoldSurrogate.describe().unwrap(), FoldSurrogate.describe().unwrap());
}

/// Pullbacks of several points with two columns beside the fold.
#[test]
fn joint_gradients_match_differences_in_two_columns() {
    let domain =
        Domain::new(vec![Variable::continuous(), Variable::continuous(), Variable::stepped(3)]).unwrap();
    let mut rng = Seed(4).stream("points", 0);
    let mut points = Points::new(3);
    let mut y = Vec::new();
    for i in 0..12 {
        let mut point = vec![rng.uniform(), rng.uniform(), 0.0];
        domain.set_level(2, i % 3, &mut point);
        y.push((4.0 * point[0]).sin() + point[1] * point[1] + 0.1 * i as f64);
        points.push(&point);
    }
    let data = Observations::new(points.as_ref(), &y);
    let fitted = FoldSurrogate.fit(&domain, data, None, &mut Seed(1).stream("fit", 0)).unwrap();
    let at = Points::from_rows(&[[0.2, 0.7, 0.5], [0.8, 0.4, 0.5], [0.55, 0.15, 0.5]]).unwrap();
    let of_covariance = [0.4, -1.0, 0.3, 0.2, 0.7, 1.1, -0.6, 0.5, 0.9];
    let weights = (&[0.3, -1.0, 2.0][..], &of_covariance[..]);
    contract::joint_gradient_matches(fitted.posterior(), &at, weights, 1e-5, 1e-5);
    contract::gradients_match(fitted.posterior(), at.as_ref(), 1e-5, 1e-5);
    contract::covariance_is_consistent(fitted.posterior(), &at, 1e-9);
}

/// Points with a fold and losses that a smooth function of the points and the fold makes.
fn many(n: usize) -> (Points, Vec<f64>) {
    let (domain, mut x, mut y) = (domain(), Points::new(2), Vec::new());
    for i in 0..n {
        let mut point = vec![(0.618_034 * i as f64).fract(), 0.0];
        domain.set_level(1, (i % FOLDS) as u64, &mut point);
        y.push((5.0 * point[0]).sin() + 0.2 * (i % FOLDS) as f64 + 0.01 * (37.0 * i as f64).sin());
        x.push(&point);
    }
    (x, y)
}

fn updated(x: &Points, y: &[f64], earlier: EarlierFit<'_>) -> Box<dyn FittedSurrogate> {
    let data = Observations::new(x.as_ref(), y);
    FoldSurrogate.update(&domain(), data, earlier, &mut Seed(5).stream("fit", 0)).unwrap()
}

/// Beyond 40 observations hyperparameters stay as they are until the data have grown by a fiftieth or are improbable; the model has all data.
#[test]
fn hyperparameters_are_kept_between_fits() {
    let (x, mut y) = many(60);
    let first = Observations { x: x.as_ref().slice(0, 59), y: &y[..59], noise_variance: None };
    let fitted = FoldSurrogate.fit(&domain(), first, None, &mut Seed(1).stream("fit", 0)).unwrap();
    assert_eq!(fitted.learnt_from(), Some(59));
    let hyperparameters = fitted.hyperparameters();
    let earlier = |learnt_from| EarlierFit { hyperparameters: &hyperparameters, learnt_from };
    let kept = updated(&x, &y, earlier(Some(59)));
    assert_eq!((kept.learnt_from(), kept.hyperparameters()), (Some(59), hyperparameters.clone()));
    let last = x.row(59);
    let variance = |fitted: &dyn FittedSurrogate| fitted.posterior().predict(last).variance;
    assert!(variance(&*kept) < variance(&*fitted), "the last observation counts");
    for other in
        [earlier(Some(50)), earlier(None), EarlierFit { hyperparameters: &[1.0], learnt_from: Some(59) }]
    {
        assert_eq!(updated(&x, &y, other).learnt_from(), Some(60), "{other:?}");
    }
    y[59] += 50.0;
    let surprised = updated(&x, &y, earlier(Some(59)));
    assert_eq!(surprised.learnt_from(), Some(60));
    assert_ne!(surprised.hyperparameters(), hyperparameters);
    let (few, of_few) = many(40);
    assert_eq!(updated(&few, &of_few, earlier(Some(40))).learnt_from(), Some(40), "every fit learns");
    assert_ne!(updated(&few, &of_few, earlier(Some(40))).hyperparameters(), hyperparameters);
}

/// A fit by growth beyond 100 observations has the last hyperparameters for its only start, so random numbers change nothing.
#[test]
fn fits_of_many_folds_have_one_start() {
    let (x, y) = many(104);
    let first = Observations { x: x.as_ref().slice(0, 60), y: &y[..60], noise_variance: None };
    let fitted = FoldSurrogate.fit(&domain(), first, None, &mut Seed(1).stream("fit", 0)).unwrap();
    let hyperparameters = fitted.hyperparameters();
    let of = |n: usize, seed: u64| {
        let data = Observations { x: x.as_ref().slice(0, n), y: &y[..n], noise_variance: None };
        let earlier = EarlierFit { hyperparameters: &hyperparameters, learnt_from: Some(60) };
        let fitted =
            FoldSurrogate.update(&domain(), data, earlier, &mut Seed(seed).stream("fit", 0)).unwrap();
        (fitted.learnt_from(), fitted.hyperparameters())
    };
    assert_eq!(of(104, 1), of(104, 2));
    assert_eq!(of(104, 1).0, Some(104));
    assert_ne!(of(100, 1).1, of(100, 2).1, "up to 100 other starts move the last digits");
}
