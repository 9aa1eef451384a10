//! Acquisition functions of the joint moments of one observation and fixed anchors.

use thrifty_domain::PointsRef;
use thrifty_surrogate::{Lookahead, LookaheadCotangent};

use crate::Acquisition;
use crate::acquisition::settle;

/// Joint moments of one observation at a point and the function at fixed anchors.
#[derive(Debug, Clone, Copy)]
pub struct LookaheadMoments<'a> {
    /// Mean μ of the function at the point.
    pub mean: f64,
    /// Variance of the observation: that of the function plus the noise.
    pub variance: f64,
    /// Covariance of the observation with the function at every anchor, and last with the function at the point itself.
    pub covariance: &'a [f64],
}

impl<'a> LookaheadMoments<'a> {
    /// Covariances with the anchors, and the variance of the function at the point; empty and 0 without covariances.
    pub(crate) fn split(&self) -> (&'a [f64], f64) {
        self.covariance.split_last().map_or((&[], 0.0), |(own, anchors)| (anchors, own.max(0.0)))
    }
}

/// Slopes of a [`LookaheadUtility`], except those by the covariances.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LookaheadGradient {
    /// Slope by the mean.
    pub mean: f64,
    /// Slope by the variance of the observation.
    pub variance: f64,
}

/// A utility of the joint moments of an observation at a point and the function at the anchors.
pub trait LookaheadUtility: Send + Sync {
    /// Its value.
    fn value(&self, ahead: LookaheadMoments<'_>) -> f64;

    /// The value with slopes; the slopes by the covariances overwrite `of_covariance`.
    fn value_and_slopes(
        &self,
        ahead: LookaheadMoments<'_>,
        of_covariance: &mut [f64],
    ) -> (f64, LookaheadGradient);

    /// True if values are in units of the function: see [`Acquisition::has_unit`].
    fn has_unit(&self) -> bool {
        false
    }
}

/// Acquisition function of a [`LookaheadUtility`]: batched, with gradients if the model has them.
pub struct LookaheadAcquisition<'a, U> {
    lookahead: Box<dyn Lookahead + 'a>,
    utility: U,
}

impl<'a, U: LookaheadUtility> LookaheadAcquisition<'a, U> {
    /// Acquisition by a utility of the look-ahead moments.
    pub fn new(lookahead: Box<dyn Lookahead + 'a>, utility: U) -> Self {
        Self { lookahead, utility }
    }

    /// The acquisition of another utility, made from this one, with the same look-ahead.
    pub fn map<V: LookaheadUtility>(self, to: impl FnOnce(U) -> V) -> LookaheadAcquisition<'a, V> {
        LookaheadAcquisition { lookahead: self.lookahead, utility: to(self.utility) }
    }

    /// The utility.
    pub fn utility(&self) -> &U {
        &self.utility
    }

    pub(crate) fn utility_mut(&mut self) -> &mut U {
        &mut self.utility
    }

    /// Calls `visit` with the look-ahead moments of each point.
    fn each(&self, x: PointsRef<'_>, mut visit: impl FnMut(usize, LookaheadMoments<'_>)) {
        let width = self.lookahead.means().len() + 1;
        let (mut mean, mut variance) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        let mut covariance = vec![0.0; x.len() * width];
        self.lookahead.moments_into(x, &mut mean, &mut variance, &mut covariance);
        for (i, covariance) in covariance.chunks_exact(width).enumerate() {
            visit(i, LookaheadMoments { mean: mean[i], variance: variance[i], covariance });
        }
    }
}

impl<U: LookaheadUtility> Acquisition for LookaheadAcquisition<'_, U> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.each(x, |i, ahead| out[i] = self.utility.value(ahead));
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        let d = x.dim();
        let mut of_covariance = vec![0.0; self.lookahead.means().len() + 1];
        let mut differentiable = true;
        gradients.fill(0.0);
        self.each(x, |i, ahead| {
            let (value, slopes) = self.utility.value_and_slopes(ahead, &mut of_covariance);
            out[i] = value;
            let weights = LookaheadCotangent {
                mean: slopes.mean,
                variance: slopes.variance,
                covariance: &of_covariance,
            };
            let gradient = &mut gradients[i * d..(i + 1) * d];
            differentiable = differentiable && self.lookahead.pull_back(x.row(i), weights, gradient);
            settle(gradient);
        });
        differentiable
    }

    fn has_unit(&self) -> bool {
        self.utility.has_unit()
    }
}
