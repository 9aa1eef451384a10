//! Training targets of a surrogate, from measurements.

use thrifty_gp::{LARGEST_TARGET, YeoJohnson};

use crate::LossTransform;

/// A value within the range that a surrogate can carry: larger ones would be an error to a fit and mean the same to a search.
pub fn carried(value: f64) -> f64 {
    value.clamp(-LARGEST_TARGET, LARGEST_TARGET)
}

/// Losses with the noise variances that were reported.
#[derive(Debug, Clone, Default)]
pub(crate) struct Targets {
    pub(crate) y: Vec<f64>,
    /// One per loss, 0 where none was reported.
    noise_variance: Vec<f64>,
}

impl Targets {
    /// Appends a loss.
    pub(crate) fn push(&mut self, loss: f64, noise_variance: Option<f64>) {
        self.y.push(carried(loss));
        self.noise_variance.push(carried(noise_variance.unwrap_or(0.0)));
    }

    /// Noise variances, if any was reported.
    pub(crate) fn noise_variance(&self) -> Option<&[f64]> {
        self.noise_variance.iter().any(|v| *v > 0.0).then_some(&self.noise_variance)
    }

    /// The transform of these losses that the settings ask for.
    pub(crate) fn transform(&self, transform: LossTransform) -> Option<YeoJohnson> {
        match transform {
            LossTransform::None => None,
            LossTransform::UpperTail => Some(YeoJohnson::of_upper_tail(&self.y)),
            LossTransform::BothTails => Some(YeoJohnson::of(&self.y)),
        }
    }

    /// Losses and noise variances on the scale of a transform ψ, the variances to first order: `ψ'(y)² v`.
    #[must_use]
    pub(crate) fn transformed(mut self, transform: Option<YeoJohnson>) -> Self {
        if let Some(transform) = transform {
            for (y, v) in self.y.iter_mut().zip(&mut self.noise_variance) {
                // A product of a huge slope and no noise is no noise.
                if *v > 0.0 {
                    *v = carried(*v * transform.slope(*y).powi(2));
                }
                *y = transform.apply(*y);
            }
        }
        self
    }
}
