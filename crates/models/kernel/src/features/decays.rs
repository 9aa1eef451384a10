//! Features of the exponential-decay kernel.

use super::Features;

/// `c (exp(-λ_f s) - exp(-λ_f))` with rates λ.
#[derive(Debug, Clone)]
pub(crate) struct Decays {
    pub(crate) rates: Vec<f64>,
    /// c.
    pub(crate) scale: f64,
    /// Inputs at which s is 0 and 1.
    pub(crate) range: (f64, f64),
}

impl Decays {
    fn scaled(&self, x: &[f64]) -> f64 {
        (x[0] - self.range.0) / (self.range.1 - self.range.0)
    }
}

impl Features for Decays {
    fn count(&self) -> usize {
        self.rates.len()
    }

    fn eval_into(&self, x: &[f64], out: &mut [f64]) {
        let s = self.scaled(x);
        for (slot, rate) in out.iter_mut().zip(&self.rates) {
            *slot = self.scale * ((-rate * s).exp() - (-rate).exp());
        }
    }

    fn pull_back(&self, x: &[f64], weights: &[f64], grad: &mut [f64]) {
        let (s, scale) = (self.scaled(x), self.scale / (self.range.1 - self.range.0));
        for (weight, rate) in weights.iter().zip(&self.rates) {
            grad[0] -= weight * scale * rate * (-rate * s).exp();
        }
    }

    fn clone_box(&self) -> Box<dyn Features> {
        Box::new(self.clone())
    }
}
