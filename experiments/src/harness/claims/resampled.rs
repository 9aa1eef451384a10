//! Tests of a mean by a list of resampled means.

use super::{Location, normal_detectable};

/// Means of resamples in order, which turn into p-values by counting.
///
/// ```text
/// above(b) = (1 + #{means ≤ b}) / (1 + #means)
/// ```
pub(super) struct Resampled {
    sorted: Vec<f64>,
    estimate: f64,
    standard_error: f64,
    /// Rounding: means that differ by less are equal.
    rounding: f64,
}

impl Resampled {
    pub(super) fn new(mut means: Vec<f64>, values: &[f64]) -> Self {
        means.sort_by(f64::total_cmp);
        let (mean, std_dev) = crate::harness::stats::mean_and_std_dev(values);
        let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        Self {
            sorted: means,
            estimate: mean,
            standard_error: std_dev / (values.len() as f64).sqrt(),
            rounding: 1e-12 * largest,
        }
    }

    fn total(&self) -> f64 {
        (self.sorted.len() + 1) as f64
    }
}

impl Location for Resampled {
    fn estimate(&self) -> f64 {
        self.estimate
    }

    fn above(&self, bound: f64) -> f64 {
        let reached = self.sorted.partition_point(|mean| *mean <= bound + self.rounding);
        (1 + reached) as f64 / self.total()
    }

    fn below(&self, bound: f64) -> f64 {
        let reached = self.sorted.len() - self.sorted.partition_point(|mean| *mean < bound - self.rounding);
        (1 + reached) as f64 / self.total()
    }

    fn interval(&self, level: f64) -> (f64, f64) {
        // above(b) ≤ level as long as at most `cut` means are at or below b.
        match ((level * self.total()).floor() as usize).checked_sub(1) {
            Some(cut) if cut < self.sorted.len() => {
                (self.sorted[cut], self.sorted[self.sorted.len() - 1 - cut])
            }
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    fn detectable(&self, _: f64, level: f64) -> f64 {
        if 1.0 / self.total() > level {
            return f64::INFINITY;
        }
        normal_detectable(self.standard_error, level)
    }
}
