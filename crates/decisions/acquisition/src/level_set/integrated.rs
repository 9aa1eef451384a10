//! Look-ahead criteria integrated over a threshold field.

use thrifty_surrogate::{JointPosterior, lookahead};

use super::expected_reduction::{ExpectedReduction, PointState};
use super::field::ThresholdField;
use crate::AcquisitionError;
use crate::error::require_noise;
use crate::{LookaheadAcquisition, LookaheadGradient, LookaheadMoments, LookaheadUtility};

/// Expected reduction over a whole [`ThresholdField`]: the weighted sum of an [`ExpectedReduction`] g.
///
/// ```text
/// Σ_j w_j [g(u_j, σ_j, ρ_j(P ∪ x)) - g(u_j, σ_j, ρ_j(P))]
/// ```
///
/// P are the pending points. Points chosen one by one form a greedy batch, and each step is exact. Cost: one look-ahead and one gain per
/// point of the field.
#[derive(Debug)]
pub struct Integrated<G> {
    gain: G,
    seen: Vec<PointState>,
    weights: Vec<f64>,
    /// 1/σ².
    precision: Vec<f64>,
    /// ρ(P).
    explained: Vec<f64>,
    /// Sum of the gains from P.
    gained: f64,
}

impl<G: ExpectedReduction> Integrated<G> {
    /// Builds the acquisition for an observation with this noise variance.
    ///
    /// `after` is the posterior of the field, or that posterior after pending points; only its variances count.
    ///
    /// # Errors
    /// [`AcquisitionError`] for a noise variance that is negative or not finite.
    pub fn over<'a>(
        field: &ThresholdField,
        mut gain: G,
        after: &'a dyn JointPosterior,
        noise_variance: f64,
    ) -> Result<LookaheadAcquisition<'a, Self>, AcquisitionError> {
        require_noise(noise_variance)?;
        let n = field.len();
        let seen: Vec<PointState> = (0..n)
            .map(|j| PointState { standardized: field.standardized[j], std_dev: field.std_dev[j] })
            .collect();
        let precision: Vec<f64> = field.std_dev.iter().map(|sigma| 1.0 / (sigma * sigma)).collect();
        let (mut mean, mut variance) = (vec![0.0; n], vec![0.0; n]);
        after.predict_into(field.points(), &mut mean, &mut variance);
        let explained: Vec<f64> = variance.iter().zip(&precision).map(|(v, p)| share(1.0 - v * p)).collect();
        gain.prepare(&seen);
        // Without pending points the explained variance is exactly zero, without rounding.
        let pending = explained.iter().any(|rho| *rho > 1e-12);
        let explained = if pending { explained } else { vec![0.0; n] };
        let gained = if pending { gain.sum(&seen, &field.weights, &explained) } else { 0.0 };
        let utility = Self { gain, seen, weights: field.weights.clone(), precision, explained, gained };
        Ok(LookaheadAcquisition::new(lookahead(after, field.points(), noise_variance), utility))
    }

    /// Explained shares ρ(P ∪ x) at every point of the field.
    fn explained(&self, ahead: LookaheadMoments<'_>, covariance: &[f64]) -> Vec<f64> {
        let per = 1.0 / ahead.variance;
        let each = covariance.iter().zip(&self.precision).zip(&self.explained);
        each.map(|((c, precision), rho)| share(rho + c * c * per * precision)).collect()
    }
}

/// Clamps a share of a variance, to remove rounding.
fn share(rho: f64) -> f64 {
    rho.clamp(0.0, 1.0)
}

impl<G: ExpectedReduction> LookaheadUtility for Integrated<G> {
    fn value(&self, ahead: LookaheadMoments<'_>) -> f64 {
        if ahead.variance <= 0.0 {
            return 0.0;
        }
        let (covariance, _) = ahead.split();
        let explained = self.explained(ahead, covariance);
        self.gain.sum(&self.seen, &self.weights, &explained) - self.gained
    }

    fn value_and_slopes(
        &self,
        ahead: LookaheadMoments<'_>,
        of_covariance: &mut [f64],
    ) -> (f64, LookaheadGradient) {
        of_covariance.fill(0.0);
        if ahead.variance <= 0.0 {
            return (0.0, LookaheadGradient::default());
        }
        let (covariance, _) = ahead.split();
        let explained = self.explained(ahead, covariance);
        let mut by_variance = 0.0;
        for (j, (slot, c)) in of_covariance.iter_mut().zip(covariance).enumerate() {
            if explained[j] >= 1.0 {
                continue;
            }
            let slope = self.weights[j] * self.gain.slope(self.seen[j], explained[j]);
            let by_covariance = c * self.precision[j] / ahead.variance;
            *slot = 2.0 * slope * by_covariance;
            by_variance -= slope * by_covariance * c / ahead.variance;
        }
        let value = self.gain.sum(&self.seen, &self.weights, &explained) - self.gained;
        (value, LookaheadGradient { mean: 0.0, variance: by_variance })
    }

    fn has_unit(&self) -> bool {
        self.gain.has_unit()
    }
}
