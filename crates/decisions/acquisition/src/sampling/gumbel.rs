//! Gumbel approximation of the distribution of a minimum.

use thrifty_check::length;
use thrifty_domain::PointsRef;
use thrifty_prob::{inverse_mills, log_cdf};
use thrifty_surrogate::Posterior;

use crate::AcquisitionError;
use crate::error::require_finite;

/// Gumbel approximation of the distribution of a minimum, matched at its quartiles.
///
/// ```text
/// P(min > y) = Π_i Φ((μ_i - y)/σ_i) ≈ exp(-exp((y - a)/b)),   quantile(p) = a + b ln(-ln(1 - p))
/// ```
///
/// The product treats the values at different points as independent. This places the minimum too low if they are correlated. Parameters: a
/// and b in the unit of the function, b ≥ 0. Cost: about ten passes over the points.
/// Source: Wang & Jegelka (2017), section 3.1; departure: for minima.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gumbel {
    /// Location a: the quantile at 1 - 1/e.
    pub location: f64,
    /// Scale b.
    pub scale: f64,
}

impl Gumbel {
    /// Gumbel distribution of the smallest of several normal variables with these means and standard deviations.
    ///
    /// # Errors
    /// [`AcquisitionError`] for no values, other lengths, or an entry that is not finite.
    pub fn of_minimum(mean: &[f64], std_dev: &[f64]) -> Result<Self, AcquisitionError> {
        require_finite("means", mean)?;
        require_finite("standard deviations", std_dev)?;
        length("standard deviations", std_dev.len(), mean.len())?;
        let uncertain: Vec<(f64, f64)> =
            mean.iter().zip(std_dev).filter(|(_, s)| **s > 0.0).map(|(m, s)| (*m, *s)).collect();
        // The minimum cannot be above a known value.
        let known = mean.iter().zip(std_dev).filter(|(_, s)| **s <= 0.0);
        let known = known.map(|(m, _)| *m).fold(f64::INFINITY, f64::min);
        let mut from = uncertain.iter().map(|(m, s)| m + 5.0 * s).fold(f64::INFINITY, f64::min);
        let [high, middle, low] = [0.75, 0.5, 0.25].map(|p: f64| {
            if from.is_finite() {
                from = quantile_of_minimum(&uncertain, p, from);
            }
            from.min(known)
        });
        let log_log = |p: f64| (-(1.0 - p).ln()).ln();
        let scale = ((high - low) / (log_log(0.75) - log_log(0.25))).max(0.0);
        Ok(Self { location: middle - scale * log_log(0.5), scale })
    }

    /// Gumbel distribution of the minimum of a posterior over these points.
    ///
    /// # Errors
    /// As [`Gumbel::of_minimum`].
    pub fn of(posterior: &dyn Posterior, points: PointsRef<'_>) -> Result<Self, AcquisitionError> {
        let (mut mean, mut std_dev) = (vec![0.0; points.len()], vec![0.0; points.len()]);
        posterior.predict_into(points, &mut mean, &mut std_dev);
        std_dev.iter_mut().for_each(|v| *v = v.sqrt());
        Self::of_minimum(&mean, &std_dev)
    }

    /// The quantile at p in (0, 1): the minimum is below it with probability p.
    #[must_use]
    pub fn quantile(&self, p: f64) -> f64 {
        if self.scale > 0.0 { self.location + self.scale * (-(-p).ln_1p()).ln() } else { self.location }
    }

    /// Quantiles at the midpoints of `count` equal parts: a quasi-random sample in one dimension.
    #[must_use]
    pub fn minima(&self, count: usize) -> Vec<f64> {
        (0..count).map(|k| self.quantile((k as f64 + 0.5) / count as f64)).collect()
    }
}

/// Newton's method on `Σ ln Φ((μ_i - y)/σ_i) = ln(1 - p)`, starting `above` the root. The sum is concave and decreasing, so the steps never
/// pass the root.
fn quantile_of_minimum(values: &[(f64, f64)], p: f64, above: f64) -> f64 {
    let target = (1.0 - p).ln();
    let mut y = above;
    for _ in 0..200 {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (mean, std_dev) in values {
            let z = (mean - y) / std_dev;
            // Further terms are zero in double precision.
            if z < 9.0 {
                sum += log_cdf(z);
                slope -= inverse_mills(-z) / std_dev;
            }
        }
        let next = y - (sum - target) / slope;
        if !next.is_finite() || next >= y || (y - next) <= 4.0 * f64::EPSILON * y.abs() {
            return if next.is_finite() { next.min(y) } else { y };
        }
        y = next;
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_cap_the_minimum() {
        let certain = Gumbel::of_minimum(&[2.0, 1.0], &[0.0, 0.0]).unwrap();
        assert_eq!((certain.location, certain.scale), (1.0, 0.0));
        assert_eq!(certain.minima(3), vec![1.0; 3]);
        let mixed = Gumbel::of_minimum(&[2.0, 1.0], &[1.0, 0.0]).unwrap();
        assert!(mixed.quantile(0.25) <= 1.0 + 1e-12, "{mixed:?}");
        // One normal value: its own quartiles.
        let one = Gumbel::of_minimum(&[3.0], &[2.0]).unwrap();
        assert!((one.quantile(0.5) - 3.0).abs() < 1e-12, "{one:?}");
        let error = Gumbel::of_minimum(&[0.0, f64::NAN], &[1.0, 1.0]).unwrap_err();
        assert_eq!(error.to_string(), "means 1 is NaN, expected a finite number");
        assert_eq!(Gumbel::of_minimum(&[], &[]).unwrap_err().to_string(), "no means, expected at least one");
        let tiny = Gumbel::of_minimum(&[1e8, 1e8], &[1e-300, 1e-12]).unwrap();
        assert!(tiny.location.is_finite() && tiny.scale.is_finite());
    }
}
