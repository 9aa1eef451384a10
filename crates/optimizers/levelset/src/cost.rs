//! Known cost of an evaluation.

use thrifty_acquisition::Acquisition;
use thrifty_domain::PointsRef;
use thrifty_space::{Config, Space};

/// Known cost of an evaluation, with a name.
pub(crate) struct KnownCost {
    pub(crate) name: String,
    pub(crate) of: Box<dyn Fn(&Config) -> f64 + Send + Sync>,
}

impl KnownCost {
    /// The cost of a configuration; 1 where it is not positive.
    pub(crate) fn positive(&self, config: &Config) -> f64 {
        let cost = (self.of)(config);
        if cost > 0.0 { cost } else { 1.0 }
    }
}

/// A non-negative utility divided by the known cost of an evaluation. It has no gradient, since costs have none.
pub(crate) struct PerCost<'a> {
    pub(crate) acquisition: Box<dyn Acquisition + 'a>,
    pub(crate) cost: &'a KnownCost,
    pub(crate) space: &'a Space,
}

impl Acquisition for PerCost<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.acquisition.values_into(x, out);
        for (x, value) in x.rows().zip(out) {
            *value /= self.cost.positive(&self.space.decode(x));
        }
    }

    /// True in any case: one over the cost has a unit.
    fn has_unit(&self) -> bool {
        true
    }
}

/// Logarithm of one over the known cost of an evaluation, as a weight. It has no gradient.
pub(crate) struct LogInverseKnownCost<'a> {
    pub(crate) cost: &'a KnownCost,
    pub(crate) space: &'a Space,
}

impl Acquisition for LogInverseKnownCost<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        for (x, value) in x.rows().zip(out) {
            *value = -self.cost.positive(&self.space.decode(x)).ln();
        }
    }
}
