//! Bayesian linear regression with unknown noise.

use crate::coefficients::dot;
use crate::{Coefficients, LinearError};
use thrifty_check::positive;

/// Normal-inverse-gamma distribution of coefficients and noise variance, conjugate to normal observations.
///
/// ```text
/// σ² ~ InverseGamma(a, b),   coefficients | σ² ~ N(m, σ² V)
/// v = 1 + φᵀVφ,   m ← m + Vφ r / v,   V ← V - VφφᵀV / v,   a ← a + ½,   b ← b + r² / 2v,   r = y - φ·m
/// ```
///
/// Source: Bishop (2006), section 2.3.6; Murphy (2012), section 7.6.3.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct NormalInverseGamma {
    /// m and V.
    unit: Coefficients,
    shape: f64,
    rate: f64,
}

/// A distribution as a file has it.
#[derive(serde::Deserialize)]
struct Unchecked {
    unit: Coefficients,
    shape: f64,
    rate: f64,
}

impl TryFrom<Unchecked> for NormalInverseGamma {
    type Error = LinearError;

    fn try_from(Unchecked { unit, shape, rate }: Unchecked) -> Result<Self, LinearError> {
        Self::new(unit, shape, rate)
    }
}

/// A Student distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Student {
    /// Location parameter.
    pub location: f64,
    /// The square of its scale: the variance is this times `ν / (ν - 2)`.
    pub scale_squared: f64,
    /// Degrees of freedom, ν.
    pub freedom: f64,
}

impl Student {
    /// Variance; infinite up to two degrees of freedom.
    #[must_use]
    pub fn variance(&self) -> f64 {
        if self.freedom > 2.0 {
            self.scale_squared * self.freedom / (self.freedom - 2.0)
        } else {
            f64::INFINITY
        }
    }
}

impl NormalInverseGamma {
    /// Builds the distribution from m and V for unit noise, and shape a and rate b of the variance.
    ///
    /// # Errors
    /// [`LinearError`] when a or b is not positive and finite.
    pub fn new(unit: Coefficients, shape: f64, rate: f64) -> Result<Self, LinearError> {
        positive("shape", shape)?;
        positive("rate", rate)?;
        Ok(Self { unit, shape, rate })
    }

    /// m and V.
    #[must_use]
    pub fn unit(&self) -> &Coefficients {
        &self.unit
    }

    /// Mean of σ²; infinite up to a = 1.
    #[must_use]
    pub fn noise_mean(&self) -> f64 {
        if self.shape > 1.0 { self.rate / (self.shape - 1.0) } else { f64::INFINITY }
    }

    /// Predictive distribution of the next observation.
    #[must_use]
    pub fn predict(&self, phi: &[f64]) -> Student {
        let (location, spread) = self.unit.moments(phi);
        Student {
            location,
            scale_squared: self.rate / self.shape * (1.0 + spread),
            freedom: 2.0 * self.shape,
        }
    }

    /// Predictive distribution of `φ·a`, without noise.
    #[must_use]
    pub fn predict_latent(&self, phi: &[f64]) -> Student {
        let (location, spread) = self.unit.moments(phi);
        Student { location, scale_squared: self.rate / self.shape * spread, freedom: 2.0 * self.shape }
    }

    /// Learns from an observation.
    ///
    /// # Errors
    /// As [`Coefficients::update`].
    pub fn update(&mut self, phi: &[f64], y: f64) -> Result<(), LinearError> {
        let innovation = self.unit.update(phi, y, 1.0)?;
        self.shape += 0.5;
        self.rate += 0.5 * innovation.residual * innovation.residual / innovation.variance;
        Ok(())
    }

    /// a and b.
    #[must_use]
    pub fn noise(&self) -> (f64, f64) {
        (self.shape, self.rate)
    }

    /// Posterior mean of the function.
    #[must_use]
    pub fn mean(&self, phi: &[f64]) -> f64 {
        dot(phi, self.unit.mean())
    }
}
