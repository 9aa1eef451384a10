//! Axes of figures in the units of a variable.

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
}
