//! Features of a product of kernels.

use super::Features;

/// `φ_f ψ_f` of independent features.
#[derive(Clone)]
pub(crate) struct Multiplied {
    left: Box<dyn Features>,
    right: Box<dyn Features>,
}

impl Multiplied {
    pub(crate) fn new(left: Box<dyn Features>, right: Box<dyn Features>) -> Self {
        Self { left, right }
    }
}

impl Features for Multiplied {
    fn count(&self) -> usize {
        self.left.count()
    }

    fn eval_into(&self, x: &[f64], out: &mut [f64]) {
        let mut right = vec![0.0; out.len()];
        self.left.eval_into(x, out);
        self.right.eval_into(x, &mut right);
        out.iter_mut().zip(right).for_each(|(slot, right)| *slot *= right);
    }

    fn pull_back(&self, x: &[f64], weights: &[f64], grad: &mut [f64]) {
        let mut other = vec![0.0; weights.len()];
        for (part, by) in [(&self.left, &self.right), (&self.right, &self.left)] {
            by.eval_into(x, &mut other);
            other.iter_mut().zip(weights).for_each(|(other, w)| *other *= w);
            part.pull_back(x, &other, grad);
        }
    }

    fn clone_box(&self) -> Box<dyn Features> {
        Box::new(self.clone())
    }
}
