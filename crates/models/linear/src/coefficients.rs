//! Normal distribution of coefficients, updated by Kalman steps.

use std::sync::Arc;

use crate::LinearError;
use thrifty_check::{all_finite, length, number, variance};

/// Normal distribution of coefficients: mean μ and covariance Σ, which may be singular.
///
/// [`Coefficients::update`] is the Kalman filter of a constant state: one observation `y = φ·a + ε` at a time,
///
/// ```text
/// v = φᵀΣφ + σ²,   μ ← μ + Σφ (y - φ·μ) / v,   Σ ← Σ - (Σφ)(Σφ)ᵀ / v
/// ```
///
/// symmetric to the bit by construction. The order of observations does not matter but for rounding. A σ² that is positive counts as no less
/// than [`Coefficients::noise_floor`].
/// Source: `AutoBCT`, Appendix A; Särkkä (2013), section 3.2.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Coefficients {
    mean: Vec<f64>,
    /// Row-major.
    covariance: Vec<f64>,
    /// Standard deviations before the first update, or as read from a file: updates leave rounding errors that are relative to them.
    #[serde(skip)]
    scales: Arc<[f64]>,
}

/// Equality of the distributions, however they were reached.
impl PartialEq for Coefficients {
    fn eq(&self, other: &Self) -> bool {
        self.mean == other.mean && self.covariance == other.covariance
    }
}

/// Coefficients as a file has them.
#[derive(serde::Deserialize)]
struct Unchecked {
    mean: Vec<f64>,
    covariance: Vec<f64>,
}

impl TryFrom<Unchecked> for Coefficients {
    type Error = LinearError;

    /// Lengths and numbers alone: what was learnt may miss being positive semi-definite by rounding, and is to be read to
    /// the bit.
    fn try_from(Unchecked { mean, covariance }: Unchecked) -> Result<Self, LinearError> {
        length("entries of a covariance", covariance.len(), mean.len() * mean.len())?;
        all_finite("mean", &mean)?;
        all_finite("covariance", &covariance)?;
        Ok(Self::unchecked(mean, covariance))
    }
}

/// Innovation of an observation: its residual and predictive variance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Innovation {
    /// Observed value minus its predictive mean.
    pub residual: f64,
    /// Predictive variance of the observation, noise included.
    pub variance: f64,
}

impl Innovation {
    /// Its log density: these add up to the logarithm of the evidence.
    #[must_use]
    pub fn log_density(&self) -> f64 {
        if self.variance == 0.0 {
            // A certain outcome that came.
            return 0.0;
        }
        -0.5 * (self.residual * self.residual / self.variance + (std::f64::consts::TAU * self.variance).ln())
    }
}

impl Coefficients {
    /// Coefficients with a mean and a row-major covariance.
    ///
    /// # Errors
    /// [`LinearError`] for lengths that do not fit, numbers that are not finite, or what is no covariance.
    pub fn new(mean: Vec<f64>, covariance: Vec<f64>) -> Result<Self, LinearError> {
        let n = mean.len();
        length("entries of a covariance", covariance.len(), n * n)?;
        all_finite("mean", &mean)?;
        all_finite("covariance", &covariance)?;
        for row in 0..n {
            for column in 0..row {
                let (lower, upper) = (covariance[row * n + column], covariance[column * n + row]);
                if (lower - upper).abs() > 1e-9 * lower.abs().max(upper.abs()) {
                    return Err(LinearError::NotSymmetric { row: column, column: row, upper, lower });
                }
            }
        }
        let mut belief = Self::unchecked(mean, covariance);
        belief.square_root()?;
        belief.symmetrise();
        Ok(belief)
    }

    fn unchecked(mean: Vec<f64>, covariance: Vec<f64>) -> Self {
        let n = mean.len();
        let scales = (0..n).map(|i| not_negative(covariance[i * n + i]).sqrt()).collect();
        Self { mean, covariance, scales }
    }

    /// Result of arithmetic on distributions: positive semi-definite but for rounding, which may be larger than [`Coefficients::new`] allows.
    ///
    /// # Errors
    /// [`LinearError`] for lengths that do not fit, or numbers that are not finite.
    pub fn computed(mean: Vec<f64>, covariance: Vec<f64>) -> Result<Self, LinearError> {
        let mut belief = Self::try_from(Unchecked { mean, covariance })?;
        belief.symmetrise();
        let n = belief.len();
        for i in 0..n {
            let variance = &mut belief.covariance[i * n + i];
            *variance = variance.max(0.0);
        }
        Ok(belief)
    }

    /// Independent coefficients.
    ///
    /// # Errors
    /// [`LinearError`] for lengths that do not fit, or a variance that is negative or not finite.
    pub fn independent(mean: Vec<f64>, variances: &[f64]) -> Result<Self, LinearError> {
        let n = mean.len();
        length("variances", variances.len(), n)?;
        let mut covariance = vec![0.0; n * n];
        thrifty_check::variances("variance", variances)?;
        for (i, variance) in variances.iter().enumerate() {
            covariance[i * n + i] = *variance;
        }
        Self::new(mean, covariance)
    }

    /// Number of coefficients.
    #[must_use]
    pub fn len(&self) -> usize {
        self.mean.len()
    }

    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.mean.is_empty()
    }

    /// μ.
    #[must_use]
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Σ, row-major.
    #[must_use]
    pub fn covariance(&self) -> &[f64] {
        &self.covariance
    }

    /// Replaces the mean and keeps the covariance.
    ///
    /// # Errors
    /// [`LinearError`] for another number of them, or one that is not finite.
    pub fn with_mean(&self, mean: Vec<f64>) -> Result<Self, LinearError> {
        length("entries of a mean", mean.len(), self.len())?;
        all_finite("mean", &mean)?;
        Ok(Self { mean, covariance: self.covariance.clone(), scales: self.scales.clone() })
    }

    /// Mean and variance of `φ·a`.
    #[must_use]
    pub fn moments(&self, phi: &[f64]) -> (f64, f64) {
        let product = self.times(phi);
        (dot(phi, &self.mean), not_negative(dot(phi, &product)))
    }

    /// Covariance of `φ·a` and `ψ·a`.
    #[must_use]
    pub fn covariance_of(&self, phi: &[f64], psi: &[f64]) -> f64 {
        dot(phi, &self.times(psi))
    }

    /// Σ φ.
    #[must_use]
    pub fn times(&self, phi: &[f64]) -> Vec<f64> {
        let n = self.len();
        let mut out = vec![0.0; n];
        // By columns, which are the rows: sums of whole vectors.
        for (weight, column) in phi.iter().zip(self.covariance.chunks_exact(n.max(1))) {
            out.iter_mut().zip(column).for_each(|(slot, value)| *slot += weight * value);
        }
        out
    }

    /// Least noise variance of an observation with these functions that the rounding of the covariance leaves room for.
    ///
    /// ```text
    /// 2 J ε (Σ_j |φ_j| s_j)²,   ε = 2.2e-16
    /// ```
    ///
    /// `s_j` are the standard deviations before the first update. An observation with less noise would have a gain that is rounding error.
    #[must_use]
    pub fn noise_floor(&self, phi: &[f64]) -> f64 {
        let size: f64 = phi.iter().zip(&*self.scales).map(|(f, s)| f.abs() * s).sum();
        self.rounding() * size * size
    }

    /// Rounding error of a variance that updates leave, as a share of the variance before them.
    fn rounding(&self) -> f64 {
        2.0 * self.len() as f64 * f64::EPSILON
    }

    /// Updates with an observation that has this noise variance: 0, or no less than [`Coefficients::noise_floor`], which replaces a smaller one.
    ///
    /// # Errors
    /// [`LinearError`] for another number of functions, numbers that are not finite or become so, a negative noise, or a certain
    /// contradiction; the coefficients are unchanged then.
    pub fn update(&mut self, phi: &[f64], y: f64, noise_variance: f64) -> Result<Innovation, LinearError> {
        let mut next = self.clone();
        let (gain, innovation) = next.prepare(phi, y, noise_variance)?;
        if innovation.variance == 0.0 {
            return Ok(innovation);
        }
        let n = self.len();
        for i in 0..n {
            next.mean[i] += gain[i] * innovation.residual / innovation.variance;
            for j in 0..=i {
                let value = next.covariance[i * n + j] - gain[i] * gain[j] / innovation.variance;
                next.covariance[i * n + j] = value;
                next.covariance[j * n + i] = value;
            }
            // Rounding may leave less than nothing.
            next.covariance[i * n + i] = not_negative(next.covariance[i * n + i]);
        }
        *self = next.finite()?;
        Ok(innovation)
    }

    /// Updates in Joseph's form, a sum of two squares. Cost: J³.
    ///
    /// ```text
    /// Σ ← (I - K φᵀ) Σ (I - K φᵀ)ᵀ + σ² K Kᵀ,   K = Σφ / v
    /// ```
    ///
    /// Its rounding errors grow with the ratio of Σ to the noise. So [`Coefficients::update`] replaces it where the noise variance is below
    /// 10⁸ times [`Coefficients::noise_floor`].
    ///
    /// # Errors
    /// As [`Coefficients::update`].
    pub fn update_joseph(
        &mut self,
        phi: &[f64],
        y: f64,
        noise_variance: f64,
    ) -> Result<Innovation, LinearError> {
        if noise_variance < 1e8 * self.noise_floor(phi) {
            return self.update(phi, y, noise_variance);
        }
        let mut next = self.clone();
        let (product, innovation) = next.prepare(phi, y, noise_variance)?;
        if innovation.variance == 0.0 {
            return Ok(innovation);
        }
        let n = self.len();
        let gain: Vec<f64> = product.iter().map(|s| s / innovation.variance).collect();
        let shrink = |i: usize, j: usize| f64::from(u8::from(i == j)) - gain[i] * phi[j];
        let left: Vec<f64> = (0..n * n)
            .map(|at| (0..n).map(|k| shrink(at / n, k) * next.covariance[k * n + at % n]).sum())
            .collect();
        for i in 0..n {
            next.mean[i] += gain[i] * innovation.residual;
            for j in 0..=i {
                let sum: f64 = (0..n).map(|k| left[i * n + k] * shrink(j, k)).sum();
                let value = sum + noise_variance * gain[i] * gain[j];
                next.covariance[i * n + j] = value;
                next.covariance[j * n + i] = value;
            }
        }
        *self = next.finite()?;
        Ok(innovation)
    }

    /// Σφ and the innovation of a checked observation. Its variance is 0 where an observation without noise agrees with what is certain.
    fn prepare(
        &mut self,
        phi: &[f64],
        y: f64,
        noise_variance: f64,
    ) -> Result<(Vec<f64>, Innovation), LinearError> {
        length("functions", phi.len(), self.len())?;
        all_finite("function", phi)?;
        number("observation", y, true, "a finite number")?;
        variance("noise variance", noise_variance)?;
        let floor = self.noise_floor(phi);
        let (mut product, expected) = (self.times(phi), dot(phi, &self.mean));
        let residual = y - expected;
        let mut known = dot(phi, &product);
        // A variance that is 0 but for rounding.
        let rounding = 4.0 * floor;
        if noise_variance == 0.0 && known <= rounding {
            if residual.abs() > 1e-9 * (1.0 + y.abs()) + 10.0 * rounding.sqrt() {
                return Err(LinearError::Contradiction { observed: y, expected });
            }
            return Ok((product, Innovation { residual, variance: 0.0 }));
        }
        if known < 0.0 {
            self.raise(phi, -known);
            product = self.times(phi);
            known = dot(phi, &product);
        }
        let noise = if noise_variance > 0.0 { noise_variance.max(floor) } else { 0.0 };
        Ok((product, Innovation { residual, variance: not_negative(known) + noise }))
    }

    /// Raises the variances by their rounding errors, and `φᵀΣφ` by at least twice of what it lacks to 0. An update in a direction of negative
    /// variance would make it more negative.
    fn raise(&mut self, phi: &[f64], lack: f64) {
        let total: f64 = phi.iter().zip(&*self.scales).map(|(f, s)| (f * s).powi(2)).sum();
        let share = self.rounding().max(2.0 * lack / total);
        let n = self.len();
        for (i, scale) in self.scales.iter().enumerate() {
            self.covariance[i * n + i] += share * scale * scale;
        }
    }

    /// These coefficients, unless an update overflowed.
    fn finite(self) -> Result<Self, LinearError> {
        all_finite("mean", &self.mean)?;
        all_finite("covariance", &self.covariance)?;
        Ok(self)
    }

    /// A lower triangle L, row-major, with `L Lᵀ = Σ`; columns of directions without doubt are 0.
    ///
    /// # Errors
    /// [`LinearError::Indefinite`], beyond rounding.
    pub fn square_root(&self) -> Result<Vec<f64>, LinearError> {
        let n = self.len();
        let largest = (0..n).map(|i| self.covariance[i * n + i].abs()).fold(0.0, f64::max);
        let tolerance = 1e-12 * largest * n as f64;
        let mut root = vec![0.0; n * n];
        for j in 0..n {
            let own = &root[j * n..j * n + j];
            let pivot = self.covariance[j * n + j] - dot(own, own);
            if pivot < -tolerance {
                return Err(LinearError::Indefinite { pivot: j, value: pivot });
            }
            let diagonal = if pivot > tolerance { pivot.sqrt() } else { 0.0 };
            root[j * n + j] = diagonal;
            for i in j + 1..n {
                let rest = self.covariance[i * n + j] - dot(&root[i * n..i * n + j], &root[j * n..j * n + j]);
                if diagonal > 0.0 {
                    root[i * n + j] = rest / diagonal;
                } else if rest.abs() > (1e-6 * largest).max(tolerance) {
                    // A coefficient without doubt of its own cannot vary with another.
                    return Err(LinearError::Indefinite { pivot: j, value: pivot - rest.abs() });
                }
            }
        }
        Ok(root)
    }

    fn symmetrise(&mut self) {
        let n = self.len();
        for i in 0..n {
            for j in 0..i {
                let mean = f64::midpoint(self.covariance[i * n + j], self.covariance[j * n + i]);
                self.covariance[i * n + j] = mean;
                self.covariance[j * n + i] = mean;
            }
        }
    }
}

/// A variance without a rounding error below 0. NaN, which `max` would make 0, stays.
pub(crate) fn not_negative(variance: f64) -> f64 {
    if variance.is_nan() { variance } else { variance.max(0.0) }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A covariance whose halves differ by rounding: both get the middle.
    #[test]
    fn a_covariance_is_symmetric_to_the_bit() {
        let upper = 0.5 * (1.0 + 1e-12);
        let belief = Coefficients::new(vec![0.0; 2], vec![1.0, upper, 0.5, 1.0]).unwrap();
        let covariance = belief.covariance();
        assert_eq!(covariance[1].to_bits(), covariance[2].to_bits(), "{covariance:?}");
        assert!(0.5 < covariance[1] && covariance[1] < upper, "{covariance:?}");
    }

    /// A file too is refused, whose covariance is not looked at otherwise.
    #[test]
    fn numbers_that_are_not_finite_are_no_coefficients() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let pairs = [
                (vec![0.5, bad], vec![1.0, 0.0, 0.0, 1.0]),
                (vec![0.5, 0.1], vec![1.0, 0.0, 0.0, bad]),
                (vec![0.5, 0.1], vec![1.0, bad, bad, 1.0]),
            ];
            for (mean, covariance) in pairs {
                let read = Unchecked { mean: mean.clone(), covariance: covariance.clone() };
                for found in [Coefficients::try_from(read), Coefficients::new(mean, covariance)] {
                    let message = found.unwrap_err().to_string();
                    assert!(message.contains("expected a finite number"), "{bad}: {message}");
                }
            }
        }
    }
}
