//! Acquisition functions with known constraints as a mask.

use thrifty_domain::PointsRef;
use thrifty_optim::Objective;

use crate::Acquisition;

/// An acquisition that is minus infinity where a known constraint does not allow the point. No maximiser chooses such a point if there is another.
///
/// The gradient is unchanged at allowed points and 0 elsewhere. A gradient search that starts inside stays inside, because steps to minus
/// infinity are rejected.
pub struct Masked<A, F> {
    acquisition: A,
    allowed: F,
}

impl<A: Acquisition, F: Fn(&[f64]) -> bool + Send + Sync> Masked<A, F> {
    /// Masks an acquisition to the points for which `allowed` returns true.
    pub fn new(acquisition: A, allowed: F) -> Self {
        Self { acquisition, allowed }
    }
}

impl<A: Acquisition, F: Fn(&[f64]) -> bool + Send + Sync> Acquisition for Masked<A, F> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.acquisition.values_into(x, out);
        for (point, value) in x.rows().zip(out) {
            if !(self.allowed)(point) {
                *value = f64::NEG_INFINITY;
            }
        }
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        if !self.acquisition.values_with_gradients_into(x, out, gradients) {
            return false;
        }
        for ((point, value), gradient) in x.rows().zip(out).zip(gradients.chunks_exact_mut(x.dim())) {
            if !(self.allowed)(point) {
                *value = f64::NEG_INFINITY;
                gradient.fill(0.0);
            }
        }
        true
    }

    fn has_unit(&self) -> bool {
        self.acquisition.has_unit()
    }
}

impl<A: Acquisition, F: Fn(&[f64]) -> bool + Send + Sync> Objective for Masked<A, F> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        Acquisition::values_into(self, x, out);
    }

    fn value_with_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Option<f64> {
        let mut value = [0.0];
        self.values_with_gradients_into(PointsRef::single(x), &mut value, gradient).then_some(value[0])
    }
}
