//! Entropy search on representer points.

use thrifty_domain::PointsRef;
use thrifty_surrogate::Description;

use super::minimizer::{End, MinimizerDistribution, Pieces, entropy};
use crate::factory::described;
use crate::{Acquisition, AcquisitionError, AcquisitionFactory, Context, UtilityScale};

/// Entropy search: expected decrease of the entropy of the minimiser's distribution after an observation, in nats.
///
/// ```text
/// ES(x) = H(p*) - E_u[H(p*(u))],   p* = E_u[p*(u)],   u the standardized outcome at x
/// ```
///
/// p*(u) is that of [`MinimizerDistribution`]. It is a step function of the outcome, so the expectation is a sum over its steps and exact
/// for the given draws. The mean of p* after the observation equals p* before it. The value is therefore never negative and never above
/// H(p*).
///
/// There is no gradient: the steps move with x, and the distribution becomes smooth only for large numbers of draws.
///
/// Source: Villemonteix et al. (2009); Hennig & Schuler (2012), with the entropy in place of their relative entropy to the uniform
/// distribution (equal on a fixed set of representers).
pub struct EntropySearch<'a> {
    law: MinimizerDistribution<'a>,
}

impl<'a> EntropySearch<'a> {
    /// Builds the acquisition from a distribution of the minimiser.
    #[must_use]
    pub fn new(law: MinimizerDistribution<'a>) -> Self {
        Self { law }
    }
}

impl Acquisition for EntropySearch<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.law.each(x, |i, pieces| out[i] = pieces.map_or(0.0, |pieces| fall_of_entropy(&pieces)));
    }
}

/// Sweeps over the outcomes. At each end of a piece, one draw changes its minimiser.
fn fall_of_entropy(law: &Pieces) -> f64 {
    let share = 1.0 / law.draws as f64;
    let mut before = vec![0.0; law.representers];
    let mut counts = vec![0_usize; law.representers];
    // If a piece ends, the next piece of its draw begins there.
    let mut changes: Vec<(End, usize, bool)> = Vec::with_capacity(2 * law.all.len());
    for &(line, from, to) in &law.all {
        before[line] += share * from.mass_to(to);
        if from == End::LEAST {
            counts[line] += 1;
        } else {
            changes.push((from, line, true));
        }
        if to != End::MOST {
            changes.push((to, line, false));
        }
    }
    changes.sort_unstable_by(|a, b| a.0.at.total_cmp(&b.0.at));
    let term = |count: usize| entropy([count as f64 * share]);
    let mut now: f64 = counts.iter().map(|count| term(*count)).sum();
    let (mut expected, mut reached) = (0.0, End::LEAST);
    for (at, line, begins) in changes {
        expected += now * reached.mass_to(at);
        reached = at;
        now -= term(counts[line]);
        counts[line] = if begins { counts[line] + 1 } else { counts[line] - 1 };
        now += term(counts[line]);
    }
    expected += now * reached.mass_to(End::MOST);
    (entropy(before) - expected).max(0.0)
}

/// Factory of [`EntropySearch`] on representer points chosen from the posterior.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct EntropySearchFactory {
    /// Number of representer points.
    pub representers: usize,
    /// Number of joint draws.
    pub draws: usize,
}

impl AcquisitionFactory for EntropySearchFactory {
    fn build<'a>(&self, mut context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        let minimizer = MinimizerDistribution::chosen(&mut context, self.representers, self.draws)?;
        Ok(Box::new(EntropySearch::new(minimizer)))
    }

    fn scale(&self) -> UtilityScale {
        UtilityScale::NonNegative
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        described("entropy search", self)
    }
}
