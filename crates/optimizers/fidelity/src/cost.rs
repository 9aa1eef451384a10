//! Known cost of an evaluation, with what an earlier one has paid for.

use thrifty_acquisition::Acquisition;
use thrifty_domain::{Points, PointsRef};

use crate::FidelityAxis;

/// Cost of an evaluation as a share of what the target costs, the fixed share apart.
///
/// ```text
/// cost(x, s) = fixed + max(s / target - paid(x), 0),   paid(x) = largest s of an evaluation of x / target, where evaluations continue
/// ```
#[derive(Debug, Clone)]
pub struct ProportionalCost {
    axis: FidelityAxis,
    fixed: f64,
    /// Configurations at the target that an evaluation can continue, and the share that was paid for each.
    paid: (Points, Vec<f64>),
}

/// Smallest cost, as a share of the target: an evaluation that repeats another is not free.
const LEAST: f64 = 1e-6;

impl ProportionalCost {
    /// The cost with a fixed share, where nothing was paid yet.
    #[must_use]
    pub fn new(axis: &FidelityAxis, fixed: f64, dim: usize) -> Self {
        Self { axis: axis.clone(), fixed, paid: (Points::new(dim), Vec::new()) }
    }

    /// Counts an evaluation at an encoded point: later ones of its configuration continue it.
    pub fn pay(&mut self, x: &[f64]) {
        let share = self.axis.log_share(x[self.axis.column()]).0.exp();
        let mut moved = x.to_vec();
        self.axis.move_to_target(&mut moved);
        let known = self.paid.0.rows().position(|known| known == moved);
        if let Some(at) = known {
            self.paid.1[at] = self.paid.1[at].max(share);
        } else {
            self.paid.0.push(&moved);
            self.paid.1.push(share);
        }
    }

    /// Share that was paid for a configuration.
    fn paid(&self, x: &[f64]) -> f64 {
        let mut moved = x.to_vec();
        self.axis.move_to_target(&mut moved);
        let at = self.paid.0.rows().position(|known| known == moved);
        at.map_or(0.0, |at| self.paid.1[at])
    }

    /// The cost at an encoded point, and its slope by the column of the fidelity.
    #[must_use]
    pub fn at(&self, x: &[f64]) -> (f64, f64) {
        let (logarithm, slope) = self.axis.log_share(x[self.axis.column()]);
        let share = logarithm.exp();
        let paid = self.paid(x);
        let cost = (self.fixed + share.max(paid) - paid).max(LEAST);
        (cost, if share >= paid && cost > LEAST { share * slope } else { 0.0 })
    }
}

/// Minus the logarithm of the cost: the weight of a utility per unit of cost.
impl Acquisition for ProportionalCost {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        out.iter_mut().zip(x.rows()).for_each(|(slot, x)| *slot = -self.at(x).0.ln());
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        gradients.fill(0.0);
        for (i, x) in x.rows().enumerate() {
            let (cost, slope) = self.at(x);
            out[i] = -cost.ln();
            gradients[i * x.len() + self.axis.column()] = -slope / cost;
        }
        true
    }
}
