//! Features by their rank among the rows that are trained on.

use statrs::distribution::{ContinuousCDF, Normal};

/// Distribution to which features are brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Normal,
    Uniform,
}

/// Ranks of features among known rows, as the transformer of the source has them.
pub(crate) struct Quantiles {
    sorted: Vec<Vec<f32>>,
    shape: Shape,
}

/// Probabilities closer to 0 or 1 than this are cut, so that normal scores stay within ±5.2.
const TAIL: f64 = 1e-7;

impl Quantiles {
    pub(crate) fn new(x: &[f32], columns: usize, shape: Shape) -> Self {
        let of_column = |column: usize| {
            let mut sorted: Vec<f32> = x[column.min(x.len())..].iter().step_by(columns).copied().collect();
            sorted.sort_unstable_by(f32::total_cmp);
            sorted
        };
        Self { sorted: (0..columns).map(of_column).collect(), shape }
    }

    /// Row-major features as probabilities or normal scores.
    pub(crate) fn of(&self, x: &[f32]) -> Vec<f32> {
        let normal = Normal::standard();
        let one = |(x, sorted): (&f32, &Vec<f32>)| {
            let share = share(sorted, *x);
            match self.shape {
                Shape::Uniform => share as f32,
                Shape::Normal => normal.inverse_cdf(share.clamp(TAIL, 1.0 - TAIL)) as f32,
            }
        };
        x.chunks_exact(self.sorted.len()).flat_map(|row| row.iter().zip(&self.sorted).map(one)).collect()
    }
}

/// Place of a number among sorted ones, from 0 to 1: the middle of equal ones, and between neighbours in proportion.
fn share(sorted: &[f32], x: f32) -> f64 {
    let last = sorted.len() as f64 - 1.0;
    let (below, up_to) = (sorted.partition_point(|s| *s < x), sorted.partition_point(|s| *s <= x));
    if last <= 0.0 {
        return 0.5;
    }
    let place = if up_to > below {
        (below + up_to - 1) as f64 / 2.0
    } else if below == 0 {
        0.0
    } else if below == sorted.len() {
        last
    } else {
        let (low, high) = (f64::from(sorted[below - 1]), f64::from(sorted[below]));
        (below - 1) as f64 + (f64::from(x) - low) / (high - low)
    };
    place / last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_by_hand() {
        let sorted = [1.0, 2.0, 2.0, 4.0, 10.0];
        for (x, expected) in
            [(0.0, 0.0), (1.0, 0.0), (1.5, 0.125), (2.0, 0.375), (3.0, 0.625), (10.0, 1.0), (99.0, 1.0)]
        {
            assert!((share(&sorted, x) - expected).abs() < 1e-12, "{x}: {}", share(&sorted, x));
        }
    }

    #[test]
    fn scores_are_normal_and_constant_columns_are_in_the_middle() {
        let x: Vec<f32> = (0..202).map(|at| if at % 2 == 0 { (at as f32).exp2() } else { 3.0 }).collect();
        let x: Vec<f32> = x.into_iter().map(|x| x.min(1e30)).collect();
        let found = Quantiles::new(&x, 2, Shape::Normal).of(&x);
        assert!(found.iter().skip(1).step_by(2).all(|z| z.abs() < 1e-6));
        assert!(found.iter().all(|z| z.abs() < 5.3));
        // A quarter of the way.
        let x: Vec<f32> = (0..101).map(|at| (at * at) as f32).collect();
        let of = |shape| Quantiles::new(&x, 1, shape).of(&[625.0, 2500.0]);
        assert!((of(Shape::Normal)[0] + 0.674_489_75).abs() < 1e-5 && of(Shape::Normal)[1].abs() < 1e-6);
        assert_eq!(of(Shape::Uniform), [0.25, 0.5]);
    }

    #[test]
    fn one_row_or_none_tell_nothing() {
        assert_eq!(Quantiles::new(&[4.0], 1, Shape::Uniform).of(&[1.0, 4.0, 9.0]), [0.5; 3]);
        assert_eq!(Quantiles::new(&[], 2, Shape::Normal).of(&[1.0, 4.0]), [0.0; 2]);
    }
}
