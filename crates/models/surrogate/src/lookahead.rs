//! Look-ahead moments of one more observation.

use thrifty_domain::{Points, PointsRef};

use crate::JointPosterior;

/// Look-ahead: the effect of one more observation on the means of a function f at fixed points, the anchors.
///
/// An outcome that is z standard deviations above its mean moves the mean of f at anchor a by
/// `z cov[f(a), o(x)] / sd[o(x)]`, where o(x) is the observation at x, noise included. The observed function may differ
/// from f: a fold of a cross-validation is informative about the mean loss over all folds.
pub trait Lookahead: Send + Sync {
    /// Dimension of the points it takes.
    fn dim(&self) -> usize;

    /// Means of f at the anchors.
    fn means(&self) -> &[f64];

    /// For m points: mean of f there, variance of an observation there, and covariances of the observation with f at
    /// every anchor and then with f at the point itself, m×(anchors + 1), row-major. Overwrites.
    fn moments_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64], covariance: &mut [f64]);

    /// Adds the gradient of a weighted sum of the moments of [`Lookahead::moments_into`] at one point; returns false,
    /// and adds nothing, when the model has no gradients.
    fn pull_back(&self, x: &[f64], weights: LookaheadCotangent<'_>, grad: &mut [f64]) -> bool;
}

/// Weights of the look-ahead moments at one point.
#[derive(Debug, Clone, Copy)]
pub struct LookaheadCotangent<'a> {
    /// Weight of the mean.
    pub mean: f64,
    /// Weight of the variance of the observation.
    pub variance: f64,
    /// Weights of the covariances with every anchor and then with the function at the point itself.
    pub covariance: &'a [f64],
}

/// A look ahead by any joint posterior: observations are of the function itself with noise of this variance.
pub fn lookahead<'a>(
    posterior: &'a dyn JointPosterior,
    anchors: PointsRef<'_>,
    noise_variance: f64,
) -> Box<dyn Lookahead + 'a> {
    let own = posterior.own_lookahead(anchors, noise_variance);
    own.unwrap_or_else(|| Box::new(JointLookahead::new(posterior, anchors, noise_variance)))
}

/// A look ahead by nothing but joint covariances.
pub struct JointLookahead<'a> {
    posterior: &'a dyn JointPosterior,
    anchors: Points,
    means: Vec<f64>,
    noise_variance: f64,
}

impl<'a> JointLookahead<'a> {
    /// At these anchors, for observations with noise of this variance.
    pub fn new(posterior: &'a dyn JointPosterior, anchors: PointsRef<'_>, noise_variance: f64) -> Self {
        let (mut means, mut variances) = (vec![0.0; anchors.len()], vec![0.0; anchors.len()]);
        posterior.predict_into(anchors, &mut means, &mut variances);
        Self { posterior, anchors: anchors.to_owned(), means, noise_variance }
    }
}

impl Lookahead for JointLookahead<'_> {
    fn dim(&self) -> usize {
        self.posterior.dim()
    }

    fn means(&self) -> &[f64] {
        &self.means
    }

    fn moments_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64], covariance: &mut [f64]) {
        let anchors = self.anchors.len();
        self.posterior.predict_into(x, mean, variance);
        let mut cross = vec![0.0; x.len() * anchors];
        self.posterior.cross_covariance_into(x, self.anchors.as_ref(), &mut cross);
        for (i, row) in covariance.chunks_exact_mut(anchors + 1).enumerate() {
            row[..anchors].copy_from_slice(&cross[i * anchors..(i + 1) * anchors]);
            row[anchors] = variance[i];
            variance[i] += self.noise_variance;
        }
    }

    fn pull_back(&self, x: &[f64], weights: LookaheadCotangent<'_>, grad: &mut [f64]) -> bool {
        let Some(gradient) = self.posterior.joint_gradient() else { return false };
        let (own, of_anchors) = weights.covariance.split_last().expect("a weight for the point itself");
        // Anchors with zero weight (never on the envelope) do not contribute.
        let heard: Vec<usize> = (0..of_anchors.len()).filter(|i| of_anchors[*i] != 0.0).collect();
        let (m, d) = (heard.len() + 1, x.len());
        let mut points = Points::new(d);
        heard.iter().for_each(|i| points.push(self.anchors.row(*i)));
        points.push(x);
        let (mut means, mut joint, mut slopes) = (vec![0.0; m], vec![0.0; m * m], vec![0.0; m * d]);
        means[m - 1] = weights.mean;
        for (slot, i) in joint[(m - 1) * m..].iter_mut().zip(&heard) {
            *slot = of_anchors[*i];
        }
        joint[m * m - 1] = weights.variance + own;
        gradient.pull_back_joint(points.as_ref(), &means, &joint, &mut slopes);
        grad.iter_mut().zip(&slopes[(m - 1) * d..]).for_each(|(slot, slope)| *slot += slope);
        true
    }
}
