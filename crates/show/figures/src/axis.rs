//! Axes of figures in the units of a variable.

use crate::marks::Marks;

/// One variable of the unit interval in the user's units.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Axis label, with the unit.
    pub label: String,
    /// The value at 0.
    pub low: f64,
    /// The value at 1.
    pub high: f64,
    /// True if values lie on a logarithmic scale.
    pub log: bool,
}

impl Axis {
    /// The unit interval itself.
    #[must_use]
    pub fn unit(label: impl Into<String>) -> Self {
        Self { label: label.into(), low: 0.0, high: 1.0, log: false }
    }

    /// Value on the axis at `u` of the unit interval.
    #[must_use]
    pub fn value(&self, u: f64) -> f64 {
        if self.log {
            self.low * (self.high / self.low).powf(u)
        } else {
            self.low + u * (self.high - self.low)
        }
    }

    /// Both ends as they are drawn: logarithms to base ten on a logarithmic axis. An axis of no width is widened.
    pub(crate) fn ends(&self) -> (f64, f64) {
        let (low, high) =
            if self.log { (self.low.log10(), self.high.log10()) } else { (self.low, self.high) };
        if low < high || high < low { (low, high) } else { (low - 0.5, low + 0.5) }
    }

    /// Tick marks at round values, at most `most`.
    pub(crate) fn marks(&self, most: usize) -> Marks {
        let (low, high) = self.ends();
        let (low, high) = (low.min(high), low.max(high));
        if self.log { Marks::log(low, high, most) } else { Marks::linear(low, high, most) }
    }
}
