//! The laws of gradients.

use thrifty_domain::{Points, PointsRef};
use thrifty_linalg::{LANES, Matrix};

use super::covariance::used_workspace;
use super::violation::{Law, Violation, close};
use crate::{Kernel, WeightedVector};

/// Step of differences, relative to the parameter where it is not 0.
const STEP: f64 = 1e-5;

/// Offset from the data: a kernel need not be differentiable where points coincide.
const OFF: f64 = 0.137;

/// Content of a gradient before a pullback adds to it, and the scale of the pullback.
const BEFORE: f64 = 0.25;
const SCALE: f64 = 3.0;

/// Rounding of sums that are made in two ways, per point.
const SUMS: f64 = 1e-11;
const VALUES: f64 = 1e-13;
const BATCHES: f64 = 1e-12;

/// Most points of a batch.
const BATCH: usize = 3;

/// Places of a difference of fourth order, in steps: a kernel may vary so fast that the error of second order shows.
const OFFSETS: [f64; 4] = [-2.0, -1.0, 1.0, 2.0];

/// Slope from the values at [`OFFSETS`].
fn slope(values: [f64; 4], step: f64) -> f64 {
    (8.0 * (values[2] - values[1]) - (values[3] - values[0])) / (12.0 * step)
}

/// Slopes of second order from the values on either side: they differ at a kink, where the slope of one side is a derivative too.
fn sides(values: [f64; 4], here: f64, step: f64) -> (f64, f64) {
    let one = |near: f64, far: f64| (4.0 * near - far - 3.0 * here) / (2.0 * step);
    (-one(values[1], values[0]), one(values[2], values[3]))
}

/// Holds a slope to its difference or, where the slopes of both sides differ, to one of these.
fn close_to_a_slope(
    found: f64,
    values: [f64; 4],
    here: f64,
    tolerance: f64,
    quantity: impl Fn() -> String,
    points: &[&[f64]],
) -> Result<(), Violation> {
    let is_close = |found: f64, expected: f64| {
        close((found, expected), tolerance, Law::InputGradients, &quantity, points)
    };
    is_close(found, slope(values, STEP)).or_else(|violation| {
        let (before, after) = sides(values, here, STEP);
        let is_kink = is_close(before, after).is_err();
        let fits = is_close(found, before).is_ok() || is_close(found, after).is_ok();
        if is_kink && fits { Ok(()) } else { Err(violation) }
    })
}

/// See [`Law::ParameterGradients`] and [`Law::InputGradients`].
pub(super) fn laws(kernel: &dyn Kernel, x: PointsRef<'_>, tolerance: f64) -> Result<(), Violation> {
    parameters(kernel, x, tolerance)?;
    products(kernel, x)?;
    input(kernel, x, tolerance)?;
    batches_equal_single_points(kernel, x)
}

/// A weight of a term from -1 to 1, of which all differ from their neighbors.
pub(super) fn weight(i: usize, j: usize) -> f64 {
    WEIGHTS[(i + j * j) % WEIGHTS.len()]
}

/// Weights of both signs in an order without a pattern.
const WEIGHTS: [f64; 11] = [-1.0, 0.4, -0.4, 1.0, -0.6, 0.8, 0.2, -0.8, 0.6, 0.1, -0.2];

/// Every pair once, with its weight.
fn pairs(x: PointsRef<'_>) -> impl Iterator<Item = (&[f64], &[f64], f64)> {
    (0..x.len()).flat_map(move |j| (j..x.len()).map(move |i| (x.row(i), x.row(j), weight(i, j))))
}

/// Products of derivatives with a vector against pairs, with weights and without; kernels need not have them.
fn products(kernel: &dyn Kernel, x: PointsRef<'_>) -> Result<(), Violation> {
    let (n, params) = (x.len(), kernel.num_params());
    let padded = n.next_multiple_of(LANES);
    // Above the diagonal and in the padding weights may be anything.
    let lower = Matrix::from_fn(n, n, |i, j| if i >= j { weight(i, j) } else { f64::MAX });
    let vector: Vec<f64> = (0..padded).map(|i| if i < n { weight(i, 2) } else { 0.0 }).collect();
    let (mut workspace, mut covariance) = (used_workspace(kernel, x), Matrix::default());
    let law = Law::ParameterGradients;
    for weights in [Some(&lower), None] {
        let (mut found, mut product) = (vec![BEFORE; params * padded], vec![7.0; padded]);
        kernel.forward(x, 1.0, &mut workspace, &mut covariance);
        let by = WeightedVector { weights, vector: &vector, scale: SCALE };
        if !kernel.derivatives_times(x, &mut workspace, by, &mut found, &mut product) {
            return Ok(());
        }
        for i in 0..n {
            let (mut expected, mut sum) = (vec![BEFORE; params], 0.0);
            for (j, v) in vector[..n].iter().enumerate() {
                // Of two points the first is the later one, as in the other passes.
                let (high, low) = (i.max(j), i.min(j));
                let w = v * if weights.is_some() { weight(high, low) } else { 1.0 };
                kernel.pull_back_pair(x.row(high), x.row(low), SCALE * w, &mut expected);
                sum += w * kernel.eval(x.row(high), x.row(low));
            }
            let rounding = SUMS * n as f64;
            let own = || format!("row {i} of derivatives_times, product");
            close((product[i], sum), rounding, law, own, &[])?;
            for (p, expected) in expected.iter().enumerate() {
                let quantity = || format!("row {i} of derivatives_times, parameter {p}");
                close((found[p * padded + i], *expected), rounding, law, quantity, &[])?;
            }
        }
    }
    Ok(())
}

fn parameters(kernel: &dyn Kernel, x: PointsRef<'_>, tolerance: f64) -> Result<(), Violation> {
    let law = Law::ParameterGradients;
    let n = x.len();
    let scale = n as f64;
    let weights = Matrix::from_fn(n, n, |i, j| if i >= j { weight(i, j) } else { 0.0 });
    let total = |kernel: &dyn Kernel| -> f64 { pairs(x).map(|(x, y, w)| w * kernel.eval(x, y)).sum() };
    let params = kernel.params();
    let (mut workspace, mut out) = (used_workspace(kernel, x), Matrix::default());
    let mut gradient = vec![BEFORE; params.len()];
    kernel.forward(x, 1.0, &mut workspace, &mut out);
    let found = kernel.pull_back_params(x, &mut workspace, &weights, SCALE, &mut gradient);
    let mut by_pairs = vec![BEFORE; params.len()];
    for (x, y, w) in pairs(x) {
        kernel.pull_back_pair(x, y, SCALE * w, &mut by_pairs);
    }
    for (p, param) in params.iter().enumerate() {
        let moved = |offset: f64| {
            let mut moved = kernel.clone_box();
            let mut values: Vec<f64> = params.iter().map(|p| p.value).collect();
            values[p] += offset;
            moved.set_params(&values);
            moved
        };
        let step = STEP * if param.value == 0.0 { 1.0 } else { param.value };
        let around = OFFSETS.map(|offset| moved(offset * step));
        let difference = |of: &dyn Fn(&dyn Kernel) -> f64| slope([0, 1, 2, 3].map(|i| of(&*around[i])), step);
        let expected = difference(&total);
        let own_slope = (by_pairs[p] - BEFORE) / SCALE;
        let sum = || format!("∂/∂ {} of a weighted sum by pull_back_pair", param.name);
        if let Err(violation) = close((own_slope, expected), tolerance * scale, law, sum, &[]) {
            // The first pair that shows it.
            for (x, y, _) in pairs(x) {
                let mut own = vec![0.0; params.len()];
                kernel.pull_back_pair(x, y, 1.0, &mut own);
                let expected = difference(&|kernel| kernel.eval(x, y));
                close((own[p], expected), tolerance, law, || format!("∂k(x, y)/∂ {}", param.name), &[x, y])?;
            }
            return Err(violation);
        }
        let points: Vec<&[f64]> = x.rows().collect();
        let quantity = || format!("∂/∂ {} of a weighted sum by pull_back_params", param.name);
        close((gradient[p], by_pairs[p]), SUMS * scale, law, quantity, &points)?;
        close(((gradient[p] - BEFORE) / SCALE, expected), tolerance * scale, law, quantity, &points)?;
    }
    let points: Vec<&[f64]> = x.rows().collect();
    let quantity = || "the weighted sum that pull_back_params returns".into();
    close((found, total(kernel)), VALUES * scale, law, quantity, &points)
}

fn input(kernel: &dyn Kernel, x: PointsRef<'_>, tolerance: f64) -> Result<(), Violation> {
    let scale = x.len() as f64;
    let weights: Vec<f64> = (0..x.len()).map(|j| weight(j, 3)).collect();
    let point: Vec<f64> = x.row(0).iter().map(|v| v + OFF).collect();
    let mut gradient = vec![BEFORE; x.dim()];
    kernel.pull_back_input(&point, x, &weights, &mut gradient);
    for d in 0..x.dim() {
        let around = |of: &dyn Fn(&[f64]) -> f64| {
            let at = |offset: f64| {
                let mut moved = point.clone();
                moved[d] += offset;
                of(&moved)
            };
            (OFFSETS.map(|offset| at(offset * STEP)), at(0.0))
        };
        let total = |point: &[f64]| x.rows().zip(&weights).map(|(y, w)| w * kernel.eval(point, y)).sum();
        let (values, here) = around(&total);
        let sum = || format!("∂/∂x[{d}] of a weighted sum by pull_back_input");
        let found = gradient[d] - BEFORE;
        if let Err(violation) = close_to_a_slope(found, values, here, tolerance * scale, sum, &[&point]) {
            for y in x.rows() {
                let mut own = vec![0.0; x.dim()];
                kernel.pull_back_input(&point, PointsRef::single(y), &[1.0], &mut own);
                let (values, here) = around(&|point| kernel.eval(point, y));
                let quantity = || format!("∂k(x, y)/∂x[{d}]");
                close_to_a_slope(own[d], values, here, tolerance, quantity, &[&point, y])?;
            }
            return Err(violation);
        }
    }
    Ok(())
}

/// The pullback to a batch of points, with two sets of weights each, equals the one to each point on its own.
fn batches_equal_single_points(kernel: &dyn Kernel, x: PointsRef<'_>) -> Result<(), Violation> {
    let (n, dim, scale) = (x.len(), x.dim(), SCALE);
    let mut points = Points::zeros(n.min(BATCH), dim);
    for i in 0..points.len() {
        points.row_mut(i).iter_mut().zip(x.row(i)).for_each(|(slot, v)| *slot = v + OFF);
    }
    let mut weights = Matrix::from_fn(n, 2 * points.len(), weight);
    for c in 0..weights.cols() {
        // The padding may hold anything.
        weights.padded_column_mut(c)[n..].fill(f64::NAN);
    }
    let mut batch = vec![BEFORE; weights.cols() * dim];
    kernel.pull_back_inputs(points.as_ref(), x, &weights, scale, &mut batch);
    for (c, found) in batch.chunks_exact(dim).enumerate() {
        let mut single = vec![0.0; dim];
        kernel.pull_back_input(points.row(c / 2), x, weights.column(c), &mut single);
        for (d, (found, single)) in found.iter().zip(&single).enumerate() {
            let values = ((found - BEFORE) / scale, *single);
            let quantity = || format!("∂/∂x[{d}] of a weighted sum by pull_back_inputs");
            close(values, BATCHES * n as f64, Law::InputGradients, quantity, &[points.row(c / 2)])?;
        }
    }
    Ok(())
}
