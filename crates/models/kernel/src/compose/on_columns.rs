//! Kernels on some columns.

use thrifty_domain::{Points, PointsRef};
use thrifty_linalg::Matrix;
use thrifty_params::{Param, Parameterized};
use thrifty_sampling::Stream;

use crate::error::require_columns;
use crate::features::{self, Features};
use crate::{Kernel, KernelError, KernelWorkspace};

/// A kernel on some of the columns of a point: its active dimensions.
///
/// ```text
/// k(x, y) = k'(x_A, y_A)
/// ```
///
/// Parameters: those of `k'`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Unchecked<K>", bound(deserialize = "K: Kernel + serde::Deserialize<'de>"))]
pub struct OnColumns<K> {
    kernel: K,
    columns: Vec<usize>,
}

/// A kernel as it is in a file.
#[derive(serde::Deserialize)]
struct Unchecked<K> {
    kernel: K,
    columns: Vec<usize>,
}

impl<K: Kernel> TryFrom<Unchecked<K>> for OnColumns<K> {
    type Error = KernelError;

    fn try_from(Unchecked { kernel, columns }: Unchecked<K>) -> Result<Self, KernelError> {
        Self::new(kernel, columns)
    }
}

impl<K: Kernel> OnColumns<K> {
    /// The kernel on these columns, in this order.
    ///
    /// # Errors
    /// [`KernelError`] when there are none, one comes twice, or the kernel takes another number of them.
    pub fn new(kernel: K, columns: Vec<usize>) -> Result<Self, KernelError> {
        require_columns(&columns, Some(kernel.expected_dim(columns.len())))?;
        Ok(Self { kernel, columns })
    }

    fn select(&self, x: PointsRef<'_>) -> Points {
        let mut own = Points::zeros(x.len(), self.columns.len());
        for (i, point) in x.rows().enumerate() {
            own.row_mut(i).iter_mut().zip(&self.columns).for_each(|(slot, &c)| *slot = point[c]);
        }
        own
    }

    fn select_point(&self, x: &[f64]) -> Vec<f64> {
        self.columns.iter().map(|&c| x[c]).collect()
    }
}

impl<K: Kernel> Parameterized for OnColumns<K> {
    fn params(&self) -> Vec<Param> {
        self.kernel.params()
    }

    fn set_params(&mut self, values: &[f64]) {
        self.kernel.set_params(values);
    }
}

impl<K: Kernel + Clone + 'static> Kernel for OnColumns<K> {
    /// `None`: any dimension that has the columns.
    fn dim(&self) -> Option<usize> {
        None
    }

    fn least_dim(&self) -> usize {
        self.columns.iter().max().map_or(0, |last| last + 1)
    }

    fn num_params(&self) -> usize {
        self.kernel.num_params()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        self.kernel.eval(&self.select_point(x), &self.select_point(y))
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        self.kernel.pull_back_pair(&self.select_point(x), &self.select_point(y), weight, grad);
    }

    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix) {
        self.kernel.cov_into(self.select(x).as_ref(), self.select(y).as_ref(), out);
    }

    fn diagonal_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.kernel.diagonal_into(self.select(x).as_ref(), out);
    }

    fn has_constant_variance(&self) -> bool {
        self.kernel.has_constant_variance()
    }

    fn forward(&self, x: PointsRef<'_>, scale: f64, workspace: &mut KernelWorkspace, out: &mut Matrix) {
        self.kernel.forward(self.select(x).as_ref(), scale, workspace, out);
    }

    fn pull_back_params(
        &self,
        x: PointsRef<'_>,
        workspace: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64 {
        self.kernel.pull_back_params(self.select(x).as_ref(), workspace, weights, scale, grad)
    }

    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        let mut own = vec![0.0; self.columns.len()];
        self.kernel.pull_back_input(&self.select_point(x), self.select(y).as_ref(), weights, &mut own);
        self.columns.iter().zip(own).for_each(|(&c, g)| grad[c] += g);
    }

    fn pull_back_inputs(
        &self,
        x: PointsRef<'_>,
        y: PointsRef<'_>,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) {
        let own_dim = self.columns.len();
        let mut own = vec![0.0; weights.cols() * own_dim];
        self.kernel.pull_back_inputs(
            self.select(x).as_ref(),
            self.select(y).as_ref(),
            weights,
            scale,
            &mut own,
        );
        for (grad, own) in grad.chunks_exact_mut(x.dim()).zip(own.chunks_exact(own_dim)) {
            self.columns.iter().zip(own).for_each(|(&c, g)| grad[c] += g);
        }
    }

    fn features(&self, count: usize, rng: &mut Stream) -> Option<Box<dyn Features>> {
        let features = self.kernel.features(count, rng)?;
        Some(Box::new(features::OnColumns { features, columns: self.columns.clone() }))
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}
