//! Margin: a lower bound on the probability of other levels.

use thrifty_prob::{cdf, quantile};

use crate::coordinates::{Coordinates, Kind, threshold};
use crate::distribution::Distribution;

/// Mean and factor on the standard deviation of one coordinate after the correction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Corrected {
    pub(crate) mean: f64,
    pub(crate) std_dev: f64,
}

/// Moves means and raises standard deviations until each discrete coordinate keeps a probability for other levels.
///
/// Below and above the level of the mean at least `margin / 2` is left; for a mean in the lowest or highest level `margin` on its open side.
/// A margin of 0 moves nothing.
/// Source: Hamano et al. (2022), section 4; departure: levels have cells of any width, so that logarithmic grids fit.
pub(crate) fn apply(distribution: &mut Distribution, coordinates: &Coordinates, margin: f64) {
    for (j, coordinate) in coordinates.all.iter().enumerate() {
        let Kind::Levels { count, spacing } = coordinate.kind else { continue };
        let (mean, std_dev) = (distribution.mean[j], distribution.std_dev(j));
        let level = spacing.level(mean, count);
        let below = (level > 0).then(|| threshold(spacing, level, count));
        let above = (level + 1 < count).then(|| threshold(spacing, level + 1, count));
        let corrected = corrected(mean, std_dev, below, above, margin);
        distribution.mean[j] = corrected.mean;
        if corrected.std_dev != std_dev && std_dev > 0.0 {
            distribution.scale[j] *= corrected.std_dev / std_dev;
        }
    }
}

/// Corrected moments for a mean between the thresholds `below` and `above`, one of which is missing at an end.
pub(crate) fn corrected(
    mean: f64,
    std_dev: f64,
    below: Option<f64>,
    above: Option<f64>,
    margin: f64,
) -> Corrected {
    let unchanged = Corrected { mean, std_dev };
    match (below, above) {
        (None, None) => unchanged,
        // The threshold stays within reach of the mean. The standard deviation is as it was.
        (None, Some(threshold)) => {
            Corrected { mean: mean.max(threshold - std_dev * -quantile(margin)), std_dev }
        }
        (Some(threshold), None) => {
            Corrected { mean: mean.min(threshold + std_dev * -quantile(margin)), std_dev }
        }
        (Some(below), Some(above)) => {
            let low = cdf((below - mean) / std_dev);
            let high = cdf((mean - above) / std_dev);
            let half = margin / 2.0;
            if low >= half && high >= half {
                return unchanged;
            }
            let raised = [low.max(half), high.max(half), (1.0 - low - high).max(half)];
            let excess = raised.iter().sum::<f64>() - 1.0;
            let free = raised.iter().sum::<f64>() - 3.0 * half;
            let probability = |raised: f64| raised - excess / free * (raised - half);
            // Distances to the thresholds in standard deviations.
            let [to_low, to_high] = [raised[0], raised[1]].map(|raised| -quantile(probability(raised)));
            let sum = to_low + to_high;
            if !(sum > 0.0 && sum.is_finite()) {
                return unchanged;
            }
            Corrected { mean: (below * to_high + above * to_low) / sum, std_dev: (above - below) / sum }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use thrifty_domain::{Domain, Variable};

    use super::*;

    #[test]
    fn what_has_a_margin_is_left_as_it_is() {
        let moments = Corrected { mean: 0.4, std_dev: 0.3 };
        assert_eq!(corrected(0.4, 0.3, Some(0.25), Some(0.5), 0.05), moments);
        assert_eq!(corrected(0.4, 0.3, None, None, 0.05), moments);
        assert_eq!(corrected(0.4, 0.3, None, Some(0.5), 0.05), moments);
    }

    /// Three levels of equal width and a narrow distribution in each: what is beyond a threshold has the whole margin at the ends, where
    /// the standard deviation stays, and half of it on both sides of the middle.
    #[test]
    fn each_level_has_the_thresholds_of_its_sides() {
        let coordinates = Coordinates::new(&Domain::new(vec![Variable::stepped(3)]).unwrap());
        let margin = 0.04;
        let of = |mean: f64| {
            let mut distribution = Distribution::new(vec![mean], 0.01);
            apply(&mut distribution, &coordinates, margin);
            (distribution.mean[0], distribution.std_dev(0))
        };
        let (lower, upper) = (1.0 / 3.0, 2.0 / 3.0);
        let close =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        let (mean, std_dev) = of(0.1);
        close(std_dev, 0.01);
        close(cdf((mean - lower) / std_dev), margin);
        let (mean, std_dev) = of(0.9);
        close(std_dev, 0.01);
        close(cdf((upper - mean) / std_dev), margin);
        let (mean, std_dev) = of(0.5);
        close(cdf((lower - mean) / std_dev), margin / 2.0);
        close(cdf((mean - upper) / std_dev), margin / 2.0);
    }

    /// Levels without a margin: no mean and no standard deviation moves, in the lowest level, in the middle, in the highest, and far
    /// beyond both ends.
    #[test]
    fn without_a_margin_nothing_moves() {
        let coordinates = Coordinates::new(&Domain::new(vec![Variable::stepped(3)]).unwrap());
        for mean in [-3.0, 0.1, 1.0 / 3.0, 0.5, 0.9, 7.0] {
            for step_size in [1e-12, 0.3, 1e3] {
                let start = Distribution::new(vec![mean], step_size);
                let mut distribution = start.clone();
                apply(&mut distribution, &coordinates, 0.0);
                assert_eq!(distribution, start, "{mean} ± {step_size}");
            }
        }
    }

    /// A mean that rounding has put beyond a threshold: both sides have their share all the same.
    #[test]
    fn a_mean_just_beyond_a_threshold_leaves_both_sides_their_share() {
        let (below, above, margin) = (0.25, 0.5, 0.25);
        for mean in [below - 1e-9, above + 1e-9] {
            let Corrected { mean, std_dev } = corrected(mean, 1e-12, Some(below), Some(above), margin);
            let (low, high) = (cdf((below - mean) / std_dev), cdf((mean - above) / std_dev));
            assert!(low >= margin / 2.0 * (1.0 - 1e-6), "{low} below at {mean} ± {std_dev}");
            assert!(high >= margin / 2.0 * (1.0 - 1e-6), "{high} above at {mean} ± {std_dev}");
        }
    }

    proptest! {
        /// Both sides keep at least half of the margin, however narrow the distribution has become.
        #[test]
        fn every_side_keeps_its_share(place in 0.0..1.0_f64, decades in -14.0..1.0_f64, margin in 1e-6..0.25_f64) {
            let (below, above) = (0.25, 0.5);
            let mean = below + place * (above - below);
            let found = corrected(mean, 10_f64.powf(decades), Some(below), Some(above), margin);
            let (low, high) = (cdf((below - found.mean) / found.std_dev), cdf((found.mean - above) / found.std_dev));
            prop_assert!(low >= margin / 2.0 * (1.0 - 1e-6), "{low} of {margin}");
            prop_assert!(high >= margin / 2.0 * (1.0 - 1e-6), "{high} of {margin}");
            prop_assert!((below..=above).contains(&found.mean));
        }

        #[test]
        fn ends_keep_the_whole(mean in -3.0..0.25_f64, decades in -9.0..1.0_f64, margin in 1e-6..0.25_f64) {
            let found = corrected(mean, 10_f64.powf(decades), None, Some(0.25), margin);
            prop_assert!(cdf((found.mean - 0.25) / found.std_dev) >= margin * (1.0 - 1e-6));
            let mirrored = corrected(1.0 - mean, 10_f64.powf(decades), Some(0.75), None, margin);
            prop_assert!(cdf((0.75 - mirrored.mean) / mirrored.std_dev) >= margin * (1.0 - 1e-6));
        }
    }

    /// A mean two standard deviations from one threshold and half of one from the other: what the far side lacks comes from the others, in
    /// proportion to what they have above half of the margin. Source: Hamano et al. (2022), section 4.
    #[test]
    fn what_a_side_lacks_comes_from_the_others_in_proportion() {
        let (mean, std_dev, below, above, margin) = (0.45, 0.1, 0.25, 0.5, 0.1);
        let sides = |mean: f64, std_dev: f64| (cdf((below - mean) / std_dev), cdf((mean - above) / std_dev));
        let half = margin / 2.0;
        let (low, high) = sides(mean, std_dev);
        assert!(low < half && high > half, "{low} {high}");
        let odds = |low: f64, high: f64| (high - half) / (1.0 - low - high - half);
        let found = corrected(mean, std_dev, Some(below), Some(above), margin);
        let (new_low, new_high) = sides(found.mean, found.std_dev);
        assert!((new_low - half).abs() < 1e-9, "{new_low} of {half}");
        let (new, old) = (odds(new_low, new_high), odds(low, high));
        assert!((new - old).abs() < 1e-9, "{new}, not {old}");
    }
}
