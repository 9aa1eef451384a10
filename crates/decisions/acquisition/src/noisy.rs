use thrifty_domain::PointsRef;
use thrifty_sampling::Stream;
use thrifty_surrogate::{JointPosterior, lookahead};

use crate::ahead::{Ahead, AheadSlopes, LookaheadUtility, OfLookahead};
use crate::joint_law::smallest;
use crate::{
    Acquisition, AcquisitionError, ExpectedImprovement, GivenDraws, LogExpectedImprovement, Utility,
};

/// Noisy expected improvement: improvement on the best of points whose values are uncertain, observed or pending.
///
/// ```text
/// NEI(x) = 1/S Σ_s EI(μ_s(x), σ'(x); min_i f^s_i),   f^s = μ_B + L z^s,   L Lᵀ = Σ_B
/// μ_s(x) = μ(x) + (L⁻¹ c(x))ᵀ z^s,   σ'²(x) = σ²(x) - ‖L⁻¹ c(x)‖²
/// ```
///
/// S joint draws of the function at the baseline B; given each the improvement at x is known in closed form, so x
/// adds no sampling noise. The z^s are quasi-random and fixed: the value is deterministic and smooth in x. Pending
/// points belong in the baseline: choosing point after point with those already chosen is the greedy batch (q-NEI,
/// and q-EI where there is no noise). Without noise and pending points it is [`ExpectedImprovement`] on the best
/// observed value.
///
/// Cost: O(B³) once, B covariances and O(B² + S B) a point. Of a large baseline [`contenders`](crate::contenders)
/// leaves those that may be the best.
/// Source: Letham et al. (2019); logarithm: Ament et al. (2023); departure: draws at the baseline
/// alone, x in closed form.
pub struct NoisyExpectedImprovement<'a>(OfLookahead<'a, Conditional>);

/// Improvement given each draw.
struct Conditional {
    given: GivenDraws,
    /// The smallest value of each draw.
    best: Vec<f64>,
    logarithm: bool,
}

impl<'a> NoisyExpectedImprovement<'a> {
    /// On the best of the baseline, with `draws` quasi-random draws.
    ///
    /// # Errors
    /// [`AcquisitionError`] for an empty baseline, no draws, another dimension, or a covariance that cannot be
    /// factored.
    pub fn new(
        posterior: &'a dyn JointPosterior,
        baseline: PointsRef<'_>,
        draws: usize,
        rng: &mut Stream,
    ) -> Result<Self, AcquisitionError> {
        let given = GivenDraws::new(posterior, baseline, draws, rng)?;
        let lowest = |draw| {
            let values = given.values(draw);
            values[smallest(&values)]
        };
        let best = (0..given.draws()).map(lowest).collect();
        let utility = Conditional { given, best, logarithm: false };
        Ok(Self(OfLookahead::new(lookahead(posterior, baseline, 0.0), utility)))
    }

    /// Its natural logarithm: has slopes where the value is too small for a number.
    #[must_use]
    pub fn logarithm(mut self) -> Self {
        self.0.utility_mut().logarithm = true;
        self
    }
}

impl Acquisition for NoisyExpectedImprovement<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.0.values_into(x, out);
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        self.0.values_with_gradients_into(x, out, gradients)
    }
}

impl LookaheadUtility for Conditional {
    fn value(&self, ahead: Ahead<'_>) -> f64 {
        let mut means = vec![0.0; self.best.len()];
        let deviation = self.given.means_into(ahead, &mut means).deviation;
        let each = self.best.iter().zip(means);
        if self.logarithm {
            let terms: Vec<f64> = each
                .map(|(best, mean)| LogExpectedImprovement { threshold: *best }.value(mean, deviation))
                .collect();
            log_mean_exp(&terms)
        } else {
            let terms =
                each.map(|(best, mean)| ExpectedImprovement { threshold: *best }.value(mean, deviation));
            terms.sum::<f64>() / self.best.len() as f64
        }
    }

    fn value_and_slopes(&self, ahead: Ahead<'_>, of_covariance: &mut [f64]) -> (f64, AheadSlopes) {
        let mut means = vec![0.0; self.best.len()];
        let remainder = self.given.means_into(ahead, &mut means);
        let deviation = remainder.deviation;
        let each = self.best.iter().zip(&means).map(|(best, mean)| {
            if self.logarithm {
                LogExpectedImprovement { threshold: *best }.value_and_slopes(*mean, deviation)
            } else {
                ExpectedImprovement { threshold: *best }.value_and_slopes(*mean, deviation)
            }
        });
        let terms: Vec<(f64, f64, f64)> = each.collect();
        let count = terms.len() as f64;
        let values: Vec<f64> = terms.iter().map(|term| term.0).collect();
        let value = if self.logarithm { log_mean_exp(&values) } else { values.iter().sum::<f64>() / count };
        if value == f64::NEG_INFINITY {
            of_covariance.fill(0.0);
            return (value, AheadSlopes::default());
        }
        let mut by_deviation = 0.0;
        for (by_mean, (term, of_mean, of_deviation)) in means.iter_mut().zip(&terms) {
            let weight = if self.logarithm { (term - value).exp() } else { 1.0 } / count;
            *by_mean = 0.0;
            // A term of minus infinity has no slopes.
            if weight > 0.0 {
                *by_mean = weight * of_mean;
                by_deviation += weight * of_deviation;
            }
        }
        (value, self.given.slopes_into(&remainder, &means, by_deviation, of_covariance))
    }
}

/// `ln (1/n Σ exp v_i)`.
pub(crate) fn log_mean_exp(values: &[f64]) -> f64 {
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest.is_infinite() {
        return largest;
    }
    largest + (values.iter().map(|v| (v - largest).exp()).sum::<f64>() / values.len() as f64).ln()
}
