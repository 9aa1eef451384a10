//! Posterior hierarchical Gaussian process.

use std::sync::Arc;

use thrifty_censored::CensoredPosterior;
use thrifty_check::InputError;
use thrifty_domain::PointsRef;
use thrifty_gp::GpPosterior;
use thrifty_kernel::MemberCode;
use thrifty_surrogate::Posterior;

use crate::model::coded;
use crate::{Component, FoldKernel, HgpError};

/// Joint posterior of the true loss and of every fold.
#[derive(Clone)]
pub struct HgpPosterior {
    gp: Arc<GpPosterior<FoldKernel>>,
    hyperparameters: Vec<f64>,
}

impl HgpPosterior {
    pub(crate) fn new(gp: GpPosterior<FoldKernel>) -> Self {
        Self { hyperparameters: gp.hyperparameters(), gp: Arc::new(gp) }
    }

    /// Converts a posterior from values and bounds.
    pub(crate) fn censored(posterior: &CensoredPosterior<FoldKernel>) -> Self {
        Self { gp: Arc::new(posterior.process().clone()), hyperparameters: posterior.hyperparameters() }
    }

    /// Hyperparameters of the fit, for [`Hgp::warm_started`](crate::Hgp::warm_started).
    #[must_use]
    pub fn hyperparameters(&self) -> Vec<f64> {
        self.hyperparameters.clone()
    }

    /// Dimension of a configuration.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.gp.dim() - 1
    }

    /// The underlying process over (configuration, fold). The last column of a point encodes the fold or the true loss, by [`MemberCode`].
    #[must_use]
    pub fn process(&self) -> &Arc<GpPosterior<FoldKernel>> {
        &self.gp
    }

    /// The true loss f, without deviation and noise.
    #[must_use]
    pub fn common(&self) -> Component {
        Component::new(self.gp.clone(), MemberCode::Common.column())
    }

    /// One fold, `f + δ_j`, without noise. A fold that was never observed is allowed.
    #[must_use]
    pub fn fold(&self, fold: usize) -> Component {
        Component::new(self.gp.clone(), MemberCode::Member(fold).column())
    }

    /// The mean of the first `count` folds, without noise: the quantity that a full cross-validation over them measures. It differs from
    /// the true loss, because it includes the deviations of these folds. Unlike the true loss, it is known where all of them were observed.
    ///
    /// # Errors
    /// [`InputError::Empty`] for no folds.
    pub fn mean_of(&self, count: usize) -> Result<Component, HgpError> {
        let code = match count {
            0 => return Err(InputError::Empty { name: "folds" }.into()),
            1 => MemberCode::Member(0),
            _ => MemberCode::MeanOf(count),
        };
        Ok(Component::new(self.gp.clone(), code.column()))
    }

    /// The posterior after more losses of folds, with unchanged hyperparameters. Cost: n² flops per loss.
    ///
    /// # Errors
    /// [`HgpError`] for mismatched data, anything not finite, or numerical breakdown.
    pub fn with_observations(&self, x: PointsRef<'_>, folds: &[usize], y: &[f64]) -> Result<Self, HgpError> {
        let gp = Arc::new(self.gp.with_observations(coded(x, folds)?.as_ref(), y)?);
        Ok(Self { gp, hyperparameters: self.hyperparameters.clone() })
    }
}
