//! Look-ahead to the target fidelity.

use thrifty_domain::{Points, PointsRef};
use thrifty_surrogate::{JointPosterior, Lookahead, LookaheadCotangent, lookahead};

use crate::FidelityAxis;

/// Look-ahead of an observation at any fidelity on the function at the target: at the anchors, and at the observed configuration.
///
/// Its [`KnowledgeGradient`](thrifty_acquisition::KnowledgeGradient) is the value of an evaluation at fidelity s for a decision at the
/// target. At s = target it is the knowledge gradient of a single fidelity.
pub struct TargetLookahead<'a> {
    posterior: &'a dyn JointPosterior,
    axis: FidelityAxis,
    anchors: Points,
    /// Look-ahead moments with the anchors.
    inner: Box<dyn Lookahead + 'a>,
}

impl<'a> TargetLookahead<'a> {
    /// Look-ahead at these anchors, which are moved to the target. Observations have noise of this variance.
    pub fn new(
        posterior: &'a dyn JointPosterior,
        axis: &FidelityAxis,
        anchors: PointsRef<'_>,
        noise_variance: f64,
    ) -> Self {
        let anchors = at_target(axis, anchors);
        let inner = lookahead(posterior, anchors.as_ref(), noise_variance);
        Self { posterior, axis: axis.clone(), anchors, inner }
    }
}

/// The points at the target fidelity.
pub(crate) fn at_target(axis: &FidelityAxis, points: PointsRef<'_>) -> Points {
    let mut moved = points.to_owned();
    (0..moved.len()).for_each(|row| axis.move_to_target(moved.row_mut(row)));
    moved
}

impl Lookahead for TargetLookahead<'_> {
    fn dim(&self) -> usize {
        self.posterior.dim()
    }

    fn means(&self) -> &[f64] {
        self.inner.means()
    }

    fn moments_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64], covariance: &mut [f64]) {
        self.inner.moments_into(x, mean, variance, covariance);
        let moved = at_target(&self.axis, x);
        self.posterior.mean_into(moved.as_ref(), mean);
        for (i, row) in covariance.chunks_exact_mut(self.anchors.len() + 1).enumerate() {
            if let Some(own) = row.last_mut() {
                let (here, there) = (PointsRef::single(x.row(i)), PointsRef::single(moved.row(i)));
                self.posterior.cross_covariance_into(here, there, std::slice::from_mut(own));
            }
        }
    }

    fn pull_back(&self, x: &[f64], weights: LookaheadCotangent<'_>, grad: &mut [f64]) -> bool {
        let Some(gradient) = self.posterior.joint_gradient() else { return false };
        let Some((own, of_anchors)) = weights.covariance.split_last() else { return false };
        // Anchors with zero weight (never on the envelope) do not contribute.
        let used: Vec<usize> = (0..of_anchors.len()).filter(|i| of_anchors[*i] != 0.0).collect();
        // The anchors, the point at the target, the point itself.
        let (m, d) = (used.len() + 2, x.len());
        let mut points = Points::new(d);
        used.iter().for_each(|i| points.push(self.anchors.row(*i)));
        let mut moved = x.to_vec();
        self.axis.move_to_target(&mut moved);
        points.push(&moved);
        points.push(x);
        let (mut means, mut joint, mut slopes) = (vec![0.0; m], vec![0.0; m * m], vec![0.0; m * d]);
        means[m - 2] = weights.mean;
        let last = &mut joint[(m - 1) * m..];
        last.iter_mut().zip(&used).for_each(|(slot, i)| *slot = of_anchors[*i]);
        last[m - 2] = *own;
        last[m - 1] = weights.variance;
        gradient.pull_back_joint(points.as_ref(), &means, &joint, &mut slopes);
        let (there, here) = slopes[(m - 2) * d..].split_at(d);
        for (k, slot) in grad.iter_mut().enumerate() {
            // The fidelity of the point at the target is fixed.
            *slot += here[k] + if k == self.axis.column() { 0.0 } else { there[k] };
        }
        true
    }
}
