//! Laws that every kernel obeys, to be called from the tests of whoever implements one.

use thrifty_domain::{Points, PointsRef};
use thrifty_linalg::{Cholesky, JitterLadder, Matrix};

use thrifty_sampling::Stream;

use crate::{Kernel, KernelWorkspace};

/// The kernel is symmetric, its matrices equal its pairs, and they are positive definite to a jitter of 1e-9.
///
/// # Panics
/// When the law does not hold.
pub fn covariance_is_consistent(kernel: &dyn Kernel, x: PointsRef<'_>) {
    let n = x.len();
    let (mut cross, mut symmetric, mut diagonal) = (Matrix::default(), Matrix::default(), vec![f64::NAN; n]);
    kernel.cov_into(x, x, &mut cross);
    kernel.forward(x, 2.0, &mut KernelWorkspace::default(), &mut symmetric);
    kernel.diagonal_into(x, &mut diagonal);
    for j in 0..n {
        assert_close(diagonal[j], kernel.eval(x.row(j), x.row(j)), 1e-14, "diagonal");
        if kernel.has_constant_variance() {
            assert_close(diagonal[j], diagonal[0], 1e-14, "constant variance");
        }
        for i in j..n {
            let value = kernel.eval(x.row(i), x.row(j));
            assert_close(kernel.eval(x.row(j), x.row(i)), value, 1e-15, "symmetry");
            assert_close(cross[(i, j)], value, 1e-14, "matrix");
            assert_close(cross[(j, i)], value, 1e-14, "mirrored matrix");
            assert_close(symmetric[(i, j)], 2.0 * value, 1e-14, "symmetric matrix");
        }
    }
    let scale = diagonal.iter().fold(0.0, |m: f64, v| m.max(*v));
    if scale == 0.0 {
        // Nothing but zeros, as of a linear kernel at the origin.
        return;
    }
    let factor = Cholesky::new(&cross, &JitterLadder::default()).expect("positive semi-definite");
    assert!(factor.jitter() <= 1e-9 * scale, "jitter {} at scale {scale}", factor.jitter());
}

/// The pullbacks equal central differences of weighted sums of covariances, to `tolerance` relative to the
/// size of the sum's terms.
///
/// # Panics
/// When the law does not hold.
pub fn gradients_match(kernel: &dyn Kernel, x: PointsRef<'_>, tolerance: f64) {
    let n = x.len();
    let weight = |i: usize, j: usize| ((i * 7 + j * 13) % 11) as f64 / 5.0 - 1.0;
    let weights = Matrix::from_fn(n, n, |i, j| if i >= j { weight(i, j) } else { 0.0 });
    let total = |kernel: &dyn Kernel| -> f64 {
        (0..n)
            .flat_map(|j| (j..n).map(move |i| (i, j)))
            .map(|(i, j)| weight(i, j) * kernel.eval(x.row(i), x.row(j)))
            .sum()
    };
    let params = kernel.params();
    assert_eq!(params.len(), kernel.num_params());
    let (mut workspace, mut out) = (KernelWorkspace::default(), Matrix::default());
    let mut gradient = vec![0.25; params.len()];
    kernel.forward(x, 1.0, &mut workspace, &mut out);
    let found = kernel.pull_back_params(x, &mut workspace, &weights, 3.0, &mut gradient);
    let scale = n as f64;
    assert_close(found, total(kernel), 1e-13 * scale, "weighted sum");
    for p in 0..params.len() {
        let step = 1e-5 * params[p].value;
        let at = |offset: f64| {
            let mut moved = kernel.boxed();
            let mut values: Vec<f64> = params.iter().map(|p| p.value).collect();
            values[p] += offset;
            moved.set_params(&values);
            total(&*moved)
        };
        let slope = (at(step) - at(-step)) / (2.0 * step);
        assert_close((gradient[p] - 0.25) / 3.0, slope, tolerance * scale, &params[p].name);
    }
    let mut by_pairs = vec![0.25; params.len()];
    for (j, i) in (0..n).flat_map(|j| (j..n).map(move |i| (j, i))) {
        kernel.pull_back_pair(x.row(i), x.row(j), 3.0 * weight(i, j), &mut by_pairs);
    }
    for (p, found) in params.iter().zip(gradient.iter().zip(&by_pairs)) {
        assert_close(*found.0, *found.1, 1e-11 * scale, &p.name);
    }
    let weights: Vec<f64> = (0..n).map(|j| weight(j, 3)).collect();
    // Off the data: a kernel need not be differentiable where points coincide.
    let point: Vec<f64> = x.row(0).iter().map(|v| v + 0.137).collect();
    let mut gradient = vec![0.5; x.dim()];
    kernel.pull_back_input(&point, x, &weights, &mut gradient);
    for d in 0..x.dim() {
        let at = |offset: f64| -> f64 {
            let mut moved = point.clone();
            moved[d] += offset;
            x.rows().zip(&weights).map(|(y, w)| w * kernel.eval(&moved, y)).sum()
        };
        let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
        assert_close(gradient[d] - 0.5, slope, tolerance * scale, &format!("input {d}"));
    }
    batches_match_single_points(kernel, x);
}

/// The pullback to a batch of points, with two sets of weights each, equals the one to each point on its own.
fn batches_match_single_points(kernel: &dyn Kernel, x: PointsRef<'_>) {
    let (n, dim, scale) = (x.len(), x.dim(), 3.0);
    let points: Vec<Vec<f64>> = x.rows().take(3).map(|row| row.iter().map(|v| v + 0.137).collect()).collect();
    let points = Points::from_rows(&points).expect("rows of one length");
    let mut weights = Matrix::from_fn(n, 2 * points.len(), |j, c| ((j * 5 + c * 3) % 7) as f64 - 3.0);
    for c in 0..weights.cols() {
        // The padding may hold anything.
        weights.padded_column_mut(c)[n..].fill(f64::NAN);
    }
    let mut batch = vec![0.5; weights.cols() * dim];
    kernel.pull_back_inputs(points.as_ref(), x, &weights, scale, &mut batch);
    for (c, found) in batch.chunks_exact(dim).enumerate() {
        let mut single = vec![0.0; dim];
        kernel.pull_back_input(points.row(c / 2), x, weights.column(c), &mut single);
        for (found, single) in found.iter().zip(&single) {
            assert_close((found - 0.5) / scale, *single, 1e-12 * n as f64, "batch");
        }
    }
}

/// Random features, if the kernel has them, multiply to the kernel on average (within 5 deviations of the mean
/// over 4000 of them), and their pullback equals central differences.
///
/// # Panics
/// When the law does not hold.
pub fn features_match(kernel: &dyn Kernel, x: PointsRef<'_>, rng: &mut Stream) {
    let count = 4000;
    let Some(features) = kernel.features(count, rng) else { return };
    assert_eq!(features.count(), count);
    let (mut first, mut other) = (vec![0.0; count], vec![0.0; count]);
    features.eval_into(x.row(0), &mut first);
    for y in x.rows().take(5) {
        features.eval_into(y, &mut other);
        let products: Vec<f64> = first.iter().zip(&other).map(|(a, b)| a * b).collect();
        let mean = products.iter().sum::<f64>() / count as f64;
        let variance = products.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / count as f64;
        let bound = 5.0 * (variance / count as f64).sqrt() + 1e-12 * (1.0 + mean.abs());
        let value = kernel.eval(x.row(0), y);
        assert!(
            (mean - value).abs() <= bound,
            "features average {mean} ± {bound} for a covariance of {value}"
        );
    }
    let weights: Vec<f64> = (0..count).map(|f| ((f * 7) % 11) as f64 / 5.0 - 1.0).collect();
    let total = |x: &[f64]| {
        let mut out = vec![0.0; count];
        features.eval_into(x, &mut out);
        out.iter().zip(&weights).map(|(o, w)| o * w).sum::<f64>()
    };
    let mut gradient = vec![0.5; x.dim()];
    features.pull_back(x.row(0), &weights, &mut gradient);
    for d in 0..x.dim() {
        let at = |offset: f64| {
            let mut moved = x.row(0).to_vec();
            moved[d] += offset;
            total(&moved)
        };
        let mut near = x.row(0).to_vec();
        near[d] += 1e-6;
        let drop = 1.0 - kernel.eval(x.row(0), &near) / kernel.eval(x.row(0), x.row(0));
        if drop > 0.01 {
            // A moved level is another level: the functions jump here and have no slope.
            continue;
        }
        // Rough kernels have features with frequencies of a million: the step is far below their wavelength.
        let slope = (at(1e-8) - at(-1e-8)) / 2e-8;
        assert_close(gradient[d] - 0.5, slope, 1e-4 * count as f64, &format!("input {d} of features"));
    }
}

fn assert_close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!(
        (found - expected).abs() <= tolerance * (1.0 + expected.abs()),
        "{what}: {found} against {expected}"
    );
}
