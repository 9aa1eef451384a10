//! Traits of posteriors.

use thrifty_domain::PointsRef;
use thrifty_sampling::Stream;

use crate::{Lookahead, Prediction};

/// Posterior of a function on the unit cube: a mean and a variance at every point.
pub trait Posterior: Send + Sync {
    /// Dimension of the points it takes.
    fn dim(&self) -> usize;

    /// Mean and variance of the latent function at m points, overwriting both slices; one solve for all. Both are NaN at a point with a
    /// coordinate that is NaN.
    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]);

    /// Mean and variance at one point.
    fn predict(&self, x: &[f64]) -> Prediction {
        let (mut mean, mut variance) = ([0.0], [0.0]);
        self.predict_into(PointsRef::single(x), &mut mean, &mut variance);
        Prediction { mean: mean[0], variance: variance[0] }
    }

    /// Means alone at m points, the same bits as those of [`Posterior::predict_into`]; a model overrides it where variances are dear.
    fn mean_into(&self, x: PointsRef<'_>, mean: &mut [f64]) {
        self.predict_into(x, mean, &mut vec![0.0; x.len()]);
    }

    /// Gradients with respect to the point, if the model has them.
    fn gradient(&self) -> Option<&dyn PosteriorGradient> {
        None
    }

    /// Covariances between points, if the model has them.
    fn joint(&self) -> Option<&dyn JointPosterior> {
        None
    }

    /// Functions drawn from it, if it can draw them.
    fn paths(&self) -> Option<&dyn PathSampler> {
        None
    }
}

/// A posterior whose mean and variance can be differentiated with respect to the point.
pub trait PosteriorGradient: Posterior {
    /// Mean, variance and their gradients at m points; the gradients are m×d, row-major. Overwrites.
    fn predict_with_gradient_into(
        &self,
        x: PointsRef<'_>,
        mean: &mut [f64],
        variance: &mut [f64],
        mean_gradient: &mut [f64],
        variance_gradient: &mut [f64],
    );
}

/// Posterior with covariances between function values at different points.
pub trait JointPosterior: Posterior {
    /// Posterior covariance of the latent function at m points: m×m, row-major, symmetric to the bit. Overwrites.
    fn covariance_into(&self, x: PointsRef<'_>, out: &mut [f64]);

    /// Posterior covariance between the latent function at `a` and at `b`: row-major, `a` in rows. Overwrites.
    fn cross_covariance_into(&self, a: PointsRef<'_>, b: PointsRef<'_>, out: &mut [f64]);

    /// Magnitude of the prior variances that the covariances are what is left of; 0 when it is unknown.
    ///
    /// Rounding errors of the covariances are relative to it.
    fn prior_scale(&self) -> f64 {
        0.0
    }

    /// Its gradients, if it has them.
    fn joint_gradient(&self) -> Option<&dyn JointGradient> {
        None
    }

    /// Look-ahead for observations with this noise variance, if the model has a faster one than
    /// [`JointLookahead`](crate::JointLookahead); see [`lookahead`](crate::lookahead).
    fn own_lookahead<'a>(&'a self, _anchors: PointsRef<'_>, _noise: f64) -> Option<Box<dyn Lookahead + 'a>> {
        None
    }
}

/// A joint posterior that can be differentiated with respect to its points.
pub trait JointGradient: JointPosterior {
    /// Adds the gradient of a weighted sum of means and covariances at m points:
    ///
    /// ```text
    /// grad[i·d + k] += ∂/∂x_ik (Σ_i u_i mean_i + Σ_ij W_ij cov_ij)
    /// ```
    ///
    /// `of_mean` is u, `of_covariance` is W, m×m and row-major, not necessarily symmetric.
    fn pull_back_joint(&self, x: PointsRef<'_>, of_mean: &[f64], of_covariance: &[f64], grad: &mut [f64]);
}

/// A function drawn from a posterior.
pub trait SamplePath: Send + Sync {
    /// Dimension of the points it takes.
    fn dim(&self) -> usize;

    /// Its values at m points. Overwrites.
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]);

    /// Its value at a point; overwrites `gradient` with the slope there.
    fn value_with_gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64;
}

/// A posterior from which whole functions can be drawn.
pub trait PathSampler: Posterior {
    /// `count` independent functions; `None` when the prior has no way of drawing them.
    fn sample_paths(&self, count: usize, rng: &mut Stream) -> Option<Vec<Box<dyn SamplePath>>>;
}
