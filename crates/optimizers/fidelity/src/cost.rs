//! Known cost of an evaluation, less what earlier evaluations have paid.

use std::collections::HashMap;

use thrifty_acquisition::Acquisition;
use thrifty_domain::PointsRef;

use crate::FidelityAxis;
use crate::reached::key;

/// Cost of an evaluation, as a share of the cost of the target without its fixed share.
///
/// ```text
/// cost(x, s) = fixed + max(s / target - paid(x), 0),   paid(x) = largest s of an evaluation of x / target, where evaluations continue
/// ```
#[derive(Debug, Clone)]
pub struct ProportionalCost {
    axis: FidelityAxis,
    fixed: f64,
    /// Paid share of configurations that an evaluation can continue, by the [key] of their points at the target.
    paid: HashMap<Vec<u64>, f64>,
}

/// Smallest cost, as a share of the target: a repeated evaluation is not free.
const LEAST: f64 = 1e-6;

impl ProportionalCost {
    /// A cost with a fixed share, before any evaluation.
    #[must_use]
    pub fn new(axis: &FidelityAxis, fixed: f64) -> Self {
        Self { axis: axis.clone(), fixed, paid: HashMap::new() }
    }

    /// Counts an evaluation at an encoded point; later ones of its configuration continue it.
    pub fn pay(&mut self, x: &[f64]) {
        let share = self.axis.log_share(x[self.axis.column()]).0.exp();
        let paid = self.paid.entry(self.key_of(x)).or_insert(share);
        *paid = paid.max(share);
    }

    /// The key of a point's configuration, independent of its fidelity.
    fn key_of(&self, x: &[f64]) -> Vec<u64> {
        let mut moved = x.to_vec();
        self.axis.move_to_target(&mut moved);
        key(&moved)
    }

    /// Paid share of a configuration.
    fn paid(&self, x: &[f64]) -> f64 {
        if self.paid.is_empty() { 0.0 } else { self.paid.get(&self.key_of(x)).copied().unwrap_or(0.0) }
    }

    /// The cost at an encoded point, and its derivative by the column of the fidelity.
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
