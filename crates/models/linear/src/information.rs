//! Information form of a normal distribution.

use thrifty_check::{all_finite, length, number, positive};
use thrifty_linalg::{Cholesky, JitterLadder, Matrix};

use crate::{Coefficients, LinearError};

/// Information form of a normal distribution of coefficients: precision Σ⁻¹ and shift Σ⁻¹μ.
///
/// ```text
/// Σ⁻¹ ← Σ⁻¹ + φ φᵀ / σ²,   Σ⁻¹μ ← Σ⁻¹μ + φ y / σ²
/// ```
///
/// An observation costs J² and no division by anything that may vanish. A precision of 0 represents total ignorance,
/// which [`Coefficients`] cannot. Reading mean and covariance costs a factorisation.
#[derive(Debug, Clone, PartialEq)]
pub struct Information {
    precision: Vec<f64>,
    shift: Vec<f64>,
}

impl Information {
    /// No information on `count` coefficients.
    #[must_use]
    pub fn none(count: usize) -> Self {
        Self { precision: vec![0.0; count * count], shift: vec![0.0; count] }
    }

    /// Information form of a normal distribution.
    ///
    /// # Errors
    /// [`LinearError::Singular`] for a singular covariance.
    pub fn of(belief: &Coefficients) -> Result<Self, LinearError> {
        let n = belief.len();
        let covariance = Matrix::from_fn(n, n, |i, j| belief.covariance()[i * n + j]);
        let factor = Cholesky::new(&covariance, &JitterLadder { steps: Vec::new() })
            .map_err(|_| LinearError::Singular)?;
        let inverse = factor.inverse();
        let mut shift = belief.mean().to_vec();
        factor.solve_in_place(&mut shift);
        Ok(Self { precision: (0..n * n).map(|at| inverse[(at / n, at % n)]).collect(), shift })
    }

    /// Learns from an observation with noise of this variance.
    ///
    /// # Errors
    /// [`LinearError`] for another number of functions, numbers that are not finite, or a noise that is not positive.
    pub fn update(&mut self, phi: &[f64], y: f64, noise_variance: f64) -> Result<(), LinearError> {
        let n = self.shift.len();
        length("functions", phi.len(), n)?;
        all_finite("function", phi)?;
        number("observation", y, true, "a finite number")?;
        positive("noise variance", noise_variance)?;
        for i in 0..n {
            self.shift[i] += phi[i] * y / noise_variance;
            for j in 0..n {
                self.precision[i * n + j] += phi[i] * phi[j] / noise_variance;
            }
        }
        Ok(())
    }

    /// Mean and covariance.
    ///
    /// # Errors
    /// [`LinearError::Singular`] while some direction is unknown.
    pub fn coefficients(&self) -> Result<Coefficients, LinearError> {
        let n = self.shift.len();
        let precision = Matrix::from_fn(n, n, |i, j| self.precision[i * n + j]);
        let factor = Cholesky::new(&precision, &JitterLadder { steps: Vec::new() })
            .map_err(|_| LinearError::Singular)?;
        let inverse = factor.inverse();
        let mut mean = self.shift.clone();
        factor.solve_in_place(&mut mean);
        Coefficients::new(mean, (0..n * n).map(|at| inverse[(at / n, at % n)]).collect())
    }
}
