use std::sync::Arc;

use thrifty_domain::PointsRef;
use thrifty_sampling::Stream;
use thrifty_surrogate::Surrogate;

use crate::error::same_length;
use crate::{Basis, Coefficients, LinearError, LinearPosterior};

/// Bayesian linear regression with known noise: functions, and what is believed of their coefficients.
#[derive(Clone)]
pub struct LinearModel<B> {
    basis: Arc<B>,
    prior: Coefficients,
    noise: f64,
}

impl<B: Basis> LinearModel<B> {
    /// Observations have noise of this variance unless another is given with them.
    ///
    /// # Errors
    /// [`LinearError`] for another number of coefficients than functions, or a noise that is negative or not finite.
    pub fn new(basis: B, prior: Coefficients, noise: f64) -> Result<Self, LinearError> {
        same_length("coefficients", prior.len(), basis.len())?;
        crate::error::is_variance("noise variance", 0, noise)?;
        Ok(Self { basis: Arc::new(basis), prior, noise })
    }

    /// What is believed before data.
    #[must_use]
    pub fn prior(&self) -> LinearPosterior<B> {
        LinearPosterior::new(self.basis.clone(), self.prior.clone())
    }

    /// What is believed after observations with noise of known variances, and the logarithm of their evidence.
    ///
    /// Shapes: `x` n×d, `y` and `noise` n. Cost: n J².
    ///
    /// # Errors
    /// [`LinearError`] for lengths that do not fit, numbers that are not finite, or a certain contradiction.
    pub fn condition(
        &self,
        x: PointsRef<'_>,
        y: &[f64],
        noise: &[f64],
    ) -> Result<(LinearPosterior<B>, f64), LinearError> {
        same_length("targets", y.len(), x.len())?;
        same_length("noise variances", noise.len(), x.len())?;
        same_length("a point", x.dim(), self.basis.dim())?;
        let (mut belief, mut evidence) = (self.prior.clone(), 0.0);
        for ((row, y), noise) in x.rows().zip(y).zip(noise) {
            evidence += belief.update(&self.basis.eval(row), *y, *noise)?.log_density();
        }
        Ok((LinearPosterior::new(self.basis.clone(), belief), evidence))
    }
}

impl<B: Basis + 'static> Surrogate for LinearModel<B> {
    type Posterior = LinearPosterior<B>;
    type Error = LinearError;

    fn fit(&mut self, x: PointsRef<'_>, y: &[f64], _: &mut Stream) -> Result<Self::Posterior, LinearError> {
        Ok(self.condition(x, y, &vec![self.noise; y.len()])?.0)
    }
}
