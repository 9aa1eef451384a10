//! Fantasies, and averages of acquisition functions over them.

use thrifty_check::InputError;
use thrifty_domain::PointsRef;
use thrifty_sampling::Stream;
use thrifty_surrogate::{Conditioned, JointPosterior};

use crate::acquisition::settle;
use crate::error::{require_noise, require_points};
use crate::sampling::log_mean_exp;
use crate::sampling::normals;
use crate::{Acquisition, AcquisitionError};

/// Fantasies: `count` posteriors, each conditioned on its own quasi-random outcomes at the pending points.
///
/// An acquisition averaged over them ([`Average`]) is the value of a point once the pending outcomes are in. Works on
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

/// The mean of acquisitions, as over fantasies or over hyperparameters; of logarithms the logarithm of the mean.
///
/// ```text
/// 1/n Σ_i α_i(x),   or   ln (1/n Σ_i exp α_i(x))
/// ```
pub struct Average<'a> {
    acquisitions: Vec<Box<dyn Acquisition + 'a>>,
    logarithm: bool,
}

impl<'a> Average<'a> {
    /// Mean of acquisitions.
    ///
    /// # Errors
    /// [`InputError::Empty`] for none.
    pub fn of(acquisitions: Vec<Box<dyn Acquisition + 'a>>) -> Result<Self, AcquisitionError> {
        if acquisitions.is_empty() {
            return Err(InputError::Empty { name: "acquisitions" }.into());
        }
        Ok(Self { acquisitions, logarithm: false })
    }

    /// Logarithm of the mean of acquisitions that are given as logarithms.
    ///
    /// # Errors
    /// As [`Average::of`].
    pub fn of_logarithms(acquisitions: Vec<Box<dyn Acquisition + 'a>>) -> Result<Self, AcquisitionError> {
        Ok(Self { logarithm: true, ..Self::of(acquisitions)? })
    }

    /// The mean of one number of each.
    fn mean(&self, values: &[f64]) -> f64 {
        if self.logarithm { log_mean_exp(values) } else { values.iter().sum::<f64>() / values.len() as f64 }
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
                let weight = if self.logarithm { (value - *slot).exp() } else { 1.0 } / count as f64;
                // Nowhere any value: no slope either.
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
}
