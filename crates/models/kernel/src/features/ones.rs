//! Features of the constant kernel.

use super::Features;

/// 1, so that the weighted sum is one normal number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ones(pub(crate) usize);

impl Features for Ones {
    fn count(&self) -> usize {
        self.0
    }

    fn eval_into(&self, _x: &[f64], out: &mut [f64]) {
        out.fill(1.0);
    }

    fn pull_back(&self, _x: &[f64], _weights: &[f64], _grad: &mut [f64]) {}

    fn clone_box(&self) -> Box<dyn Features> {
        Box::new(*self)
    }
}
