//! The trait of covariance functions.

use thrifty_domain::PointsRef;
use thrifty_linalg::Matrix;
use thrifty_params::Parameterized;
use thrifty_sampling::Stream;

use crate::{Features, KernelWorkspace};

/// A vector by which matrices are multiplied, with a weight of every entry; see [`Kernel::derivatives_times`].
#[derive(Debug, Clone, Copy)]
pub struct WeightedVector<'a> {
    /// Symmetric weights of the entries, of which the lower half alone is defined; 1 without any.
    pub weights: Option<&'a Matrix>,
    /// The vector, padded with 0 to the next multiple of [`LANES`](thrifty_linalg::LANES).
    pub vector: &'a [f64],
    /// Factor of the products with derivatives.
    pub scale: f64,
}

/// A covariance function: symmetric and positive semi-definite.
///
/// A new kernel implements its value and derivatives for a pair of points. Matrices and their gradients follow pair by
/// pair; a kernel that is used on large matrices overrides [`Kernel::forward`] and [`Kernel::pull_back_params`] with
/// faster passes. [`contract::check`](crate::contract::check) tests all of it, and
/// [`kernel_operators`](crate::kernel_operators) adds `+` and `*`.
///
/// Earlier contents of a matrix are ignored and overwritten. Of a symmetric matrix only the lower half is defined; the rest
/// of each padded column may hold anything.
pub trait Kernel: Parameterized + Send + Sync {
    /// The dimension of the points, `None` if it can be any from [`Kernel::least_dim`].
    fn dim(&self) -> Option<usize>;

    /// Smallest dimension of the points: a kernel on some columns needs the last of them.
    fn least_dim(&self) -> usize {
        self.dim().unwrap_or(0)
    }

    /// Dimension that points should have; `found` if the kernel takes points of that one.
    fn expected_dim(&self, found: usize) -> usize {
        self.dim().unwrap_or_else(|| self.least_dim().max(found))
    }

    /// Number of hyperparameters: the length of [`Parameterized::params`].
    fn num_params(&self) -> usize;

    /// `k(x, y)`.
    fn eval(&self, x: &[f64], y: &[f64]) -> f64;

    /// `grad[p] += weight · ∂k(x, y)/∂θ_p`, for the natural parameters.
    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]);

    /// `grad[d] += Σ_j weights[j] ∂k(x, y_j)/∂x_d`.
    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]);

    /// A copy behind a pointer.
    fn clone_box(&self) -> Box<dyn Kernel>;

    /// `out[(i, j)] = k(x_i, y_j)`, resized to fit.
    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix) {
        out.resize(x.len(), y.len());
        for (j, y) in y.rows().enumerate() {
            for (slot, x) in out.column_mut(j).iter_mut().zip(x.rows()) {
                *slot = self.eval(x, y);
            }
        }
    }

    /// `out[i] = k(x_i, y)`, the same bits as [`Kernel::eval`] pair by pair.
    fn eval_each(&self, x: PointsRef<'_>, y: &[f64], out: &mut [f64]) {
        for (slot, x) in out.iter_mut().zip(x.rows()) {
            *slot = self.eval(x, y);
        }
    }

    /// [`Kernel::pull_back_pair`] of `x_i` and `y` with `weights[i]`, one after the other: the same bits.
    fn pull_back_pairs(&self, x: PointsRef<'_>, y: &[f64], weights: &[f64], grad: &mut [f64]) {
        for (x, weight) in x.rows().zip(weights) {
            self.pull_back_pair(x, y, *weight, grad);
        }
    }

    /// [`Kernel::pull_back_input`] with one `y_j` after the other: the same bits as single calls, which one call for all need not have.
    fn pull_back_input_each(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        for (y, weight) in y.rows().zip(weights) {
            self.pull_back_input(x, PointsRef::single(y), std::slice::from_ref(weight), grad);
        }
    }

    /// `out[i] = k(x_i, x_i)`.
    fn diagonal_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        for (slot, point) in out.iter_mut().zip(x.rows()) {
            *slot = self.eval(point, point);
        }
    }

    /// True if `k(x, x)` is the same for every point, so that its derivative is 0.
    fn has_constant_variance(&self) -> bool {
        false
    }

    /// `out[(i, j)] = scale · k(x_i, x_j)` for i ≥ j, resized to fit. May keep in `workspace` what
    /// [`Kernel::pull_back_params`] can use again; see [`KernelWorkspace`].
    fn forward(&self, x: PointsRef<'_>, scale: f64, workspace: &mut KernelWorkspace, out: &mut Matrix) {
        let _ = workspace;
        out.resize(x.len(), x.len());
        for j in 0..x.len() {
            for (i, slot) in out.column_mut(j).iter_mut().enumerate().skip(j) {
                *slot = scale * self.eval(x.row(i), x.row(j));
            }
        }
    }

    /// `grad[p] += scale · Σ_{i≥j} weights[(i, j)] ∂k(x_i, x_j)/∂θ_p`, for the natural parameters. Returns
    /// `Σ_{i≥j} weights[(i, j)] k(x_i, x_j)`.
    ///
    /// `x` and `workspace` are those of the last [`Kernel::forward`], since which the parameters have not changed.
    /// The weights are folded: an entry below the diagonal stands for itself and its mirror image, entries
    /// above the diagonal and in the padding are 0.
    fn pull_back_params(
        &self,
        x: PointsRef<'_>,
        workspace: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64 {
        let _ = workspace;
        let mut total = 0.0;
        for j in 0..x.len() {
            for (i, w) in weights.column(j).iter().enumerate().skip(j) {
                total += w * self.eval(x.row(i), x.row(j));
                self.pull_back_pair(x.row(i), x.row(j), scale * w, grad);
            }
        }
        total
    }

    /// Products of a vector with the derivatives of the covariance, which the curvature of a likelihood is made of:
    ///
    /// ```text
    /// out[p·m + i] += scale · Σ_j weights[(i, j)] ∂k(x_i, x_j)/∂θ_p vector[j],   product[i] = Σ_j weights[(i, j)] k(x_i, x_j) vector[j]
    /// ```
    ///
    /// m is the length of the vector and of the product; beyond the points the products may be anything. `x` and `workspace` as in
    /// [`Kernel::pull_back_params`]. False, and nothing in particular written, where a kernel does not have this.
    fn derivatives_times(
        &self,
        x: PointsRef<'_>,
        workspace: &mut KernelWorkspace,
        by: WeightedVector<'_>,
        out: &mut [f64],
        product: &mut [f64],
    ) -> bool {
        let _ = (x, workspace, by, out, product);
        false
    }

    /// [`Kernel::pull_back_input`] for a batch, with `s` sets of weights for each point of dimension `d`:
    ///
    /// ```text
    /// grad[(i·s + c)·d + k] += scale · Σ_j weights[(j, i·s + c)] ∂k(x_i, y_j)/∂x_ik,   c < s
    /// ```
    ///
    /// The padding of the weights may hold anything. Override where work on the points can be shared.
    ///
    /// # Panics
    /// May panic when the shapes do not fit together.
    fn pull_back_inputs(
        &self,
        x: PointsRef<'_>,
        y: PointsRef<'_>,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) {
        let sets = weight_sets(x, y, weights, grad);
        for (c, grad) in grad.chunks_exact_mut(x.dim()).enumerate() {
            let scaled: Vec<f64> = weights.column(c).iter().map(|w| scale * w).collect();
            self.pull_back_input(x.row(c / sets), y, &scaled, grad);
        }
    }

    /// `count` random features, whose weighted sums are functions drawn from the prior; `None` when the kernel
    /// has none.
    fn features(&self, count: usize, rng: &mut Stream) -> Option<Box<dyn Features>> {
        let _ = (count, rng);
        None
    }
}

/// Number of weight columns per point; checks the shapes of [`Kernel::pull_back_inputs`].
pub(crate) fn weight_sets(x: PointsRef<'_>, y: PointsRef<'_>, weights: &Matrix, grad: &[f64]) -> usize {
    assert_eq!(x.dim(), y.dim(), "points of one dimension");
    assert_eq!(weights.rows(), y.len(), "one weight per point");
    let sets = weights.cols() / x.len().max(1);
    assert_eq!(weights.cols(), sets * x.len(), "equally many sets of weights for every point");
    assert_eq!(grad.len(), weights.cols() * x.dim(), "one gradient per set of weights");
    sets
}

impl Kernel for Box<dyn Kernel> {
    fn dim(&self) -> Option<usize> {
        (**self).dim()
    }

    fn least_dim(&self) -> usize {
        (**self).least_dim()
    }

    fn num_params(&self) -> usize {
        (**self).num_params()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        (**self).eval(x, y)
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        (**self).pull_back_pair(x, y, weight, grad);
    }

    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix) {
        (**self).cov_into(x, y, out);
    }

    fn eval_each(&self, x: PointsRef<'_>, y: &[f64], out: &mut [f64]) {
        (**self).eval_each(x, y, out);
    }

    fn pull_back_pairs(&self, x: PointsRef<'_>, y: &[f64], weights: &[f64], grad: &mut [f64]) {
        (**self).pull_back_pairs(x, y, weights, grad);
    }

    fn pull_back_input_each(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        (**self).pull_back_input_each(x, y, weights, grad);
    }

    fn diagonal_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        (**self).diagonal_into(x, out);
    }

    fn has_constant_variance(&self) -> bool {
        (**self).has_constant_variance()
    }

    fn forward(&self, x: PointsRef<'_>, scale: f64, workspace: &mut KernelWorkspace, out: &mut Matrix) {
        (**self).forward(x, scale, workspace, out);
    }

    fn pull_back_params(
        &self,
        x: PointsRef<'_>,
        workspace: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64 {
        (**self).pull_back_params(x, workspace, weights, scale, grad)
    }

    fn derivatives_times(
        &self,
        x: PointsRef<'_>,
        workspace: &mut KernelWorkspace,
        by: WeightedVector<'_>,
        out: &mut [f64],
        product: &mut [f64],
    ) -> bool {
        (**self).derivatives_times(x, workspace, by, out, product)
    }

    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        (**self).pull_back_input(x, y, weights, grad);
    }

    fn pull_back_inputs(
        &self,
        x: PointsRef<'_>,
        y: PointsRef<'_>,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) {
        (**self).pull_back_inputs(x, y, weights, scale, grad);
    }

    fn features(&self, count: usize, rng: &mut Stream) -> Option<Box<dyn Features>> {
        (**self).features(count, rng)
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        (**self).clone_box()
    }
}

impl Clone for Box<dyn Kernel> {
    fn clone(&self) -> Self {
        (**self).clone_box()
    }
}
