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

/// Fitted [`TransferSurrogate`](crate::TransferSurrogate): a mixture of the base surrogate's fit and one model per source.
///
/// If the base surrogate has all the weight, it is that fit itself.
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

    /// Hyperparameters of the model without sources, then of each source's model, all of the same length. A source without weight keeps its
    /// previous ones. If the base surrogate reports the number of observations that it learnt from, these numbers follow, one per source.
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

    /// Conditions each model on the observation; the weights are unchanged.
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
