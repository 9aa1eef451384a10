//! Samplers of the minimum of a posterior.

use crate::{AcquisitionError, Context, Gumbel, PathSearch};

/// Sampler of minima for max-value entropy search. Without constraints the minima are over the domain. With constraints they are over its
/// [promising](Context::is_promising) points and the observed ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MinValueSampler {
    /// [`Gumbel`] quantiles, fitted to 1,000 Sobol points and the observed ones: cheap, but too low.
    Gumbel {
        /// Number of minima.
        count: usize,
    },
    /// Minima of functions drawn from the posterior, by [`minima_on`](crate::minima_on).
    Sampled {
        /// Number of minima.
        count: usize,
    },
}

impl MinValueSampler {
    /// Number of minima.
    #[must_use]
    pub fn count(self) -> usize {
        match self {
            Self::Gumbel { count } | Self::Sampled { count } => count,
        }
    }

    /// Samples minima of the posterior of a context.
    ///
    /// # Errors
    /// [`AcquisitionError`] for a posterior that lacks what the sampler needs, or a covariance that cannot be factored.
    pub fn sample(self, context: &mut Context<'_, '_>) -> Result<Vec<f64>, AcquisitionError> {
        match self {
            Self::Gumbel { count } => {
                let candidates = context.candidates(1000);
                Ok(Gumbel::of(context.posterior, candidates.as_ref())?.minima(count))
            }
            Self::Sampled { count } => {
                let minimizers = context.minimizers(&PathSearch::default(), count)?;
                Ok(minimizers.into_iter().map(|minimizer| minimizer.value).collect())
            }
        }
    }
}
