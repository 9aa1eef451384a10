//! Vector loops of the likelihood. They take n² operations each and use the widest vectors of the machine.
//!
//! No operation is fused and the order of sums is fixed, so the bits are the same on every machine.

#![allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining

use thrifty_linalg::Matrix;
use thrifty_simd::VectorLoop;

use crate::posterior::dot;

/// Solves `w = L⁻¹ r` and `α = L⁻ᵀ w` with the lower half of `L⁻¹`, where `r = y - m` are the residuals.
pub(crate) struct Solves<'a> {
    pub(crate) inverse: &'a Matrix,
    pub(crate) y: &'a [f64],
    pub(crate) mean: f64,
    /// Output, like `alpha`.
    pub(crate) whitened: &'a mut [f64],
    pub(crate) alpha: &'a mut [f64],
}

impl VectorLoop for Solves<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Self { inverse, y, mean, whitened, alpha } = self;
        whitened.fill(0.0);
        for (j, y) in y.iter().enumerate() {
            let r = y - mean;
            for (w, l) in whitened[j..].iter_mut().zip(&inverse.column(j)[j..]) {
                *w += l * r;
            }
        }
        for (j, alpha) in alpha.iter_mut().enumerate() {
            *alpha = dot(&inverse.column(j)[j..], &whitened[j..]);
        }
    }
}

/// Overwrites `A⁻¹` with the folded weights `2 W = α αᵀ - A⁻¹`: half as much on the diagonal, zero above it and in the padding. Returns the
/// trace of `W`.
pub(crate) struct FoldedWeights<'a> {
    pub(crate) inverse: &'a mut Matrix,
    pub(crate) alpha: &'a [f64],
}

impl VectorLoop for FoldedWeights<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> f64 {
        let (n, mut trace) = (self.alpha.len(), 0.0);
        for (j, alpha_j) in self.alpha.iter().enumerate() {
            let column = self.inverse.padded_column_mut(j);
            column[..j].fill(0.0);
            column[n..].fill(0.0);
            for (w, alpha_i) in column[j..].iter_mut().zip(&self.alpha[j..]) {
                *w = alpha_i * alpha_j - *w;
            }
            column[j] *= 0.5;
            trace += column[j];
        }
        trace
    }
}

#[cfg(test)]
mod tests {
    use thrifty_simd::dispatch;

    use super::*;

    /// A lower half by a formula; what lies above it and in the padding is not read.
    fn lower(n: usize) -> Matrix {
        let mut matrix =
            Matrix::from_fn(
                n,
                n,
                |i, j| {
                    if i < j { f64::NAN } else { (1.0 + i as f64 - 0.3 * j as f64).cos() }
                },
            );
        for j in 0..n {
            matrix.padded_column_mut(j)[n..].fill(f64::NAN);
        }
        matrix
    }

    #[test]
    fn solves_are_products_with_the_inverse() {
        for n in [0, 1, 2, 7, 8, 9, 33] {
            let inverse = lower(n);
            let y: Vec<f64> = (0..n).map(|i| (3.0 * i as f64).sin()).collect();
            let (mut whitened, mut alpha) = (vec![f64::NAN; n], vec![f64::NAN; n]);
            dispatch(Solves {
                inverse: &inverse,
                y: &y,
                mean: 0.25,
                whitened: &mut whitened,
                alpha: &mut alpha,
            });
            for i in 0..n {
                let w: f64 = (0..=i).map(|j| inverse[(i, j)] * (y[j] - 0.25)).sum();
                let a: f64 = (i..n).map(|j| inverse[(j, i)] * whitened[j]).sum();
                assert!((whitened[i] - w).abs() < 1e-13 && (alpha[i] - a).abs() < 1e-12, "{n}: {i}");
            }
        }
    }

    #[test]
    fn folded_weights_are_lower_and_have_the_trace_of_the_weights() {
        for n in [0, 1, 2, 7, 8, 9, 33] {
            let (before, mut inverse) = (lower(n), lower(n));
            let alpha: Vec<f64> = (0..n).map(|i| (2.0 * i as f64).cos()).collect();
            let trace = dispatch(FoldedWeights { inverse: &mut inverse, alpha: &alpha });
            let weight = |i: usize, j: usize| 0.5 * (alpha[i] * alpha[j] - before[(i, j)]);
            assert!((trace - (0..n).map(|i| weight(i, i)).sum::<f64>()).abs() < 1e-13);
            for j in 0..n {
                let expected = |i: usize| match i.cmp(&j) {
                    std::cmp::Ordering::Less => 0.0,
                    std::cmp::Ordering::Equal => weight(i, j),
                    std::cmp::Ordering::Greater => 2.0 * weight(i, j),
                };
                assert!((0..n).all(|i| (inverse[(i, j)] - expected(i)).abs() < 1e-14), "{n}: column {j}");
                assert!(inverse.padded_column(j)[n..].iter().all(|w| *w == 0.0));
            }
        }
    }
}
