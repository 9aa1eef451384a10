//! Component functions of a hierarchical process.

use std::sync::Arc;

use thrifty_check::dimension;
use thrifty_domain::PointsRef;
use thrifty_gp::GpPosterior;
use thrifty_kernel::Kernel;
use thrifty_surrogate::{JointGradient, JointPosterior, Lookahead, Posterior, PosteriorGradient};

use crate::model::coded_alike;
use crate::{FoldKernel, FoldLookahead, HgpError};

/// One function of a hierarchical process, as a posterior over configurations.
#[derive(Clone)]
pub struct Component {
    gp: Arc<GpPosterior<FoldKernel>>,
    code: f64,
    /// Noise variance that the next observation is expected to report.
    expected_noise: f64,
}

impl Component {
    pub(crate) fn new(gp: Arc<GpPosterior<FoldKernel>>, code: f64) -> Self {
        Self { gp, code, expected_noise: 0.0 }
    }

    /// This function, where the next observation of a fold is expected to report a noise variance, in squared units of the targets. It adds
    /// to the common noise in all look-aheads; 0 by default.
    ///
    /// # Errors
    /// [`InputError`](thrifty_check::InputError) for a variance that is negative or not finite.
    pub fn with_expected_noise(mut self, variance: f64) -> Result<Self, HgpError> {
        self.expected_noise = thrifty_check::variance("expected noise variance", variance)?;
        Ok(self)
    }

    /// Noise variance of the next observation: the common noise plus the expected report.
    #[must_use]
    pub fn noise_variance(&self) -> f64 {
        self.gp.noise_variance() + self.expected_noise
    }

    /// The process of all functions together.
    pub(crate) fn process(&self) -> &GpPosterior<FoldKernel> {
        &self.gp
    }

    /// Code of this function in the last column of the process.
    pub(crate) fn code(&self) -> f64 {
        self.code
    }

    /// Prior variance at a configuration.
    ///
    /// # Errors
    /// [`InputError::Dimension`](thrifty_check::InputError::Dimension).
    pub fn prior_variance(&self, x: &[f64]) -> Result<f64, HgpError> {
        self.check(x)?;
        let coded = [x, &[self.code]].concat();
        Ok(self.gp.kernel().eval(&coded, &coded) * self.gp.target_scaling().width.powi(2))
    }

    pub(crate) fn check(&self, x: &[f64]) -> Result<(), HgpError> {
        Ok(dimension("point", x.len(), self.dim())?)
    }

    /// Drops the derivatives with respect to the fold.
    fn keep(&self, of_coded: &[f64], out: &mut [f64]) {
        let dim = self.dim();
        for (slot, own) in out.chunks_exact_mut(dim).zip(of_coded.chunks_exact(dim + 1)) {
            slot.copy_from_slice(&own[..dim]);
        }
    }
}

impl Posterior for Component {
    fn dim(&self) -> usize {
        self.gp.dim() - 1
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        self.gp.predict_into(coded_alike(x, self.code).as_ref(), mean, variance);
    }

    fn mean_into(&self, x: PointsRef<'_>, mean: &mut [f64]) {
        self.gp.mean_into(coded_alike(x, self.code).as_ref(), mean);
    }

    fn gradient(&self) -> Option<&dyn PosteriorGradient> {
        Some(self)
    }

    fn joint(&self) -> Option<&dyn JointPosterior> {
        Some(self)
    }
}

impl PosteriorGradient for Component {
    fn predict_with_gradient_into(
        &self,
        x: PointsRef<'_>,
        mean: &mut [f64],
        variance: &mut [f64],
        mean_gradient: &mut [f64],
        variance_gradient: &mut [f64],
    ) {
        let coded = coded_alike(x, self.code);
        let size = x.len() * (x.dim() + 1);
        let (mut of_mean, mut of_variance) = (vec![0.0; size], vec![0.0; size]);
        self.gp.predict_with_gradient_into(coded.as_ref(), mean, variance, &mut of_mean, &mut of_variance);
        self.keep(&of_mean, mean_gradient);
        self.keep(&of_variance, variance_gradient);
    }
}

impl JointPosterior for Component {
    fn prior_scale(&self) -> f64 {
        self.gp.prior_scale()
    }

    fn covariance_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.gp.covariance_into(coded_alike(x, self.code).as_ref(), out);
    }

    fn cross_covariance_into(&self, a: PointsRef<'_>, b: PointsRef<'_>, out: &mut [f64]) {
        let (a, b) = (coded_alike(a, self.code), coded_alike(b, self.code));
        self.gp.cross_covariance_into(a.as_ref(), b.as_ref(), out);
    }

    fn joint_gradient(&self) -> Option<&dyn JointGradient> {
        Some(self)
    }

    fn own_lookahead<'a>(
        &'a self,
        anchors: PointsRef<'_>,
        noise_variance: f64,
    ) -> Option<Box<dyn Lookahead + 'a>> {
        Some(Box::new(FoldLookahead::new(&self.gp, self.code, self.code, anchors, noise_variance)))
    }
}

impl JointGradient for Component {
    fn pull_back_joint(&self, x: PointsRef<'_>, of_mean: &[f64], of_covariance: &[f64], grad: &mut [f64]) {
        let mut of_coded = vec![0.0; x.len() * (x.dim() + 1)];
        let coded = coded_alike(x, self.code);
        self.gp.pull_back_joint(coded.as_ref(), of_mean, of_covariance, &mut of_coded);
        let dim = self.dim();
        for (slot, own) in grad.chunks_exact_mut(dim).zip(of_coded.chunks_exact(dim + 1)) {
            slot.iter_mut().zip(own).for_each(|(a, b)| *a += b);
        }
    }
}
