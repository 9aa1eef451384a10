//! Triangular solves with one right-hand side.
//!
//! The time of such a solve is that of reading the factor once, so columns are read four at a time, each number once. Rows are
//! summed in lanes, so results are the same bits on every instruction set with fused multiply-add.

#![allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining

use thrifty_simd::{VectorLoop, dispatch};

use crate::Matrix;

/// Columns that are read together.
const PANEL: usize = 4;

/// Independent sums of a dot product.
const LANES: usize = 8;

/// `L⁻¹ b`, overwriting `b`; `L` is the lower half of a square matrix.
pub fn solve_lower_in_place(factor: &Matrix, b: &mut [f64]) {
    dispatch(Lower { factor, b });
}

/// `L⁻ᵀ b`, overwriting `b`; `L` is the lower half of a square matrix.
pub(crate) fn solve_upper(factor: &Matrix, b: &mut [f64]) {
    dispatch(Upper { factor, b });
}

struct Lower<'a> {
    factor: &'a Matrix,
    b: &'a mut [f64],
}

impl VectorLoop for Lower<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Self { factor, b } = self;
        let n = b.len();
        assert_eq!(factor.rows(), n, "one number a row");
        for start in (0..n).step_by(PANEL) {
            let end = (start + PANEL).min(n);
            for j in start..end {
                let column = factor.column(j);
                b[j] /= column[j];
                for i in j + 1..end {
                    b[i] = multiply_add::<FMA>(-b[j], column[i], b[i]);
                }
            }
            if end - start < PANEL {
                break;
            }
            let (solved, below) = b.split_at_mut(end);
            let x: [f64; PANEL] = std::array::from_fn(|k| -solved[start + k]);
            let [c0, c1, c2, c3] = panel(factor, start, end);
            for ((((b, c0), c1), c2), c3) in below.iter_mut().zip(c0).zip(c1).zip(c2).zip(c3) {
                let first = multiply_add::<FMA>(x[1], *c1, multiply_add::<FMA>(x[0], *c0, *b));
                *b = multiply_add::<FMA>(x[3], *c3, multiply_add::<FMA>(x[2], *c2, first));
            }
        }
    }
}

struct Upper<'a> {
    factor: &'a Matrix,
    b: &'a mut [f64],
}

impl VectorLoop for Upper<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Self { factor, b } = self;
        let n = b.len();
        assert_eq!(factor.rows(), n, "one number a row");
        for start in (0..n).step_by(PANEL).rev() {
            let end = (start + PANEL).min(n);
            if end - start == PANEL {
                let (above, below) = b.split_at_mut(end);
                let sums = dots::<FMA>(panel(factor, start, end), below);
                above[start..].iter_mut().zip(sums).for_each(|(b, sum)| *b -= sum);
            }
            for j in (start..end).rev() {
                let column = factor.column(j);
                for i in j + 1..end {
                    b[j] = multiply_add::<FMA>(-b[i], column[i], b[j]);
                }
                b[j] /= column[j];
            }
        }
    }
}

/// The rows from `end` on of a panel of columns.
#[inline(always)]
fn panel(factor: &Matrix, start: usize, end: usize) -> [&[f64]; PANEL] {
    std::array::from_fn(|k| &factor.column(start + k)[end..])
}

/// The products of four columns with a vector.
#[inline(always)]
fn dots<const FMA: bool>(columns: [&[f64]; PANEL], x: &[f64]) -> [f64; PANEL] {
    let mut sums = [[0.0; LANES]; PANEL];
    let (chunks, rest) = x.as_chunks::<LANES>();
    let [c0, c1, c2, c3] = columns.map(|column| column.as_chunks::<LANES>().0);
    for ((((x, c0), c1), c2), c3) in chunks.iter().zip(c0).zip(c1).zip(c2).zip(c3) {
        for lane in 0..LANES {
            sums[0][lane] = multiply_add::<FMA>(c0[lane], x[lane], sums[0][lane]);
            sums[1][lane] = multiply_add::<FMA>(c1[lane], x[lane], sums[1][lane]);
            sums[2][lane] = multiply_add::<FMA>(c2[lane], x[lane], sums[2][lane]);
            sums[3][lane] = multiply_add::<FMA>(c3[lane], x[lane], sums[3][lane]);
        }
    }
    let tail = chunks.len() * LANES;
    std::array::from_fn(|k| {
        let tail: f64 = columns[k][tail..].iter().zip(rest).map(|(c, x)| c * x).sum();
        sums[k].iter().sum::<f64>() + tail
    })
}

/// `a b + c`, fused where that is an instruction.
#[inline(always)]
fn multiply_add<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A well-conditioned lower factor; the upper half must not be read.
    fn lower(n: usize, seed: u64) -> Matrix {
        let mut state = seed.wrapping_mul(2).wrapping_add(1);
        Matrix::from_fn(n, n, |i, j| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let uniform = (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
            match i.cmp(&j) {
                std::cmp::Ordering::Less => f64::NAN,
                std::cmp::Ordering::Equal => 1.0 + uniform,
                std::cmp::Ordering::Greater => uniform / n as f64,
            }
        })
    }

    proptest! {
        #[test]
        fn solves_are_undone_by_products(n in 0_usize..70, seed in 0_u64..1000, scale in -300_i32..300) {
            let (factor, scale) = (lower(n, seed), 10_f64.powi(scale));
            let b: Vec<f64> = (0..n).map(|i| scale * ((i * 37 % 11) as f64 - 5.0)).collect();
            let (mut x, mut z) = (b.clone(), b.clone());
            solve_lower_in_place(&factor, &mut x);
            solve_upper(&factor, &mut z);
            for i in 0..n {
                let forth: f64 = (0..=i).map(|j| factor[(i, j)] * x[j]).sum();
                let back: f64 = (i..n).map(|j| factor[(j, i)] * z[j]).sum();
                prop_assert!((forth - b[i]).abs() <= 1e-13 * scale * 10.0, "row {i}: {forth} {}", b[i]);
                prop_assert!((back - b[i]).abs() <= 1e-13 * scale * 10.0, "row {i}: {back} {}", b[i]);
            }
        }
    }

    #[test]
    fn small_solves_by_hand() {
        // L = [2 0 0; 1 4 0; 3 5 8].
        let factor = Matrix::from_fn(3, 3, |i, j| [[2.0, 9.0, 9.0], [1.0, 4.0, 9.0], [3.0, 5.0, 8.0]][i][j]);
        let mut b = [2.0, 9.0, 37.0];
        solve_lower_in_place(&factor, &mut b);
        assert_eq!(b, [1.0, 2.0, 3.0]);
        let mut b = [13.0, 23.0, 24.0];
        solve_upper(&factor, &mut b);
        assert_eq!(b, [1.0, 2.0, 3.0]);
    }

    /// Products that do not fit 53 bits: with e = 2⁻³⁰, `1 - (1 + e)(1 - e)` is e² where the product is not rounded, and 0 where it is.
    #[test]
    fn products_are_rounded_only_without_fused_instructions() {
        let e = 2.0_f64.powi(-30);
        let factor = Matrix::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 1.0 + e });
        let (mut fused, mut rounded) = ([1.0 - e, 1.0], [1.0 - e, 1.0]);
        Lower { factor: &factor, b: &mut fused }.run::<true>();
        Lower { factor: &factor, b: &mut rounded }.run::<false>();
        assert_eq!((fused, rounded), ([1.0 - e, e * e], [1.0 - e, 0.0]), "from above");
        let (mut fused, mut rounded) = ([1.0, 1.0 - e], [1.0, 1.0 - e]);
        Upper { factor: &factor, b: &mut fused }.run::<true>();
        Upper { factor: &factor, b: &mut rounded }.run::<false>();
        assert_eq!((fused, rounded), ([e * e, 1.0 - e], [0.0, 1.0 - e]), "from below");
    }
}
