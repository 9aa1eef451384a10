//! Constant utility.

use thrifty_domain::PointsRef;

use crate::Acquisition;

/// Logarithm of the constant utility 1, with which only weights count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ZeroLog;

impl Acquisition for ZeroLog {
    fn values_into(&self, _: PointsRef<'_>, out: &mut [f64]) {
        out.fill(0.0);
    }

    fn values_with_gradients_into(&self, _: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        out.fill(0.0);
        gradients.fill(0.0);
        true
    }
}
