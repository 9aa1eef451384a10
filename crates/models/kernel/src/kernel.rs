use thrifty_domain::PointsRef;
use thrifty_linalg::Matrix;
use thrifty_params::Parameterized;

/// A covariance function: symmetric and positive semi-definite.
///
/// Matrices are filled without regard to what they held. Where a matrix is symmetric only its lower half is
/// written with meaning; the rest of each padded column may be overwritten.
pub trait Kernel: Parameterized + Send + Sync {
    /// The dimension of the points it takes, `None` when any will do.
    fn dim(&self) -> Option<usize>;

    /// Number of hyperparameters: the length of [`Parameterized::params`].
    fn num_params(&self) -> usize;

    /// `k(x, y)`.
    fn eval(&self, x: &[f64], y: &[f64]) -> f64;

    /// `out[(i, j)] = k(x_i, y_j)`, resized to fit.
    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix);

    /// `out[i] = k(x_i, x_i)`.
    fn diagonal_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        for (slot, point) in out.iter_mut().zip(x.rows()) {
            *slot = self.eval(point, point);
        }
    }

    /// `out[(i, j)] = scale · k(x_i, x_j)` for i ≥ j, keeping in `workspace` what the pullback can use again.
    fn forward(&self, x: PointsRef<'_>, scale: f64, workspace: &mut KernelWorkspace, out: &mut Matrix);

    /// `grad[p] += scale · Σ_{i≥j} weights[(i, j)] ∂k(x_i, x_j)/∂θ_p`, for the natural parameters and the points
    /// of the last [`Kernel::forward`]. Returns `Σ_{i≥j} weights[(i, j)] k(x_i, x_j)`.
    ///
    /// The weights are folded: an entry below the diagonal stands for itself and its mirror image, entries
    /// above the diagonal and in the padding are 0.
    fn pull_back_params(
        &self,
        workspace: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64;

    /// `grad[d] += Σ_j weights[j] ∂k(x, y_j)/∂x_d`.
    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]);

    /// A copy behind a pointer.
    fn boxed(&self) -> Box<dyn Kernel>;
}

/// What a forward pass leaves for the pullback; kept over a whole fit, so that nothing is allocated twice.
#[derive(Debug, Clone, Default)]
pub struct KernelWorkspace {
    /// Unscaled covariances of this node, or of its left part in a product.
    pub(crate) values: Matrix,
    /// What multiplies squared differences in the gradient, or covariances of the right part in a product.
    pub(crate) slopes: Matrix,
    /// Inputs divided by their lengthscales, a column a dimension.
    pub(crate) inputs: Matrix,
    /// One padded column.
    pub(crate) column: Vec<f64>,
    /// Workspaces of the parts.
    pub(crate) parts: Vec<KernelWorkspace>,
}

impl KernelWorkspace {
    /// The workspaces of two parts beside this node's own matrices.
    pub(crate) fn pair(&mut self) -> (&mut Self, &mut Self, &mut Matrix, &mut Matrix) {
        self.parts.resize_with(2, Self::default);
        let (left, right) = self.parts.split_at_mut(1);
        (&mut left[0], &mut right[0], &mut self.values, &mut self.slopes)
    }
}

impl Kernel for Box<dyn Kernel> {
    fn dim(&self) -> Option<usize> {
        (**self).dim()
    }

    fn num_params(&self) -> usize {
        (**self).num_params()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        (**self).eval(x, y)
    }

    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix) {
        (**self).cov_into(x, y, out);
    }

    fn diagonal_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        (**self).diagonal_into(x, out);
    }

    fn forward(&self, x: PointsRef<'_>, scale: f64, workspace: &mut KernelWorkspace, out: &mut Matrix) {
        (**self).forward(x, scale, workspace, out);
    }

    fn pull_back_params(
        &self,
        workspace: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64 {
        (**self).pull_back_params(workspace, weights, scale, grad)
    }

    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        (**self).pull_back_input(x, y, weights, grad);
    }

    fn boxed(&self) -> Box<dyn Kernel> {
        (**self).boxed()
    }
}

impl Clone for Box<dyn Kernel> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}
