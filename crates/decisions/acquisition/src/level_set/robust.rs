//! Criteria bounded from below by a multiple of the standard deviation.

use crate::{LookaheadGradient, LookaheadMoments, LookaheadUtility};

/// A utility bounded from below by a small multiple of the standard deviation at the point.
///
/// ```text
/// max(U(x), γ σ(x))
/// ```
///
/// Where the model expects no gain, this explores. No region is therefore left out forever because the model was wrong. Source: Zanette et
/// al. (2018), with [`SuperlevelVolume`](crate::SuperlevelVolume) and γ = 1e-8.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Robust<U> {
    /// U.
    pub utility: U,
    /// γ ≥ 0.
    pub gamma: f64,
}

impl<U: LookaheadUtility> LookaheadUtility for Robust<U> {
    fn value(&self, ahead: LookaheadMoments<'_>) -> f64 {
        self.utility.value(ahead).max(self.gamma * ahead.split().1.sqrt())
    }

    fn value_and_slopes(
        &self,
        ahead: LookaheadMoments<'_>,
        of_covariance: &mut [f64],
    ) -> (f64, LookaheadGradient) {
        let (value, slopes) = self.utility.value_and_slopes(ahead, of_covariance);
        let std_dev = ahead.split().1.sqrt();
        if value >= self.gamma * std_dev {
            return (value, slopes);
        }
        of_covariance.fill(0.0);
        if let Some(own) = of_covariance.last_mut().filter(|_| std_dev > 0.0) {
            *own = 0.5 * self.gamma / std_dev;
        }
        (self.gamma * std_dev, LookaheadGradient::default())
    }

    fn has_unit(&self) -> bool {
        self.utility.has_unit()
    }
}
