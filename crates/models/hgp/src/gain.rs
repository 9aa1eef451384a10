//! Variance reduction by observing a fold.

use thrifty_check::{InputError, all_finite};
use thrifty_domain::Points;
use thrifty_surrogate::{JointPosterior, Posterior};

use crate::{Component, HgpError};

/// Variance reduction of a function, usually the true loss f, by an observation of one fold at the same configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoldGain {
    /// The fold.
    pub fold: usize,
    /// Posterior covariance of f(x) and the fold there.
    pub covariance: f64,
    /// Posterior variance of an observation of the fold, including noise.
    pub variance: f64,
    /// Variance of f(x) after the fold is observed.
    pub remaining: f64,
}

impl Component {
    /// Remaining variance of this function f at `x` after an observation of each fold; exact:
    ///
    /// ```text
    /// Var[f(x) | D, (x, j)] = Var[f(x) | D] - Cov[f(x), y_j(x) | D]² / (Var[y_j(x) | D] + σ²)
    /// ```
    ///
    /// D are the data and `y_j` the fold j. σ² is the common noise plus the variance that the observation is [expected to
    /// report](Component::with_expected_noise).
    ///
    /// Shapes: `x` of dimension d. In squared units of the targets. Source: `FCVOpt`, the criterion of the fold; the
    /// authors' package 0.5.2 minimises `t (t - σ_f²)` instead, which lacks the denominator.
    ///
    /// # Errors
    /// [`InputError`] for another dimension, and for a coordinate that is not finite.
    pub fn fold_gains(&self, x: &[f64], folds: &[usize]) -> Result<Vec<FoldGain>, HgpError> {
        self.check(x)?;
        all_finite("coordinate", x)?;
        let codes = std::iter::once(self.code()).chain(folds.iter().map(|fold| *fold as f64));
        let rows: Vec<Vec<f64>> = codes.map(|code| [x, &[code]].concat()).collect();
        let n = rows.len();
        let points = Points::from_flat(rows.concat(), self.dim() + 1);
        let mut joint = vec![0.0; n * n];
        self.process().covariance_into(points.as_ref(), &mut joint);
        let noise = self.noise_variance();
        let gain = |(k, fold): (usize, &usize)| {
            let (covariance, variance) = (joint[k + 1], joint[(k + 1) * n + k + 1] + noise);
            let known = if variance > 0.0 { covariance * covariance / variance } else { 0.0 };
            FoldGain { fold: *fold, covariance, variance, remaining: (joint[0] - known).max(0.0) }
        };
        Ok(folds.iter().enumerate().map(gain).collect())
    }

    /// The fold that leaves the smallest variance of this function at `x`; the first among equal ones.
    ///
    /// # Errors
    /// As [`Component::fold_gains`], and [`InputError::Empty`].
    pub fn best_fold(&self, x: &[f64], folds: &[usize]) -> Result<usize, HgpError> {
        let gains = self.fold_gains(x, folds)?;
        let best =
            gains.iter().reduce(|best, gain| if gain.remaining < best.remaining { gain } else { best });
        best.map(|gain| gain.fold).ok_or(InputError::Empty { name: "folds" }.into())
    }
}
