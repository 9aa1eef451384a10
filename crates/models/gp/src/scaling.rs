//! Scaling of inputs and targets.

use thrifty_domain::{Points, PointsRef};

/// Affine map of each input column to `[0, 1]`: `z = (x - offset) / width`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct InputScaling {
    /// Smallest value of each column.
    pub offset: Vec<f64>,
    /// Range of each column; 1 where the column is constant.
    pub width: Vec<f64>,
}

impl InputScaling {
    /// The map of the columns of `x` onto `[0, 1]`.
    #[must_use]
    pub fn of(x: PointsRef<'_>) -> Self {
        let column = |d: usize| x.rows().map(move |p| p[d]);
        let (mut offset, mut width) = (Vec::new(), Vec::new());
        for d in 0..x.dim() {
            let low = column(d).fold(f64::INFINITY, f64::min);
            let range = column(d).fold(f64::NEG_INFINITY, f64::max) - low;
            offset.push(low);
            width.push(if range > 0.0 && range.is_finite() { range } else { 1.0 });
        }
        Self { offset, width }
    }

    /// `z` of every point.
    #[must_use]
    pub fn apply(&self, x: PointsRef<'_>) -> Points {
        let mut scaled = x.to_owned();
        for i in 0..scaled.len() {
            for ((value, o), w) in scaled.row_mut(i).iter_mut().zip(&self.offset).zip(&self.width) {
                *value = (*value - o) / w;
            }
        }
        scaled
    }
}

/// Affine map of targets: `z = (y - offset) / width`.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TargetScaling {
    /// Mean or median of the targets, or 0.
    pub offset: f64,
    /// Standard deviation (n - 1) of the targets, or another measure of spread, or 1.
    pub width: f64,
}

impl TargetScaling {
    /// No scaling.
    pub const NONE: Self = Self { offset: 0.0, width: 1.0 };

    /// The map to mean 0 and standard deviation 1 (with n - 1). Constant targets keep their scale: a standard deviation below 1e-12 of
    /// their size is rounding.
    #[must_use]
    pub fn standardize(y: &[f64]) -> Self {
        let n = y.len() as f64;
        // Divided by the largest, so that neither the sum nor the squares overflow.
        let largest = y.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        if largest == 0.0 || y.is_empty() {
            return Self::NONE;
        }
        let mean = y.iter().map(|v| v / largest).sum::<f64>() / n;
        let squares: f64 = y.iter().map(|v| (v / largest - mean).powi(2)).sum();
        let std_dev = if y.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 };
        let width = if std_dev > 1e-12 { std_dev * largest } else { largest };
        Self { offset: mean * largest, width }
    }

    /// The map to median 0 and a median absolute deviation of 1/1.4826, that of a standard normal distribution. It is robust to outliers of
    /// any size.
    ///
    /// If that deviation is 0, because half of the targets are equal, equal targets count once. If it is still 0, the map is
    /// [`TargetScaling::standardize`]. If exactly half of the targets are outliers, so that the median is between the halves, only the
    /// lower half counts.
    #[must_use]
    pub fn by_median(y: &[f64]) -> Self {
        let mut sorted = y.to_vec();
        sorted.sort_by(f64::total_cmp);
        if let Some(lower) = lower_half_apart(&sorted) {
            sorted.truncate(lower);
        }
        let scaling = Self::around_median(&sorted).or_else(|| {
            sorted.dedup();
            Self::around_median(&sorted)
        });
        scaling.unwrap_or_else(|| Self::standardize(y))
    }

    /// `None` if the deviation is 0, rounding, or too large for a number.
    fn around_median(y: &[f64]) -> Option<Self> {
        let deviations = |offset: f64| y.iter().map(|v| (v - offset).abs()).collect();
        let offset = median(y.to_vec());
        let width = NORMAL_CONSISTENCY * median(deviations(offset));
        (width > 1e-12 * offset.abs() && width.is_finite()).then_some(Self { offset, width })
    }

    /// `z` of every target.
    #[must_use]
    pub fn apply(&self, y: &[f64]) -> Vec<f64> {
        y.iter().map(|v| v / self.width - self.offset / self.width).collect()
    }
}

/// Number of values in the lower half, if the upper half begins more than a million ranges of the lower half above it.
fn lower_half_apart(sorted: &[f64]) -> Option<usize> {
    let half = sorted.len() / 2;
    let (lower, upper) = sorted.split_at(half);
    let (first, last) = (lower.first()?, lower.last()?);
    (lower.len() == upper.len() && last > first && upper[0] - last > 1e6 * (last - first)).then_some(half)
}

/// Standard deviation of a normal distribution whose median absolute deviation is 1.
const NORMAL_CONSISTENCY: f64 = 1.482_602_218_505_602;

/// Middle value, or the mean of the two in the middle; 0 without any.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match (values.len(), values.len() / 2) {
        (0, _) => 0.0,
        (n, half) if n % 2 == 1 => values[half],
        (_, half) => 0.5 * (values[half - 1] + values[half]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_do_not_move_the_median_scale() {
        let mut y: Vec<f64> = (0..21).map(|i| f64::from(i) - 10.0).collect();
        let clean = TargetScaling::by_median(&y);
        assert!(clean.offset.abs() < 1e-14 && (clean.width - NORMAL_CONSISTENCY * 5.0).abs() < 1e-13);
        y[20] = 1e6;
        let dirty = TargetScaling::by_median(&y);
        assert!(dirty.offset.abs() < 1e-6 && (dirty.width - clean.width).abs() < 1e-6, "{dirty:?}");
    }

    /// A penalty of 1e12 for some of the targets, or for more than half of them, leaves the others apart.
    #[test]
    fn penalties_do_not_hide_the_others() {
        let good: Vec<f64> = (0..9).map(f64::from).collect();
        for penalties in [1, 4, 8, 9, 10, 20] {
            let y: Vec<f64> = good.iter().copied().chain(vec![1e12; penalties]).collect();
            let z = TargetScaling::by_median(&y).apply(&good);
            assert!(z[8] - z[0] > 0.5 && z[8] - z[0] < 6.0, "{penalties}: {z:?}");
        }
    }

    #[test]
    fn equal_targets_are_standardized() {
        for y in [vec![], vec![3.0], vec![2.0; 5], vec![0.0; 4]] {
            assert_eq!(TargetScaling::by_median(&y), TargetScaling::standardize(&y), "{y:?}");
        }
        // Half of the deviation of two values.
        let two = TargetScaling::by_median(&[0.0, 0.0, 0.0, 1.0]);
        assert_eq!(two, TargetScaling { offset: 0.5, width: 0.5 * NORMAL_CONSISTENCY });
        // Differences that overflow.
        let y = [-1.7e308, -1.6e308, 1.6e308, 1.7e308];
        assert_eq!(TargetScaling::by_median(&y), TargetScaling::standardize(&y));
    }
}
