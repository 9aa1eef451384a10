//! The statistics of paired comparisons.

use statrs::distribution::{ContinuousCDF, Normal};

/// Quantile of values by linear interpolation; NaN without values.
pub fn quantile(values: &[f64], p: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n => {
            let at = p * (n - 1) as f64;
            let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
            if low == high { low } else { low + (at - at.floor()) * (high - low) }
        }
    }
}

/// Mean and standard deviation (n - 1).
pub fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    // From the first value on, so that equal values have no deviation by rounding.
    let first = values.first().copied().unwrap_or(f64::NAN);
    let mean = first + values.iter().map(|v| v - first).sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, if values.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 })
}

/// Ranks from 1, ties share their mean.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let end =
            (start..order.len()).find(|&i| values[order[i]] != values[order[start]]).unwrap_or(order.len());
        for &i in &order[start..end] {
            ranks[i] = (start + 1 + end) as f64 / 2.0;
        }
        start = end;
    }
    ranks
}

/// Two-sided p-value of the paired Wilcoxon signed-rank test: zero differences dropped, ties by mean ranks, exact
/// up to 25 differences (over all signs of the ranks there are, ties included), else the normal approximation with tie
/// and continuity correction.
///
/// Source: Wilcoxon (1945); correction as in Hollander & Wolfe (1999), section 3.1.
pub fn wilcoxon(a: &[f64], b: &[f64]) -> f64 {
    let differences: Vec<f64> =
        a.iter().zip(b).map(|(a, b)| a - b).filter(|d| *d != 0.0 && !d.is_nan()).collect();
    let n = differences.len();
    if n == 0 {
        return 1.0;
    }
    let sizes: Vec<f64> = differences.iter().map(|d| d.abs()).collect();
    let ranks = ranks(&sizes);
    let positive: f64 = ranks.iter().zip(&differences).filter(|(_, d)| **d > 0.0).map(|(r, _)| r).sum();
    let total = (n * (n + 1)) as f64 / 2.0;
    let smaller = positive.min(total - positive);
    if n <= 25 {
        return (2.0 * exact_tail(&ranks, smaller)).min(1.0);
    }
    let nf = n as f64;
    let correction: f64 = tie_groups(&sizes).into_iter().map(|t| t * t * t - t).sum::<f64>() / 48.0;
    let variance = nf * (nf + 1.0) * (2.0 * nf + 1.0) / 24.0 - correction;
    if variance <= 0.0 {
        return 1.0;
    }
    let z = ((smaller - total / 2.0).abs() - 0.5).max(0.0) / variance.sqrt();
    Normal::standard().sf(z).min(0.5) * 2.0
}

/// Two-sided p-value of the rank-sum test of two independent samples: normal approximation with tie and continuity
/// correction, for ten values and more.
///
/// Source: Mann & Whitney (1947); corrections as in Hollander & Wolfe (1999), section 4.1.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> f64 {
    let (n, m) = (a.len() as f64, b.len() as f64);
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    let total = n + m;
    let rank_sum: f64 = ranks(&all)[..a.len()].iter().sum();
    let statistic = rank_sum - n * (n + 1.0) / 2.0;
    let ties: f64 = tie_groups(&all).into_iter().map(|t| t * t * t - t).sum();
    let variance = n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
    if variance.is_nan() || variance <= 0.0 {
        return 1.0;
    }
    let z = ((statistic - n * m / 2.0).abs() - 0.5).max(0.0) / variance.sqrt();
    Normal::standard().sf(z).min(0.5) * 2.0
}

/// Sizes of the groups of equal values.
pub fn tie_groups(sizes: &[f64]) -> Vec<f64> {
    let mut sorted = sizes.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.chunk_by(|a, b| a == b).map(|group| group.len() as f64).collect()
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
    let last = (2.0 * w).round() as usize;
    counts[..=last].iter().sum::<f64>() / (ranks.len() as f64).exp2()
}

/// p-values corrected for their number. Source: Holm (1979).
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut corrected = vec![0.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (at, &i) in order.iter().enumerate() {
        largest = largest.max((p_values[i] * (p_values.len() - at) as f64).min(1.0));
        corrected[i] = largest;
    }
    corrected
}

/// Probability that a value of `a` is below one of `b`, ties counted half: 0.5 is no difference.
///
/// Source: Vargha & Delaney (2000).
pub fn a12(a: &[f64], b: &[f64]) -> f64 {
    let wins: f64 = a
        .iter()
        .flat_map(|a| {
            b.iter().map(move |b| {
                if a < b {
                    1.0
                } else if a == b {
                    0.5
                } else {
                    0.0
                }
            })
        })
        .sum();
    wins / (a.len() * b.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_and_ranks() {
        assert_eq!(quantile(&[3.0, 1.0, 2.0], 0.5), 2.0);
        assert_eq!(quantile(&[1.0, 2.0], 0.25), 1.25);
        assert!(quantile(&[], 0.5).is_nan());
        assert_eq!(quantile(&[f64::INFINITY, f64::INFINITY], 0.5), f64::INFINITY);
        assert_eq!(ranks(&[10.0, 20.0, 10.0]), [1.5, 3.0, 1.5]);
        assert_eq!(mean_and_deviation(&[1.0, 3.0]), (2.0, 2_f64.sqrt()));
    }

    #[allow(clippy::approx_constant)] // 3.14 is a measurement
    /// Values of R 4: `wilcox.test(x, y, paired = TRUE)`.
    #[test]
    fn wilcoxon_against_known_values() {
        let x = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
        let y = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
        assert!((wilcoxon(&x, &y) - 0.039_062_5).abs() < 1e-12, "{}", wilcoxon(&x, &y));
        assert_eq!(wilcoxon(&x, &x), 1.0);
        // 30 differences of one sign: W = 0, z = 232/√2363.75 for distinct sizes.
        let zero = vec![0.0; 30];
        let rising: Vec<f64> = (1..=30).map(f64::from).collect();
        let z: f64 = 232.0 / 2363.75_f64.sqrt();
        assert!((wilcoxon(&zero, &rising) - 2.0 * thrifty_prob::cdf(-z)).abs() < 1e-9);
    }

    /// By all signs: scipy's `wilcoxon(d, method=PermutationMethod())`, 0.0625 where five differences of one sign are tied;
    /// the normal approximation says 0.037.
    #[test]
    fn wilcoxon_is_exact_with_ties() {
        assert_eq!(wilcoxon(&[0.0; 5], &[1.0; 5]), 0.0625);
        assert_eq!(wilcoxon(&[0.0; 5], &[1.0, 1.0, 2.0, 2.0, 2.0]), 0.0625);
        for differences in [[1.0, 1.0, -1.0, 2.0, 3.0, 3.0], [2.0, 2.0, 2.0, -2.0, -2.0, 5.0]] {
            let all = ranks(&differences.map(f64::abs));
            let sum = |signs: u32| (0..6).filter(|i| signs >> i & 1 == 1).map(|i| all[i]).sum::<f64>();
            let observed = sum((0..6).filter(|i| differences[*i as usize] > 0.0).map(|i| 1 << i).sum());
            let away = |w: f64| (w - 10.5).abs();
            let extreme = (0..64).filter(|signs| away(sum(*signs)) >= away(observed)).count();
            let p = wilcoxon(&differences, &[0.0; 6]);
            assert!((p - (extreme as f64 / 64.0)).abs() < 1e-12, "{p} {extreme}");
        }
    }

    /// Values of scipy: `mannwhitneyu(x, y, method="asymptotic")`.
    #[test]
    fn rank_sum_against_known_values() {
        let (x, y) = ([1.0, 2.0, 3.0, 4.0, 5.0], [3.0, 4.0, 5.0, 6.0, 7.0]);
        assert!((mann_whitney(&x, &y) - 0.113_846_298_006_658_05).abs() < 1e-9, "{}", mann_whitney(&x, &y));
        assert_eq!(mann_whitney(&x, &x), 1.0);
        assert_eq!(mann_whitney(&[1.0], &[1.0]), 1.0);
    }

    #[test]
    fn corrections_and_effects() {
        assert_eq!(holm(&[0.01, 0.04, 0.03]), [0.03, 0.06, 0.06]);
        assert_eq!(a12(&[1.0, 2.0], &[3.0, 4.0]), 1.0);
        assert_eq!(a12(&[1.0], &[1.0]), 0.5);
    }
}
