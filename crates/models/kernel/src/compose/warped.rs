//! Kernels on warped inputs.

use thrifty_domain::{Points, PointsRef};
use thrifty_linalg::Matrix;
use thrifty_params::{Param, Parameterized, Transform};
use thrifty_prob::Prior;

use crate::error::require_dim;
use crate::hyperparameters::Hyperparameters;
use crate::{Kernel, KernelError, KernelWorkspace};

/// Inputs are moved this far into the open interval, where every warp has slopes.
const MARGIN: f64 = 1e-6;

/// A kernel on inputs warped by the Kumaraswamy distribution function, dimension by dimension.
///
/// ```text
/// k(x, y) = k'(w(x), w(y)),   w_d(x) = 1 - (1 - x_d^a_d)^b_d
/// ```
///
/// A stationary kernel can then learn that a function varies faster near one end of an axis than near the other.
/// Inputs lie in the unit cube; inputs outside are moved to its border. `a = b = 1` leaves inputs unchanged.
/// Parameters: those of `k'`, then `a[d]` and `b[d]`, within `[0.1, 10]`, prior log-normal(0, ½), log scale.
/// It has no random features. Source: Snoek, Swersky, Zemel & Adams (2014), with Kumaraswamy's function for the beta's.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Unchecked<K>", bound(deserialize = "K: Kernel + serde::Deserialize<'de>"))]
pub struct Warped<K> {
    kernel: K,
    a: Hyperparameters,
    b: Hyperparameters,
}

/// A kernel as it is in a file.
#[derive(serde::Deserialize)]
struct Unchecked<K> {
    kernel: K,
    a: Hyperparameters,
    b: Hyperparameters,
}

impl<K: Kernel> TryFrom<Unchecked<K>> for Warped<K> {
    type Error = KernelError;

    fn try_from(Unchecked { kernel, a, b }: Unchecked<K>) -> Result<Self, KernelError> {
        let (dim, of_b) = (a.values.len(), b.values.len());
        require_dim(&kernel, dim)?;
        if dim != of_b {
            return Err(KernelError::DimensionMismatch { left: dim, right: of_b });
        }
        for own in [&a, &b] {
            own.require_own(Transform::Log, "expected a learnt value per dimension")?;
        }
        Ok(Self { kernel, a, b })
    }
}

impl<K: Kernel> Warped<K> {
    /// The kernel on `dim` inputs, with `a = b = 1`.
    ///
    /// # Errors
    /// [`KernelError::DimensionMismatch`] when the kernel takes points of another dimension.
    pub fn new(kernel: K, dim: usize) -> Result<Self, KernelError> {
        require_dim(&kernel, dim)?;
        let prior = Prior::LogNormal { mu: 0.0, sigma: 0.5 };
        let hyper = |name| {
            Ok::<Hyperparameters, KernelError>(
                Hyperparameters::positive(name, vec![1.0; dim], 0.1, 10.0)?.with_prior(prior.clone()),
            )
        };
        Ok(Self { kernel, a: hyper("a")?, b: hyper("b")? })
    }

    /// `w_d(x)` and its derivatives in x, a and b.
    fn warp(&self, d: usize, x: f64) -> [f64; 4] {
        let (a, b) = (self.a.values[d], self.b.values[d]);
        let inside = if (0.0..=1.0).contains(&x) { 1.0 - 2.0 * MARGIN } else { 0.0 };
        let x = MARGIN + (1.0 - 2.0 * MARGIN) * x.clamp(0.0, 1.0);
        let log_x = x.ln();
        // 1 - x^a without cancellation.
        let rest = -(a * log_x).exp_m1();
        let power = (1.0 - rest).max(f64::MIN_POSITIVE);
        let upper = rest.powf(b);
        let slope = b * upper / rest;
        [1.0 - upper, inside * slope * a * power / x, slope * power * log_x, -upper * rest.ln()]
    }

    fn warp_points(&self, x: PointsRef<'_>) -> Points {
        let mut warped = x.to_owned();
        for i in 0..warped.len() {
            for (d, value) in warped.row_mut(i).iter_mut().enumerate() {
                *value = self.warp(d, *value)[0];
            }
        }
        warped
    }

    fn warp_point(&self, x: &[f64]) -> Vec<f64> {
        x.iter().enumerate().map(|(d, &x)| self.warp(d, x)[0]).collect()
    }

    /// Adds the derivatives in `a` and `b` that follow from a gradient in the warped point.
    fn add_to_warp(&self, x: &[f64], of_warped: &[f64], grad: &mut [f64]) {
        let (of_a, of_b) = grad.split_at_mut(x.len());
        for (d, (&x, g)) in x.iter().zip(of_warped).enumerate() {
            let [_, _, in_a, in_b] = self.warp(d, x);
            of_a[d] += g * in_a;
            of_b[d] += g * in_b;
        }
    }
}

impl<K: Kernel> Parameterized for Warped<K> {
    fn params(&self) -> Vec<Param> {
        let mut params: Vec<Param> = self.kernel.params();
        params.extend(self.a.params("a").chain(self.b.params("b")));
        params
    }

    fn set_params(&mut self, values: &[f64]) {
        let (of_kernel, rest) = values.split_at(self.kernel.num_params());
        self.kernel.set_params(of_kernel);
        let rest = self.b.take(self.a.take(rest));
        assert!(rest.is_empty(), "more values than parameters");
    }
}

impl<K: Kernel + Clone + 'static> Kernel for Warped<K> {
    fn dim(&self) -> Option<usize> {
        Some(self.a.values.len())
    }

    fn num_params(&self) -> usize {
        self.kernel.num_params() + 2 * self.a.values.len()
    }

    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        self.kernel.eval(&self.warp_point(x), &self.warp_point(y))
    }

    fn pull_back_pair(&self, x: &[f64], y: &[f64], weight: f64, grad: &mut [f64]) {
        let (of_kernel, of_warp) = grad.split_at_mut(self.kernel.num_params());
        let (u, v) = (self.warp_point(x), self.warp_point(y));
        self.kernel.pull_back_pair(&u, &v, weight, of_kernel);
        for (x, u, v) in [(x, &u, &v), (y, &v, &u)] {
            let mut of_warped = vec![0.0; x.len()];
            self.kernel.pull_back_input(u, PointsRef::single(v), &[weight], &mut of_warped);
            self.add_to_warp(x, &of_warped, of_warp);
        }
    }

    fn cov_into(&self, x: PointsRef<'_>, y: PointsRef<'_>, out: &mut Matrix) {
        self.kernel.cov_into(self.warp_points(x).as_ref(), self.warp_points(y).as_ref(), out);
    }

    fn diagonal_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        self.kernel.diagonal_into(self.warp_points(x).as_ref(), out);
    }

    fn has_constant_variance(&self) -> bool {
        self.kernel.has_constant_variance()
    }

    fn forward(&self, x: PointsRef<'_>, scale: f64, workspace: &mut KernelWorkspace, out: &mut Matrix) {
        self.kernel.forward(self.warp_points(x).as_ref(), scale, workspace, out);
    }

    fn pull_back_params(
        &self,
        x: PointsRef<'_>,
        workspace: &mut KernelWorkspace,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) -> f64 {
        let (of_kernel, of_warp) = grad.split_at_mut(self.kernel.num_params());
        let warped = self.warp_points(x);
        let total = self.kernel.pull_back_params(warped.as_ref(), workspace, weights, scale, of_kernel);
        let (n, dim) = (x.len(), x.dim());
        // A point is the first of each of its pairs, and both of the pair with itself.
        let symmetric = Matrix::from_fn(n, n, |i, j| {
            let w = weights[(i.max(j), i.min(j))];
            if i == j { 2.0 * w } else { w }
        });
        let mut of_warped = vec![0.0; n * dim];
        self.kernel.pull_back_inputs(warped.as_ref(), warped.as_ref(), &symmetric, scale, &mut of_warped);
        for (x, of_warped) in x.rows().zip(of_warped.chunks_exact(dim)) {
            self.add_to_warp(x, of_warped, of_warp);
        }
        total
    }

    fn pull_back_input(&self, x: &[f64], y: PointsRef<'_>, weights: &[f64], grad: &mut [f64]) {
        let mut of_warped = vec![0.0; x.len()];
        let warped = self.warp_points(y);
        self.kernel.pull_back_input(&self.warp_point(x), warped.as_ref(), weights, &mut of_warped);
        for (d, (slot, g)) in grad.iter_mut().zip(of_warped).enumerate() {
            *slot += g * self.warp(d, x[d])[1];
        }
    }

    fn pull_back_inputs(
        &self,
        x: PointsRef<'_>,
        y: PointsRef<'_>,
        weights: &Matrix,
        scale: f64,
        grad: &mut [f64],
    ) {
        let sets = crate::kernel::weight_sets(x, y, weights, grad);
        let mut of_warped = vec![0.0; grad.len()];
        let (u, v) = (self.warp_points(x), self.warp_points(y));
        self.kernel.pull_back_inputs(u.as_ref(), v.as_ref(), weights, scale, &mut of_warped);
        for (c, (grad, of_warped)) in
            grad.chunks_exact_mut(x.dim()).zip(of_warped.chunks_exact(x.dim())).enumerate()
        {
            for (d, (slot, g)) in grad.iter_mut().zip(of_warped).enumerate() {
                *slot += g * self.warp(d, x.row(c / sets)[d])[1];
            }
        }
    }

    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}
