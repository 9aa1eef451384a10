use crate::Utility;

/// Pure exploitation: `-μ`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PosteriorMean;

/// Pure exploration: `σ`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MaximumDeviation;

impl Utility for PosteriorMean {
    fn value(&self, mean: f64, _deviation: f64) -> f64 {
        -mean
    }

    fn value_and_slopes(&self, mean: f64, _deviation: f64) -> (f64, f64, f64) {
        (-mean, -1.0, 0.0)
    }
}

impl Utility for MaximumDeviation {
    fn value(&self, _mean: f64, deviation: f64) -> f64 {
        deviation
    }

    fn value_and_slopes(&self, _mean: f64, deviation: f64) -> (f64, f64, f64) {
        (deviation, 0.0, 1.0)
    }
}
