//! Descriptive statistics: quantiles, ranks, effect sizes, the correction for several tests.

pub use thrifty_learners::moments::mean_and_std_dev;

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

/// Sizes of the groups of equal values.
pub fn tie_groups(sizes: &[f64]) -> Vec<f64> {
    let mut sorted = sizes.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.chunk_by(|a, b| a == b).map(|group| group.len() as f64).collect()
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
    }

    #[test]
    fn corrections_and_effects() {
        assert_eq!(holm(&[0.01, 0.04, 0.03]), [0.03, 0.06, 0.06]);
        assert_eq!(a12(&[1.0, 2.0], &[3.0, 4.0]), 1.0);
        assert_eq!(a12(&[1.0], &[1.0]), 0.5);
    }
}
