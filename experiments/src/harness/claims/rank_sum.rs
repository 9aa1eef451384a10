//! Wilcoxon's rank-sum test of two independent samples.

use statrs::distribution::{ContinuousCDF, Normal};

use super::{Location, normal_detectable};
use crate::harness::stats::{mean_and_std_dev, quantile, ranks, tie_groups};

/// Values of both samples together up to which the distribution of the rank sum is counted.
const EXACT: usize = 40;

/// Rank-sum test of the shift `other - own`: exact up to 40 values together, over all ways of dividing the ranks there
/// are, else the normal approximation with tie and continuity correction.
///
/// Source: Mann & Whitney (1947); corrections as in Hollander & Wolfe (1999), section 4.1.
pub(super) struct RankSum {
    own: Vec<f64>,
    other: Vec<f64>,
    /// All `other_j - own_i`, in order.
    shifts: Vec<f64>,
}

impl RankSum {
    pub(super) fn new(own: &[f64], other: &[f64]) -> Self {
        let mut shifts: Vec<f64> = other.iter().flat_map(|b| own.iter().map(move |a| b - a)).collect();
        shifts.sort_by(f64::total_cmp);
        Self { own: own.to_vec(), other: other.to_vec(), shifts }
    }

    /// P(rank sum of `high` ≥ the one observed).
    fn tail(high: &[f64], low: &[f64]) -> f64 {
        let all: Vec<f64> = high.iter().chain(low).copied().collect();
        let (n, m, total) = (high.len(), low.len(), all.len());
        let ranks = ranks(&all);
        let sum: f64 = ranks[..n].iter().sum();
        if total <= EXACT {
            return exact_tail(&ranks, n, sum);
        }
        let (nf, mf, tf) = (n as f64, m as f64, total as f64);
        let ties: f64 = tie_groups(&all).into_iter().map(|t| t * t * t - t).sum();
        let variance = nf * mf / 12.0 * (tf + 1.0 - ties / (tf * (tf - 1.0)));
        if variance <= 0.0 {
            return 1.0;
        }
        let mean = nf * (tf + 1.0) / 2.0;
        Normal::standard().sf((sum - mean - 0.5) / variance.sqrt())
    }
}

/// P(sum of `n` ranks drawn without replacement ≥ `sum`), by counting.
fn exact_tail(ranks: &[f64], n: usize, sum: f64) -> f64 {
    let doubled: Vec<usize> = ranks.iter().map(|rank| (2.0 * rank).round() as usize).collect();
    let most: usize = doubled.iter().sum();
    // By how many ranks were drawn, and by their sum.
    let mut counts = vec![vec![0.0; most + 1]; n + 1];
    counts[0][0] = 1.0;
    for rank in doubled {
        for drawn in (1..=n).rev() {
            let (fewer, own) = counts.split_at_mut(drawn);
            for at in rank..=most {
                own[0][at] += fewer[drawn - 1][at - rank];
            }
        }
    }
    let from = (2.0 * sum).round() as usize;
    counts[n][from..].iter().sum::<f64>() / counts[n].iter().sum::<f64>()
}

impl Location for RankSum {
    fn estimate(&self) -> f64 {
        quantile(&self.shifts, 0.5)
    }

    fn above(&self, bound: f64) -> f64 {
        let moved: Vec<f64> = self.other.iter().map(|v| v - bound).collect();
        Self::tail(&moved, &self.own)
    }

    fn below(&self, bound: f64) -> f64 {
        let moved: Vec<f64> = self.other.iter().map(|v| v - bound).collect();
        Self::tail(&self.own, &moved)
    }

    fn interval(&self, level: f64) -> (f64, f64) {
        let (n, m) = (self.own.len() as f64, self.other.len() as f64);
        let std_dev = (n * m * (n + m + 1.0) / 12.0).sqrt();
        let cut = n * m / 2.0 - 0.5 + Normal::standard().inverse_cdf(level) * std_dev;
        if cut < 0.0 {
            return (f64::NEG_INFINITY, f64::INFINITY);
        }
        let cut = cut.floor() as usize;
        (self.shifts[cut], self.shifts[self.shifts.len() - 1 - cut])
    }

    fn detectable(&self, _: f64, level: f64) -> f64 {
        // The most extreme of the ways of dividing the ranks.
        let (n, m) = (self.own.len(), self.other.len());
        let least = (1..=n).fold(1.0, |p, i| p * i as f64 / (m + i) as f64);
        if least > level {
            return f64::INFINITY;
        }
        let part = |values: &[f64]| mean_and_std_dev(values).1.powi(2) / values.len() as f64;
        let error = (part(&self.own) + part(&self.other)).sqrt();
        normal_detectable(error * (std::f64::consts::PI / 3.0).sqrt(), level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_above_is_one_way_of_dividing() {
        let (own, other) = ([1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0]);
        let test = RankSum::new(&own, &other);
        assert!((test.above(0.0) - 1.0 / 252.0).abs() < 1e-15);
        assert_eq!((test.below(0.0), test.estimate()), (1.0, 5.0));
    }

    /// Values of scipy: half of `mannwhitneyu(x, y, method="asymptotic")` for the samples ten times over.
    #[test]
    fn asymptotic_against_a_formula() {
        let repeat = |values: [f64; 5]| values.repeat(10);
        let (x, y) = (repeat([1.0, 2.0, 3.0, 4.0, 5.0]), repeat([3.0, 4.0, 5.0, 6.0, 7.0]));
        // U = 100 · 20.5, mean 1250, ties of 10, 10, 20, 20, 20, 10, 10.
        let ties = 4.0 * 990.0 + 3.0 * 7980.0;
        let variance: f64 = 2500.0 / 12.0 * (101.0 - ties / 9900.0);
        let z = (2050.0 - 1250.0 - 0.5) / variance.sqrt();
        let p = RankSum::new(&x, &y).above(0.0);
        assert!((p / thrifty_prob::cdf(-z) - 1.0).abs() < 1e-9, "{p}");
    }

    /// Three against three have a p of 1/20 at least, four against four of 1/70.
    #[test]
    fn too_few_values_detect_nothing() {
        let detectable = |values: &[f64]| RankSum::new(values, values).detectable(0.0, 0.025);
        assert_eq!(detectable(&[1.0, 2.0, 3.0]), f64::INFINITY);
        assert!(detectable(&[1.0, 2.0, 3.0, 4.0]).is_finite());
    }

    #[test]
    fn ties_are_counted() {
        let test = RankSum::new(&[1.0, 1.0], &[1.0, 1.0]);
        assert_eq!((test.above(0.0), test.below(0.0)), (1.0, 1.0));
        // Of 6 ways of dividing 1, 2, 2, 3 the pair (2, 3) comes twice and none is above.
        assert!((RankSum::new(&[1.0, 2.0], &[2.0, 3.0]).above(0.0) - 2.0 / 6.0).abs() < 1e-15);
    }
}
