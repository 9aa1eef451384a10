//! Mean and variance of a function at one point.

/// Mean and variance of a function, or of an observation of it, at one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Mean, in the units of the targets.
    pub mean: f64,
    /// Variance, in their square; never negative.
    pub variance: f64,
}

/// Standard normal quantile of 97.5 %.
const QUANTILE: f64 = 1.959_963_984_540_054;

impl Prediction {
    /// Standard deviation √variance, in the units of the targets.
    pub fn std_dev(&self) -> f64 {
        self.variance.sqrt()
    }

    /// Ends of the central 95 % interval of the normal distribution of this mean and variance.
    #[must_use]
    pub fn interval(&self) -> (f64, f64) {
        let half = QUANTILE * self.std_dev();
        (self.mean - half, self.mean + half)
    }

    /// Prediction of an observation with independent noise of this variance.
    #[must_use]
    pub fn with_noise(self, noise_variance: f64) -> Self {
        Self { variance: self.variance + noise_variance, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An interval of so many standard deviations to both sides holds 95 % of a normal distribution.
    #[test]
    fn intervals_hold_nineteen_twentieths() {
        let (low, high) = Prediction { mean: -2.0, variance: 9.0 }.interval();
        assert!((low + 7.879_891_953_620).abs() < 1e-9 && (high - 3.879_891_953_620).abs() < 1e-9);
        assert_eq!(Prediction { mean: 1.5, variance: 0.0 }.interval(), (1.5, 1.5));
    }

    #[test]
    fn noise_adds_to_the_variance_and_leaves_the_mean() {
        let observed = Prediction { mean: -2.0, variance: 9.0 }.with_noise(16.0);
        assert_eq!(observed, Prediction { mean: -2.0, variance: 25.0 });
        assert_eq!(observed.std_dev(), 5.0);
    }
}
