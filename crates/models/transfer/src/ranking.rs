//! Agreement of rankings, and weights by ranking losses.

use rand_distr::{Distribution, StandardNormal};
use thrifty_sampling::Stream;
use thrifty_surrogate::Prediction;

/// Kendall's distance: number of pairs that two lists order differently. A pair that is tied in either list counts half.
///
/// Cost: O(n²).
///
/// # Panics
/// When the lists differ in length.
#[must_use]
pub fn discordant_pairs(predicted: &[f64], observed: &[f64]) -> f64 {
    assert_eq!(predicted.len(), observed.len(), "one prediction per observation");
    let mut distance = 0.0;
    for i in 0..observed.len() {
        for j in 0..i {
            let product = (predicted[i] - predicted[j]).total_cmp(&0.0) as i8
                * (observed[i] - observed[j]).total_cmp(&0.0) as i8;
            let tied = predicted[i] == predicted[j] || observed[i] == observed[j];
            distance += if tied { 0.5 } else { f64::from(u8::from(product < 0)) };
        }
    }
    distance
}

/// Largest number of observations with an exact distribution; beyond it the distribution is taken as normal.
const COUNTED: usize = 30;

/// Probability that a random order of n observations has at most `discordant` discordant pairs.
///
/// ```text
/// P(D ≤ d),   D = Σ_i U_i,  U_i uniform on 0, 1, …, i - 1 (i = 1 … n);   E D = n(n-1)/4,   Var D = n(n-1)(2n+5)/72
/// ```
///
/// Exact up to 30 observations, normal beyond. Source: `kendall1938`.
#[must_use]
pub fn chance_of_agreement(n: usize, discordant: f64) -> f64 {
    if n > COUNTED {
        let n = n as f64;
        let variance = n * (n - 1.0) * (2.0 * n + 5.0) / 72.0;
        return thrifty_prob::cdf((discordant + 0.5 - n * (n - 1.0) / 4.0) / variance.sqrt());
    }
    let mut probability = vec![1.0];
    for i in 2..=n {
        let mut next = vec![0.0; probability.len() + i - 1];
        for (at, p) in probability.iter().enumerate() {
            next[at..at + i].iter_mut().for_each(|slot| *slot += p / i as f64);
        }
        probability = next;
    }
    probability
        .iter()
        .enumerate()
        .filter(|(d, _)| *d as f64 <= discordant)
        .map(|(_, p)| p)
        .sum::<f64>()
        .min(1.0)
}

/// Weights of models by their ranking losses: the share of draws in which a model ranks the observations best.
///
/// ```text
/// L_m = Σ_{i<j} 1[(f_m(x_i) < f_m(x_j)) ≠ (y_i < y_j)],   f_m(x_i) ~ N(mean_mi, variance_mi),   w_m = P(L_m is the smallest)
/// ```
///
/// Predictions must be of observations that the model was not fitted to: by leave-one-out, or of another task. The first model is the one
/// without any source. Another model has weight 0 if its median loss exceeds the 95 % quantile of the first model's. All models share the
/// normal variables of a draw. Models with equal losses share its weight. Pairs with equal targets do not count.
/// Source: `feurer2018`, section 3; departures: shared normal numbers, shared ties. Cost: O(n ln n) per model and draw.
#[must_use]
pub fn ranking_weights(
    predictions: &[Vec<Prediction>],
    y: &[f64],
    draws: usize,
    rng: &mut Stream,
) -> Vec<f64> {
    let mut order: Vec<usize> = (0..y.len()).collect();
    order.sort_by(|a, b| y[*a].total_cmp(&y[*b]));
    let mut losses: Vec<Vec<u64>> = vec![Vec::with_capacity(draws); predictions.len()];
    let (mut normals, mut values) = (vec![0.0; y.len()], Vec::with_capacity(y.len()));
    for _ in 0..draws {
        normals.fill_with(|| StandardNormal.sample(rng));
        for (own, losses) in predictions.iter().zip(&mut losses) {
            values.clear();
            values.extend(order.iter().map(|&i| own[i].mean + own[i].std_dev() * normals[i]));
            losses.push(ranking_loss(&mut values, &order, y));
        }
    }
    let quantile = |losses: &[u64], p: f64| {
        let mut sorted = losses.to_vec();
        sorted.sort_unstable();
        sorted[((p * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len()) - 1]
    };
    let Some(first) = losses.first().filter(|first| !first.is_empty()) else { return Vec::new() };
    let limit = quantile(first, 0.95);
    let counts: Vec<bool> =
        losses.iter().enumerate().map(|(m, own)| m == 0 || quantile(own, 0.5) <= limit).collect();
    let mut weights = vec![0.0; predictions.len()];
    for draw in 0..draws {
        let kept = || (0..losses.len()).filter(|m| counts[*m]);
        let least = kept().map(|m| losses[m][draw]).min().unwrap_or(0);
        let best: Vec<usize> = kept().filter(|m| losses[*m][draw] == least).collect();
        best.iter().for_each(|m| weights[*m] += 1.0 / (best.len() * draws) as f64);
    }
    weights
}

/// Number of inversions of values in the order of their targets; the order within equal targets does not count.
fn ranking_loss(values: &mut [f64], order: &[usize], y: &[f64]) -> u64 {
    let mut start = 0;
    while start < values.len() {
        let same = order[start..].iter().take_while(|i| y[**i] == y[order[start]]).count();
        values[start..start + same].sort_by(f64::total_cmp);
        start += same;
    }
    inversions(values, &mut vec![0.0; order.len()])
}

/// Number of pairs in the wrong order; sorts the values by merging.
fn inversions(values: &mut [f64], scratch: &mut [f64]) -> u64 {
    let n = values.len();
    if n < 2 {
        return 0;
    }
    let (left, right) = values.split_at_mut(n / 2);
    let (of_left, of_right) = scratch.split_at_mut(n / 2);
    let mut count = inversions(left, of_left) + inversions(right, of_right);
    let (mut i, mut j) = (0, 0);
    for slot in scratch.iter_mut() {
        if j == right.len() || (i < left.len() && left[i] <= right[j]) {
            *slot = left[i];
            i += 1;
        } else {
            *slot = right[j];
            j += 1;
            count += (left.len() - i) as u64;
        }
    }
    values.copy_from_slice(scratch);
    count
}

#[cfg(test)]
mod tests {
    use thrifty_sampling::Seed;

    use super::*;

    fn exact(values: &[f64]) -> Vec<Prediction> {
        values.iter().map(|&mean| Prediction { mean, variance: 0.0 }).collect()
    }

    /// The orders of four things with at most so many inversions, counted by hand: 1, 4, 9, 15, 20, 23, 24 of 24.
    #[test]
    fn chances_of_four_observations() {
        for (d, count) in [1.0, 4.0, 9.0, 15.0, 20.0, 23.0, 24.0].into_iter().enumerate() {
            assert!((chance_of_agreement(4, d as f64) - count / 24.0).abs() < 1e-15);
        }
        assert_eq!((chance_of_agreement(0, 0.0), chance_of_agreement(1, 0.0)), (1.0, 1.0));
        assert!((chance_of_agreement(3, 0.5) - 1.0 / 6.0).abs() < 1e-15);
    }

    /// The normal distribution goes on where the count ends.
    #[test]
    fn many_observations_are_nearly_normal() {
        for d in [150.0, 180.0, 217.0, 250.0] {
            let n = 30.0_f64;
            let z = (d + 0.5 - n * (n - 1.0) / 4.0) / (n * (n - 1.0) * (2.0 * n + 5.0) / 72.0).sqrt();
            assert!((chance_of_agreement(30, d) - thrifty_prob::cdf(z)).abs() < 2e-3, "{d}");
        }
        assert!(chance_of_agreement(31, 0.0) < 1e-9 && chance_of_agreement(1000, 499_500.0) > 1.0 - 1e-12);
    }

    #[test]
    fn distances_count_pairs() {
        assert_eq!(discordant_pairs(&[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0]), 0.0);
        assert_eq!(discordant_pairs(&[3.0, 2.0, 1.0], &[10.0, 20.0, 30.0]), 3.0);
        assert_eq!(discordant_pairs(&[1.0, 1.0, 1.0], &[10.0, 20.0, 30.0]), 1.5);
        assert_eq!(discordant_pairs(&[], &[]), 0.0);
    }

    /// A model without uncertainty that orders all pairs right beats one that orders all wrong; two of a kind share.
    #[test]
    fn certain_models_win_or_lose_every_draw() {
        let y = [1.0, 3.0, 2.0, 5.0];
        let (right, wrong) = (exact(&y), exact(&y.map(|v| -v)));
        let weights =
            |models: &[Vec<Prediction>]| ranking_weights(models, &y, 64, &mut Seed(1).stream("weights", 0));
        assert_eq!(weights(&[right.clone(), wrong.clone()]), [1.0, 0.0]);
        assert_eq!(weights(&[wrong.clone(), right.clone()]), [0.0, 1.0]);
        assert_eq!(weights(&[wrong, right.clone(), right]), [0.0, 0.5, 0.5]);
        assert!(weights(&[]).is_empty());
    }

    /// A model whose median loss is above the 95 % quantile of the first model's has no weight even in draws that it would win.
    #[test]
    fn the_guard_drops_a_model_that_wins_by_luck() {
        let y = [0.0, 1.0, 2.0];
        let first = exact(&y);
        let lucky: Vec<Prediction> = y.iter().map(|_| Prediction { mean: 0.0, variance: 1.0 }).collect();
        let weights = ranking_weights(&[first, lucky], &y, 512, &mut Seed(1).stream("weights", 0));
        assert_eq!(weights, [1.0, 0.0]);
    }

    #[test]
    fn equal_targets_do_not_count() {
        let y = [1.0, 1.0, 2.0];
        let loss = |values: [f64; 3]| ranking_loss(&mut values.to_vec(), &[0, 1, 2], &y);
        assert_eq!((loss([5.0, 4.0, 6.0]), loss([4.0, 7.0, 6.0]), loss([8.0, 7.0, 6.0])), (0, 1, 2));
    }

    /// An order and its reverse have n(n-1)/2 discordant pairs together, so at most d are as likely as at least n(n-1)/2 - d: the chances
    /// of at most d and of at most n(n-1)/2 - d - 1 sum to 1, counted or normal.
    #[test]
    fn chances_of_an_order_and_its_reverse_sum_to_1() {
        for n in [4_usize, 29, 30, 31, 32, 200] {
            let pairs = n * (n - 1) / 2;
            for d in [pairs / 4, pairs / 2 - 1, pairs / 2, 2 * pairs / 3] {
                let sum = chance_of_agreement(n, d as f64) + chance_of_agreement(n, (pairs - d - 1) as f64);
                assert!((sum - 1.0).abs() < 1e-9, "{d} of {pairs} pairs: {sum}");
            }
        }
    }

    /// Discordant pairs of more observations than are counted, by quantiles of the normal law with the variance Σ (i² - 1)/12 of the sum of
    /// uniform numbers.
    #[test]
    fn more_observations_than_are_counted_have_quantiles_of_the_normal_law() {
        for n in [31_u32, 50, 400] {
            let mean = 0.25 * f64::from(n) * f64::from(n - 1);
            let std_dev = (1..=n).map(|i| (f64::from(i).powi(2) - 1.0) / 12.0).sum::<f64>().sqrt();
            for (z, probability) in [(-2.0, 0.022_750_132), (-1.0, 0.158_655_254), (1.0, 0.841_344_746)] {
                // At most d counts all of the cell around d.
                let found = chance_of_agreement(n as usize, mean + z * std_dev - 0.5);
                assert!((found - probability).abs() < 1e-8, "{n} observations at {z}: {found} {probability}");
            }
        }
    }

    /// Up to 30 observations the chance is exact, however small: one order of n! has no discordant pair, and n - 1 have one.
    #[test]
    fn full_agreement_is_one_order_of_all() {
        let mut orders = 1.0;
        for n in 2..=30_usize {
            orders *= n as f64;
            for (d, count) in [(0.0, 1.0), (1.0, n as f64)] {
                let found = chance_of_agreement(n, d) * orders;
                assert!(
                    (found / count - 1.0).abs() < 1e-12,
                    "{n} observations, {d} discordant: {found} orders"
                );
            }
        }
    }

    /// The median of three losses is the second: a model that ties with a perfect one in a single draw of three is dropped, and one that
    /// ties in two or three has half of these draws.
    #[test]
    fn the_median_of_three_losses_is_the_second() {
        let y = [0.0, 1.0];
        let lucky = vec![Prediction { mean: 0.0, variance: 1.0 }; 2];
        let mut seen = [false; 3];
        for seed in 0..64 {
            let mut rng = Seed(seed).stream("weights", 0);
            let weights = ranking_weights(&[exact(&y), lucky.clone()], &y, 3, &mut rng);
            let is_one = [0.0, 1.0 / 3.0, 0.5].map(|weight: f64| (weights[1] - weight).abs() < 1e-12);
            assert!(is_one.contains(&true), "seed {seed}: {weights:?}");
            seen.iter_mut().zip(is_one).for_each(|(seen, now)| *seen |= now);
        }
        assert_eq!(seen, [true; 3], "dropped, ties in two draws, ties in three");
    }

    /// Quantiles of a single draw: its loss. The better model has all weight.
    #[test]
    fn a_single_draw_decides() {
        let (y, one) = ([1.0, 3.0, 2.0], || Seed(1).stream("weights", 0));
        let (right, wrong) = (exact(&y), exact(&y.map(|v| -v)));
        assert_eq!(ranking_weights(&[right.clone(), wrong.clone()], &y, 1, &mut one()), [1.0, 0.0]);
        assert_eq!(ranking_weights(&[wrong, right], &y, 1, &mut one()), [0.0, 1.0]);
    }

    /// A model that is always wrong beside a first model that is wrong in a share of the draws: of 2 % it is dropped, of 10 % it shares
    /// the draws in which both are wrong, as the 95 % quantile of the first losses is then 1.
    #[test]
    fn the_guard_is_the_95_percent_quantile_of_the_first_losses() {
        let y = [0.0, 1.0];
        // The difference of two predictions is below 0 with the probability Φ(-z).
        for (z, wrong) in [(2.053_749, 0.02), (1.281_552, 0.1)] {
            let variance = 0.5 / (z * z);
            let first = y.iter().map(|&mean| Prediction { mean, variance }).collect();
            let mut rng = Seed(1).stream("weights", 0);
            let weights = ranking_weights(&[first, exact(&[1.0, 0.0])], &y, 4096, &mut rng);
            let expected = if wrong < 0.05 { 0.0 } else { 0.5 * wrong };
            // Five standard errors of half the share.
            assert!(
                (weights[1] - expected).abs() <= 2.5 * (expected / 4096.0_f64).sqrt(),
                "{wrong}: {weights:?}"
            );
        }
    }

    /// Losses of every order of five things: the discordant pairs, counted one by one.
    #[test]
    fn losses_are_discordant_pairs() {
        let y = [0.0, 1.0, 2.0, 3.0, 4.0];
        for code in 0..3125_usize {
            let order: Vec<f64> = (0..5).map(|k| (code / 5_usize.pow(k) % 5) as f64).collect();
            if (0..5).any(|value| !order.contains(&f64::from(value))) {
                continue;
            }
            let loss = ranking_loss(&mut order.clone(), &[0, 1, 2, 3, 4], &y);
            assert_eq!(loss as f64, discordant_pairs(&order, &y), "{order:?}");
        }
    }
}
