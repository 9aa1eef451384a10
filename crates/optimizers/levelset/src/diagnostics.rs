//! Diagnostics of a level-set study.

use std::collections::BTreeMap;

use thrifty_acquisition::{LogExpectedImprovement, Utility};
use thrifty_space::Config;
use thrifty_study::{History, MemoKey};

use crate::{Classified, Label};

/// Memo key of the points where the mean was above the threshold.
pub(crate) static ABOVE: MemoKey<Vec<f64>> = MemoKey::new("above");

/// Number of bits per number; a double holds them exactly.
const BITS: usize = 32;

/// Points with the mean above, packed 32 to a number.
pub(crate) fn packed(above: &[bool]) -> Vec<f64> {
    let word = |bits: &[bool]| -> u32 { bits.iter().rev().fold(0, |word, bit| 2 * word + u32::from(*bit)) };
    above.chunks(BITS).map(|bits| f64::from(word(bits))).collect()
}

/// Unpacks [`packed`]; `None` for another number of points, or for numbers that are not bit patterns.
pub(crate) fn unpacked(words: &[f64], points: usize) -> Option<Vec<bool>> {
    let fits = |word: &f64| *word >= 0.0 && *word <= f64::from(u32::MAX) && word.fract() == 0.0;
    if words.len() != points.div_ceil(BITS) || !words.iter().all(fits) {
        return None;
    }
    Some((0..points).map(|i| words[i / BITS] as u32 >> (i % BITS) & 1 == 1).collect())
}

/// Number of bits that differ.
fn differing(a: &[f64], b: &[f64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (*a as u32 ^ *b as u32).count_ones()).sum()
}

/// Diagnostics of a suggestion, except those of the suggested point.
///
/// - `above`, `undecided`: shares of the points;
/// - `misclassified`: expected share of misclassified points, the mean of min(p, 1 - p);
/// - `boundary_change`: share of points that changed sides since the last suggestion with a model;
/// - `mean_variance`: mean posterior variance; `relative_variance`: the same in units of the variance of the observations;
/// - `log_expected_improvement`: of the best point on the smallest observed value, in standard deviations of the observations;
/// - `threshold`, `beta`, `contradictions`.
pub(crate) fn of(
    classified: &Classified,
    observed: &[f64],
    history: &History<Config>,
) -> BTreeMap<String, f64> {
    let n = classified.len() as f64;
    let above = classified.predicted_above();
    let mut numbers = BTreeMap::new();
    let mut say = |name: &str, value: f64| {
        if value.is_finite() {
            numbers.insert(name.to_owned(), value);
        }
    };
    say("above", above.iter().filter(|above| **above).count() as f64 / n);
    say("undecided", classified.share(Label::Undecided));
    say("misclassified", classified.misclassified());
    say("threshold", classified.level().estimate);
    say("beta", classified.accuracy().1);
    say("contradictions", classified.intervals().contradictions as f64);
    let variance = classified.std_devs().iter().map(|s| s * s).sum::<f64>() / n;
    say("mean_variance", variance);
    let spread = sample_variance(observed);
    if spread > 0.0 {
        say("relative_variance", variance / spread);
        let target = observed.iter().copied().fold(f64::INFINITY, f64::min);
        let rule = LogExpectedImprovement { target };
        let each = classified.means().iter().zip(classified.std_devs());
        let best = each.map(|(m, s)| rule.value(*m, *s)).fold(f64::NEG_INFINITY, f64::max);
        // Without uncertainty, use a number below every limit.
        say("log_expected_improvement", best.max(-1e300) - 0.5 * spread.ln());
    }
    let words = packed(&above);
    let earlier = history.trials().iter().rev().find_map(|trial| trial.memo.get(&ABOVE));
    if let Some(earlier) = earlier.filter(|earlier| earlier.len() == words.len()) {
        say("boundary_change", f64::from(differing(&earlier, &words)) / n);
    }
    numbers
}

pub(crate) fn sample_variance(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    if n < 2.0 {
        return 0.0;
    }
    let mean = values.iter().sum::<f64>() / n;
    values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0)
}

#[cfg(test)]
mod tests {
    use thrifty_domain::Points;
    use thrifty_sampling::Seed;

    use super::*;
    use crate::{Intervals, Level};

    /// Numbers of two points after losses whose variance is beyond the largest double, and under a threshold that is infinite: what is not
    /// finite is not said, the rest is.
    #[test]
    fn diagnostics_are_finite() {
        let numbers = |threshold: f64, observed: &[f64]| {
            let (mean, std_dev) = (vec![0.0, 2.0], vec![1.0, 0.5]);
            let intervals = Intervals::of(&mean, &std_dev, 4.0);
            let level = Level { pessimistic: threshold, estimate: threshold, optimistic: threshold };
            let points = Points::from_rows(&[[0.2], [0.7]]).unwrap();
            let classified = Classified::new(points, (mean, std_dev), intervals, level, (0.0, 4.0));
            of(&classified, observed, &History::new(Seed(1)))
        };
        let usual = numbers(1.0, &[0.0, 2.0]);
        assert_eq!((usual["above"], usual["threshold"], usual["mean_variance"]), (0.5, 1.0, 0.625));
        assert!(usual.contains_key("log_expected_improvement"), "{usual:?}");
        for (name, odd) in [
            ("log_expected_improvement", numbers(1.0, &[-1e200, 1e200])),
            ("threshold", numbers(f64::INFINITY, &[0.0, 2.0])),
        ] {
            assert!(odd.values().all(|value| value.is_finite()), "{odd:?}");
            assert!(!odd.contains_key(name), "{name}: {odd:?}");
            assert_eq!(odd.len(), usual.len() - 1, "{name} alone is not said: {odd:?}");
        }
    }

    #[test]
    fn bits_survive_packing() {
        let a: Vec<bool> = (0..70).map(|i| i % 3 == 0).collect();
        let mut b = a.clone();
        b[0] = !b[0];
        b[31] = !b[31];
        b[69] = !b[69];
        assert_eq!(packed(&a).len(), 3);
        assert_eq!(unpacked(&packed(&a), 70), Some(a.clone()));
        assert_eq!(unpacked(&[], 0), Some(Vec::new()));
        for bad in [&[1.0][..], &[1.0, 1.0, 0.5], &[1.0, f64::NAN, 0.0], &[-1.0, 0.0, 0.0]] {
            assert_eq!(unpacked(bad, 70), None, "{bad:?}");
        }
        assert_eq!(differing(&packed(&a), &packed(&b)), 3);
        assert_eq!(differing(&packed(&a), &packed(&a)), 0);
        assert_eq!(sample_variance(&[1.0, 3.0]), 2.0);
    }
}
