//! Conditioning on more observations with fixed hyperparameters.

use std::sync::Arc;

use rand_distr::{Distribution, StandardNormal};
use thrifty_domain::PointsRef;
use thrifty_kernel::Kernel;
use thrifty_linalg::{Cholesky, Matrix};
use thrifty_sampling::Stream;
use thrifty_surrogate::Posterior;

use super::{GpPosterior, factor};
use crate::{GpError, TargetScaling, data};

impl<K: Kernel + Clone> GpPosterior<K> {
    /// The posterior after one more observation with the same hyperparameters and scaling. Cost: n² flops.
    ///
    /// # Errors
    /// As [`GpPosterior::with_observations`].
    pub fn with_observation(&self, x: &[f64], y: f64) -> Result<Self, GpError> {
        self.with_observations(PointsRef::single(x), &[y])
    }

    /// The posterior after m more observations with the same hyperparameters and scaling. Rows are appended to the factor, at a cost of m
    /// n² flops. If a point is so close to another that its pivot vanishes, the covariance is factored again with jitter.
    ///
    /// # Errors
    /// [`GpError`] for other lengths or another dimension, anything not finite, or a covariance that cannot be factored with any jitter.
    pub fn with_observations(&self, x: PointsRef<'_>, y: &[f64]) -> Result<Self, GpError> {
        self.with_noisy_observations(x, y, &vec![0.0; y.len()])
    }

    /// [`GpPosterior::with_observations`] where each observation has a known noise variance, in addition to the common noise.
    ///
    /// # Errors
    /// As [`GpPosterior::with_observations`], and for a variance that is negative or not finite.
    pub fn with_noisy_observations(
        &self,
        x: PointsRef<'_>,
        y: &[f64],
        variances: &[f64],
    ) -> Result<Self, GpError> {
        data::check(self.dim(), x, y, variances)?;
        let old = self.len();
        let mut next = self.clone();
        next.data.push(x, y, variances);
        next.data.check_scaled(y, variances)?;
        next.inverse_diagonal = Arc::default();
        next.factor = match next.appended(old) {
            Some(factor) => factor,
            None => Arc::new(factor(&next.kernel, &next.data, next.noise, &next.ladder)?),
        };
        next.solve();
        Ok(next)
    }

    /// The factor extended by one row per observation from `old` on; `None` if a pivot vanishes.
    fn appended(&self, old: usize) -> Option<Arc<Cholesky>> {
        let mut factor = Arc::clone(&self.factor);
        let x = self.data.x.as_ref();
        let mut row = Matrix::default();
        for i in old..x.len() {
            self.kernel.cov_into(x.slice(0, i), x.slice(i, i + 1), &mut row);
            let own = self.kernel.eval(x.row(i), x.row(i)) + self.noise + self.data.noise[i];
            factor = Arc::new(factor.appended(row.column(0), own).ok()?);
        }
        Some(factor)
    }

    /// Fantasies: `count` posteriors, each conditioned on its own outcomes at the m points. The outcomes are drawn jointly, with the common
    /// noise. All posteriors share one factor.
    ///
    /// ```text
    /// y = mean(x) + L₂₂ z,   z ~ N(0, I)
    /// ```
    ///
    /// L₂₂ is the block of the factor that the points add; it contains the predictive covariance. Cost: m n² flops, and n² per posterior.
    ///
    /// # Errors
    /// As [`GpPosterior::with_observations`].
    pub fn fantasies(&self, x: PointsRef<'_>, count: usize, rng: &mut Stream) -> Result<Vec<Self>, GpError> {
        data::check(self.dim(), x, &vec![0.0; x.len()], &vec![0.0; x.len()])?;
        let (mut mean, mut variance) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        self.predict_into(x, &mut mean, &mut variance);
        let at_mean = self.with_observations(x, &mean)?;
        let old = self.len();
        let TargetScaling { offset, width } = self.data.targets;
        let draw = |_| {
            let mut outcome: Vec<f64> = mean.iter().map(|m| (m - offset) / width).collect();
            for j in 0..outcome.len() {
                let z: f64 = StandardNormal.sample(rng);
                let column = &at_mean.factor.factor().column(old + j)[old + j..];
                outcome[j..].iter_mut().zip(column).for_each(|(y, l)| *y += l * z);
            }
            let mut next = at_mean.clone();
            next.data.y[old..].copy_from_slice(&outcome);
            next.solve();
            next
        };
        Ok((0..count).map(draw).collect())
    }
}
