//! Student's t-test of a mean.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::{Location, POWER};
use crate::harness::stats::mean_and_std_dev;

/// Mean of normal values; one value gives no estimate of its own error.
pub(super) struct Student {
    mean: f64,
    standard_error: f64,
    t: Option<StudentsT>,
}

impl Student {
    pub(super) fn new(values: &[f64]) -> Self {
        let (mean, std_dev) = mean_and_std_dev(values);
        let freedom = values.len() as f64 - 1.0;
        Self {
            mean,
            standard_error: std_dev / (values.len() as f64).sqrt(),
            t: StudentsT::new(0.0, 1.0, freedom).ok().filter(|_| freedom > 0.0),
        }
    }

    /// P(T ≥ distance / standard error); equal values leave no doubt but at the bound itself.
    fn tail(&self, distance: f64) -> f64 {
        match self.t {
            None => 1.0,
            Some(_) if self.standard_error == 0.0 => f64::from(u8::from(distance <= 0.0)),
            Some(t) => t.sf(distance / self.standard_error),
        }
    }
}

impl Location for Student {
    fn estimate(&self) -> f64 {
        self.mean
    }

    fn above(&self, bound: f64) -> f64 {
        self.tail(self.mean - bound)
    }

    fn below(&self, bound: f64) -> f64 {
        self.tail(bound - self.mean)
    }

    fn interval(&self, level: f64) -> (f64, f64) {
        let Some(t) = self.t else { return (f64::NEG_INFINITY, f64::INFINITY) };
        let half = t.inverse_cdf(1.0 - level) * self.standard_error;
        (self.mean - half, self.mean + half)
    }

    fn detectable(&self, _: f64, level: f64) -> f64 {
        self.t.map_or(f64::INFINITY, |t| {
            (t.inverse_cdf(1.0 - level) + t.inverse_cdf(POWER)) * self.standard_error
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R: `t.test(1:5)` has [1.036757, 4.963243]; `t.test(1:5, mu = 1, alternative = "greater")` p = 0.02371.
    #[test]
    fn against_known_values() {
        let test = Student::new(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        let (low, high) = test.interval(0.025);
        assert!((low - 1.036_757).abs() < 1e-5 && (high - 4.963_243).abs() < 1e-5, "{low} {high}");
        assert!((test.above(1.0) - 0.023_71).abs() < 1e-5, "{}", test.above(1.0));
        assert!((test.above(low) - 0.025).abs() < 1e-9 && (test.below(high) - 0.025).abs() < 1e-9);
    }

    #[test]
    fn edges() {
        assert_eq!(Student::new(&[1.0]).above(0.0), 1.0);
        let equal = Student::new(&[1.0; 3]);
        assert_eq!((equal.above(0.5), equal.above(1.0), equal.below(0.5)), (0.0, 1.0, 1.0));
    }
}
