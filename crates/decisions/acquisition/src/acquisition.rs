//! Acquisition functions.

use thrifty_domain::PointsRef;

/// Acquisition function: the utility of an evaluation at each point; higher is better.
pub trait Acquisition: Send + Sync {
    /// Computes the values at m points, overwriting `out`.
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]);

    /// The value at one point.
    fn value(&self, x: &[f64]) -> f64 {
        let mut out = [0.0];
        self.values_into(PointsRef::single(x), &mut out);
        out[0]
    }

    /// Computes values and gradients (m×d, row-major) at m points, overwriting both. If the posterior has no gradients it returns false and
    /// writes nothing. A gradient that overflows is 0, never NaN.
    fn values_with_gradients_into(
        &self,
        _x: PointsRef<'_>,
        _out: &mut [f64],
        _gradients: &mut [f64],
    ) -> bool {
        false
    }

    /// True if values have a unit, such as that of the modelled function or one over that of a cost. False for logarithms, probabilities
    /// and entropies.
    ///
    /// A search for the maximum measures values with a unit by their spread, so its result does not depend on the unit.
    fn has_unit(&self) -> bool {
        false
    }
}

impl<T: Acquisition + ?Sized> Acquisition for Box<T> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        (**self).values_into(x, out);
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        (**self).values_with_gradients_into(x, out, gradients)
    }

    fn has_unit(&self) -> bool {
        (**self).has_unit()
    }
}

impl<T: Acquisition + ?Sized> Acquisition for &T {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        (**self).values_into(x, out);
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        (**self).values_with_gradients_into(x, out, gradients)
    }

    fn has_unit(&self) -> bool {
        (**self).has_unit()
    }
}

/// Replaces a gradient that is not finite by 0. It occurs for losses so large or so small that derivatives of their variances overflow. A
/// search then stays where it is, while NaN would break it.
pub(crate) fn settle(gradient: &mut [f64]) {
    if gradient.iter().any(|slope| !slope.is_finite()) {
        gradient.fill(0.0);
    }
}
