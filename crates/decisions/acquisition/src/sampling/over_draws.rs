//! Mean of a utility over joint draws.

use thrifty_domain::PointsRef;
use thrifty_surrogate::{JointPosterior, lookahead};

use crate::sampling::log_mean_exp;
use crate::{Acquisition, AcquisitionError, ConditionalDraws, Utility};
use crate::{LookaheadAcquisition, LookaheadGradient, LookaheadMoments, LookaheadUtility};

/// Mean of a utility over joint draws of the function at other points; each draw has its own utility `u_s`.
///
/// ```text
/// α(x) = 1/S Σ_s u_s(μ_s(x), σ'(x)),   or   ln 1/S Σ_s exp u_s(μ_s(x), σ'(x)) for logarithms
/// ```
///
/// The points are those of running trials. `u_s` is an improvement over the draw's values there and over the measurements. With expected
/// improvement this is the greedy choice of a batch by q-EI. Given a draw, the function at x is normal ([`ConditionalDraws`]), so x adds no
/// sampling noise. The value is deterministic and smooth.
///
/// Cost per point: one prediction, B covariances, O(B² + S B) for B points.
/// Source: Ginsbourger, Le Riche & Carraro (2010); Snoek, Larochelle & Adams (2012), section 3.3; departure: x in closed form.
pub struct OverDraws<'a>(LookaheadAcquisition<'a, GivenEach>);

impl<'a> OverDraws<'a> {
    /// Acquisition over these draws at these points, with one utility per draw.
    ///
    /// If `logarithms` is true, the utilities are logarithms.
    ///
    /// # Errors
    /// [`InputError::Number`](thrifty_check::InputError::Number) if the numbers of utilities and draws differ.
    pub fn new(
        posterior: &'a dyn JointPosterior,
        points: PointsRef<'_>,
        given: ConditionalDraws,
        utilities: Vec<Box<dyn Utility>>,
        logarithms: bool,
    ) -> Result<Self, AcquisitionError> {
        let count = utilities.len();
        let matches = count == given.draws() && count > 0;
        thrifty_check::number("number of utilities", count as f64, matches, "one per draw")?;
        let utility = GivenEach { given, utilities, logarithms };
        Ok(Self(LookaheadAcquisition::new(lookahead(posterior, points, 0.0), utility)))
    }

    /// Replaces the utilities by their logarithms and takes the logarithm of the mean.
    pub(crate) fn with_logarithms(mut self, utilities: Vec<Box<dyn Utility>>) -> Self {
        let inner = self.0.utility_mut();
        (inner.utilities, inner.logarithms) = (utilities, true);
        self
    }
}

impl Acquisition for OverDraws<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.0.values_into(x, out);
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        self.0.values_with_gradients_into(x, out, gradients)
    }

    fn has_unit(&self) -> bool {
        self.0.has_unit()
    }
}

/// One utility per draw.
struct GivenEach {
    given: ConditionalDraws,
    utilities: Vec<Box<dyn Utility>>,
    logarithms: bool,
}

impl GivenEach {
    fn mean(&self, terms: &[f64]) -> f64 {
        if self.logarithms { log_mean_exp(terms) } else { terms.iter().sum::<f64>() / terms.len() as f64 }
    }
}

impl LookaheadUtility for GivenEach {
    fn value(&self, ahead: LookaheadMoments<'_>) -> f64 {
        let mut means = vec![0.0; self.utilities.len()];
        let std_dev = self.given.means_into(ahead, &mut means).std_dev;
        let each = self.utilities.iter().zip(means);
        let terms: Vec<f64> = each.map(|(utility, mean)| utility.value(mean, std_dev)).collect();
        self.mean(&terms)
    }

    fn value_and_slopes(
        &self,
        ahead: LookaheadMoments<'_>,
        of_covariance: &mut [f64],
    ) -> (f64, LookaheadGradient) {
        let mut means = vec![0.0; self.utilities.len()];
        let remainder = self.given.means_into(ahead, &mut means);
        let std_dev = remainder.std_dev;
        let each = self.utilities.iter().zip(&means);
        let terms: Vec<(f64, f64, f64)> =
            each.map(|(utility, mean)| utility.value_and_slopes(*mean, std_dev)).collect();
        let count = terms.len() as f64;
        let values: Vec<f64> = terms.iter().map(|term| term.0).collect();
        let value = self.mean(&values);
        if value == f64::NEG_INFINITY {
            of_covariance.fill(0.0);
            return (value, LookaheadGradient::default());
        }
        let mut by_std_dev = 0.0;
        for (by_mean, (term, of_mean, of_std_dev)) in means.iter_mut().zip(&terms) {
            let weight = if self.logarithms { (term - value).exp() } else { 1.0 } / count;
            *by_mean = 0.0;
            // A term of minus infinity has no slopes.
            if weight > 0.0 {
                *by_mean = weight * of_mean;
                by_std_dev += weight * of_std_dev;
            }
        }
        (value, self.given.slopes_into(&remainder, &means, by_std_dev, of_covariance))
    }

    fn has_unit(&self) -> bool {
        !self.logarithms && self.utilities.iter().any(Utility::has_unit)
    }
}
