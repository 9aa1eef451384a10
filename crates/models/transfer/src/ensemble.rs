//! Fitted ensemble of models with and without sources.

use thrifty_surrogate::{FittedSurrogate, Member, Posterior, SurrogateError};

/// Weight of the model with a source.
#[derive(Debug, Clone, PartialEq)]
pub struct Weight {
    /// Name of the earlier task.
    pub name: String,
    /// Probability of ranking the observations best; 0 for a source that a guard dropped.
    pub weight: f64,
}

/// Fitted [`TransferSurrogate`](crate::TransferSurrogate): a mixture of the base surrogate's fit and of one model per source.
///
/// With all weight on the base surrogate it is that fit itself.
pub struct Ensemble {
    pub(crate) fitted: Box<dyn FittedSurrogate>,
    pub(crate) alone: f64,
    pub(crate) sources: Vec<Weight>,
    pub(crate) hyperparameters: Vec<f64>,
    pub(crate) learnt_from: Option<usize>,
}

impl Ensemble {
    /// Weight of the model without any source.
    #[must_use]
    pub fn weight_alone(&self) -> f64 {
        self.alone
    }

    /// Weights of the models with a source, in the order of the sources.
    #[must_use]
    pub fn source_weights(&self) -> &[Weight] {
        &self.sources
    }
}

impl FittedSurrogate for Ensemble {
    fn posterior(&self) -> &dyn Posterior {
        self.fitted.posterior()
    }

    /// Those of the model without sources, then those of each source's model, of one length each; a source without weight keeps those that
    /// it had. Where the base surrogate says from how many observations it learnt, these numbers follow, one per source.
    fn hyperparameters(&self) -> Vec<f64> {
        self.hyperparameters.clone()
    }

    fn learnt_from(&self) -> Option<usize> {
        self.learnt_from
    }

    fn members(&self) -> &[Member] {
        self.fitted.members()
    }

    fn lost_members(&self) -> usize {
        self.fitted.lost_members()
    }

    fn joint_limit(&self) -> usize {
        self.fitted.joint_limit()
    }

    fn noise_variance(&self) -> f64 {
        self.fitted.noise_variance()
    }

    /// Each model after the observation, with the weights as they are.
    fn fantasize(&self, x: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        Ok(Box::new(Self {
            fitted: self.fitted.fantasize(x, y)?,
            alone: self.alone,
            sources: self.sources.clone(),
            hyperparameters: self.hyperparameters.clone(),
            learnt_from: self.learnt_from,
        }))
    }
}
