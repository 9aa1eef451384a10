//! Products of kernels.

use thrifty_domain::PointsRef;
use thrifty_linalg::Matrix;
use thrifty_params::{Param, Parameterized};
use thrifty_sampling::Stream;

use crate::error::common_dim;
use crate::features::{Features, Multiplied};
use crate::kernel::weight_sets;
use crate::{Kernel, KernelError, KernelWorkspace, WeightedVector};

use super::pair::Pair;

/// The product of two kernels: `k₁(x, y) · k₂(x, y)`.
///
/// Parameters: those of the left part under `left.`, then those of the right part under `right.`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(
    try_from = "Pair<A, B>",
    bound(deserialize = "A: Kernel + serde::Deserialize<'de>, B: Kernel + serde::Deserialize<'de>")
)]
pub struct Product<A, B> {
    left: A,
    right: B,
}

impl<A: Kernel, B: Kernel> TryFrom<Pair<A, B>> for Product<A, B> {
    type Error = KernelError;

    fn try_from(Pair { left, right }: Pair<A, B>) -> Result<Self, KernelError> {
        Self::new(left, right)
    }
}

impl<A: Kernel, B: Kernel> Product<A, B> {
    /// The product of two kernels.
    ///
    /// # Errors
    /// [`KernelError::DimensionMismatch`] when they take points of different dimension.
    pub fn new(left: A, right: B) -> Result<Self, KernelError> {
        common_dim(&left, &right)?;
        Ok(Self { left, right })
    }
}

impl<A: Kernel, B: Kernel> Parameterized for Product<A, B> {
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

impl<A: Kernel + Clone + 'static, B: Kernel + Clone + 'static> Kernel for Product<A, B> {
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
        self.left.eval(x, y) * self.right.eval(x, y)
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        let (for_left, for_right) = grad.split_at_mut(self.left.num_params());
        self.left.pull_back_pair(x, y, weight * self.right.eval(x, y), for_left);
        self.right.pull_back_pair(x, y, weight * self.left.eval(x, y), for_right);
    }

    fn diagonal_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        let mut right = vec![0.0; out.len()];
        self.left.diagonal_into(x, out);
        self.right.diagonal_into(x, &mut right);
        out.iter_mut().zip(right).for_each(|(a, b)| *a *= b);
    }

    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix) {
        let (mut left, mut right) = (Matrix::default(), Matrix::default());
        self.left.cov_into(x, y, &mut left);
        self.right.cov_into(x, y, &mut right);
        multiply_into(&left, &right, 1.0, out);
    }

    fn has_constant_variance(&self) -> bool {
        self.left.has_constant_variance() && self.right.has_constant_variance()
    }

    fn forward(&self, x: PointsRef<'_>, scale: f64, workspace: &mut KernelWorkspace, out: &mut Matrix) {
        let (left, right, left_values, right_values) = workspace.pair();
        self.left.forward(x, 1.0, left, left_values);
        self.right.forward(x, 1.0, right, right_values);
        multiply_into(left_values, right_values, scale, out);
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
        let (left, right, left_values, right_values) = workspace.pair();
        // The product rule: the weights of each part are multiplied by the other part. Only the lower half has meaning.
        let mut seen = Matrix::zeros(weights.rows(), weights.cols());
        multiply_lower_into(weights, right_values, &mut seen);
        let total = self.left.pull_back_params(x, left, &seen, scale, for_left);
        multiply_lower_into(weights, left_values, &mut seen);
        self.right.pull_back_params(x, right, &seen, scale, for_right);
        total
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
        let (left, right, left_values, right_values) = workspace.pair();
        let mut again = vec![0.0; product.len()];
        let (mut seen_by_left, mut seen_by_right) = (Matrix::default(), Matrix::default());
        let of_left = WeightedVector { weights: Some(by.through(right_values, &mut seen_by_left)), ..by };
        let of_right = WeightedVector { weights: Some(by.through(left_values, &mut seen_by_right)), ..by };
        self.left.derivatives_times(x, left, of_left, for_left, product)
            && self.right.derivatives_times(x, right, of_right, for_right, &mut again)
    }

    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        let other = |kernel: &dyn Kernel| {
            weights.iter().zip(y.rows()).map(|(w, y)| w * kernel.eval(x, y)).collect::<Vec<f64>>()
        };
        self.left.pull_back_input(x, y, &other(&self.right), grad);
        self.right.pull_back_input(x, y, &other(&self.left), grad);
    }

    fn pull_back_inputs(
        &self,
        x: PointsRef<'_>,
        y: PointsRef<'_>,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) {
        let sets = weight_sets(x, y, weights, grad);
        let (mut other, mut seen) = (Matrix::default(), Matrix::zeros(weights.rows(), weights.cols()));
        for (part, by) in [(&self.left as &dyn Kernel, &self.right as &dyn Kernel), (&self.right, &self.left)]
        {
            by.cov_into(y, x, &mut other);
            for c in 0..weights.cols() {
                let factors = weights.column(c).iter().zip(other.column(c / sets));
                seen.column_mut(c).iter_mut().zip(factors).for_each(|(seen, (w, k))| *seen = w * k);
            }
            part.pull_back_inputs(x, y, &seen, scale, grad);
        }
    }

    fn features(&self, count: usize, rng: &mut Stream) -> Option<Box<dyn Features>> {
        Some(Box::new(Multiplied::new(self.left.features(count, rng)?, self.right.features(count, rng)?)))
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

impl WeightedVector<'_> {
    /// The weights times the other part of a product.
    fn through<'b>(&self, other: &'b Matrix, seen: &'b mut Matrix) -> &'b Matrix {
        let Some(weights) = self.weights else { return other };
        seen.resize(other.rows(), other.cols());
        multiply_lower_into(weights, other, seen);
        seen
    }
}

fn multiply_into(a: &Matrix, b: &Matrix, scale: f64, out: &mut Matrix) {
    out.resize(a.rows(), a.cols());
    for j in 0..a.cols() {
        for ((out, a), b) in out.column_mut(j).iter_mut().zip(a.column(j)).zip(b.column(j)) {
            *out = scale * a * b;
        }
    }
}

pub(super) fn multiply_lower_into(a: &Matrix, b: &Matrix, out: &mut Matrix) {
    for j in 0..a.cols() {
        for ((out, a), b) in out.column_mut(j)[j..].iter_mut().zip(&a.column(j)[j..]).zip(&b.column(j)[j..]) {
            *out = a * b;
        }
    }
}
