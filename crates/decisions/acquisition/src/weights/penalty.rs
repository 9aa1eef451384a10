//! Local penalization of pending points.

use thrifty_check::{InputError, number};
use thrifty_domain::{Points, PointsRef};
use thrifty_prob::{inverse_mills, log_cdf};
use thrifty_surrogate::Posterior;

use crate::error::require_points;
use crate::{Acquisition, AcquisitionError};

/// Local penalisation: the log probability that a point is outside the balls around pending points in which the minimum cannot be.
///
/// ```text
/// Σ_j ln Φ((L ‖x - x_j‖ - (μ_j - M))/σ_j)
/// ```
///
/// A function with Lipschitz constant L cannot fall from its value f at a pending point to its minimum M within a distance of (f - M)/L.
/// Use it as a weight for [`Weighted`](crate::Weighted): utility times penalties, maximised point by point, gives a batch without a joint
/// posterior. If a pending value is certain, its ball has a sharp border.
/// Source: González et al. (2016); departure: minima.
#[derive(Debug, Clone)]
pub struct LocalPenalties {
    pending: Points,
    /// Distance of the mean above M, at least 0, and the standard deviation.
    gaps: Vec<(f64, f64)>,
    lipschitz: f64,
}

impl LocalPenalties {
    /// Penalties around pending points, for a minimum M (the best known value) and a Lipschitz constant L > 0.
    ///
    /// # Errors
    /// [`AcquisitionError`] for pending points of another dimension, or invalid numbers.
    pub fn new(
        posterior: &dyn Posterior,
        pending: PointsRef<'_>,
        minimum: f64,
        lipschitz: f64,
    ) -> Result<Self, AcquisitionError> {
        number("minimum", minimum, true, "a finite number")?;
        number("Lipschitz constant", lipschitz, lipschitz > 0.0, "a positive finite number")?;
        require_points("pending points", pending, posterior.dim())?;
        let (mut mean, mut variance) = (vec![0.0; pending.len()], vec![0.0; pending.len()]);
        posterior.predict_into(pending, &mut mean, &mut variance);
        let gaps = mean.iter().zip(&variance).map(|(m, v)| ((m - minimum).max(0.0), v.sqrt())).collect();
        Ok(Self { pending: pending.to_owned(), gaps, lipschitz })
    }

    /// Adds the terms of one point, and their slopes to `gradient` if given.
    fn add(&self, x: &[f64], mut gradient: Option<&mut [f64]>) -> f64 {
        let mut sum = 0.0;
        for (center, (gap, std_dev)) in self.pending.rows().zip(&self.gaps) {
            let distance = x.iter().zip(center).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            let ahead = self.lipschitz * distance - gap;
            if *std_dev <= 0.0 {
                sum += if ahead > 0.0 { 0.0 } else { f64::NEG_INFINITY };
                continue;
            }
            let z = ahead / std_dev;
            sum += log_cdf(z);
            if let Some(gradient) = gradient.as_deref_mut()
                && distance > 0.0
            {
                let slope = inverse_mills(-z) * self.lipschitz / (std_dev * distance);
                gradient.iter_mut().zip(x.iter().zip(center)).for_each(|(g, (a, b))| *g += slope * (a - b));
            }
        }
        sum
    }
}

/// Largest gradient norm of the posterior mean over some points: a lower estimate of a Lipschitz constant.
///
/// Source: González et al. (2016).
///
/// # Errors
/// [`AcquisitionError`] for no points, another dimension, a posterior without gradients, or slopes that are not
/// finite.
pub fn lipschitz_constant(posterior: &dyn Posterior, points: PointsRef<'_>) -> Result<f64, AcquisitionError> {
    let gradient = posterior.gradient().ok_or(AcquisitionError::Lacks("gradients"))?;
    let (n, d) = (points.len(), posterior.dim());
    if n == 0 {
        return Err(InputError::Empty { name: "points" }.into());
    }
    require_points("points", points, d)?;
    let (mut mean, mut variance) = (vec![0.0; n], vec![0.0; n]);
    let (mut slopes, mut of_variance) = (vec![0.0; n * d], vec![0.0; n * d]);
    gradient.predict_with_gradient_into(points, &mut mean, &mut variance, &mut slopes, &mut of_variance);
    crate::error::require_finite("slopes of the mean", &slopes)?;
    let steepest = slopes.chunks_exact(d).map(|s| s.iter().map(|v| v * v).sum::<f64>().sqrt());
    Ok(steepest.fold(0.0, f64::max))
}

impl Acquisition for LocalPenalties {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        x.rows().zip(out).for_each(|(x, slot)| *slot = self.add(x, None));
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        gradients.fill(0.0);
        for ((x, slot), gradient) in x.rows().zip(out).zip(gradients.chunks_exact_mut(x.dim())) {
            *slot = self.add(x, Some(gradient));
        }
        true
    }
}
