//! Sums of kernels.

use thrifty_domain::PointsRef;
use thrifty_linalg::Matrix;
use thrifty_params::{Param, Parameterized};
use thrifty_sampling::Stream;

use crate::error::common_dim;
use crate::features::{Added, Features};
use crate::{Kernel, KernelError, KernelWorkspace, WeightedVector};

use super::pair::Pair;

/// The covariance of a sum of two independent functions: `k₁(x, y) + k₂(x, y)`.
///
/// Parameters: those of the left part under `left.`, then those of the right part under `right.`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(
    try_from = "Pair<A, B>",
    bound(deserialize = "A: Kernel + serde::Deserialize<'de>, B: Kernel + serde::Deserialize<'de>")
)]
pub struct Sum<A, B> {
    left: A,
    right: B,
}

impl<A: Kernel, B: Kernel> TryFrom<Pair<A, B>> for Sum<A, B> {
    type Error = KernelError;

    fn try_from(Pair { left, right }: Pair<A, B>) -> Result<Self, KernelError> {
        Self::new(left, right)
    }
}

impl<A: Kernel, B: Kernel> Sum<A, B> {
    /// The sum of two kernels.
    ///
    /// # Errors
    /// [`KernelError::DimensionMismatch`] when they take points of different dimension.
    pub fn new(left: A, right: B) -> Result<Self, KernelError> {
        common_dim(&left, &right)?;
        Ok(Self { left, right })
    }
}

impl<A: Kernel, B: Kernel> Parameterized for Sum<A, B> {
    fn params(&self) -> Vec<Param> {
        let left = self.left.params().into_iter().map(|p| p.under("left"));
        left.chain(self.right.params().into_iter().map(|p| p.under("right"))).collect()
    }

    fn set_params(&mut self, values: &[f64]) {
        let (left, right) = values.split_at(self.left.num_params());
        self.left.set_params(left);
        self.right.set_params(right);
    }
}

impl<A: Kernel + Clone + 'static, B: Kernel + Clone + 'static> Kernel for Sum<A, B> {
    fn dim(&self) -> Option<usize> {
        self.left.dim().or(self.right.dim())
    }

    fn least_dim(&self) -> usize {
        self.left.least_dim().max(self.right.least_dim())
    }

    fn num_params(&self) -> usize {
        self.left.num_params() + self.right.num_params()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        self.left.eval(x, y) + self.right.eval(x, y)
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        let (for_left, for_right) = grad.split_at_mut(self.left.num_params());
        self.left.pull_back_pair(x, y, weight, for_left);
        self.right.pull_back_pair(x, y, weight, for_right);
    }

    fn diagonal_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        let mut right = vec![0.0; out.len()];
        self.left.diagonal_into(x, out);
        self.right.diagonal_into(x, &mut right);
        out.iter_mut().zip(right).for_each(|(a, b)| *a += b);
    }

    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix) {
        let mut right = Matrix::default();
        self.left.cov_into(x, y, out);
        self.right.cov_into(x, y, &mut right);
        add(out, &right);
    }

    fn has_constant_variance(&self) -> bool {
        self.left.has_constant_variance() && self.right.has_constant_variance()
    }

    fn forward(&self, x: PointsRef<'_>, scale: f64, workspace: &mut KernelWorkspace, out: &mut Matrix) {
        let (left, right, values, _) = workspace.pair();
        self.left.forward(x, scale, left, out);
        self.right.forward(x, scale, right, values);
        add(out, values);
    }

    fn pull_back_params(
        &self,
        x: PointsRef<'_>,
        workspace: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64 {
        let (for_left, for_right) = grad.split_at_mut(self.left.num_params());
        let (left, right, _, _) = workspace.pair();
        self.left.pull_back_params(x, left, weights, scale, for_left)
            + self.right.pull_back_params(x, right, weights, scale, for_right)
    }

    fn derivatives_times(
        &self,
        x: PointsRef<'_>,
        workspace: &mut KernelWorkspace,
        by: WeightedVector<'_>,
        out: &mut [f64],
        product: &mut [f64],
    ) -> bool {
        let (for_left, for_right) = out.split_at_mut(self.left.num_params() * by.vector.len());
        let (left, right, _, _) = workspace.pair();
        let mut of_right = vec![0.0; product.len()];
        let done = self.left.derivatives_times(x, left, by, for_left, product)
            && self.right.derivatives_times(x, right, by, for_right, &mut of_right);
        product.iter_mut().zip(of_right).for_each(|(left, right)| *left += right);
        done
    }

    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        self.left.pull_back_input(x, y, weights, grad);
        self.right.pull_back_input(x, y, weights, grad);
    }

    fn pull_back_inputs(
        &self,
        x: PointsRef<'_>,
        y: PointsRef<'_>,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) {
        self.left.pull_back_inputs(x, y, weights, scale, grad);
        self.right.pull_back_inputs(x, y, weights, scale, grad);
    }

    fn features(&self, count: usize, rng: &mut Stream) -> Option<Box<dyn Features>> {
        Some(Box::new(Added::new(self.left.features(count, rng)?, self.right.features(count, rng)?, rng)))
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

fn add(to: &mut Matrix, other: &Matrix) {
    for j in 0..to.cols() {
        to.column_mut(j).iter_mut().zip(other.column(j)).for_each(|(a, b)| *a += b);
    }
}
