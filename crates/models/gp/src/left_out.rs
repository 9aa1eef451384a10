//! Observations that a process was not conditioned on.

use thrifty_domain::Points;
use thrifty_kernel::Kernel;
use thrifty_surrogate::{Observations, Posterior, Prediction};

use crate::GpPosterior;

/// Observations that a process was not conditioned on.
pub(crate) struct LeftOut {
    positions: Vec<usize>,
    x: Points,
    noise_variance: Vec<f64>,
}

impl LeftOut {
    /// All observations except those at these indices.
    pub(crate) fn new(all: Observations<'_>, kept: &[usize]) -> Self {
        let mut is_kept = vec![false; all.len()];
        kept.iter().for_each(|&i| is_kept[i] = true);
        let positions: Vec<usize> = (0..all.len()).filter(|&i| !is_kept[i]).collect();
        let mut x = Points::new(all.x.dim());
        positions.iter().for_each(|&i| x.push(all.x.row(i)));
        let noise = all.noise_variances();
        let noise_variance = positions.iter().map(|&i| noise[i]).collect();
        Self { positions, x, noise_variance }
    }

    /// Predictions of all observations in their order. Kept ones have the given predictions; a left-out one is predicted from all kept ones.
    pub(crate) fn merged<K: Kernel>(
        &self,
        posterior: &GpPosterior<K>,
        kept: Vec<Prediction>,
    ) -> Vec<Prediction> {
        let (mut mean, mut variance) = (vec![0.0; self.x.len()], vec![0.0; self.x.len()]);
        posterior.predict_into(self.x.as_ref(), &mut mean, &mut variance);
        let common = posterior.noise_variance();
        let total = kept.len() + self.positions.len();
        let (mut kept, mut left_out) = (kept.into_iter(), self.positions.iter().enumerate().peekable());
        let one = |i: usize| match left_out.next_if(|(_, position)| **position == i) {
            Some((j, _)) => {
                Some(Prediction { mean: mean[j], variance: variance[j] + common + self.noise_variance[j] })
            }
            None => kept.next(),
        };
        (0..total).filter_map(one).collect()
    }
}
