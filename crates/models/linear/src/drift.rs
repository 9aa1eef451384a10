//! Linear dynamics of coefficients, filtered and smoothed.

use thrifty_linalg::{Cholesky, JitterLadder, Matrix};

use crate::{Coefficients, LinearError};
use thrifty_check::{all_finite, length};

/// Coefficients that change between observations.
///
/// ```text
/// a_{t+1} = F a_t + w,   w ~ N(0, Q)
/// ```
///
/// Source: Särkkä (2013), sections 4.3 and 8.2.
#[derive(Debug, Clone, PartialEq)]
pub struct Drift {
    transition: Vec<f64>,
    noise: Vec<f64>,
    len: usize,
}

impl Drift {
    /// By F and Q, row-major.
    ///
    /// # Errors
    /// [`LinearError`] for other shapes, numbers that are not finite, or a Q that is no covariance.
    pub fn new(transition: Vec<f64>, noise: Vec<f64>) -> Result<Self, LinearError> {
        let len = (transition.len() as f64).sqrt().round() as usize;
        length("entries of a transition", transition.len(), len * len)?;
        all_finite("transition", &transition)?;
        Coefficients::new(vec![0.0; len], noise.clone())?;
        Ok(Self { transition, noise, len })
    }

    /// Independent random walks with these variances a step.
    ///
    /// # Errors
    /// [`LinearError`] for a variance that is negative or not finite.
    pub fn random_walk(variances: &[f64]) -> Result<Self, LinearError> {
        let n = variances.len();
        let identity = (0..n * n).map(|at| f64::from(u8::from(at / n == at % n))).collect();
        let walk = Coefficients::independent(vec![0.0; n], variances)?;
        Self::new(identity, walk.covariance().to_vec())
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        self.transition[i * self.len + j]
    }

    /// F times a row-major matrix.
    fn times(&self, matrix: &[f64]) -> Vec<f64> {
        let n = self.len;
        (0..n * n).map(|at| (0..n).map(|k| self.entry(at / n, k) * matrix[k * n + at % n]).sum()).collect()
    }

    /// Distribution of the coefficients one step later.
    ///
    /// # Errors
    /// [`LinearError`] for another number of coefficients.
    pub fn predict(&self, belief: &Coefficients) -> Result<Coefficients, LinearError> {
        length("coefficients", belief.len(), self.len)?;
        let n = self.len;
        let mean = (0..n).map(|i| (0..n).map(|j| self.entry(i, j) * belief.mean()[j]).sum()).collect();
        let left = self.times(belief.covariance());
        let mut covariance = self.noise.clone();
        for i in 0..n {
            for j in 0..=i {
                let value: f64 = (0..n).map(|k| left[i * n + k] * self.entry(j, k)).sum();
                covariance[i * n + j] += value;
                covariance[j * n + i] = covariance[i * n + j];
            }
        }
        Coefficients::computed(mean, covariance)
    }

    /// Smoothed distribution of every step given all observations, from the filtered distributions:
    ///
    /// ```text
    /// G = Σ_t Fᵀ P⁻¹,   μ_t ← μ_t + G (μ_{t+1} - F μ_t),   Σ_t ← Σ_t + G (Σ_{t+1} - P) Gᵀ,   P = F Σ_t Fᵀ + Q
    /// ```
    ///
    /// # Errors
    /// [`LinearError`] for another number of coefficients, or [`LinearError::Singular`] for a prediction that no jitter
    /// makes invertible.
    pub fn smooth(&self, filtered: &[Coefficients]) -> Result<Vec<Coefficients>, LinearError> {
        let n = self.len;
        let mut smoothed: Vec<Coefficients> = filtered.to_vec();
        for t in (0..filtered.len().saturating_sub(1)).rev() {
            let (own, later) = (&filtered[t], smoothed[t + 1].clone());
            let ahead = self.predict(own)?;
            let matrix = Matrix::from_fn(n, n, |i, j| ahead.covariance()[i * n + j]);
            let factor =
                Cholesky::new(&matrix, &JitterLadder::default()).map_err(|_| LinearError::Singular)?;
            // Gᵀ = P⁻¹ F Σ_t, a column of F Σ_t at a time.
            let product = self.times(own.covariance());
            let mut gain = vec![0.0; n * n];
            for i in 0..n {
                let mut column: Vec<f64> = (0..n).map(|k| product[k * n + i]).collect();
                factor.solve_in_place(&mut column);
                gain[i * n..(i + 1) * n].copy_from_slice(&column);
            }
            let shift: Vec<f64> = later.mean().iter().zip(ahead.mean()).map(|(a, b)| a - b).collect();
            let mean = (0..n)
                .map(|i| own.mean()[i] + (0..n).map(|k| gain[i * n + k] * shift[k]).sum::<f64>())
                .collect();
            let change: Vec<f64> =
                later.covariance().iter().zip(ahead.covariance()).map(|(a, b)| a - b).collect();
            let mut covariance = own.covariance().to_vec();
            for i in 0..n {
                let row: Vec<f64> =
                    (0..n).map(|k| (0..n).map(|l| gain[i * n + l] * change[l * n + k]).sum()).collect();
                for j in 0..=i {
                    let value: f64 = (0..n).map(|k| row[k] * gain[j * n + k]).sum();
                    covariance[i * n + j] += value;
                    covariance[j * n + i] = covariance[i * n + j];
                }
            }
            smoothed[t] = Coefficients::computed(mean, covariance)?;
        }
        Ok(smoothed)
    }
}
