//! Bayesian linear regression before data.

use std::sync::Arc;

use thrifty_check::{dimension, length};
use thrifty_domain::PointsRef;

use crate::{Basis, Coefficients, LinearError, LinearPosterior};

/// Bayesian linear regression with known noise: basis functions and the prior of their coefficients.
#[derive(Clone)]
pub struct LinearModel<B> {
    basis: Arc<B>,
    prior: Coefficients,
}

impl<B: Basis> LinearModel<B> {
    /// A model with this prior.
    ///
    /// # Errors
    /// [`LinearError`] for another number of coefficients than functions.
    pub fn new(basis: B, prior: Coefficients) -> Result<Self, LinearError> {
        Self::shared(Arc::new(basis), prior)
    }

    /// Model whose basis is shared with other models.
    pub(crate) fn shared(basis: Arc<B>, prior: Coefficients) -> Result<Self, LinearError> {
        length("coefficients", prior.len(), basis.len())?;
        Ok(Self { basis, prior })
    }

    /// Prior, as a posterior without data.
    #[must_use]
    pub fn prior(&self) -> LinearPosterior<B> {
        LinearPosterior::new(self.basis.clone(), self.prior.clone())
    }

    /// Posterior after observations with known noise variances, and its log marginal likelihood.
    ///
    /// Shapes: `x` n×d, `y` and `noise` n. Cost: n J².
    ///
    /// # Errors
    /// [`LinearError`] for lengths that do not fit, numbers that are not finite, or a certain contradiction.
    pub fn condition(
        &self,
        x: PointsRef<'_>,
        y: &[f64],
        noise_variance: &[f64],
    ) -> Result<(LinearPosterior<B>, f64), LinearError> {
        length("targets", y.len(), x.len())?;
        length("noise variances", noise_variance.len(), x.len())?;
        dimension("points", x.dim(), self.basis.dim())?;
        let (mut belief, mut evidence) = (self.prior.clone(), 0.0);
        for ((row, y), noise_variance) in x.rows().zip(y).zip(noise_variance) {
            evidence += belief.update(&self.basis.eval(row), *y, *noise_variance)?.log_density();
        }
        Ok((LinearPosterior::new(self.basis.clone(), belief), evidence))
    }
}
