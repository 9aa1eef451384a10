//! Kernels times a variance.

use thrifty_domain::PointsRef;
use thrifty_linalg::Matrix;
use thrifty_params::{Param, Parameterized};
use thrifty_prob::Prior;
use thrifty_sampling::Stream;

use crate::features::{Amplified, Features};
use crate::hyperparameters::{Hyperparameters, read_positive};
use crate::{Kernel, KernelError, KernelWorkspace, WeightedVector};

/// A kernel times a variance: `v · k(x, y)`.
///
/// Parameters: `variance > 0`, log scale, squared units of the function; then the kernel's own.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Scaled<K> {
    kernel: K,
    #[serde(deserialize_with = "read_positive")]
    variance: Hyperparameters,
}

impl<K: Kernel> Scaled<K> {
    /// The kernel times `variance`, to be learnt within `[1e-6, 1e6]` without a prior.
    ///
    /// # Errors
    /// [`KernelError::NotPositive`] when the variance is not positive and finite.
    pub fn new(kernel: K, variance: f64) -> Result<Self, KernelError> {
        Ok(Self { kernel, variance: Hyperparameters::positive("variance", vec![variance], 1e-6, 1e6)? })
    }

    /// Replaces the bounds for learning the variance, which is clamped to them.
    ///
    /// # Errors
    /// [`KernelError`] when a bound is not positive and finite, or they are in the wrong order.
    pub fn with_bounds(self, low: f64, high: f64) -> Result<Self, KernelError> {
        Ok(Self { variance: self.variance.with_bounds("variance", low, high)?, ..self })
    }

    /// Sets a prior for the variance.
    #[must_use]
    pub fn with_prior(self, prior: Prior) -> Self {
        Self { variance: self.variance.with_prior(prior), ..self }
    }

    /// The kernel inside.
    #[must_use]
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The variance.
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.variance.value()
    }
}

impl<K: Kernel> Parameterized for Scaled<K> {
    fn params(&self) -> Vec<Param> {
        let mut params = vec![self.variance.only_param("variance")];
        params.extend(self.kernel.params());
        params
    }

    fn set_params(&mut self, values: &[f64]) {
        self.kernel.set_params(self.variance.take(values));
    }
}

impl<K: Kernel + Clone + 'static> Kernel for Scaled<K> {
    fn dim(&self) -> Option<usize> {
        self.kernel.dim()
    }

    fn least_dim(&self) -> usize {
        self.kernel.least_dim()
    }

    fn num_params(&self) -> usize {
        1 + self.kernel.num_params()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        self.variance() * self.kernel.eval(x, y)
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        grad[0] += weight * self.kernel.eval(x, y);
        self.kernel.pull_back_pair(x, y, weight * self.variance(), &mut grad[1..]);
    }

    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix) {
        self.kernel.cov_into(x, y, out);
        let variance = self.variance();
        for j in 0..out.cols() {
            out.column_mut(j).iter_mut().for_each(|value| *value *= variance);
        }
    }

    fn diagonal_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.kernel.diagonal_into(x, out);
        for value in out {
            *value *= self.variance();
        }
    }

    fn has_constant_variance(&self) -> bool {
        self.kernel.has_constant_variance()
    }

    fn forward(&self, x: PointsRef<'_>, scale: f64, workspace: &mut KernelWorkspace, out: &mut Matrix) {
        self.kernel.forward(x, scale * self.variance(), workspace, out);
    }

    fn pull_back_params(
        &self,
        x: PointsRef<'_>,
        workspace: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64 {
        let total =
            self.kernel.pull_back_params(x, workspace, weights, scale * self.variance(), &mut grad[1..]);
        grad[0] += scale * total;
        self.variance() * total
    }

    fn derivatives_times(
        &self,
        x: PointsRef<'_>,
        workspace: &mut KernelWorkspace,
        by: WeightedVector<'_>,
        out: &mut [f64],
        product: &mut [f64],
    ) -> bool {
        let (variance, (own, rest)) = (self.variance(), out.split_at_mut(by.vector.len()));
        let inner = WeightedVector { scale: by.scale * variance, ..by };
        if !self.kernel.derivatives_times(x, workspace, inner, rest, product) {
            return false;
        }
        for (own, product) in own.iter_mut().zip(product) {
            *own += by.scale * *product;
            *product *= variance;
        }
        true
    }

    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        let scaled: Vec<f64> = weights.iter().map(|w| w * self.variance()).collect();
        self.kernel.pull_back_input(x, y, &scaled, grad);
    }

    fn pull_back_inputs(
        &self,
        x: PointsRef<'_>,
        y: PointsRef<'_>,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) {
        self.kernel.pull_back_inputs(x, y, weights, scale * self.variance(), grad);
    }

    fn features(&self, count: usize, rng: &mut Stream) -> Option<Box<dyn Features>> {
        Some(Box::new(Amplified { features: self.kernel.features(count, rng)?, by: self.variance().sqrt() }))
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}
