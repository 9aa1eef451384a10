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
    /// [`LinearError::Singular`] for a covariance that is singular, or is so but for rounding.
    pub fn of(belief: &Coefficients) -> Result<Self, LinearError> {
        let n = belief.len();
        let (factor, inverse) = inverted(belief.covariance(), n)?;
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
    /// [`LinearError::Singular`] while some direction is unknown, or is so but for rounding.
    pub fn coefficients(&self) -> Result<Coefficients, LinearError> {
        let n = self.shift.len();
        let (factor, inverse) = inverted(&self.precision, n)?;
        let mut mean = self.shift.clone();
        factor.solve_in_place(&mut mean);
        Coefficients::new(mean, (0..n * n).map(|at| inverse[(at / n, at % n)]).collect())
    }
}

/// Largest variance inflation per coefficient; beyond it fewer than three digits of the inverse are right.
const MAX_INFLATION: f64 = 1e13;

/// Factor and inverse of a symmetric matrix of n rows.
///
/// ```text
/// inflation of i:   A_ii (A⁻¹)_ii = 1 / (1 - R_i²)
/// ```
///
/// `R_i` is the multiple correlation of coefficient i with the others. The inflations do not depend on the units of the coefficients, and that
/// of a singular matrix is the inverse of a rounding error: pivots are, with either sign.
fn inverted(matrix: &[f64], n: usize) -> Result<(Cholesky, Matrix), LinearError> {
    let matrix = Matrix::from_fn(n, n, |i, j| matrix[i * n + j]);
    let factor =
        Cholesky::new(&matrix, &JitterLadder { steps: Vec::new() }).map_err(|_| LinearError::Singular)?;
    let inverse = factor.inverse();
    let limit = MAX_INFLATION / n as f64;
    let is_known = (0..n).all(|i| matrix[(i, i)] * inverse[(i, i)] < limit);
    if is_known { Ok((factor, inverse)) } else { Err(LinearError::Singular) }
}
