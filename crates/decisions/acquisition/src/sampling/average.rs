//! Fantasies, and averages of acquisition functions over them.

use thrifty_check::{InputError, not_empty, positive};
use thrifty_domain::PointsRef;
use thrifty_sampling::Stream;
use thrifty_surrogate::{Conditioned, JointPosterior};

use crate::acquisition::settle;
use crate::error::{require_noise, require_points};
use crate::sampling::normals;
use crate::{Acquisition, AcquisitionError};

/// Fantasies: `count` posteriors, each conditioned on its own quasi-random outcomes at the pending points.
///
/// Averaged over them ([`Average`]), an acquisition is the expected value of a point after the pending outcomes are known. This works with
/// every joint posterior.
/// Source: Snoek et al. (2012); Ginsbourger et al. (2010).
///
/// # Errors
/// [`AcquisitionError`] for no fantasies or pending points, another dimension, a noise variance that is negative or not finite, or a
/// covariance that cannot be factored.
pub fn fantasies<'a>(
    posterior: &'a dyn JointPosterior,
    pending: PointsRef<'_>,
    noise_variance: f64,
    count: usize,
    rng: &mut Stream,
) -> Result<Vec<Conditioned<'a>>, AcquisitionError> {
    require_noise(noise_variance)?;
    if count == 0 || pending.is_empty() {
        return Err(
            InputError::Empty { name: if count == 0 { "fantasies" } else { "pending points" } }.into()
        );
    }
    require_points("pending points", pending, posterior.dim())?;
    let base = normals(count, pending.len(), rng);
    Conditioned::imagined(posterior, pending, noise_variance, base.as_ref())
        .map_err(AcquisitionError::Conditioning)
}

/// Mean of acquisitions, over fantasies or over hyperparameters. For logarithms it is the logarithm of the mean.
///
/// ```text
/// Σ_i w_i α_i(x) / Σ_i w_i,   or   ln (Σ_i w_i exp α_i(x) / Σ_i w_i)
/// ```
pub struct Average<'a> {
    acquisitions: Vec<Box<dyn Acquisition + 'a>>,
    weights: Vec<f64>,
    logarithm: bool,
}

impl<'a> Average<'a> {
    /// Mean of acquisitions.
    ///
    /// # Errors
    /// [`InputError::Empty`] for none.
    pub fn of(acquisitions: Vec<Box<dyn Acquisition + 'a>>) -> Result<Self, AcquisitionError> {
        Self::weighted(acquisitions.into_iter().map(|acquisition| (1.0, acquisition)).collect())
    }

    /// Mean of acquisitions with positive weights.
    ///
    /// # Errors
    /// [`InputError`] for none, or for a weight that is not positive and finite.
    pub fn weighted(acquisitions: Vec<(f64, Box<dyn Acquisition + 'a>)>) -> Result<Self, AcquisitionError> {
        not_empty("acquisitions", acquisitions.len())?;
        for (weight, _) in &acquisitions {
            positive("weight of an acquisition", *weight)?;
        }
        let (weights, acquisitions) = acquisitions.into_iter().unzip();
        Ok(Self { acquisitions, weights, logarithm: false })
    }

    /// Treats the acquisitions as logarithms and returns the logarithm of the mean.
    #[must_use]
    pub fn in_logarithms(self) -> Self {
        Self { logarithm: true, ..self }
    }

    /// Logarithm of the mean of acquisitions given by their logarithms.
    ///
    /// # Errors
    /// As [`Average::of`].
    pub fn of_logarithms(acquisitions: Vec<Box<dyn Acquisition + 'a>>) -> Result<Self, AcquisitionError> {
        Ok(Self::of(acquisitions)?.in_logarithms())
    }

    /// Weighted mean of one number per acquisition.
    fn mean(&self, values: &[f64]) -> f64 {
        let weighted = || self.weights.iter().zip(values);
        let total: f64 = self.weights.iter().sum();
        if !self.logarithm {
            return weighted().map(|(w, v)| w * v).sum::<f64>() / total;
        }
        let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if largest.is_infinite() {
            return largest;
        }
        largest + (weighted().map(|(w, v)| w * (v - largest).exp()).sum::<f64>() / total).ln()
    }

    /// Share of one value in the gradient of the mean.
    fn share(&self, k: usize, value: f64, mean: f64) -> f64 {
        let weight = self.weights[k] / self.weights.iter().sum::<f64>();
        if self.logarithm { weight * (value - mean).exp() } else { weight }
    }
}

impl Acquisition for Average<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        let (n, count) = (x.len(), self.acquisitions.len());
        let mut all = vec![0.0; count * n];
        for (acquisition, values) in self.acquisitions.iter().zip(all.chunks_exact_mut(n.max(1))) {
            acquisition.values_into(x, values);
        }
        for (i, slot) in out.iter_mut().enumerate() {
            let values: Vec<f64> = (0..count).map(|k| all[k * n + i]).collect();
            *slot = self.mean(&values);
        }
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        let (n, d, count) = (x.len(), x.dim(), self.acquisitions.len());
        let (mut all, mut slopes) = (vec![0.0; count * n], vec![0.0; count * n * d]);
        for (k, acquisition) in self.acquisitions.iter().enumerate() {
            let slopes = &mut slopes[k * n * d..(k + 1) * n * d];
            if !acquisition.values_with_gradients_into(x, &mut all[k * n..(k + 1) * n], slopes) {
                return false;
            }
        }
        gradients.fill(0.0);
        for (i, slot) in out.iter_mut().enumerate() {
            let values: Vec<f64> = (0..count).map(|k| all[k * n + i]).collect();
            *slot = self.mean(&values);
            for (k, value) in values.iter().enumerate() {
                let weight = self.share(k, *value, *slot);
                // Without any value there is no gradient either.
                if weight > 0.0 {
                    let slope = &slopes[(k * n + i) * d..(k * n + i + 1) * d];
                    let gradient = &mut gradients[i * d..(i + 1) * d];
                    gradient.iter_mut().zip(slope).for_each(|(g, s)| *g += weight * s);
                }
            }
            settle(&mut gradients[i * d..(i + 1) * d]);
        }
        true
    }

    fn has_unit(&self) -> bool {
        !self.logarithm && self.acquisitions.iter().any(Acquisition::has_unit)
    }
}
