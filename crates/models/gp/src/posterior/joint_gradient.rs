//! Gradients of joint posterior covariances.

use thrifty_domain::PointsRef;
use thrifty_kernel::Kernel;
use thrifty_surrogate::{JointGradient, Posterior};

use super::GpPosterior;

impl<K: Kernel> JointGradient for GpPosterior<K> {
    /// Gradient of a weighted sum of means and covariances with respect to the points.
    ///
    /// u are the weights of the means and W those of the covariances. With S = W + Wᵀ and B = A⁻¹ K(X, X*), the gradient in point i is
    ///
    /// ```text
    /// Σ_j (u_i α - B S_i)_j ∂k(x_i, X_j)/∂x_i + Σ_j S_ij ∂k(x_i, x_j)/∂x_i
    /// ```
    ///
    /// The last sum has half the derivative of `k(x_i, x_i)` at j = i, and `S_ii` is twice the weight.
    fn pull_back_joint(&self, x: PointsRef<'_>, of_mean: &[f64], of_covariance: &[f64], grad: &mut [f64]) {
        let (m, d) = (x.len(), self.dim());
        assert!(of_mean.len() == m && of_covariance.len() == m * m, "one weight a mean and a covariance");
        assert_eq!(grad.len(), m * d, "one gradient a point");
        let scaled = self.scaled(x);
        let (points, train, width) = (scaled.as_ref(), self.data.x.as_ref(), self.data.targets.width);
        let mut solved = self.whitened(points);
        self.factor.solve_upper_matrix_in_place(&mut solved);
        for i in 0..m {
            let symmetric: Vec<f64> = (0..m)
                .map(|j| width * width * (of_covariance[i * m + j] + of_covariance[j * m + i]))
                .collect();
            let mut of_train: Vec<f64> = self.alpha.iter().map(|a| width * of_mean[i] * a).collect();
            for (j, s) in symmetric.iter().enumerate() {
                of_train.iter_mut().zip(solved.column(j)).for_each(|(w, b)| *w -= s * b);
            }
            let mut of_point = vec![0.0; d];
            self.kernel.pull_back_input(points.row(i), train, &of_train, &mut of_point);
            self.kernel.pull_back_input(points.row(i), points, &symmetric, &mut of_point);
            for (k, slope) in of_point.iter().enumerate() {
                grad[i * d + k] += slope * self.data.input_slope(k);
            }
        }
    }
}
