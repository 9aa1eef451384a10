//! Storage that a kernel keeps between its passes.

use thrifty_linalg::Matrix;

/// Memory that a kernel keeps from [`forward`](crate::Kernel::forward) to
/// [`pull_back_params`](crate::Kernel::pull_back_params), and over a whole fit, so that no value is computed or allocated
/// twice.
///
/// Only the kernel itself reads and writes the fields. Their descriptions state the use by the kernels of this crate;
/// another kernel may use them in any way. All are empty at the first pass. Later they hold the contents of the last pass,
/// perhaps on other points, so `forward` resizes what it writes. A composite gives each part a workspace from `parts`.
///
/// ```
/// use thrifty_kernel::KernelWorkspace;
/// let mut workspace = KernelWorkspace::default();
/// workspace.values.resize(3, 3);
/// workspace.parts.resize_with(2, KernelWorkspace::default);
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct KernelWorkspace {
    /// Unscaled covariances of this kernel, or of its left part in a product.
    pub values: Matrix,
    /// The factor of squared differences in the gradient, or covariances of the right part in a product.
    pub slopes: Matrix,
    /// Inputs divided by their lengthscales, one column per dimension.
    pub inputs: Matrix,
    /// One padded column.
    pub column: Vec<f64>,
    /// Workspaces of the parts.
    pub parts: Vec<KernelWorkspace>,
}

impl KernelWorkspace {
    /// The workspaces of two parts beside this node's own matrices.
    pub(crate) fn pair(&mut self) -> (&mut Self, &mut Self, &mut Matrix, &mut Matrix) {
        self.parts.resize_with(2, Self::default);
        let (left, right) = self.parts.split_at_mut(1);
        (&mut left[0], &mut right[0], &mut self.values, &mut self.slopes)
    }
}
