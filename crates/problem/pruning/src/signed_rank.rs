//! Wilcoxon's signed-rank test.

use thrifty_prob::cdf;

/// Pairs up to which the distribution is exact; the error of the normal approximation is below 10⁻³ beyond.
const EXACT: usize = 100;

/// One-sided p-value of Wilcoxon's signed-rank test that differences are not shifted to positive values.
///
/// The statistic is `W = Σ r_i` over positive differences, `r_i` the ranks of `|d_i|`, mean ranks for equal ones. A zero has a rank and no
/// sign (Pratt, 1959). Given the ranks, every sign is + with probability ½: p = P(W' ≥ W), exact for up to 100 differences that are not zero, also with
/// equal ones, and by the normal approximation with continuity correction beyond. Without a difference that is not zero p = 1; NaN is left out.
///
/// ```
/// # use thrifty_pruning::signed_rank;
/// assert_eq!(signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0]), 1.0 / 32.0);
/// assert_eq!(signed_rank(&[]), 1.0);
/// ```
#[must_use]
pub fn signed_rank(differences: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = differences.iter().copied().filter(|d| !d.is_nan()).collect();
    sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    // Ranks count double, so that mean ranks are whole.
    let mut ranks = Vec::with_capacity(sorted.len());
    let mut statistic = 0;
    let mut below = 0;
    for equal in sorted.chunk_by(|a, b| a.abs() == b.abs()) {
        let rank = 2 * below + equal.len() + 1;
        below += equal.len();
        for difference in equal.iter().filter(|difference| **difference != 0.0) {
            ranks.push(rank);
            statistic += if *difference > 0.0 { rank } else { 0 };
        }
    }
    if ranks.len() <= EXACT { exact(&ranks, statistic) } else { approximate(&ranks, statistic) }
}

/// P(W' ≥ W) by convolution of the signs.
fn exact(ranks: &[usize], statistic: usize) -> f64 {
    let mut probability = vec![1.0];
    for rank in ranks {
        let mut next = vec![0.0; probability.len() + rank];
        for (sum, p) in probability.iter().enumerate() {
            next[sum] += 0.5 * p;
            next[sum + rank] += 0.5 * p;
        }
        probability = next;
    }
    probability[statistic..].iter().sum::<f64>().min(1.0)
}

fn approximate(ranks: &[usize], statistic: usize) -> f64 {
    let ranks = || ranks.iter().map(|rank| 0.5 * *rank as f64);
    let (mean, variance) = (ranks().sum::<f64>() / 2.0, ranks().map(|rank| rank * rank).sum::<f64>() / 4.0);
    cdf((mean + 0.5 - 0.5 * statistic as f64) / variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Differences that are all positive: exactly `2^-n` for 100 of them, the normal approximation for 101.
    #[test]
    fn beyond_a_hundred_differences_the_distribution_is_normal() {
        let p = |n: i32| signed_rank(&(1..=n).map(f64::from).collect::<Vec<_>>());
        assert_eq!(p(100), 0.5_f64.powi(100));
        // The sum of 101 ranks is 5151; half of it is the mean, n (n + 1)(2 n + 1)/24 the variance.
        let z = (5151.0 / 2.0 - 0.5) / (101.0 * 102.0 * 203.0 / 24.0_f64).sqrt();
        assert!((p(101) / cdf(-z) - 1.0).abs() < 1e-9, "{} and {}", p(101), cdf(-z));
    }

    /// Differences that are all negative: every statistic is at least theirs, and rounding takes the sum of the probabilities to no more
    /// than 1.
    #[test]
    fn the_largest_p_value_is_one() {
        for n in 1..=100 {
            for (differences, name) in [
                ((1..=n).map(|rank| -f64::from(rank)).collect::<Vec<_>>(), "different"),
                (vec![-1.0; n as usize], "equal"),
            ] {
                let p = signed_rank(&differences);
                assert!((1.0 - 1e-12..=1.0).contains(&p), "{n} {name} differences: {p}");
            }
        }
    }

    /// Both ways agree where both may be used.
    #[test]
    fn the_approximation_continues_the_exact_distribution() {
        let ranks: Vec<usize> = (1..=EXACT).map(|rank| 2 * rank).collect();
        let total: usize = ranks.iter().sum();
        for share in [0.45, 0.5, 0.55, 0.6, 0.65, 0.7] {
            // Whole ranks have even sums.
            let statistic = (share * total as f64) as usize / 2 * 2;
            let (exact, approximate) = (exact(&ranks, statistic), approximate(&ranks, statistic));
            assert!((exact - approximate).abs() < 1e-3, "{share}: {exact} and {approximate}");
        }
    }
}
