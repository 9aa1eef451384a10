//! Look-ahead moments of a hierarchical process.

use thrifty_domain::PointsRef;
use thrifty_gp::{GpLookahead, GpPosterior};
use thrifty_surrogate::{Lookahead, LookaheadCotangent};

use crate::model::coded_alike;
use crate::{Component, FoldKernel};

/// Look-ahead in a hierarchical process: one function is observed and another is the target, usually the true loss.
pub struct FoldLookahead<'a> {
    inner: GpLookahead<'a, FoldKernel>,
    observed: f64,
    target: f64,
}

impl<'a> FoldLookahead<'a> {
    pub(crate) fn new(
        gp: &'a GpPosterior<FoldKernel>,
        observed: f64,
        target: f64,
        anchors: PointsRef<'_>,
        noise_variance: f64,
    ) -> Self {
        let inner = GpLookahead::new(gp, coded_alike(anchors, target).as_ref(), noise_variance);
        Self { inner, observed, target }
    }
}

impl Component {
    /// Look-ahead of this function at the anchors, for an observation of a fold with noise.
    #[must_use]
    pub fn fold_lookahead(&self, fold: usize, anchors: PointsRef<'_>) -> FoldLookahead<'_> {
        FoldLookahead::new(self.process(), fold as f64, self.code(), anchors, self.noise_variance())
    }
}

impl Lookahead for FoldLookahead<'_> {
    fn dim(&self) -> usize {
        self.inner.dim() - 1
    }

    fn means(&self) -> &[f64] {
        self.inner.means()
    }

    fn moments_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64], covariance: &mut [f64]) {
        let (observed, targets) = (coded_alike(x, self.observed), coded_alike(x, self.target));
        self.inner.look_between(observed.as_ref(), targets.as_ref(), mean, variance, covariance);
    }

    fn pull_back(&self, x: &[f64], weights: LookaheadCotangent<'_>, grad: &mut [f64]) -> bool {
        let (observed, target) = ([x, &[self.observed]].concat(), [x, &[self.target]].concat());
        let (mut of_observed, mut of_target) = (vec![0.0; observed.len()], vec![0.0; target.len()]);
        self.inner.pull_back_between(&observed, &target, weights, &mut of_observed, &mut of_target);
        // The column that identifies the function is fixed.
        for (slot, (o, t)) in grad.iter_mut().zip(of_observed.iter().zip(&of_target)) {
            *slot += o + t;
        }
        true
    }
}
