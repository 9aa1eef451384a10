//! Probability of the first feasible point.

use thrifty_acquisition::{
    Acquisition, AcquisitionError, ConditionalDraws, LogFeasibility, LookaheadMoments, Utility,
};
use thrifty_domain::{Points, PointsRef};
use thrifty_sampling::Stream;
use thrifty_surrogate::{JointPosterior, Lookahead, LookaheadCotangent, Posterior, lookahead};

/// Logarithm of the probability that a point breaks no constraint while every running trial breaks one.
///
/// ```text
/// ln 1/S Σ_s [no running trial is feasible in draw s] Π_j Φ(-μ_j,s(x)/σ'_j(x))
/// ```
///
/// What is sought while nothing feasible was measured: a point that would be the first. Without running trials it is the
/// probability of being feasible. Joint draws of all constraints at the running trials, as in [`ConditionalDraws`].
pub struct LogFirstFeasible<'a> {
    constraints: Vec<(Box<dyn Lookahead + 'a>, ConditionalDraws)>,
    /// Draws in which no running trial is feasible.
    kept: Vec<usize>,
    draws: usize,
}

const FEASIBLE: LogFeasibility = LogFeasibility { threshold: 0.0 };

impl<'a> LogFirstFeasible<'a> {
    /// Nothing without running trials, where a constraint has no joint posterior, or where a running trial is feasible in every
    /// draw: then nothing is left to be the first.
    ///
    /// # Errors
    /// [`AcquisitionError`] as [`ConditionalDraws::independent`].
    pub fn new(
        constraints: &[&'a dyn Posterior],
        running: &Points,
        draws: usize,
        rng: &mut Stream,
    ) -> Result<Option<Self>, AcquisitionError> {
        let joint: Option<Vec<&'a dyn JointPosterior>> = constraints.iter().map(|c| c.joint()).collect();
        let Some(joint) = joint.filter(|joint| !joint.is_empty() && !running.is_empty()) else {
            return Ok(None);
        };
        let given = ConditionalDraws::independent(&joint, running.as_ref(), draws, rng)?;
        let is_first = |draw: &usize| {
            let values: Vec<Vec<f64>> = given.iter().map(|given| given.values(*draw)).collect();
            (0..running.len()).all(|i| values.iter().any(|column| column[i] > 0.0))
        };
        let kept: Vec<usize> = (0..draws).filter(is_first).collect();
        if kept.is_empty() {
            return Ok(None);
        }
        let ahead = joint.iter().map(|joint| lookahead(*joint, running.as_ref(), 0.0));
        Ok(Some(Self { constraints: ahead.zip(given).collect(), kept, draws }))
    }

    /// The value at one point, and into `gradient` its slopes; false where a model has none.
    fn add(&self, x: &[f64], gradient: Option<&mut [f64]>) -> (f64, bool) {
        let mut logs = vec![0.0; self.kept.len()];
        let mut seen = Vec::with_capacity(self.constraints.len());
        for (lookahead, given) in &self.constraints {
            let (mut mean, mut variance) = ([0.0], [0.0]);
            let mut covariance = vec![0.0; lookahead.means().len() + 1];
            lookahead.moments_into(PointsRef::single(x), &mut mean, &mut variance, &mut covariance);
            let mut means = vec![0.0; self.draws];
            let ahead = LookaheadMoments { mean: mean[0], variance: variance[0], covariance: &covariance };
            let remainder = given.means_into(ahead, &mut means);
            let terms: Vec<(f64, f64, f64)> =
                self.kept.iter().map(|s| FEASIBLE.value_and_slopes(means[*s], remainder.std_dev)).collect();
            logs.iter_mut().zip(&terms).for_each(|(log, term)| *log += term.0);
            seen.push((remainder, terms));
        }
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if largest == f64::NEG_INFINITY {
            return (largest, true);
        }
        let sum: f64 = logs.iter().map(|log| (log - largest).exp()).sum();
        if let Some(gradient) = gradient {
            for ((lookahead, given), (remainder, terms)) in self.constraints.iter().zip(&seen) {
                let (mut by_means, mut by_std_dev) = (vec![0.0; self.draws], 0.0);
                for ((s, log), term) in self.kept.iter().zip(&logs).zip(terms) {
                    let share = (log - largest).exp() / sum;
                    // What does not share has slopes that are not numbers.
                    if share > 0.0 {
                        by_means[*s] = share * term.1;
                        by_std_dev += share * term.2;
                    }
                }
                let mut covariance = vec![0.0; lookahead.means().len() + 1];
                let slopes = given.slopes_into(remainder, &by_means, by_std_dev, &mut covariance);
                let weights = LookaheadCotangent {
                    mean: slopes.mean,
                    variance: slopes.variance,
                    covariance: &covariance,
                };
                if !lookahead.pull_back(x, weights, gradient) {
                    return (0.0, false);
                }
            }
        }
        (largest + (sum / self.draws as f64).ln(), true)
    }
}

impl Acquisition for LogFirstFeasible<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        x.rows().zip(out).for_each(|(x, value)| *value = self.add(x, None).0);
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        gradients.fill(0.0);
        let each = x.rows().zip(out).zip(gradients.chunks_exact_mut(x.dim()));
        for ((x, value), gradient) in each {
            let (found, differentiable) = self.add(x, Some(gradient));
            if !differentiable {
                return false;
            }
            *value = found;
        }
        true
    }
}
