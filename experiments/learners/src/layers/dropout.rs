//! Dropout of neurons.

use thrifty_sampling::Stream;

/// Drops neurons in training; `factors` keeps by what each was multiplied.
///
/// Source: Srivastava et al. (2014), scaled in training instead of later.
pub(super) fn plain(
    rate: f32,
    training: Option<&mut Stream>,
    x: &[f32],
    factors: &mut Vec<f32>,
    y: &mut Vec<f32>,
) {
    let Some(rng) = training.filter(|_| rate > 0.0) else { return keep(x, factors, y) };
    draw(rate, 1.0 / (1.0 - rate), rng, x.len(), factors);
    y.extend(x.iter().zip(factors).map(|(x, factor)| x * *factor));
}

/// Sets neurons to `lower` in training and moves all so that mean 0 and variance 1 stay.
///
/// ```text
/// a (m x + (1 - m) α') + b,   a = ((1 - p)(1 + p α'²))^(-1/2),   b = -a p α'
/// ```
///
/// Source: Klambauer et al. (2017), section 3.
pub(super) fn alpha(
    rate: f32,
    lower: f32,
    training: Option<&mut Stream>,
    x: &[f32],
    factors: &mut Vec<f32>,
    y: &mut Vec<f32>,
) {
    let Some(rng) = training.filter(|_| rate > 0.0) else { return keep(x, factors, y) };
    let scale = 1.0 / ((1.0 - rate) * (1.0 + rate * lower * lower)).sqrt();
    let shift = -scale * rate * lower;
    draw(rate, scale, rng, x.len(), factors);
    let one = |(x, factor): (&f32, &mut f32)| shift + if *factor > 0.0 { x * *factor } else { scale * lower };
    y.extend(x.iter().zip(factors).map(one));
}

fn keep(x: &[f32], factors: &mut Vec<f32>, y: &mut Vec<f32>) {
    factors.clear();
    factors.resize(x.len(), 1.0);
    y.extend_from_slice(x);
}

/// Factors 0 with a probability of `rate`, else `scale`; four from each draw of 64 bits.
fn draw(rate: f32, scale: f32, rng: &mut Stream, count: usize, factors: &mut Vec<f32>) {
    let limit = (f64::from(rate) * 65_536.0).round() as u64;
    factors.clear();
    while factors.len() < count {
        let bits = rng.bits();
        let part = |at: u32| if (bits >> (16 * at)) & 0xffff < limit { 0.0 } else { scale };
        factors.extend((0..4).map(part));
    }
    factors.truncate(count);
}

#[cfg(test)]
mod tests {
    use rand_distr::{Distribution, StandardNormal};
    use thrifty_sampling::Seed;

    use super::*;

    fn moments(values: &[f32]) -> (f64, f64) {
        crate::moments::mean_and_std_dev(&values.iter().map(|v| f64::from(*v)).collect::<Vec<_>>())
    }

    #[test]
    fn shares_and_moments_are_kept() {
        let rng = &mut Seed(0).stream("test", 0);
        let x: Vec<f32> = (0..40_001)
            .map(|_| {
                let normal: f64 = StandardNormal.sample(rng);
                normal as f32
            })
            .collect();
        for rate in [0.1, 0.5] {
            let (mut factors, mut y) = (Vec::new(), Vec::new());
            plain(rate, Some(rng), &x, &mut factors, &mut y);
            let dropped = y.iter().filter(|y| **y == 0.0).count() as f32 / 40_001.0;
            // Three standard errors are 0.0075 at a half.
            assert!((dropped - rate).abs() < 0.008 && y.len() == x.len(), "{dropped}");
            assert!((factors.iter().sum::<f32>() / 40_001.0 - 1.0).abs() < 0.02);
            y.clear();
            alpha(rate, -1.758_1, Some(rng), &x, &mut factors, &mut y);
            let (mean, std_dev) = moments(&y);
            assert!(mean.abs() < 0.02 && (std_dev - 1.0).abs() < 0.02, "{mean} {std_dev}");
        }
    }

    #[test]
    fn nothing_is_dropped_outside_of_training_or_at_a_rate_of_nothing() {
        let rng = &mut Seed(0).stream("test", 0);
        let (mut factors, mut y) = (Vec::new(), Vec::new());
        plain(0.5, None, &[1.0, -2.0], &mut factors, &mut y);
        alpha(0.5, -1.7, None, &[3.0], &mut factors, &mut y);
        plain(0.0, Some(rng), &[4.0], &mut factors, &mut y);
        assert_eq!((y, factors), (vec![1.0, -2.0, 3.0, 4.0], vec![1.0]));
    }
}
