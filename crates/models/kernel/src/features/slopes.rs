//! Features of the linear kernel.

use thrifty_domain::Points;
use thrifty_sampling::Stream;

use super::{Features, sign};

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

    fn clone_box(&self) -> Box<dyn Features> {
        Box::new(self.clone())
    }
}
