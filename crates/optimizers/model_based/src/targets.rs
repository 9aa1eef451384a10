//! Training targets of a surrogate, from measurements.

use thrifty_gp::{LARGEST_TARGET, YeoJohnson};

use crate::LossTransform;

/// Clamps a value to the range of targets that a surrogate accepts. Larger values would make the fit fail and are equivalent for the search.
pub fn carried(value: f64) -> f64 {
    value.clamp(-LARGEST_TARGET, LARGEST_TARGET)
}

/// A loss on the scale of a transform.
pub(crate) fn scaled(loss: f64, transform: YeoJohnson) -> f64 {
    carried(transform.apply(carried(loss)))
}

/// Noise variance that the next measurement is expected to report: the upper median of the variances reported so far. Measurements without
/// a report count as 0.
///
/// A median is robust: one measurement with a very large variance does not predict the next.
#[must_use]
pub fn expected_noise(reported: &[f64]) -> f64 {
    let mut sorted = reported.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
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

    /// Appends all targets of another collection.
    pub(crate) fn append(&mut self, others: &Self) {
        self.y.extend_from_slice(&others.y);
        self.noise_variance.extend_from_slice(&others.noise_variance);
    }

    /// Noise variances, if any was reported.
    pub(crate) fn noise_variance(&self) -> Option<&[f64]> {
        self.noise_variance.iter().any(|v| *v > 0.0).then_some(&self.noise_variance)
    }

    /// Noise variance that the next measurement is expected to report.
    pub(crate) fn expected_noise(&self) -> f64 {
        expected_noise(&self.noise_variance)
    }

    /// Fits the transform of these losses that the settings ask for.
    pub(crate) fn transform(&self, transform: LossTransform) -> Option<YeoJohnson> {
        match transform {
            LossTransform::None => None,
            LossTransform::UpperTail => Some(YeoJohnson::of_upper_tail(&self.y)),
            LossTransform::UpperHalf | LossTransform::Chosen => Some(YeoJohnson::of_upper_half(&self.y)),
            LossTransform::BothTails => Some(YeoJohnson::of(&self.y)),
        }
    }

    /// Losses and noise variances on the scale of a transform ψ, the variances to first order: `ψ'(y)² v`.
    #[must_use]
    pub(crate) fn transformed(mut self, transform: Option<YeoJohnson>) -> Self {
        if let Some(transform) = transform {
            for (y, v) in self.y.iter_mut().zip(&mut self.noise_variance) {
                // Avoids infinity times 0.
                if *v > 0.0 {
                    *v = carried(*v * transform.slope(*y).powi(2));
                }
                *y = scaled(*y, transform);
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(losses: &[f64], noise: &[f64]) -> Targets {
        let mut targets = Targets::default();
        losses.iter().zip(noise).for_each(|(loss, noise)| targets.push(*loss, Some(*noise)));
        targets
    }

    /// Losses are mapped, variances by the square of the slope; no noise stays none, however steep the map.
    #[test]
    fn variances_follow_the_slope_of_the_transform() {
        let losses = [1.0, 2.0, 2.5, 4.0, 30.0];
        let plain = targets(&losses, &[0.0, 0.5, 0.0, 2.0, 1.0]);
        let map = plain.transform(LossTransform::UpperTail).unwrap();
        let found = plain.clone().transformed(Some(map));
        for (i, loss) in losses.iter().enumerate() {
            assert_eq!(found.y[i], map.apply(*loss));
            let expected = plain.noise_variance[i] * map.slope(*loss).powi(2);
            assert!((found.noise_variance[i] - expected).abs() <= 1e-15 * expected);
        }
        assert_eq!(plain.clone().transformed(None).y, losses);
        assert!(plain.transform(LossTransform::None).is_none());
        let steep = targets(&losses.map(|loss| 1e-200 * loss), &[0.0, 1e-300, 0.0, 0.0, 0.0]);
        let map = steep.transform(LossTransform::UpperTail);
        let found = steep.transformed(map).noise_variance;
        assert!(found[1] > 0.0 && found[1].is_finite() && found[0] == 0.0, "{found:?}");
    }

    /// Losses that a transform would stretch beyond what a fit takes stay within it.
    #[test]
    fn transformed_losses_are_carried() {
        for losses in [[0.5, 0.6, 0.7, -1e200], [1e-9, 2e-9, 3e-9, -f64::MAX], [0.5, 0.6, 0.7, 1e200]] {
            let plain = targets(&losses, &[0.0; 4]);
            for transform in [LossTransform::UpperTail, LossTransform::UpperHalf, LossTransform::BothTails] {
                let map = plain.transform(transform);
                let found = plain.clone().transformed(map).y;
                assert!(found.iter().all(|y| y.abs() <= LARGEST_TARGET), "{transform:?}: {found:?}");
            }
        }
    }

    #[test]
    fn expected_noise_is_the_upper_median() {
        assert_eq!(expected_noise(&[]), 0.0);
        assert_eq!(expected_noise(&[3.0]), 3.0);
        assert_eq!(expected_noise(&[2.0, 0.0]), 2.0);
        assert_eq!(expected_noise(&[0.0, 2.0, 0.0]), 0.0);
        assert_eq!(expected_noise(&[1.0, LARGEST_TARGET, 3.0, 2.0]), 3.0);
    }

    #[test]
    fn noise_is_known_where_one_variance_is() {
        assert_eq!(targets(&[1.0, 2.0], &[0.0, 0.0]).noise_variance(), None);
        assert_eq!(targets(&[1.0, 2.0], &[0.0, 1e-9]).noise_variance(), Some(&[0.0, 1e-9][..]));
        let mut unknown = Targets::default();
        unknown.push(f64::INFINITY, None);
        assert_eq!((unknown.y[0], unknown.noise_variance[0]), (LARGEST_TARGET, 0.0));
    }
}
