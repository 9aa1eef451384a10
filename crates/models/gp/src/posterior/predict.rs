//! Predictions of the posterior: mean, variance, gradients, covariances.

use thrifty_domain::PointsRef;
use thrifty_kernel::Kernel;
use thrifty_linalg::Matrix;
use thrifty_surrogate::{
    JointGradient, JointPosterior, Lookahead, PathSampler, Posterior, PosteriorGradient,
};

use super::{GpLookahead, GpPosterior, dot, is_finite};
use crate::TargetScaling;

/// Number of points that are predicted together: enough for a fast solve, few enough for the cache.
const BATCH: usize = 128;

impl<K: Kernel> GpPosterior<K> {
    /// `L⁻¹ k(x)` for the given scaled points, one column per point.
    pub(super) fn whitened(&self, x: PointsRef<'_>) -> Matrix {
        let mut cross = Matrix::default();
        self.kernel.cov_into(self.data.x.as_ref(), x, &mut cross);
        self.factor.solve_lower_matrix_in_place(&mut cross);
        cross
    }

    /// Means from covariances with the data, one column per point.
    fn means_from(&self, cross: &Matrix, means: &mut [f64]) {
        let TargetScaling { offset, width } = self.data.targets;
        for (j, mean) in means.iter_mut().enumerate() {
            *mean = offset + width * (self.mean + dot(cross.column(j), &self.alpha));
        }
    }
}

impl<K: Kernel> Posterior for GpPosterior<K> {
    fn dim(&self) -> usize {
        self.data.x.dim()
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        assert!(mean.len() == x.len() && variance.len() == x.len(), "one mean and one variance a point");
        let scaled = self.scaled(x);
        let width = self.data.targets.width;
        let mut cross = Matrix::default();
        self.kernel.diagonal_into(scaled.as_ref(), variance);
        for start in (0..x.len()).step_by(BATCH) {
            let end = (start + BATCH).min(x.len());
            self.kernel.cov_into(self.data.x.as_ref(), scaled.as_ref().slice(start, end), &mut cross);
            self.means_from(&cross, &mut mean[start..end]);
            self.factor.solve_lower_matrix_in_place(&mut cross);
            for (j, variance) in variance[start..end].iter_mut().enumerate() {
                let explained = dot(cross.column(j), cross.column(j));
                *variance = (*variance - explained).max(0.0) * width * width;
            }
        }
        for i in (0..x.len()).filter(|i| !is_finite(x.row(*i))) {
            (mean[i], variance[i]) = (f64::NAN, f64::NAN);
        }
    }

    /// Cost: O(n d) per point.
    fn mean_into(&self, x: PointsRef<'_>, mean: &mut [f64]) {
        assert_eq!(mean.len(), x.len(), "one mean a point");
        let scaled = self.scaled(x);
        let mut cross = Matrix::default();
        for start in (0..x.len()).step_by(BATCH) {
            let end = (start + BATCH).min(x.len());
            self.kernel.cov_into(self.data.x.as_ref(), scaled.as_ref().slice(start, end), &mut cross);
            self.means_from(&cross, &mut mean[start..end]);
        }
        for i in (0..x.len()).filter(|i| !is_finite(x.row(*i))) {
            mean[i] = f64::NAN;
        }
    }

    fn gradient(&self) -> Option<&dyn PosteriorGradient> {
        Some(self)
    }

    fn joint(&self) -> Option<&dyn JointPosterior> {
        Some(self)
    }

    fn paths(&self) -> Option<&dyn PathSampler> {
        Some(self)
    }
}

impl<K: Kernel> PosteriorGradient for GpPosterior<K> {
    fn predict_with_gradient_into(
        &self,
        x: PointsRef<'_>,
        mean: &mut [f64],
        variance: &mut [f64],
        mean_gradient: &mut [f64],
        variance_gradient: &mut [f64],
    ) {
        let d = self.dim();
        assert!(mean.len() == x.len() && variance.len() == x.len(), "one mean and one variance a point");
        assert!(
            mean_gradient.len() == x.len() * d && variance_gradient.len() == x.len() * d,
            "one gradient a point"
        );
        let scaled = self.scaled(x);
        let (train, width) = (self.data.x.as_ref(), self.data.targets.width);
        let mut cross = Matrix::default();
        self.kernel.cov_into(train, scaled.as_ref(), &mut cross);
        self.means_from(&cross, mean);
        self.factor.solve_lower_matrix_in_place(&mut cross);
        self.kernel.diagonal_into(scaled.as_ref(), variance);
        for (j, variance) in variance.iter_mut().enumerate() {
            *variance = (*variance - dot(cross.column(j), cross.column(j))).max(0.0) * width * width;
        }
        self.factor.solve_upper_matrix_in_place(&mut cross);
        let mut weights = Matrix::default();
        weights.resize(self.len(), 2 * x.len());
        for j in 0..x.len() {
            weights.column_mut(2 * j).copy_from_slice(&self.alpha);
            weights.column_mut(2 * j + 1).copy_from_slice(cross.column(j));
        }
        let mut of_data = vec![0.0; 2 * x.len() * d];
        self.kernel.pull_back_inputs(scaled.as_ref(), train, &weights, 1.0, &mut of_data);
        let constant_variance = self.kernel.has_constant_variance();
        for (j, of_data) in of_data.chunks_exact_mut(2 * d).enumerate() {
            let (of_mean, of_explained) = of_data.split_at_mut(d);
            if !constant_variance {
                let point = scaled.row(j);
                self.kernel.pull_back_input(point, PointsRef::single(point), &[-1.0], of_explained);
            }
            for k in 0..d {
                let per_input = self.data.input_slope(k);
                mean_gradient[j * d + k] = width * per_input * of_mean[k];
                // d k(x, x) is twice the derivative in the first argument, by symmetry; the rest is -2 kᵀ A⁻¹ dk.
                variance_gradient[j * d + k] = -2.0 * width * width * per_input * of_explained[k];
            }
        }
        for i in (0..x.len()).filter(|i| !is_finite(x.row(*i))) {
            (mean[i], variance[i]) = (f64::NAN, f64::NAN);
            mean_gradient[i * d..(i + 1) * d].fill(f64::NAN);
            variance_gradient[i * d..(i + 1) * d].fill(f64::NAN);
        }
    }
}

impl<K: Kernel> JointPosterior for GpPosterior<K> {
    fn prior_scale(&self) -> f64 {
        let mut variance = vec![0.0; self.data.x.len()];
        self.kernel.diagonal_into(self.data.x.as_ref(), &mut variance);
        variance.into_iter().fold(0.0, f64::max) * self.data.targets.width.powi(2)
    }

    fn covariance_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        let m = x.len();
        assert_eq!(out.len(), m * m, "one covariance per pair");
        let unknown: Vec<bool> = x.rows().map(|row| !is_finite(row)).collect();
        let scaled = self.scaled(x);
        let white = self.whitened(scaled.as_ref());
        let mut prior = Matrix::default();
        self.kernel.cov_into(scaled.as_ref(), scaled.as_ref(), &mut prior);
        let scale = self.data.targets.width.powi(2);
        // Along the columns, in the order of storage.
        for j in 0..m {
            for i in j..m {
                let covariance = (prior[(i, j)] - dot(white.column(i), white.column(j))) * scale;
                let value = match covariance {
                    _ if unknown[i] || unknown[j] => f64::NAN,
                    negative if i == j && negative < 0.0 => 0.0,
                    covariance => covariance,
                };
                (out[i * m + j], out[j * m + i]) = (value, value);
            }
        }
    }

    fn cross_covariance_into(&self, a: PointsRef<'_>, b: PointsRef<'_>, out: &mut [f64]) {
        assert_eq!(out.len(), a.len() * b.len(), "one covariance a pair");
        let unknown = |x: PointsRef<'_>| x.rows().map(|row| !is_finite(row)).collect::<Vec<bool>>();
        let (unknown_a, unknown_b) = (unknown(a), unknown(b));
        let (a, b) = (self.scaled(a), self.scaled(b));
        let (white_a, white_b) = (self.whitened(a.as_ref()), self.whitened(b.as_ref()));
        let mut prior = Matrix::default();
        self.kernel.cov_into(a.as_ref(), b.as_ref(), &mut prior);
        let scale = self.data.targets.width.powi(2);
        for j in 0..b.len() {
            for i in 0..a.len() {
                let covariance = (prior[(i, j)] - dot(white_a.column(i), white_b.column(j))) * scale;
                out[i * b.len() + j] = if unknown_a[i] || unknown_b[j] { f64::NAN } else { covariance };
            }
        }
    }

    fn joint_gradient(&self) -> Option<&dyn JointGradient> {
        Some(self)
    }

    fn own_lookahead<'a>(
        &'a self,
        anchors: PointsRef<'_>,
        noise_variance: f64,
    ) -> Option<Box<dyn Lookahead + 'a>> {
        Some(Box::new(GpLookahead::new(self, anchors, noise_variance)))
    }
}
