//! Scaling of inputs and targets.

use thrifty_domain::{Points, PointsRef};

/// The affine map of each input column to `[0, 1]`: `z = (x - offset) / width`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct InputScaling {
    /// Smallest value of each column.
    pub offset: Vec<f64>,
    /// Range of each column; 1 where the column is constant.
    pub width: Vec<f64>,
}

impl InputScaling {
    /// The map that takes the columns of `x` onto `[0, 1]`.
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

/// The affine map of targets: `z = (y - offset) / width`.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TargetScaling {
    /// Mean of the targets, or 0.
    pub offset: f64,
    /// Their standard deviation (n - 1), or 1.
    pub width: f64,
}

impl TargetScaling {
    /// No scaling.
    pub const NONE: Self = Self { offset: 0.0, width: 1.0 };

    /// The map that gives `y` mean 0 and standard deviation 1 (with n - 1). Constant targets keep their scale:
    /// a deviation below 1e-12 of their size is rounding.
    #[must_use]
    pub fn standardize(y: &[f64]) -> Self {
        let n = y.len() as f64;
        // Scaled by the largest, so that neither sum nor squares overflow.
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

    /// `z` of every target.
    #[must_use]
    pub fn apply(&self, y: &[f64]) -> Vec<f64> {
        y.iter().map(|v| v / self.width - self.offset / self.width).collect()
    }
}
