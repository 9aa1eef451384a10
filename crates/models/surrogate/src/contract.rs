//! Contract tests of posteriors and surrogates, to be called from the tests of a crate that implements one.

use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_sampling::Seed;

use crate::{
    EarlierFit, FittedSurrogate, Lookahead, LookaheadCotangent, Observations, Posterior, Prediction,
    SamplePath, Surrogate, fit_checked,
};

/// Predictions are finite, variances not negative, and a batch equals its points one by one to `tolerance`.
///
/// # Panics
/// When the law does not hold.
pub fn batch_is_pointwise(posterior: &dyn Posterior, x: PointsRef<'_>, tolerance: f64) {
    let (mut mean, mut variance) = (vec![f64::NAN; x.len()], vec![f64::NAN; x.len()]);
    posterior.predict_into(x, &mut mean, &mut variance);
    let mut alone = vec![f64::NAN; x.len()];
    posterior.mean_into(x, &mut alone);
    assert_eq!(mean, alone, "means without variances are the same bits");
    for (i, point) in x.rows().enumerate() {
        let Prediction { mean: m, variance: v } = posterior.predict(point);
        assert!(mean[i].is_finite() && variance[i].is_finite() && variance[i] >= 0.0, "point {i}: {m} ± {v}");
        assert_close(m, mean[i], tolerance, &format!("mean {i}"));
        assert_close(v, variance[i], tolerance, &format!("variance {i}"));
    }
}

/// Gradients equal central differences with step `step`, to `tolerance` relative to the gradient's size and 1.
///
/// # Panics
/// When the law does not hold or the posterior has no gradient.
pub fn gradients_match(posterior: &dyn Posterior, x: PointsRef<'_>, step: f64, tolerance: f64) {
    let gradient = posterior.gradient().expect("a posterior with gradients");
    let (m, d) = (x.len(), x.dim());
    let (mut mean, mut variance) = (vec![0.0; m], vec![0.0; m]);
    let (mut mean_gradient, mut variance_gradient) = (vec![f64::NAN; m * d], vec![f64::NAN; m * d]);
    gradient.predict_with_gradient_into(
        x,
        &mut mean,
        &mut variance,
        &mut mean_gradient,
        &mut variance_gradient,
    );
    for (i, point) in x.rows().enumerate() {
        for k in 0..d {
            let at = |offset: f64| {
                let mut moved = point.to_vec();
                moved[k] += offset;
                posterior.predict(&moved)
            };
            let (up, down) = (at(step), at(-step));
            let (by_mean, by_variance) =
                ((up.mean - down.mean) / (2.0 * step), (up.variance - down.variance) / (2.0 * step));
            assert_close(mean_gradient[i * d + k], by_mean, tolerance, &format!("mean gradient {i},{k}"));
            assert_close(
                variance_gradient[i * d + k],
                by_variance,
                tolerance,
                &format!("variance gradient {i},{k}"),
            );
        }
    }
}

/// The joint covariance has the variances on its diagonal, is symmetric, and agrees with the cross-covariance.
///
/// # Panics
/// When the law does not hold or the posterior has no joint covariance.
pub fn covariance_is_consistent(posterior: &dyn Posterior, x: &Points, tolerance: f64) {
    let joint = posterior.joint().expect("a joint posterior");
    let m = x.len();
    let (mut covariance, mut cross) = (vec![f64::NAN; m * m], vec![f64::NAN; m * m]);
    joint.covariance_into(x.as_ref(), &mut covariance);
    joint.cross_covariance_into(x.as_ref(), x.as_ref(), &mut cross);
    for i in 0..m {
        assert_close(
            covariance[i * m + i],
            posterior.predict(x.row(i)).variance,
            tolerance,
            &format!("variance {i}"),
        );
        for j in 0..m {
            assert_eq!(covariance[i * m + j].to_bits(), covariance[j * m + i].to_bits(), "symmetry {i},{j}");
            assert_close(covariance[i * m + j], cross[i * m + j], tolerance, &format!("cross {i},{j}"));
        }
    }
}

/// The pullback of means and covariances equals central differences with step `step`, to `tolerance` relative to
/// the gradient's size and 1, for given weights: m of the means, m² of the covariances.
///
/// # Panics
/// When the law does not hold or the posterior has no such gradient.
pub fn joint_gradient_matches(
    posterior: &dyn Posterior,
    x: &Points,
    weights: (&[f64], &[f64]),
    step: f64,
    tolerance: f64,
) {
    let joint = posterior.joint().expect("a joint posterior");
    let gradient = joint.joint_gradient().expect("a joint posterior with gradients");
    let (m, d) = (x.len(), x.dim());
    let (mut mean, mut variance, mut covariance) = (vec![0.0; m], vec![0.0; m], vec![0.0; m * m]);
    let mut total = |x: &Points| {
        posterior.predict_into(x.as_ref(), &mut mean, &mut variance);
        joint.covariance_into(x.as_ref(), &mut covariance);
        let sum = |w: &[f64], v: &[f64]| w.iter().zip(v).map(|(w, v)| w * v).sum::<f64>();
        sum(weights.0, &mean) + sum(weights.1, &covariance)
    };
    let mut found = vec![0.0; m * d];
    gradient.pull_back_joint(x.as_ref(), weights.0, weights.1, &mut found);
    for i in 0..m {
        for k in 0..d {
            let mut at = |offset: f64| {
                let mut moved = x.clone();
                moved.row_mut(i)[k] += offset;
                total(&moved)
            };
            let slope = (at(step) - at(-step)) / (2.0 * step);
            assert_close(found[i * d + k], slope, tolerance, &format!("joint gradient {i},{k}"));
        }
    }
}

/// The pullback of a look ahead equals central differences with step `step`, to `tolerance` relative to the gradient's
/// size and 1, for given weights of mean, variance and covariances.
///
/// # Panics
/// When the law does not hold or there is no gradient.
pub fn lookahead_gradient_matches(
    lookahead: &dyn Lookahead,
    x: &[f64],
    weights: LookaheadCotangent<'_>,
    step: f64,
    tolerance: f64,
) {
    let LookaheadCotangent { mean: of_mean, variance: of_variance, covariance: of_covariance } = weights;
    let total = |x: &[f64]| {
        let (mut mean, mut variance, mut covariance) = ([0.0], [0.0], vec![0.0; of_covariance.len()]);
        lookahead.moments_into(PointsRef::single(x), &mut mean, &mut variance, &mut covariance);
        let covariances = covariance.iter().zip(of_covariance).map(|(c, w)| c * w).sum::<f64>();
        of_mean * mean[0] + of_variance * variance[0] + covariances
    };
    let mut found = vec![0.0; x.len()];
    assert!(lookahead.pull_back(x, weights, &mut found), "a gradient");
    for k in 0..x.len() {
        let at = |offset: f64| {
            let mut moved = x.to_vec();
            moved[k] += offset;
            total(&moved)
        };
        assert_close(found[k], (at(step) - at(-step)) / (2.0 * step), tolerance, &format!("lookahead {k}"));
    }
}

/// The slopes of a path equal central differences with step `step`, to `tolerance` relative to their size and 1,
/// and its values are the same one by one and together.
///
/// # Panics
/// When the law does not hold.
pub fn path_is_consistent(path: &dyn SamplePath, x: PointsRef<'_>, step: f64, tolerance: f64) {
    let (mut values, mut gradient) = (vec![f64::NAN; x.len()], vec![f64::NAN; x.dim()]);
    path.values_into(x, &mut values);
    for (point, together) in x.rows().zip(values) {
        let alone = path.value_with_gradient(point, &mut gradient);
        assert_close(alone, together, tolerance, "path value");
        for k in 0..x.dim() {
            let at = |offset: f64| {
                let (mut moved, mut value) = (point.to_vec(), [0.0]);
                moved[k] += offset;
                path.values_into(PointsRef::single(&moved), &mut value);
                value[0]
            };
            let slope = (at(step) - at(-step)) / (2.0 * step);
            assert_close(gradient[k], slope, tolerance, &format!("path gradient {k}"));
        }
    }
}

fn assert_close(found: f64, expected: f64, tolerance: f64, what: &str) {
    let scale = 1.0 + expected.abs();
    assert!((found - expected).abs() <= tolerance * scale, "{what}: {found} against {expected}");
}

/// Runs a surrogate on small problems and checks what optimisers rely on: the contract suite for implementers of [`Surrogate`].
///
/// On domains of one and three columns, with 1, 2 and 12 observations, duplicates, constant targets and targets of scale
/// 1e-12 and 1e12: fits succeed and are reproducible, predictions are finite with variances from 0, a batch equals its points one by
/// one and is NaN at a point of NaN, gradients (if any) match differences, joint covariances (if any) are consistent, a fantasy is reproducible and does not move
/// the mean away from it, and hyperparameters are accepted as a warm start. On the scale of the observations themselves a surrogate is as it
/// was. Data that no model can use never reach a surrogate:
/// [`fit_checked`] refuses them.
///
/// # Panics
/// When a law does not hold.
pub fn surrogate(surrogate: &dyn Surrogate) {
    let described = surrogate.describe().expect("a description");
    assert_eq!(described, surrogate.describe().expect("a description"), "the same description twice");
    assert!(!described.name.is_empty(), "a name");
    if let Some(same) = surrogate.on_scale(&|y| y) {
        assert_eq!(
            described,
            same.describe().expect("a description"),
            "the same surrogate on the same scale"
        );
    }
    for dim in [1, 3] {
        for (case, data) in cases(dim).into_iter().enumerate() {
            fits(surrogate, dim, &data, &format!("{}, {dim} columns, case {case}", described.name));
        }
    }
}

/// Seed of the points and of the fits.
const SEED: Seed = Seed(1);

/// Scales of targets on which tolerances apply as they are.
const USUAL: std::ops::Range<f64> = 0.1..100.0;

/// A coordinate beside the data, for predictions.
const BESIDE: f64 = 0.37;

/// A coordinate beside the data, for fantasies.
const FANTASY: f64 = 0.61;

/// Standard deviations by which a fantasy is above the mean.
const ABOVE: f64 = 3.0;

/// Tolerance of batches against single points, and of covariances against variances.
const EXACT: f64 = 1e-9;
const COVARIANCE: f64 = 1e-6;

/// Step of differences, and tolerance of gradients against them.
const STEP: f64 = 1e-5;
const SLOPE: f64 = 1e-3;

/// Hyperparameters of something else.
const FOREIGN: [f64; 97] = [f64::MAX; 97];

/// Points and targets of one problem.
type Case = (Points, Vec<f64>);

fn cases(dim: usize) -> Vec<Case> {
    let mut rng = SEED.stream("contract", dim as u64);
    let mut points = |n: usize| -> Points {
        let mut points = Points::zeros(n, dim);
        points.as_flat_mut().iter_mut().for_each(|value| *value = rng.uniform());
        points
    };
    let smooth = |x: &[f64]| x.iter().map(|v| v.exp()).sum::<f64>();
    let (one, two, many) = (points(1), points(2), points(12));
    let mut repeated = many.clone();
    many.rows().take(4).for_each(|row| repeated.push(row));
    let of =
        |x: &Points, scale: f64| -> Case { (x.clone(), x.rows().map(|row| scale * smooth(row)).collect()) };
    let constant = (many.clone(), vec![2.5; many.len()]);
    vec![
        of(&one, 1.0),
        of(&two, 1.0),
        of(&many, 1.0),
        of(&repeated, 1.0),
        constant,
        of(&many, 1e-12),
        of(&many, 1e12),
    ]
}

/// An update from the fit to a beginning of the data says from how many observations it learnt, and predicts.
fn updates(surrogate: &dyn Surrogate, domain: &Domain, data: Observations<'_>, what: &str) {
    let half = data.len().div_ceil(2);
    let beginning = Observations {
        x: data.x.slice(0, half),
        y: &data.y[..half],
        noise_variance: data.noise_variance.map(|variances| &variances[..half]),
    };
    let fit = |data, earlier| {
        fit_checked(surrogate, domain, data, earlier, &mut SEED.stream("contract fit", 0))
            .unwrap_or_else(|error| panic!("{what}: {error}"))
    };
    let first = fit(beginning, None);
    assert!(first.learnt_from().is_none_or(|n| n == half), "{what}: {:?} of {half}", first.learnt_from());
    let hyperparameters = first.hyperparameters();
    for learnt_from in [first.learnt_from(), Some(half), Some(usize::MAX)] {
        let earlier = EarlierFit { hyperparameters: &hyperparameters, learnt_from };
        let (updated, again) = (fit(data, Some(earlier)), fit(data, Some(earlier)));
        assert_eq!(updated.hyperparameters(), again.hyperparameters(), "{what}: the same update twice");
        assert!(updated.learnt_from().is_none_or(|n| n <= data.len()), "{what}: {:?}", updated.learnt_from());
    }
}

fn fits(surrogate: &dyn Surrogate, dim: usize, (x, y): &Case, what: &str) {
    let domain = Domain::unit_cube(dim);
    let data = Observations::new(x.as_ref(), y);
    let fit = |warm_start: Option<&[f64]>| {
        let mut rng = SEED.stream("contract fit", 0);
        let earlier = warm_start.map(|hyperparameters| EarlierFit { hyperparameters, learnt_from: None });
        fit_checked(surrogate, &domain, data, earlier, &mut rng)
            .unwrap_or_else(|error| panic!("{what}: {error}"))
    };
    let (fitted, again) = (fit(None), fit(None));
    let scale = y.iter().map(|y| y.abs()).fold(f64::MIN_POSITIVE, f64::max);
    let mut test = x.clone();
    test.push(&vec![BESIDE; dim]);
    for point in test.rows() {
        let Prediction { mean, variance } = fitted.posterior().predict(point);
        assert!(mean.is_finite() && variance.is_finite() && variance >= 0.0, "{what}: {mean} ± {variance}");
        let same = again.posterior().predict(point);
        assert_eq!(
            (mean.to_bits(), variance.to_bits()),
            (same.mean.to_bits(), same.variance.to_bits()),
            "{what}: same bits"
        );
        let observed = fitted.predict_observed(point);
        assert!(
            observed.mean == mean && observed.variance >= variance,
            "{what}: an observation varies more than the function"
        );
    }
    let Prediction { mean, variance } = fitted.posterior().predict(&vec![f64::NAN; dim]);
    assert!(mean.is_nan() && variance.is_nan(), "{what}: {mean} ± {variance} at a point that is no number");
    if USUAL.contains(&scale) {
        batch_is_pointwise(fitted.posterior(), test.as_ref(), EXACT);
        if fitted.posterior().joint().is_some() {
            covariance_is_consistent(fitted.posterior(), &test, COVARIANCE);
        }
        if fitted.posterior().gradient().is_some() && y.len() > 2 {
            gradients_match(fitted.posterior(), PointsRef::single(&vec![BESIDE; dim]), STEP, SLOPE);
        }
    }
    let hyperparameters = fitted.hyperparameters();
    assert!(hyperparameters.iter().all(|h| h.is_finite()), "{what}: finite hyperparameters");
    let warm = fit(Some(&hyperparameters));
    assert_eq!(warm.hyperparameters().len(), hyperparameters.len(), "{what}: hyperparameters of one length");
    // Hyperparameters of something else are ignored, not trusted.
    fit(Some(&FOREIGN));
    updates(surrogate, &domain, data, what);
    fantasies(&*fitted, dim, scale, what);
}

/// A fantasy above the mean is reproducible and does not move the mean down.
fn fantasies(fitted: &dyn FittedSurrogate, dim: usize, scale: f64, what: &str) {
    let at = vec![FANTASY; dim];
    let Prediction { mean, variance } = fitted.posterior().predict(&at);
    let lie = mean + ABOVE * (variance + fitted.noise_variance()).sqrt() + scale;
    if let Ok(told) = fitted.fantasize(&at, lie) {
        let moved = told.posterior().predict(&at).mean;
        let again = fitted.fantasize(&at, lie).map(|told| told.posterior().predict(&at).mean);
        assert!(
            again.as_ref().is_ok_and(|again| again.to_bits() == moved.to_bits()),
            "{what}: one fantasy gives the mean {moved} and then {again:?}"
        );
        let least = mean - COVARIANCE * scale;
        assert!(
            moved >= least && moved.is_finite(),
            "{what}: a fantasy of {lie} moved the mean from {mean} to {moved}"
        );
    }
}
