//! Wilcoxon's signed-rank test of paired differences.

use statrs::distribution::{ContinuousCDF, Normal};

use super::{Location, normal_detectable};
use crate::harness::stats::{mean_and_std_dev, ranks, tie_groups};

/// Differences up to which the distribution of the rank sum is counted.
const EXACT: usize = 25;

/// Signed-rank test: zero differences dropped, ties by mean ranks, exact up to 25 differences (over all signs of the
/// ranks there are), else the normal approximation with tie and continuity correction.
///
/// The estimate is the median of the Walsh averages `(d_i + d_j) / 2`, and the interval consists of two of them.
///
/// Source: Wilcoxon (1945); Hollander & Wolfe (1999), sections 3.1 to 3.3.
pub(super) struct SignedRank {
    differences: Vec<f64>,
    /// In order.
    walsh: Vec<f64>,
}

impl SignedRank {
    pub(super) fn new(differences: &[f64]) -> Self {
        let pair = |i: usize| differences[i..].iter().map(move |d| f64::midpoint(differences[i], *d));
        let mut walsh: Vec<f64> = (0..differences.len()).flat_map(pair).collect();
        walsh.sort_by(f64::total_cmp);
        Self { differences: differences.to_vec(), walsh }
    }

    /// P(sum of the ranks of positive differences from `bound` ≥ the one observed), or of negative ones.
    fn tail(&self, bound: f64, sign: f64) -> f64 {
        let largest = self.differences.iter().fold(bound.abs(), |l, d| l.max(d.abs()));
        let shifted: Vec<f64> = self
            .differences
            .iter()
            .map(|d| sign * (d - bound))
            .filter(|d| d.abs() > 1e-12 * largest)
            .collect();
        let n = shifted.len();
        if n == 0 {
            return 1.0;
        }
        // Sizes that differ by rounding are ties.
        let grain = 1e-12 * largest;
        let sizes: Vec<f64> = shifted.iter().map(|d| (d.abs() / grain).round() * grain).collect();
        let ranks = ranks(&sizes);
        let positive: f64 = ranks.iter().zip(&shifted).filter(|(_, d)| **d > 0.0).map(|(r, _)| r).sum();
        let total = (n * (n + 1)) as f64 / 2.0;
        if n <= EXACT {
            return exact_tail(&ranks, total - positive);
        }
        let nf = n as f64;
        let correction: f64 = tie_groups(&sizes).into_iter().map(|t| t * t * t - t).sum::<f64>() / 48.0;
        let variance = nf * (nf + 1.0) * (2.0 * nf + 1.0) / 24.0 - correction;
        Normal::standard().sf((positive - total / 2.0 - 0.5) / variance.sqrt())
    }

    /// The largest number of Walsh averages that a bound at `level` may leave behind.
    fn cut(&self, level: f64) -> Option<usize> {
        let n = self.differences.len();
        let total = (n * (n + 1)) as f64 / 2.0;
        if n <= EXACT {
            let ranks: Vec<f64> = (1..=n).map(|rank| rank as f64).collect();
            return (0..=total as usize).take_while(|cut| exact_tail(&ranks, *cut as f64) <= level).last();
        }
        let nf = n as f64;
        let std_dev = (nf * (nf + 1.0) * (2.0 * nf + 1.0) / 24.0).sqrt();
        let cut = total / 2.0 - 0.5 + Normal::standard().inverse_cdf(level) * std_dev;
        (cut >= 0.0).then(|| cut.floor() as usize)
    }
}

impl Location for SignedRank {
    fn estimate(&self) -> f64 {
        crate::harness::stats::quantile(&self.walsh, 0.5)
    }

    fn above(&self, bound: f64) -> f64 {
        self.tail(bound, 1.0)
    }

    fn below(&self, bound: f64) -> f64 {
        self.tail(bound, -1.0)
    }

    fn interval(&self, level: f64) -> (f64, f64) {
        match self.cut(level) {
            Some(cut) => (self.walsh[cut], self.walsh[self.walsh.len() - 1 - cut]),
            None => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// That of a mean of normal differences, on which ranks have an efficiency of 3/π.
    fn detectable(&self, _: f64, level: f64) -> f64 {
        if (-(self.differences.len() as f64)).exp2() > level {
            return f64::INFINITY;
        }
        let (_, std_dev) = mean_and_std_dev(&self.differences);
        let error = std_dev / (self.differences.len() as f64).sqrt();
        normal_detectable(error * (std::f64::consts::PI / 3.0).sqrt(), level)
    }
}

/// P(sum of the ranks of positive sign ≤ w) when every sign is a fair coin, by counting.
fn exact_tail(ranks: &[f64], w: f64) -> f64 {
    // Ranks of ties are halves: twice a rank is a whole number.
    let doubled: Vec<usize> = ranks.iter().map(|rank| (2.0 * rank).round() as usize).collect();
    let mut counts = vec![0.0; doubled.iter().sum::<usize>() + 1];
    counts[0] = 1.0;
    for rank in doubled {
        for sum in (rank..counts.len()).rev() {
            counts[sum] += counts[sum - rank];
        }
    }
    let last = ((2.0 * w).round() as usize).min(counts.len() - 1);
    counts[..=last].iter().sum::<f64>() / (ranks.len() as f64).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of R 4: `wilcox.test(x, y, paired = TRUE, alternative = "greater")`, and its two-sided exact interval.
    #[allow(clippy::approx_constant)] // 3.14 is a measurement
    #[test]
    fn against_known_values() {
        let x = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
        let y = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
        let differences: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x - y).collect();
        let test = SignedRank::new(&differences);
        assert!((test.above(0.0) - 0.019_531_25).abs() < 1e-12, "{}", test.above(0.0));
        assert!((test.below(0.0) - (1.0 - 0.013_671_875)).abs() < 1e-12, "{}", test.below(0.0));
        assert!((test.estimate() - 0.46).abs() < 1e-12);
        let (low, high) = test.interval(0.025);
        assert!((low - 0.01).abs() < 1e-12 && (high - 0.786).abs() < 1e-12, "{low} {high}");
    }

    /// 30 differences of one sign: W = 0, z = 232/√2363.75 for distinct sizes.
    #[test]
    fn normal_beyond_25() {
        let rising: Vec<f64> = (1..=30).map(f64::from).collect();
        let z: f64 = 232.0 / 2363.75_f64.sqrt();
        assert!((SignedRank::new(&rising).above(0.0) - thrifty_prob::cdf(-z)).abs() < 1e-9);
    }

    /// By all signs: half of scipy's two-sided 0.0625 where five differences of one sign are tied.
    #[test]
    fn exact_with_ties() {
        assert_eq!(SignedRank::new(&[1.0; 5]).above(0.0), 0.03125);
        assert_eq!(SignedRank::new(&[1.0, 1.0, 2.0, 2.0, 2.0]).above(0.0), 0.03125);
        for differences in [[1.0, 1.0, -1.0, 2.0, 3.0, 3.0], [2.0, 2.0, 2.0, -2.0, -2.0, 5.0]] {
            let all = ranks(&differences.map(f64::abs));
            let sum = |signs: u32| (0..6).filter(|i| signs >> i & 1 == 1).map(|i| all[i]).sum::<f64>();
            let observed = sum((0..6).filter(|i| differences[*i as usize] > 0.0).map(|i| 1 << i).sum());
            let extreme = (0..64).filter(|signs| sum(*signs) >= observed).count();
            let p = SignedRank::new(&differences).above(0.0);
            assert!((p - (extreme as f64 / 64.0)).abs() < 1e-12, "{p} {extreme}");
        }
    }

    #[test]
    fn edges() {
        let zeros = SignedRank::new(&[0.0; 4]);
        assert_eq!((zeros.above(0.0), zeros.below(0.0), zeros.estimate()), (1.0, 1.0, 0.0));
        assert_eq!(SignedRank::new(&[1.0]).interval(0.025), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(SignedRank::new(&[1.0; 5]).detectable(0.0, 0.025), f64::INFINITY);
    }
}
