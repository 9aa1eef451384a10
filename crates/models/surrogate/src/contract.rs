//! Laws that every posterior obeys, to be called from the tests of the crate that implements one.

use thrifty_domain::{Points, PointsRef};

use crate::{LookWeights, Lookahead, Posterior, SamplePath};

/// Predictions are finite, variances not negative, and a batch equals its points one by one to `tolerance`.
///
/// # Panics
/// When the law does not hold.
pub fn batch_is_pointwise(posterior: &dyn Posterior, x: PointsRef<'_>, tolerance: f64) {
    let (mut mean, mut variance) = (vec![f64::NAN; x.len()], vec![f64::NAN; x.len()]);
    posterior.predict_into(x, &mut mean, &mut variance);
    for (i, point) in x.rows().enumerate() {
        let (m, v) = posterior.predict(point);
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
            let (by_mean, by_variance) = ((up.0 - down.0) / (2.0 * step), (up.1 - down.1) / (2.0 * step));
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
            posterior.predict(x.row(i)).1,
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
    weights: LookWeights<'_>,
    step: f64,
    tolerance: f64,
) {
    let LookWeights { mean: of_mean, variance: of_variance, covariance: of_covariance } = weights;
    let total = |x: &[f64]| {
        let (mut mean, mut variance, mut covariance) = ([0.0], [0.0], vec![0.0; of_covariance.len()]);
        lookahead.look_into(PointsRef::single(x), &mut mean, &mut variance, &mut covariance);
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
