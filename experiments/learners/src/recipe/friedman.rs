//! The smooth function of five of ten uniform numbers.

use rand_distr::{Distribution, StandardNormal};
use thrifty_sampling::Seed;

use crate::{Rows, Targets};

/// A smooth function of five of ten uniform numbers, with noise of standard deviation 1.
///
/// ```text
/// y = 10 sin(π x₁ x₂) + 20 (x₃ - ½)² + 10 x₄ + 5 x₅ + ε
/// ```
///
/// Source: Friedman (1991), section 4.3.
pub fn rows(count: usize, seed: Seed) -> Rows {
    const COLUMNS: usize = 10;
    let rng = &mut seed.stream("friedman", 0);
    let (mut x, mut y) = (Vec::with_capacity(count * COLUMNS), Vec::with_capacity(count));
    for _ in 0..count {
        let row: Vec<f64> = (0..COLUMNS).map(|_| rng.uniform()).collect();
        let noise: f64 = StandardNormal.sample(rng);
        let wave = 10.0 * (std::f64::consts::PI * row[0] * row[1]).sin();
        y.push(wave + 20.0 * (row[2] - 0.5).powi(2) + 10.0 * row[3] + 5.0 * row[4] + noise);
        x.extend(row.iter().map(|x| *x as f32));
    }
    Rows { x, columns: COLUMNS, targets: Targets::Numbers(y) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean of the function: 5.25 + 5/3 + 5 + 2.5.
    #[test]
    fn targets_have_the_mean_of_the_function() {
        let numbers = rows(4000, Seed(0)).targets.numbers();
        let mean = numbers.iter().sum::<f64>() / 4000.0;
        assert!((mean - 14.4).abs() < 0.4, "{mean}");
    }
}
