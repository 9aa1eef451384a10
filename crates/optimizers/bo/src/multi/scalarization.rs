//! Augmented Chebyshev scalarization.

use thrifty_sampling::Stream;

/// Augmented Chebyshev scalarization of losses.
///
/// ```text
/// max_j w_j z_j + ρ Σ_j w_j z_j
/// ```
///
/// Source: Knowles (2006), eq. 2.
///
/// ```
/// assert_eq!(thrifty_bo::augmented_chebyshev(&[0.5, 0.5], &[1.0, 0.0], 0.05), 0.525);
/// ```
#[must_use]
pub fn augmented_chebyshev(weights: &[f64], losses: &[f64], augmentation: f64) -> f64 {
    let terms = || weights.iter().zip(losses).map(|(w, z)| w * z);
    terms().fold(f64::NEG_INFINITY, f64::max) + augmentation * terms().sum::<f64>()
}

/// Weights uniform on the simplex.
pub(crate) fn weights(count: usize, rng: &mut Stream) -> Vec<f64> {
    // Normalized exponential variables.
    let mut weights: Vec<f64> = (0..count).map(|_| exponential(rng.uniform())).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|w| *w /= sum);
    weights
}

/// Quantile of the exponential distribution at u in `[0, 1)`; positive.
fn exponential(u: f64) -> f64 {
    -(1.0 - u).min(1.0 - f64::EPSILON).ln()
}

/// Noise variance of an [`augmented_chebyshev`] sum, to first order, for independent noise in the losses.
///
/// ```text
/// Σ_j (∂s/∂z_j)² v_j / r_j²,   ∂s/∂z_j = w_j ([j is the largest] + ρ)
/// ```
///
/// `v_j` are the noise variances before the losses were scaled to [0, 1], and `r_j` the ranges of the losses. A loss without range contributes
/// no noise.
pub(crate) fn chebyshev_noise_variance(
    weights: &[f64],
    losses: &[f64],
    noise_variances: &[f64],
    ranges: &[f64],
    augmentation: f64,
) -> f64 {
    let term = |j: usize| weights[j] * losses[j];
    let largest = (0..losses.len()).fold(0, |best, j| if term(j) > term(best) { j } else { best });
    let variance = |j: usize| {
        let slope = weights[j] * (f64::from(u8::from(j == largest)) + augmentation);
        if ranges[j] > 0.0 { (slope / ranges[j]).powi(2) * noise_variances[j] } else { 0.0 }
    };
    (0..losses.len()).map(variance).sum()
}

/// Largest minus smallest loss of each column.
pub(crate) fn ranges(columns: &[Vec<f64>]) -> Vec<f64> {
    let range = |column: &Vec<f64>| {
        let low = column.iter().copied().fold(f64::INFINITY, f64::min);
        column.iter().copied().fold(f64::NEG_INFINITY, f64::max) - low
    };
    columns.iter().map(range).collect()
}

/// Columns of losses, each scaled to [0, 1]; a column without range is 0.
pub(crate) fn normalized(columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let unit = |(column, range): (&Vec<f64>, f64)| {
        let low = column.iter().copied().fold(f64::INFINITY, f64::min);
        column.iter().map(|z| if range > 0.0 { (z - low) / range } else { 0.0 }).collect()
    };
    columns.iter().zip(ranges(columns)).map(unit).collect()
}

#[cfg(test)]
mod tests {
    use thrifty_sampling::Seed;

    use super::*;

    #[test]
    fn weights_are_uniform_on_the_simplex() {
        let mut rng = Seed(1).stream("weights", 0);
        let draws: Vec<Vec<f64>> = (0..4000).map(|_| weights(3, &mut rng)).collect();
        assert!(draws.iter().all(|w| (w.iter().sum::<f64>() - 1.0).abs() < 1e-12));
        for j in 0..3 {
            // The marginal is Beta(1, 2): mean 1/3, standard deviation √(1/18); P(w > 1/2) = 1/4.
            let mean = draws.iter().map(|w| w[j]).sum::<f64>() / 4000.0;
            let above = draws.iter().filter(|w| w[j] > 0.5).count() as f64 / 4000.0;
            assert!((mean - 1.0 / 3.0).abs() < 0.015 && (above - 0.25).abs() < 0.03, "{mean} {above}");
        }
    }

    /// Against the variance of the sum over many draws of small noise.
    #[test]
    fn noise_of_a_sum_is_that_of_its_draws() {
        let mut rng = Seed(2).stream("noise", 0);
        let (w, z, v, r) = ([0.5, 0.3, 0.2], [0.4, 0.9, 0.1], [4e-6_f64, 1e-6, 9e-6], [1.0, 0.5, 2.0]);
        let draws: Vec<f64> = (0..20_000)
            .map(|_| {
                // Uniform noise of the wanted variance.
                let noisy = |j: usize| z[j] + (12.0 * v[j]).sqrt() / r[j] * (rng.uniform() - 0.5);
                augmented_chebyshev(&w, &[0, 1, 2].map(noisy), 0.05)
            })
            .collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let variance = draws.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / draws.len() as f64;
        let found = chebyshev_noise_variance(&w, &z, &v, &r, 0.05);
        assert!((found / variance - 1.0).abs() < 0.05, "{found} {variance}");
        assert_eq!(chebyshev_noise_variance(&w, &z, &v, &[0.0; 3], 0.05), 0.0);
        // By hand, with noise in each loss alone: the second is the largest term.
        for (j, slope) in [0.5 * 0.05, 0.3 * 1.05, 0.2 * 0.05].into_iter().enumerate() {
            let mut one = [0.0; 3];
            one[j] = v[j];
            let expected = (slope / r[j]).powi(2) * v[j];
            let found = chebyshev_noise_variance(&w, &z, &one, &r, 0.05);
            assert!((found - expected).abs() <= 1e-12 * expected, "{j}: {found} {expected}");
        }
    }

    #[test]
    fn columns_become_unit_ranges() {
        let columns = [vec![2.0, 4.0, 3.0], vec![7.0; 3]];
        assert_eq!(normalized(&columns), [vec![0.0, 1.0, 0.5], vec![0.0; 3]]);
    }

    /// Exponential numbers at quantiles: `-ln(1 - u)`, and above 0 at u = 0, so that weights can be divided by their sum.
    #[test]
    fn exponentials_are_above_0() {
        for u in [0.0, (-53_f64).exp2(), 1e-12] {
            assert!(exponential(u) > 0.0 && exponential(u) < 1e-11, "{u}: {:e}", exponential(u));
        }
        assert!((exponential(0.5) - std::f64::consts::LN_2).abs() < 1e-15, "{}", exponential(0.5));
    }

    /// Noise of a sum whose largest term, 0.8 · 0.3, is not that of the largest loss, 0.2 · 1: the slope of the first is `0.8 (1 + ρ)`.
    #[test]
    fn the_largest_term_is_that_of_weight_times_loss() {
        let noise = |v: &[f64]| chebyshev_noise_variance(&[0.8, 0.2], &[0.3, 1.0], v, &[1.0; 2], 0.05);
        for (v, slope) in [([1.0, 0.0], 0.8 * 1.05), ([0.0, 1.0], 0.2 * 0.05_f64)] {
            assert!((noise(&v) - slope * slope).abs() < 1e-12, "{v:?}: {}, not {}", noise(&v), slope * slope);
        }
    }
}
