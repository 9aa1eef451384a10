//! Features of a sum of kernels.

use thrifty_sampling::Stream;

use super::{Features, sign};

/// `φ_f + s_f ψ_f` with random signs s, which make the cross terms vanish on average.
#[derive(Clone)]
pub(crate) struct Added {
    left: Box<dyn Features>,
    right: Box<dyn Features>,
    signs: Vec<f64>,
}

impl Added {
    pub(crate) fn new(left: Box<dyn Features>, right: Box<dyn Features>, rng: &mut Stream) -> Self {
        let signs = (0..left.count()).map(|_| sign(rng)).collect();
        Self { left, right, signs }
    }
}

impl Features for Added {
    fn count(&self) -> usize {
        self.signs.len()
    }

    fn eval_into(&self, x: &[f64], out: &mut [f64]) {
        let mut right = vec![0.0; out.len()];
        self.left.eval_into(x, out);
        self.right.eval_into(x, &mut right);
        for ((slot, right), sign) in out.iter_mut().zip(right).zip(&self.signs) {
            *slot += sign * right;
        }
    }

    fn pull_back(&self, x: &[f64], weights: &[f64], grad: &mut [f64]) {
        self.left.pull_back(x, weights, grad);
        let signed: Vec<f64> = weights.iter().zip(&self.signs).map(|(w, s)| w * s).collect();
        self.right.pull_back(x, &signed, grad);
    }

    fn clone_box(&self) -> Box<dyn Features> {
        Box::new(self.clone())
    }
}
