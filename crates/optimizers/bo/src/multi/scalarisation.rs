use thrifty_sampling::Stream;

/// The augmented Chebyshev sum of losses.
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
    // Exponentials over their sum.
    let mut weights: Vec<f64> = (0..count).map(|_| -(1.0 - rng.uniform()).ln()).collect();
    let sum: f64 = weights.iter().sum();
    if sum > 0.0 {
        weights.iter_mut().for_each(|w| *w /= sum);
    } else {
        weights.fill(1.0 / count as f64);
    }
    weights
}

/// Columns of losses, each brought to [0, 1]; a column without range is 0.
pub(crate) fn normalised(columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let unit = |column: &Vec<f64>| {
        let low = column.iter().copied().fold(f64::INFINITY, f64::min);
        let range = column.iter().copied().fold(f64::NEG_INFINITY, f64::max) - low;
        column.iter().map(|z| if range > 0.0 { (z - low) / range } else { 0.0 }).collect()
    };
    columns.iter().map(unit).collect()
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
            // The marginal is Beta(1, 2): mean 1/3, deviation √(1/18); P(w > 1/2) = 1/4.
            let mean = draws.iter().map(|w| w[j]).sum::<f64>() / 4000.0;
            let above = draws.iter().filter(|w| w[j] > 0.5).count() as f64 / 4000.0;
            assert!((mean - 1.0 / 3.0).abs() < 0.015 && (above - 0.25).abs() < 0.03, "{mean} {above}");
        }
    }

    #[test]
    fn columns_become_unit_ranges() {
        let columns = [vec![2.0, 4.0, 3.0], vec![7.0; 3]];
        assert_eq!(normalised(&columns), [vec![0.0, 1.0, 0.5], vec![0.0; 3]]);
    }
}
