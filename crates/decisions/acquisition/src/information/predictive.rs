//! Predictive entropy search on representer points.

use thrifty_domain::PointsRef;
use thrifty_prob::pdf;
use thrifty_surrogate::Description;

use super::minimizer::{End, MinimizerDistribution, Pieces};
use crate::factory::described;
use crate::{Acquisition, AcquisitionError, AcquisitionFactory, Context, UtilityScale};

/// `½ ln 2πe`: the entropy of a standard normal variable.
const NORMAL_ENTROPY: f64 = 1.418_938_533_204_672_7;

/// Predictive entropy search: the expected decrease of the entropy of the outcome at x if the minimiser were known, in nats.
///
/// ```text
/// PES(x) = H(u) - Σ_i p*_i H(u | x* = i),   q_i(u) = φ(u) p*_i(u)/p*_i
/// ```
///
/// This is the mutual information of [`EntropySearch`](crate::EntropySearch) in its other form: both agree up to rounding on one
/// [`MinimizerDistribution`]. The entropy of each distribution `q_i` is exact for the given draws: p*_i(u) is a step function, and the
/// moments of φ on a step are known. There is no gradient.
///
/// Source: Hernández-Lobato, Hoffman & Ghahramani (2014), eq. 2; departure: exact on representers, while they draw x* from paths and
/// approximate H(u | x*) by expectation propagation.
pub struct PredictiveEntropySearch<'a> {
    law: MinimizerDistribution<'a>,
}

impl<'a> PredictiveEntropySearch<'a> {
    /// Builds the acquisition from a distribution of the minimiser.
    #[must_use]
    pub fn new(law: MinimizerDistribution<'a>) -> Self {
        Self { law }
    }
}

impl Acquisition for PredictiveEntropySearch<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.law.each(x, |i, pieces| out[i] = pieces.map_or(0.0, |pieces| fall_of_outcome_entropy(&pieces)));
    }
}

fn fall_of_outcome_entropy(law: &Pieces) -> f64 {
    let mut ends: Vec<Vec<(End, bool)>> = vec![Vec::new(); law.representers];
    for &(line, from, to) in &law.all {
        ends[line].push((from, true));
        ends[line].push((to, false));
    }
    let conditional: f64 = ends.iter_mut().map(|ends| weighted_entropy(ends, law.draws)).sum();
    (NORMAL_ENTROPY - conditional).max(0.0)
}

/// Value of `p H(q)` for `q(u) = φ(u) n(u)/(S p)`, where n is the number of pieces over u.
///
/// ```text
/// -∫ p q ln q = Σ_steps n/S [∫ φ (u²/2 + ½ ln 2π) - ln(n/(S p)) ∫ φ],   ∫_a^b u² φ = Φ(b) - Φ(a) - bφ(b) + aφ(a)
/// ```
fn weighted_entropy(ends: &mut [(End, bool)], draws: usize) -> f64 {
    ends.sort_unstable_by(|a, b| a.0.at.total_cmp(&b.0.at));
    let moment = |u: f64| if u.is_infinite() { 0.0 } else { u * pdf(u) };
    let mut steps: Vec<(f64, f64, f64)> = Vec::new();
    let (mut count, mut from, mut before) = (0_i64, End::LEAST, 0.0);
    for &(to, begins) in ends.iter() {
        let after = moment(to.at);
        if count > 0 && to.at > from.at {
            let mass = from.mass_to(to);
            steps.push((count as f64 / draws as f64, mass, mass - after + before));
        }
        count += if begins { 1 } else { -1 };
        (from, before) = (to, after);
    }
    let p: f64 = steps.iter().map(|(share, mass, _)| share * mass).sum();
    if p <= 0.0 {
        return 0.0;
    }
    let half_ln_tau = NORMAL_ENTROPY - 0.5;
    let of = |(share, mass, second): &(f64, f64, f64)| {
        share * (0.5 * second + (half_ln_tau - share.ln() + p.ln()) * mass)
    };
    steps.iter().map(of).sum()
}

/// Factory of [`PredictiveEntropySearch`] on representer points chosen from the posterior.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PredictiveEntropySearchFactory {
    /// Number of representer points.
    pub representers: usize,
    /// Number of joint draws.
    pub draws: usize,
}

impl AcquisitionFactory for PredictiveEntropySearchFactory {
    fn build<'a>(&self, mut context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        let minimizer = MinimizerDistribution::chosen(&mut context, self.representers, self.draws)?;
        Ok(Box::new(PredictiveEntropySearch::new(minimizer)))
    }

    fn scale(&self) -> UtilityScale {
        UtilityScale::NonNegative
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        described("predictive entropy search", self)
    }
}
