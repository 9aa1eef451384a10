use std::sync::Arc;

use thrifty_domain::{Points, PointsRef};
use thrifty_gp::GpPosterior;
use thrifty_surrogate::{JointPosterior, Posterior};

use crate::{FoldKernel, HgpError};

/// The mean over some folds: what a full cross-validation over them measures, without noise.
///
/// ```text
/// ȳ(x) = (1/K) Σ_j y_j(x)
/// ```
///
/// It is not the true loss: the deviations of these very folds are in it. Cost: K times that of one function.
#[derive(Clone)]
pub struct Average {
    gp: Arc<GpPosterior<FoldKernel>>,
    folds: Vec<usize>,
}

impl Average {
    pub(crate) fn new(gp: Arc<GpPosterior<FoldKernel>>, folds: &[usize]) -> Result<Self, HgpError> {
        if folds.is_empty() {
            return Err(HgpError::NoFolds);
        }
        Ok(Self { gp, folds: folds.to_vec() })
    }

    /// Every point with every fold, fold after fold for each point.
    fn spread(&self, x: PointsRef<'_>) -> Points {
        let mut spread = Points::zeros(x.len() * self.folds.len(), x.dim() + 1);
        for (i, row) in x.rows().enumerate() {
            for (k, fold) in self.folds.iter().enumerate() {
                let slot = spread.row_mut(i * self.folds.len() + k);
                slot[..row.len()].copy_from_slice(row);
                slot[row.len()] = *fold as f64;
            }
        }
        spread
    }
}

impl Posterior for Average {
    fn dim(&self) -> usize {
        self.gp.dim() - 1
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        let folds = self.folds.len();
        let (mut means, mut variances) = (vec![0.0; folds], vec![0.0; folds]);
        let mut covariance = vec![0.0; folds * folds];
        for (i, row) in x.rows().enumerate() {
            let spread = self.spread(PointsRef::single(row));
            self.gp.predict_into(spread.as_ref(), &mut means, &mut variances);
            self.gp.covariance_into(spread.as_ref(), &mut covariance);
            mean[i] = means.iter().sum::<f64>() / folds as f64;
            variance[i] = (covariance.iter().sum::<f64>() / (folds * folds) as f64).max(0.0);
        }
    }

    fn joint(&self) -> Option<&dyn JointPosterior> {
        Some(self)
    }
}

impl JointPosterior for Average {
    fn covariance_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.cross_covariance_into(x, x, out);
        // Symmetric to the bit.
        for i in 0..x.len() {
            for j in 0..i {
                out[j * x.len() + i] = out[i * x.len() + j];
            }
        }
    }

    fn cross_covariance_into(&self, a: PointsRef<'_>, b: PointsRef<'_>, out: &mut [f64]) {
        let folds = self.folds.len();
        let (left, right) = (self.spread(a), self.spread(b));
        let mut all = vec![0.0; left.len() * right.len()];
        self.gp.cross_covariance_into(left.as_ref(), right.as_ref(), &mut all);
        out.fill(0.0);
        for (r, row) in all.chunks_exact(right.len()).enumerate() {
            for (c, value) in row.iter().enumerate() {
                out[(r / folds) * b.len() + c / folds] += value / (folds * folds) as f64;
            }
        }
    }
}
