use thrifty_sampling::Stream;

use super::{Features, sign};

/// `a φ_f`.
#[derive(Clone)]
pub(crate) struct Amplified {
    pub(crate) features: Box<dyn Features>,
    pub(crate) by: f64,
}

impl Features for Amplified {
    fn count(&self) -> usize {
        self.features.count()
    }

    fn eval_into(&self, x: &[f64], out: &mut [f64]) {
        self.features.eval_into(x, out);
        out.iter_mut().for_each(|slot| *slot *= self.by);
    }

    fn pull_back(&self, x: &[f64], weights: &[f64], grad: &mut [f64]) {
        let weights: Vec<f64> = weights.iter().map(|w| w * self.by).collect();
        self.features.pull_back(x, &weights, grad);
    }

    fn boxed(&self) -> Box<dyn Features> {
        Box::new(self.clone())
    }
}

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

    fn boxed(&self) -> Box<dyn Features> {
        Box::new(self.clone())
    }
}

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

    fn boxed(&self) -> Box<dyn Features> {
        Box::new(self.clone())
    }
}

/// The features of the part of a point that lies in some of its columns.
#[derive(Clone)]
pub(crate) struct OnColumns {
    pub(crate) features: Box<dyn Features>,
    pub(crate) columns: Vec<usize>,
}

impl Features for OnColumns {
    fn count(&self) -> usize {
        self.features.count()
    }

    fn eval_into(&self, x: &[f64], out: &mut [f64]) {
        let own: Vec<f64> = self.columns.iter().map(|&c| x[c]).collect();
        self.features.eval_into(&own, out);
    }

    fn pull_back(&self, x: &[f64], weights: &[f64], grad: &mut [f64]) {
        let own: Vec<f64> = self.columns.iter().map(|&c| x[c]).collect();
        let mut inner = vec![0.0; own.len()];
        self.features.pull_back(&own, weights, &mut inner);
        self.columns.iter().zip(inner).for_each(|(&c, g)| grad[c] += g);
    }

    fn boxed(&self) -> Box<dyn Features> {
        Box::new(self.clone())
    }
}
