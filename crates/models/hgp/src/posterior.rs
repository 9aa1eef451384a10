use std::sync::Arc;

use thrifty_domain::PointsRef;
use thrifty_gp::GpPosterior;
use thrifty_kernel::Kernel;
use thrifty_surrogate::Posterior;

use crate::model::coded;
use crate::{Average, Component, FoldKernel, HgpError};

/// What is believed of the true loss and of every fold.
#[derive(Clone)]
pub struct HgpPosterior {
    gp: Arc<GpPosterior<FoldKernel>>,
}

impl HgpPosterior {
    pub(crate) fn new(gp: GpPosterior<FoldKernel>) -> Self {
        Self { gp: Arc::new(gp) }
    }

    /// Dimension of a configuration.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.gp.dim() - 1
    }

    /// The process over (configuration, fold) below: its last column is the fold, or
    /// [`COMMON`](thrifty_kernel::Hierarchical::COMMON) for the true loss.
    #[must_use]
    pub fn process(&self) -> &Arc<GpPosterior<FoldKernel>> {
        &self.gp
    }

    /// The true loss f, without deviation and noise.
    #[must_use]
    pub fn common(&self) -> Component {
        Component::new(self.gp.clone(), FoldKernel::COMMON)
    }

    /// One fold, `f + δ_j`, without noise; a fold that was never observed is one as any other.
    #[must_use]
    pub fn fold(&self, fold: usize) -> Component {
        Component::new(self.gp.clone(), fold as f64)
    }

    /// The mean over some folds: what a full cross-validation over them measures.
    ///
    /// # Errors
    /// [`HgpError::NoFolds`].
    pub fn average(&self, folds: &[usize]) -> Result<Average, HgpError> {
        Average::new(self.gp.clone(), folds)
    }

    /// Variance of the true loss at a configuration before any data.
    ///
    /// # Errors
    /// [`HgpError::Dimension`].
    pub fn prior_variance(&self, x: &[f64]) -> Result<f64, HgpError> {
        if x.len() != self.dim() {
            return Err(HgpError::Dimension { expected: self.dim(), found: x.len() });
        }
        let coded = [x, &[FoldKernel::COMMON]].concat();
        Ok(self.gp.kernel().eval(&coded, &coded) * self.gp.target_scaling().width.powi(2))
    }

    /// The posterior after more losses of folds, with the hyperparameters as they are. Cost: n² flops for each.
    ///
    /// # Errors
    /// [`HgpError`] for mismatched data, anything not finite, or numerical breakdown.
    pub fn with_observations(&self, x: PointsRef<'_>, folds: &[usize], y: &[f64]) -> Result<Self, HgpError> {
        Ok(Self::new(self.gp.with_observations(coded(x, folds)?.as_ref(), y)?))
    }
}
