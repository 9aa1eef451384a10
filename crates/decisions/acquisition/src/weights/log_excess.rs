//! Positive form of a signed utility.

use thrifty_domain::PointsRef;

use crate::acquisition::settle;

use crate::{Acquisition, AcquisitionError};
use thrifty_check::number;

/// Logarithm of a positive form of the excess of a signed utility α over its value α₀ at the incumbent; weights can multiply it.
///
/// ```text
/// ln(s ln(1 + exp((α(x) - α₀)/s)))
/// ```
///
/// A signed utility (a confidence bound, a posterior mean, a sample path) cannot be multiplied by a weight, since a small weight would
/// improve a negative value. Its difference to α₀ is used instead. The softplus function with scale s makes the difference positive and
/// keeps its order. Far above α₀ it equals the difference, far below it vanishes exponentially. Without weights the maximiser is that of α.
pub struct LogExcess<'a> {
    acquisition: Box<dyn Acquisition + 'a>,
    reference: f64,
    scale: f64,
}

impl<'a> LogExcess<'a> {
    /// Excess over the reference value α₀, with scale s > 0.
    ///
    /// # Errors
    /// [`InputError::Number`](thrifty_check::InputError::Number) for a reference that is not finite or a scale that is not positive.
    pub fn new(
        acquisition: Box<dyn Acquisition + 'a>,
        reference: f64,
        scale: f64,
    ) -> Result<Self, AcquisitionError> {
        number("reference of a utility", reference, true, "a finite number")?;
        number("scale of a utility", scale, scale > 0.0, "a positive finite number")?;
        Ok(Self { acquisition, reference, scale })
    }

    /// Excess over the value at the incumbent. The scale is the standard deviation of the values at `points`, the observed points.
    ///
    /// # Errors
    /// As [`LogExcess::new`]: a utility that is not finite there.
    pub fn over_incumbent(
        acquisition: Box<dyn Acquisition + 'a>,
        incumbent: &[f64],
        points: PointsRef<'_>,
    ) -> Result<Self, AcquisitionError> {
        let mut values = vec![0.0; points.len()];
        acquisition.values_into(points, &mut values);
        let n = values.len().max(1) as f64;
        let mean = values.iter().map(|v| v / n).sum::<f64>();
        let std_dev = values.iter().map(|v| (v - mean).powi(2) / n).sum::<f64>().sqrt();
        let reference = acquisition.value(incumbent);
        // Equal values have no scale; use that of rounding.
        let least = 1e-8 * reference.abs().max(f64::MIN_POSITIVE.sqrt());
        Self::new(acquisition, reference, std_dev.max(least))
    }

    /// The logarithm, and its derivative with respect to α.
    fn log(&self, value: f64) -> (f64, f64) {
        let z = (value - self.reference) / self.scale;
        // ln(1 + e^z) and its logarithm without overflow or loss.
        let (log, slope) = if z < -30.0 {
            (z, 1.0)
        } else {
            let softplus = if z > 0.0 { z + (-z).exp().ln_1p() } else { z.exp().ln_1p() };
            (softplus.ln(), 1.0 / (softplus * (1.0 + (-z).exp())))
        };
        (self.scale.ln() + log, slope / self.scale)
    }
}

impl Acquisition for LogExcess<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.acquisition.values_into(x, out);
        out.iter_mut().for_each(|value| *value = self.log(*value).0);
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        if !self.acquisition.values_with_gradients_into(x, out, gradients) {
            return false;
        }
        for (value, gradient) in out.iter_mut().zip(gradients.chunks_exact_mut(x.dim())) {
            let (log, slope) = self.log(*value);
            *value = log;
            gradient.iter_mut().for_each(|g| *g *= slope);
            settle(gradient);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first coordinate.
    struct First;

    impl Acquisition for First {
        fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
            x.rows().zip(out).for_each(|(x, slot)| *slot = x[0]);
        }

        fn values_with_gradients_into(
            &self,
            x: PointsRef<'_>,
            out: &mut [f64],
            gradients: &mut [f64],
        ) -> bool {
            self.values_into(x, out);
            gradients.fill(1.0);
            true
        }
    }

    #[test]
    fn it_is_the_difference_above_and_vanishes_below() {
        let excess = LogExcess::new(Box::new(First), 2.0, 0.5).unwrap();
        assert!((excess.value(&[1002.0]) - 1000_f64.ln()).abs() < 1e-12);
        assert!((excess.value(&[2.0]) - (0.5 * 2_f64.ln()).ln()).abs() < 1e-15);
        // Far below: ln s + z.
        assert!((excess.value(&[-48.0]) - (0.5_f64.ln() - 100.0)).abs() < 1e-12);
        // Both branches agree where they meet.
        let (left, right) = (excess.value(&[2.0 - 15.000_001]), excess.value(&[2.0 - 14.999_999]));
        assert!((right - left - 4e-6).abs() < 1e-9, "{left} {right}");
    }

    #[test]
    fn slopes_are_those_of_differences() {
        let excess = LogExcess::new(Box::new(First), 2.0, 0.5).unwrap();
        for at in [-30.0, -13.0, 0.0, 1.9, 2.0, 2.3, 9.0, 400.0] {
            let (mut value, mut gradient) = ([0.0], [0.0]);
            assert!(excess.values_with_gradients_into(PointsRef::single(&[at]), &mut value, &mut gradient));
            let h = 1e-5;
            let slope = (excess.value(&[at + h]) - excess.value(&[at - h])) / (2.0 * h);
            assert!(
                (gradient[0] - slope).abs() < 1e-6 * (1.0 + slope.abs()),
                "{at}: {} {slope}",
                gradient[0]
            );
        }
    }

    #[test]
    fn equal_values_have_a_scale() {
        struct Flat;
        impl Acquisition for Flat {
            fn values_into(&self, _: PointsRef<'_>, out: &mut [f64]) {
                out.fill(3.0);
            }
        }
        let points = thrifty_domain::Points::from_flat(vec![0.1, 0.2], 1);
        let excess = LogExcess::over_incumbent(Box::new(Flat), &[0.1], points.as_ref()).unwrap();
        assert!(excess.value(&[0.7]).is_finite());
        assert!(LogExcess::new(Box::new(Flat), f64::NAN, 1.0).is_err());
        assert!(LogExcess::new(Box::new(Flat), 0.0, 0.0).is_err());
    }
}
