//! Features of a kernel times a variance.

use super::Features;

/// `a φ_f`.
#[derive(Clone)]
pub(crate) struct Amplified {
    pub(crate) features: Box<dyn Features>,
    pub(crate) by: f64,
}

impl Features for Amplified {
    fn count(&self) -> usize {
        self.features.count()
    }

    fn eval_into(&self, x: &[f64], out: &mut [f64]) {
        self.features.eval_into(x, out);
        out.iter_mut().for_each(|slot| *slot *= self.by);
    }

    fn pull_back(&self, x: &[f64], weights: &[f64], grad: &mut [f64]) {
        let weights: Vec<f64> = weights.iter().map(|w| w * self.by).collect();
        self.features.pull_back(x, &weights, grad);
    }

    fn clone_box(&self) -> Box<dyn Features> {
        Box::new(self.clone())
    }
}
