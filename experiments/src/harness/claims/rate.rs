//! Exact tests of a rate.

use statrs::function::beta::beta_reg;

use super::{Location, POWER};

/// Successes of independent trials.
///
/// ```text
/// P(X ≥ k | r) = I_r(k, n - k + 1)
/// ```
///
/// Source: Clopper & Pearson (1934).
pub(super) struct Rate {
    pub(super) successes: usize,
    pub(super) trials: usize,
}

impl Rate {
    /// P(at least `k` of `n` trials succeed) at a rate.
    fn at_least(k: usize, n: usize, rate: f64) -> f64 {
        match k {
            0 => 1.0,
            k if k > n => 0.0,
            _ if rate <= 0.0 => 0.0,
            _ if rate >= 1.0 => 1.0,
            k => beta_reg(k as f64, (n - k + 1) as f64, rate),
        }
    }
}

/// The rate in [0, 1] at which a rising function reaches a level.
fn solve(level: f64, rising: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if rising(middle) < level {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

impl Location for Rate {
    fn estimate(&self) -> f64 {
        self.successes as f64 / self.trials as f64
    }

    fn above(&self, bound: f64) -> f64 {
        Self::at_least(self.successes, self.trials, bound)
    }

    fn below(&self, bound: f64) -> f64 {
        1.0 - Self::at_least(self.successes + 1, self.trials, bound)
    }

    fn interval(&self, level: f64) -> (f64, f64) {
        let low = if self.successes == 0 { 0.0 } else { solve(level, |rate| self.above(rate)) };
        let all = self.successes == self.trials;
        let high = if all { 1.0 } else { solve(1.0 - level, |rate| 1.0 - self.below(rate)) };
        (low, high)
    }

    fn detectable(&self, bound: f64, level: f64) -> f64 {
        let enough = (0..=self.trials).find(|k| Self::at_least(*k, self.trials, bound) <= level);
        enough.map_or(f64::INFINITY, |k| solve(POWER, |rate| Self::at_least(k, self.trials, rate)) - bound)
    }

    fn detectable_below(&self, bound: f64, level: f64) -> f64 {
        // At most k successes are one less than those that are still too many.
        let more_than = |k: usize, rate: f64| Self::at_least(k + 1, self.trials, rate);
        let few = (0..self.trials).take_while(|k| 1.0 - more_than(*k, bound) <= level).last();
        few.map_or(f64::INFINITY, |k| bound - solve(1.0 - POWER, |rate| more_than(k, rate)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_sums() {
        let rate = Rate { successes: 2, trials: 3 };
        assert!((rate.above(0.5) - 0.5).abs() < 1e-12 && (rate.below(0.5) - 0.875).abs() < 1e-12);
        let all = Rate { successes: 36, trials: 36 };
        assert!((all.above(0.9) - 0.9_f64.powi(36)).abs() < 1e-12);
        assert_eq!((all.above(1.0), all.below(1.0), all.below(0.3)), (1.0, 1.0, 1.0));
        assert_eq!(Rate { successes: 35, trials: 36 }.below(1.0), 0.0);
    }

    /// R: `binom.test(8, 10)` has [0.4439045, 0.9747893]; none of ten has [0, 1 - 0.025^(1/10)].
    #[test]
    fn intervals_against_known_values() {
        let (low, high) = Rate { successes: 8, trials: 10 }.interval(0.025);
        assert!((low - 0.443_904_5).abs() < 1e-6 && (high - 0.974_789_3).abs() < 1e-6, "{low} {high}");
        let (low, high) = Rate { successes: 0, trials: 10 }.interval(0.025);
        assert!(low == 0.0 && (high - (1.0 - 0.025_f64.powf(0.1))).abs() < 1e-9);
    }

    #[test]
    fn too_few_trials_detect_nothing() {
        assert_eq!(Rate { successes: 5, trials: 5 }.detectable(0.9, 0.025), f64::INFINITY);
        // 36 of 36 are needed, and come with probability 0.8 at a rate of 0.8^(1/36).
        let distance = Rate { successes: 5, trials: 36 }.detectable(0.9, 0.025);
        assert!((distance - (0.8_f64.powf(1.0 / 36.0) - 0.9)).abs() < 1e-9, "{distance}");
        // No outcome of two trials shows that a rate is below 0.1. Of 45 it takes none, which has probability 0.8 at 1 - 0.8^(1/45).
        assert_eq!(Rate { successes: 0, trials: 2 }.detectable_below(0.1, 0.0125), f64::INFINITY);
        let distance = Rate { successes: 1, trials: 45 }.detectable_below(0.1, 0.0125);
        assert!((distance - (0.1 - (1.0 - 0.8_f64.powf(1.0 / 45.0)))).abs() < 1e-9, "{distance}");
    }
}
