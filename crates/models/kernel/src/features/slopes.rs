use thrifty_domain::Points;
use thrifty_sampling::Stream;

use super::{Features, sign};

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

    fn boxed(&self) -> Box<dyn Features> {
        Box::new(*self)
    }
}

/// `Σ_d s_fd √v_d x_d` with random signs s.
#[derive(Debug, Clone)]
pub(crate) struct Slopes(pub(crate) Points);

impl Slopes {
    pub(crate) fn of(variances: &[f64], count: usize, rng: &mut Stream) -> Self {
        let mut slopes = Points::zeros(count, variances.len());
        for f in 0..count {
            for (slope, v) in slopes.row_mut(f).iter_mut().zip(variances) {
                *slope = sign(rng) * v.sqrt();
            }
        }
        Self(slopes)
    }
}

impl Features for Slopes {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn eval_into(&self, x: &[f64], out: &mut [f64]) {
        for (slot, slope) in out.iter_mut().zip(self.0.rows()) {
            *slot = slope.iter().zip(x).map(|(s, x)| s * x).sum();
        }
    }

    fn pull_back(&self, _x: &[f64], weights: &[f64], grad: &mut [f64]) {
        for (weight, slope) in weights.iter().zip(self.0.rows()) {
            grad.iter_mut().zip(slope).for_each(|(slot, s)| *slot += weight * s);
        }
    }

    fn boxed(&self) -> Box<dyn Features> {
        Box::new(self.clone())
    }
}
