//! Calibration of normal predictions.

use thrifty_prob::{cdf, log_pdf, quantile};

/// Calibration of normal predictions against later observations.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Calibration {
    /// `(y - mean) / std_dev` of every observation: standard normal when the predictions are right.
    #[serde(rename = "standardised", alias = "standardized")]
    pub standardized: Vec<f64>,
    /// Probability integral transforms `Φ((y - mean) / std_dev)`: uniform when the predictions are right.
    pub pit: Vec<f64>,
    /// Mean negative log predictive density, in nats.
    pub nlpd: f64,
    /// Root mean squared error of the means.
    pub rmse: f64,
}

/// Error of a calibration.
#[derive(Debug, Clone, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum CalibrationError {
    /// Nothing was observed.
    #[error("no observations, expected at least 1")]
    Empty,
    /// Means, variances and observations do not pair up.
    #[error("{means} means and {variances} variances for {observed} observations, expected equal numbers")]
    LengthMismatch {
        /// Number of means.
        means: usize,
        /// Number of variances.
        variances: usize,
        /// Number of observations.
        observed: usize,
    },
    /// A mean or an observation that is not finite.
    #[error("{what} {index} is {value}, expected a finite number")]
    NonFinite {
        /// Mean or observation.
        what: &'static str,
        /// Its position.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// A variance that no observation can have.
    #[error("variance {index} is {value}, expected a positive finite number (with the noise in it)")]
    Variance {
        /// Its position.
        index: usize,
        /// Its value.
        value: f64,
    },
}

impl Calibration {
    /// Judges predictions, with the observation noise in the variances, against what was observed.
    ///
    /// # Errors
    /// [`CalibrationError`]: nothing observed, unequal lengths, a mean or an observation that is not finite, a variance that is not positive and finite.
    pub fn of(mean: &[f64], variance: &[f64], observed: &[f64]) -> Result<Self, CalibrationError> {
        let n = observed.len();
        if mean.len() != n || variance.len() != n {
            let (means, variances) = (mean.len(), variance.len());
            return Err(CalibrationError::LengthMismatch { means, variances, observed: n });
        }
        if n == 0 {
            return Err(CalibrationError::Empty);
        }
        if let Some(index) = variance.iter().position(|v| !(*v > 0.0 && v.is_finite())) {
            return Err(CalibrationError::Variance { index, value: variance[index] });
        }
        for (what, values) in [("mean", mean), ("observation", observed)] {
            if let Some(index) = values.iter().position(|value| !value.is_finite()) {
                return Err(CalibrationError::NonFinite { what, index, value: values[index] });
            }
        }
        let each = || mean.iter().zip(variance).zip(observed);
        let standardized: Vec<f64> = each().map(|((m, v), y)| (y - m) / v.sqrt()).collect();
        let log_density = |((_, v), z): ((&f64, &f64), &f64)| log_pdf(*z) - 0.5 * v.ln();
        let total: f64 = mean.iter().zip(variance).zip(&standardized).map(log_density).sum();
        let squares: f64 = each().map(|((m, _), y)| (y - m).powi(2)).sum();
        Ok(Self {
            pit: standardized.iter().map(|&z| cdf(z)).collect(),
            standardized,
            nlpd: -total / n as f64,
            rmse: (squares / n as f64).sqrt(),
        })
    }

    /// Share of observations inside the central interval that should hold `level` of them.
    #[must_use]
    pub fn coverage(&self, level: f64) -> f64 {
        let reach = quantile(0.5 + 0.5 * level.clamp(0.0, 1.0));
        let inside = self.standardized.iter().filter(|z| z.abs() <= reach).count();
        inside as f64 / self.standardized.len() as f64
    }

    /// Largest distance between the distribution of the transforms and the uniform one (Kolmogorov–Smirnov).
    #[must_use]
    pub fn pit_distance(&self) -> f64 {
        let mut sorted = self.pit.clone();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len() as f64;
        let off = |(i, u): (usize, &f64)| (u - i as f64 / n).max((i + 1) as f64 / n - u);
        sorted.iter().enumerate().map(off).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let found = Calibration::of(&[0.0, 2.0], &[1.0, 4.0], &[0.0, 4.0]).unwrap();
        assert_eq!(found.standardized, [0.0, 1.0]);
        let half_log_tau = 0.5 * std::f64::consts::TAU.ln();
        assert!((found.nlpd - (half_log_tau + 0.5 * (0.5 + 2_f64.ln()))).abs() < 1e-15);
        assert!((found.rmse - 2_f64.sqrt()).abs() < 1e-15);
        assert_eq!((found.coverage(0.5), found.coverage(0.9)), (0.5, 1.0));
        assert_eq!((found.coverage(0.0), found.coverage(1.0)), (0.5, 1.0));
        assert_eq!((found.coverage(-0.1), found.coverage(1.5)), (0.5, 1.0), "beyond the levels");
        assert!((found.pit_distance() - 0.5).abs() < 1e-15);
    }

    /// The distance is taken below and above each step: transforms all near 0, all near 1, and one of each.
    #[test]
    fn distances_from_the_uniform_distribution() {
        let distance = |observed: &[f64]| {
            let n = observed.len();
            Calibration::of(&vec![0.0; n], &vec![1.0; n], observed).unwrap().pit_distance()
        };
        // Φ(-9) and Φ(9) are 0 and 1 to 1e-18.
        assert!((distance(&[-9.0, -9.0, -9.0]) - 1.0).abs() < 1e-15);
        assert!((distance(&[9.0, 9.0, 9.0, 9.0]) - 1.0).abs() < 1e-15);
        assert!((distance(&[-9.0, 9.0]) - 0.5).abs() < 1e-15);
        // One step in the middle is half a step off on both sides; three at the quartiles are a quarter off.
        assert!((distance(&[0.0]) - 0.5).abs() < 1e-15);
        let quartile = quantile(0.25);
        assert!((distance(&[quartile, 0.0, -quartile]) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn bad_input_is_named() {
        assert_eq!(Calibration::of(&[], &[], &[]), Err(CalibrationError::Empty));
        assert!(Calibration::of(&[1.0], &[1.0], &[1.0, 2.0]).is_err());
        let error = Calibration::of(&[1.0; 2], &[1.0, 0.0], &[1.0; 2]).unwrap_err();
        assert!(error.to_string().starts_with("variance 1 is 0"));
        let error = Calibration::of(&[0.0; 2], &[1.0; 2], &[0.0, f64::NAN]).unwrap_err();
        assert!(error.to_string().starts_with("observation 1 is NaN"));
        let error = Calibration::of(&[f64::INFINITY, 0.0], &[1.0; 2], &[0.0; 2]).unwrap_err();
        assert!(error.to_string().starts_with("mean 0 is inf"));
    }
}
