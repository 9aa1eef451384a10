//! Subsets of many observations for conditioning.

use thrifty_domain::{Points, PointsRef};
use thrifty_kernel::Kernel;
use thrifty_linalg::Matrix;
use thrifty_surrogate::JOINT_LIMIT;

use crate::GpError;

/// Observations that a surrogate is conditioned on.
///
/// A subset bounds the cost of a fit and of a prediction, independently of the length of a study. Its posterior is exact for the
/// observations that it keeps, so its variance is never below that of all observations. Under the model, the means of both differ by an
/// error whose variance is the difference of the two variances: `E (mean_S - mean)² = var_S - var ≤ var_S`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conditioning {
    /// All observations, at a cost of n³ flops.
    All,
    /// All observations up to `size`; beyond it a [subset](crate::Gp::subset) of this size.
    Subset {
        /// Number of kept observations; at least 16.
        size: usize,
    },
}

impl Default for Conditioning {
    /// A subset of 1,000.
    fn default() -> Self {
        Self::Subset { size: JOINT_LIMIT }
    }
}

/// Smallest size of a subset, so that each of its parts has some observations.
pub(crate) const SMALLEST: usize = 16;

/// Number of quarters. A subset consists of the newest quarter, a quarter near the best observations, and a spread half.
const QUARTERS: usize = 4;

/// Number of best observations whose neighbors are kept.
const BEST: usize = 5;

/// Number of points whose covariances with all others are computed together.
const BATCH: usize = 64;

impl Conditioning {
    /// Checks the size of a subset; every fit calls it.
    ///
    /// # Errors
    /// [`GpError::InvalidSetting`] for a size below 16.
    pub fn validate(self) -> Result<(), GpError> {
        match self {
            Self::Subset { size } if size < SMALLEST => Err(GpError::InvalidSetting {
                name: "size of the subset of observations",
                value: size as f64,
                expected: "at least 16",
            }),
            _ => Ok(()),
        }
    }

    /// Largest number of kept observations.
    #[must_use]
    pub fn limit(self) -> usize {
        match self {
            Self::All => usize::MAX,
            Self::Subset { size } => size,
        }
    }

    /// Size of the subset for a number of observations; `None` if all are kept.
    pub(crate) fn size_for(self, observations: usize) -> Option<usize> {
        Some(self.limit()).filter(|size| observations > *size)
    }
}

/// Indices of the observations that a subset keeps, in rising order; all if there are no more than `size`.
///
/// See [`Gp::subset`](crate::Gp::subset). Only the order of the targets matters; the lowest are the best.
pub(crate) fn select<K: Kernel>(kernel: &K, x: PointsRef<'_>, y: &[f64], size: usize) -> Vec<usize> {
    let n = x.len();
    if n <= size {
        return (0..n).collect();
    }
    let quarter = size / QUARTERS;
    let mut selection = Selection::new(kernel, x);
    selection.keep(&(n - quarter..n).collect::<Vec<_>>());

    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| y[a].total_cmp(&y[b]));
    order.truncate(BEST);
    let from_best = selection.distances_from(&order);
    let mut near: Vec<usize> = (0..n - quarter).collect();
    near.sort_by(|&a, &b| from_best[a].total_cmp(&from_best[b]));
    near.truncate(quarter);
    selection.keep(&near);

    while selection.count < size {
        let farthest = selection.farthest();
        selection.keep(&[farthest]);
    }
    (0..n).filter(|&i| selection.is_kept[i]).collect()
}

/// Observations selected so far.
struct Selection<'a, K> {
    kernel: &'a K,
    x: PointsRef<'a>,
    variance: Vec<f64>,
    is_kept: Vec<bool>,
    count: usize,
    /// Squared distance of each point to the nearest selected one.
    gap: Vec<f64>,
}

impl<'a, K: Kernel> Selection<'a, K> {
    fn new(kernel: &'a K, x: PointsRef<'a>) -> Self {
        let n = x.len();
        let mut variance = vec![0.0; n];
        kernel.diagonal_into(x, &mut variance);
        Self { kernel, x, variance, is_kept: vec![false; n], count: 0, gap: vec![f64::INFINITY; n] }
    }

    /// Squared distance of each point to the nearest of some points, in the metric of the kernel: `k(x, x) + k(y, y) - 2 k(x, y)`.
    fn distances_from(&self, some: &[usize]) -> Vec<f64> {
        let mut nearest = vec![f64::INFINITY; self.x.len()];
        let mut covariance = Matrix::default();
        for batch in some.chunks(BATCH) {
            let mut points = Points::new(self.x.dim());
            batch.iter().for_each(|&i| points.push(self.x.row(i)));
            self.kernel.cov_into(self.x, points.as_ref(), &mut covariance);
            for (column, &i) in batch.iter().enumerate() {
                let own = self.variance[i];
                for ((slot, k), variance) in
                    nearest.iter_mut().zip(covariance.column(column)).zip(&self.variance)
                {
                    *slot = slot.min(variance + own - 2.0 * k);
                }
            }
        }
        nearest
    }

    fn keep(&mut self, some: &[usize]) {
        let distances = self.distances_from(some);
        self.gap.iter_mut().zip(distances).for_each(|(gap, distance)| *gap = gap.min(distance));
        some.iter().for_each(|&i| self.is_kept[i] = true);
        self.count += some.len();
    }

    /// The point farthest from all selected ones; the first among equal ones.
    fn farthest(&self) -> usize {
        let rest = (0..self.x.len()).filter(|&i| !self.is_kept[i]);
        rest.reduce(|best, i| if self.gap[i] > self.gap[best] { i } else { best })
            .expect("more points than are kept")
    }
}

#[cfg(test)]
mod tests {
    use thrifty_kernel::Matern52;
    use thrifty_sampling::Seed;

    use super::*;

    fn uniform(n: usize, dim: usize) -> Points {
        let mut rng = Seed(3).stream("subset", n as u64);
        let mut x = Points::zeros(n, dim);
        x.as_flat_mut().iter_mut().for_each(|value| *value = rng.uniform());
        x
    }

    #[test]
    fn few_observations_are_all_kept() {
        let (kernel, x) = (Matern52::new(vec![0.5]).unwrap(), uniform(16, 1));
        assert_eq!(select(&kernel, x.as_ref(), &[0.0; 16], 16), (0..16).collect::<Vec<_>>());
        assert_eq!(select(&kernel, Points::new(1).as_ref(), &[], 16), [0; 0]);
    }

    /// The newest quarter, the neighbors of the best, and points that leave no hole.
    #[test]
    fn a_subset_is_new_near_and_spread() {
        let kernel = Matern52::new(vec![0.5, 0.5]).unwrap();
        let x = uniform(400, 2);
        let mut y: Vec<f64> = x.rows().map(|x| (x[0] - 0.3).powi(2) + (x[1] - 0.6).powi(2)).collect();
        y[7] = f64::from(i16::MAX);
        let kept = select(&kernel, x.as_ref(), &y, 80);
        assert_eq!(kept.len(), 80);
        assert!(kept.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(kept[60..], (380..400).collect::<Vec<_>>(), "the newest");
        let mut order: Vec<usize> = (0..400).collect();
        order.sort_by(|&a, &b| y[a].total_cmp(&y[b]));
        assert!(order[..12].iter().all(|i| kept.contains(i)), "the surroundings of the best");
        let distance = |a: usize, b: usize| {
            x.row(a).iter().zip(x.row(b)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        };
        let hole = |some: &[usize]| {
            let gap = |i| some.iter().map(|&j| distance(i, j)).fold(f64::INFINITY, f64::min);
            (0..400).map(gap).fold(0.0, f64::max)
        };
        let first: Vec<usize> = (0..80).collect();
        assert!(hole(&kept) < 0.75 * hole(&first), "{} {}", hole(&kept), hole(&first));
    }

    /// The order of targets counts, not their values; duplicates fill what is left.
    #[test]
    fn extremes_are_selected_from() {
        let kernel = Matern52::new(vec![0.5]).unwrap();
        let x = uniform(100, 1);
        let y: Vec<f64> = x.rows().map(|x| (9.0 * x[0]).sin()).collect();
        let kept = select(&kernel, x.as_ref(), &y, 20);
        let large: Vec<f64> = y.iter().map(|y| 1e150 * y).collect();
        assert_eq!(select(&kernel, x.as_ref(), &large, 20), kept);
        let same = Points::zeros(100, 1);
        assert_eq!(select(&kernel, same.as_ref(), &y, 20).len(), 20);
        // 16 at least.
        assert!(Conditioning::Subset { size: 15 }.validate().is_err());
        assert!(Conditioning::Subset { size: 16 }.validate().is_ok() && Conditioning::All.validate().is_ok());
        assert_eq!(Conditioning::default().size_for(1000), None);
        assert_eq!(Conditioning::default().size_for(1001), Some(1000));
        assert_eq!(Conditioning::All.size_for(usize::MAX), None);
    }
}
