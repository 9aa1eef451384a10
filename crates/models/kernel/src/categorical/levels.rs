//! Levels of points as numbers, and the loops over them.

use std::collections::HashMap;
use std::ops::Range;

use thrifty_domain::PointsRef;
use thrifty_linalg::Matrix;
use thrifty_simd::{VectorLoop, dispatch};

/// Writes the levels of some points as numbers, one column for each block: numbers of a column are equal exactly where levels are.
pub(super) fn levels_into(blocks: &[Range<usize>], points: &[PointsRef<'_>], out: &mut Matrix) {
    out.resize(points.iter().map(|points| points.len()).sum(), blocks.len());
    for (p, block) in blocks.iter().enumerate() {
        let levels = points.iter().flat_map(|points| points.rows()).map(|point| &point[block.clone()]);
        let mut others = HashMap::new();
        out.column_mut(p).iter_mut().zip(levels).for_each(|(slot, level)| *slot = number(level, &mut others));
    }
}

/// The place of the 1 in a one-hot block; a level column as it is. Any other block has a number of its own after those, and NaN none.
fn number(level: &[f64], others: &mut HashMap<Vec<u64>, usize>) -> f64 {
    if let [value] = level {
        return *value;
    }
    if let Some(place) = one_hot(level) {
        return place as f64;
    }
    if level.iter().any(|value| value.is_nan()) {
        return f64::NAN;
    }
    let next = level.len() + others.len();
    // 0 and -0 are one level.
    let bits = level.iter().map(|value| (value + 0.0).to_bits()).collect();
    *others.entry(bits).or_insert(next) as f64
}

fn one_hot(level: &[f64]) -> Option<usize> {
    let place = level.iter().position(|value| *value != 0.0)?;
    let is_one = level[place].to_bits() == 1.0_f64.to_bits();
    (is_one && level[place + 1..].iter().all(|value| *value == 0.0)).then_some(place)
}

/// Covariances of the points from row `from` on with that of row `with`: the product of the correlations where levels differ.
pub(super) fn covariances_into(
    levels: &Matrix,
    correlations: &[f64],
    (from, with): (usize, usize),
    out: &mut [f64],
) {
    dispatch(Covariances { levels, correlations, from, with, out });
}

struct Covariances<'a> {
    levels: &'a Matrix,
    correlations: &'a [f64],
    from: usize,
    with: usize,
    out: &'a mut [f64],
}

impl VectorLoop for Covariances<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        self.out.fill(1.0);
        for (p, correlation) in self.correlations.iter().enumerate() {
            let column = self.levels.column(p);
            let own = column[self.with];
            for (slot, level) in self.out.iter_mut().zip(&column[self.from..]) {
                *slot *= if *level == own { 1.0 } else { *correlation };
            }
        }
    }
}

/// Gradient of a weighted sum of covariances over the lower triangle, added to `grad`; returns that sum.
pub(super) struct PullBack<'a> {
    pub(super) levels: &'a Matrix,
    /// The covariances.
    pub(super) values: &'a Matrix,
    pub(super) weights: &'a Matrix,
    /// Logarithmic slopes of the correlations.
    pub(super) slopes: &'a [f64],
    pub(super) scale: f64,
    pub(super) grad: &'a mut [f64],
}

impl PullBack<'_> {
    pub(super) fn total(self) -> f64 {
        dispatch(self)
    }
}

impl VectorLoop for PullBack<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> f64 {
        let (n, count) = (self.levels.rows(), self.slopes.len());
        // A point after the other, for sums that run along the parameters of a pair.
        let mut rows = vec![0.0; n * count];
        for p in 0..count {
            self.levels.column(p).iter().enumerate().for_each(|(i, level)| rows[i * count + p] = *level);
        }
        let row = |i: usize| &rows[i * count..(i + 1) * count];
        let mut total = 0.0;
        for j in 0..n {
            let (own, values, weights) = (row(j), self.values.column(j), self.weights.column(j));
            for i in j..n {
                let (w, k) = (weights[i], values[i]);
                total += w * k;
                let weight = self.scale * w * k;
                for (((sum, slope), level), own) in self.grad.iter_mut().zip(self.slopes).zip(row(i)).zip(own)
                {
                    *sum += if level == own { 0.0 } else { weight * slope };
                }
            }
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use thrifty_domain::Points;

    use super::*;

    proptest! {
        /// Numbers are equal exactly where blocks are, one-hot or not, and across the sets of points.
        #[test]
        fn numbers_are_equal_where_levels_are(
            first in prop::collection::vec(-1_i8..2, 5 * 6),
            second in prop::collection::vec(-1_i8..2, 5 * 2),
        ) {
            // -1 stands for -0, which is the level of 0.
            let values = |found: &[i8]| -> Vec<f64> {
                found.iter().map(|v| if *v < 0 { -0.0 } else { f64::from(*v) }).collect()
            };
            let (first, second) = (values(&first), values(&second));
            let blocks = [0..1, 1..3, 3..5];
            let (first, second) = (Points::from_flat(first, 5), Points::from_flat(second, 5));
            let points = [first.as_ref(), second.as_ref()];
            let mut levels = Matrix::default();
            levels_into(&blocks, &points, &mut levels);
            let rows: Vec<&[f64]> = points.iter().flat_map(|points| points.rows()).collect();
            for (p, block) in blocks.iter().enumerate() {
                let column = levels.column(p);
                for (a, x) in column.iter().zip(&rows) {
                    for (b, y) in column.iter().zip(&rows) {
                        prop_assert_eq!(a == b, x[block.clone()] == y[block.clone()]);
                    }
                }
            }
        }
    }

    #[test]
    fn relaxed_blocks_differ_from_every_choice_and_nan_from_itself() {
        let points = Points::from_flat(vec![1.0, 0.0, 0.5, 0.5, 0.0, 1.0, 0.5, 0.5, f64::NAN, 0.0], 2);
        let mut levels = Matrix::default();
        let block = 0..2;
        levels_into(std::slice::from_ref(&block), &[points.as_ref()], &mut levels);
        let numbers = levels.column(0);
        assert_eq!(numbers[..4], [0.0, 2.0, 1.0, 2.0]);
        assert!(numbers[4].is_nan());
    }
}
