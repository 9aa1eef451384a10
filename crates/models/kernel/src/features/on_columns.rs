//! Features of a kernel on some columns.

use super::Features;

/// The features of the part of a point that lies in some of its columns.
#[derive(Clone)]
pub(crate) struct OnColumns {
    pub(crate) features: Box<dyn Features>,
    pub(crate) columns: Vec<usize>,
}

impl Features for OnColumns {
    fn count(&self) -> usize {
        self.features.count()
    }

    fn eval_into(&self, x: &[f64], out: &mut [f64]) {
        let own: Vec<f64> = self.columns.iter().map(|&c| x[c]).collect();
        self.features.eval_into(&own, out);
    }

    fn pull_back(&self, x: &[f64], weights: &[f64], grad: &mut [f64]) {
        let own: Vec<f64> = self.columns.iter().map(|&c| x[c]).collect();
        let mut inner = vec![0.0; own.len()];
        self.features.pull_back(&own, weights, &mut inner);
        self.columns.iter().zip(inner).for_each(|(&c, g)| grad[c] += g);
    }

    fn clone_box(&self) -> Box<dyn Features> {
        Box::new(self.clone())
    }
}
