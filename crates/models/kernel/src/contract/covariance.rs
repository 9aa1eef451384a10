//! The laws of covariances.

use thrifty_domain::{Points, PointsRef};
use thrifty_linalg::{Cholesky, JitterLadder, Matrix};

use super::violation::{Law, Violation, close};
use crate::{Kernel, KernelWorkspace};

/// Rounding of a pair and of an entry of a matrix.
const PAIR: f64 = 1e-15;
const ENTRY: f64 = 1e-14;

/// Scale of the matrix of the forward pass, and of an earlier one.
const SCALE: f64 = 2.0;
const EARLIER: f64 = 3.0;

/// Largest jitter of a matrix that counts as positive definite, relative to the largest variance.
const JITTER: f64 = 1e-9;

/// See [`Law::Finite`], [`Law::Symmetry`], [`Law::Matrices`] and [`Law::Semidefinite`].
pub(super) fn laws(kernel: &dyn Kernel, x: PointsRef<'_>) -> Result<(), Violation> {
    pairs(kernel, x)?;
    let cross = matrices(kernel, x)?;
    semidefinite(kernel, x, &cross)
}

fn pairs(kernel: &dyn Kernel, x: PointsRef<'_>) -> Result<(), Violation> {
    for (j, y) in x.rows().enumerate() {
        for x in x.rows().skip(j) {
            let value = kernel.eval(x, y);
            if !value.is_finite() {
                return Err(Violation::new(Law::Finite, "k(x, y)".into(), value, 0.0, &[x, y]));
            }
            close((kernel.eval(y, x), value), PAIR, Law::Symmetry, || "k(y, x)".into(), &[x, y])?;
        }
    }
    Ok(())
}

/// The full matrix.
fn matrices(kernel: &dyn Kernel, x: PointsRef<'_>) -> Result<Matrix, Violation> {
    let n = x.len();
    let (mut cross, mut symmetric, mut diagonal) = (Matrix::default(), Matrix::default(), vec![f64::NAN; n]);
    let mut workspace = used_workspace(kernel, x);
    kernel.cov_into(x, x, &mut cross);
    kernel.forward(x, SCALE, &mut workspace, &mut symmetric);
    kernel.diagonal_into(x, &mut diagonal);
    let close = |found: f64, expected: f64, quantity: &str, points: &[&[f64]]| {
        close((found, expected), ENTRY, Law::Matrices, || quantity.into(), points)
    };
    for j in 0..n {
        let y = x.row(j);
        close(diagonal[j], kernel.eval(y, y), "k(x, x) of diagonal_into", &[y])?;
        if kernel.has_constant_variance() {
            close(diagonal[j], diagonal[0], "k(y, y) of a kernel of constant variance", &[x.row(0), y])?;
        }
        for i in j..n {
            let points = [x.row(i), y];
            let value = kernel.eval(points[0], points[1]);
            close(cross[(i, j)], value, "k(x, y) of cov_into", &points)?;
            close(cross[(j, i)], value, "k(y, x) of cov_into", &points)?;
            close(symmetric[(i, j)], SCALE * value, "2 k(x, y) of forward", &points)?;
        }
    }
    // Fewer points than the matrix holds already, and not as many rows as columns.
    let half = x.slice(0, n.div_ceil(2));
    let mut tall = symmetric;
    kernel.cov_into(x, half, &mut tall);
    for (j, y) in half.rows().enumerate() {
        for (i, x) in x.rows().enumerate() {
            close(tall[(i, j)], kernel.eval(x, y), "k(x, y) of cov_into on fewer columns", &[x, y])?;
        }
    }
    Ok(cross)
}

/// A workspace that a pass over other and more points has left.
pub(super) fn used_workspace(kernel: &dyn Kernel, x: PointsRef<'_>) -> KernelWorkspace {
    let mut others = Points::zeros(x.len() + 1, x.dim());
    let reversed = (0..x.len()).rev().chain([0]);
    reversed.enumerate().for_each(|(i, from)| others.row_mut(i).copy_from_slice(x.row(from)));
    let mut workspace = KernelWorkspace::default();
    kernel.forward(others.as_ref(), EARLIER, &mut workspace, &mut Matrix::default());
    workspace
}

fn semidefinite(kernel: &dyn Kernel, x: PointsRef<'_>, cross: &Matrix) -> Result<(), Violation> {
    let mut scale = 0.0_f64;
    for x in x.rows() {
        let variance = kernel.eval(x, x);
        if variance < 0.0 {
            return Err(Violation::new(Law::Semidefinite, "k(x, x)".into(), variance, 0.0, &[x]));
        }
        scale = scale.max(variance);
    }
    if scale == 0.0 {
        // Nothing but zeros, as of a linear kernel at the origin.
        return Ok(());
    }
    let jitter = match Cholesky::new(cross, &JitterLadder::default()) {
        Ok(factor) => factor.jitter(),
        Err(failed) => failed.jitter,
    };
    if jitter <= JITTER * scale {
        return Ok(());
    }
    // Two points show it best; otherwise all do.
    let limit = |x: &[f64], y: &[f64]| (kernel.eval(x, x) * kernel.eval(y, y)).sqrt();
    for (j, y) in x.rows().enumerate() {
        for x in x.rows().skip(j + 1) {
            let (found, limit) = (kernel.eval(x, y).abs(), limit(x, y));
            if found > limit + JITTER * scale {
                let quantity = "|k(x, y)|, at most √(k(x, x) k(y, y)),".into();
                return Err(Violation::new(Law::Semidefinite, quantity, found, limit, &[x, y]));
            }
        }
    }
    let quantity = format!("the jitter that makes the matrix of {} points positive definite", x.len());
    let points: Vec<&[f64]> = x.rows().collect();
    Err(Violation::new(Law::Semidefinite, quantity, jitter, JITTER * scale, &points))
}
