use thrifty_acquisition::Acquisition;
use thrifty_domain::PointsRef;
use thrifty_space::{Config, Space};

/// What an evaluation costs, by name.
pub(crate) struct KnownCost {
    pub(crate) name: String,
    pub(crate) of: Box<dyn Fn(&Config) -> f64 + Send + Sync>,
}

/// A utility divided by what an evaluation costs. No gradient: costs have none.
pub(crate) struct PerCost<'a> {
    pub(crate) acquisition: Box<dyn Acquisition + 'a>,
    pub(crate) cost: &'a KnownCost,
    pub(crate) space: &'a Space,
}

impl Acquisition for PerCost<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.acquisition.values_into(x, out);
        for (x, value) in x.rows().zip(out) {
            let cost = (self.cost.of)(&self.space.decode(x));
            *value /= if cost > 0.0 { cost } else { 1.0 };
        }
    }
}
