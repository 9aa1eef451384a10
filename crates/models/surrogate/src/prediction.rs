//! Mean and variance of a function at one point.

/// Mean and variance of a function, or of an observation of it, at one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Mean, in the units of the targets.
    pub mean: f64,
    /// Variance, in their square; never negative.
    pub variance: f64,
}

impl Prediction {
    /// Standard deviation √variance, in the units of the targets.
    pub fn std_dev(&self) -> f64 {
        self.variance.sqrt()
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

    #[test]
    fn noise_adds_to_the_variance_and_leaves_the_mean() {
        let observed = Prediction { mean: -2.0, variance: 9.0 }.with_noise(16.0);
        assert_eq!(observed, Prediction { mean: -2.0, variance: 25.0 });
        assert_eq!(observed.std_dev(), 5.0);
    }
}
