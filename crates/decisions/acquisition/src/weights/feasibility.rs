//! Probability of feasibility as a weight.

use crate::{LogProbabilityOfImprovement, Utility};

/// Logarithm of the probability that a constraint holds, `c(x) ≤ t`, from the posterior of c.
///
/// ```text
/// ln P(c ≤ t) = ln Φ((t - μ)/σ)
/// ```
///
/// At σ = 0 it is 0 where μ ≤ t, else minus infinity; unlike for an improvement, equality suffices. Independent constraints multiply: use
/// one weight each in [`Weighted`](crate::Weighted).
/// Source: Gardner et al. (2014).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogFeasibility {
    /// t.
    pub threshold: f64,
}

impl Utility for LogFeasibility {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        self.value_and_slopes(mean, std_dev).0
    }

    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        if std_dev <= 0.0 && mean <= self.threshold {
            return (0.0, 0.0, 0.0);
        }
        LogProbabilityOfImprovement { target: self.threshold }.value_and_slopes(mean, std_dev)
    }
}
