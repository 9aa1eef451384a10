//! Posterior Gaussian process.

mod extend;
mod joint_gradient;
mod lookahead;
mod paths;
mod predict;
mod record;

pub use lookahead::GpLookahead;

use std::sync::{Arc, OnceLock};

use thrifty_domain::{Points, PointsRef};
use thrifty_kernel::{Kernel, KernelWorkspace};
use thrifty_linalg::{Cholesky, JitterLadder, Matrix};
use thrifty_params::Param;
use thrifty_surrogate::{Calibration, CalibrationError, Posterior, Prediction};

use crate::data::ScaledData;
use crate::fit::{Learnt, Restart};
use crate::{GpError, InputScaling, TargetScaling};

/// A Gaussian process conditioned on data.
///
/// ```text
/// mean(x) = m + k(x)ᵀ α,   var(x) = k(x, x) - ‖L⁻¹ k(x)‖²,   L Lᵀ = A = K + σ² I + diag(s),   α = A⁻¹ (y - m)
/// ```
///
/// σ² is the common noise, s the known noise of each observation. Predictions are of the latent function, without noise, on the scale of
/// the targets. Variances lost in rounding are 0.
///
/// A point with a NaN or infinite coordinate has NaN for its mean, its variance, their gradients and its covariances. Points of another
/// dimension panic with both numbers. Cost: O(n³) once, O(n d + n²) per point. Source: Rasmussen & Williams (2006), alg. 2.1.
#[derive(Debug, Clone)]
pub struct GpPosterior<K> {
    kernel: K,
    data: ScaledData,
    noise: f64,
    mean: f64,
    /// Cholesky factor of A, shared by posteriors that differ only in their targets.
    factor: Arc<Cholesky>,
    /// Diagonal of A⁻¹, computed on first use: it costs as much as several factorizations. Shared like the factor.
    inverse_diagonal: Arc<OnceLock<Vec<f64>>>,
    alpha: Vec<f64>,
    params: Vec<Param>,
    restarts: Vec<Restart>,
    ladder: JitterLadder,
}

impl<K: Kernel> GpPosterior<K> {
    pub(crate) fn new(
        learnt: Learnt<K>,
        data: ScaledData,
        ladder: &JitterLadder,
        restarts: Vec<Restart>,
    ) -> Result<Self, GpError> {
        let Learnt { kernel, noise, mean, params } = learnt;
        let factor = Arc::new(factor(&kernel, &data, noise, ladder)?);
        let ladder = ladder.clone();
        let inverse_diagonal = Arc::default();
        let alpha = Vec::new();
        let mut posterior =
            Self { kernel, data, noise, mean, factor, inverse_diagonal, alpha, params, restarts, ladder };
        posterior.solve();
        Ok(posterior)
    }

    fn solve(&mut self) {
        self.alpha = self.data.y.iter().map(|y| y - self.mean).collect();
        self.factor.solve_in_place(&mut self.alpha);
    }

    /// Number of observations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.alpha.len()
    }

    /// True if there are no observations: never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.alpha.is_empty()
    }

    /// The kernel with its learnt hyperparameters, on scaled inputs and targets.
    #[must_use]
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// All learnable hyperparameters with their values.
    #[must_use]
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// Values of the hyperparameters, as input of [`Gp::warm_started`](crate::Gp::warm_started).
    #[must_use]
    pub fn hyperparameters(&self) -> Vec<f64> {
        self.params.iter().map(|p| p.value).collect()
    }

    /// Variance of the common noise on the scale of the targets.
    #[must_use]
    pub fn noise_variance(&self) -> f64 {
        self.noise * self.data.targets.width.powi(2)
    }

    /// Mean and variance of a new observation at a point: those of the latent function, plus the common noise.
    #[must_use]
    pub fn predict_observed(&self, x: &[f64]) -> Prediction {
        self.predict(x).with_noise(self.noise_variance())
    }

    /// Standardised errors `L⁻¹ (y - m)` of the observations from `first` on, each predicted from those before it.
    ///
    /// Under the model they are independent and standard normal. Cost: n multiplications per error.
    #[must_use]
    pub fn standardized_errors(&self, first: usize) -> Vec<f64> {
        let factor = self.factor.factor();
        // L⁻¹ r = Lᵀ α.
        (first..self.len()).map(|i| dot(&factor.column(i)[i..], &self.alpha[i..])).collect()
    }

    /// Scaling of the inputs; `None` if they are not scaled.
    #[must_use]
    pub fn input_scaling(&self) -> Option<&InputScaling> {
        self.data.inputs.as_ref()
    }

    /// Scaling of the targets.
    #[must_use]
    pub fn target_scaling(&self) -> TargetScaling {
        self.data.targets
    }

    /// Jitter on the diagonal of the covariance, in addition to the noise, on scaled targets; 0 if none was needed.
    #[must_use]
    pub fn jitter(&self) -> f64 {
        self.factor.jitter()
    }

    /// Results of all restarts of the fit; empty after conditioning alone.
    #[must_use]
    pub fn restarts(&self) -> &[Restart] {
        &self.restarts
    }

    /// True if the best start reached its limit of evaluations before it converged; false after conditioning alone.
    #[must_use]
    pub fn is_capped(&self) -> bool {
        let value = |restart: &&Restart| restart.log_posterior.unwrap_or(f64::NEG_INFINITY);
        let best =
            self.restarts.iter().reduce(|best, next| if value(&next) > value(&best) { next } else { best });
        best.is_some_and(|restart| restart.capped)
    }

    /// Log marginal likelihood of the scaled targets. Source: Rasmussen & Williams (2006), eq. 2.30.
    #[must_use]
    pub fn log_likelihood(&self) -> f64 {
        let fit: f64 = self.data.y.iter().zip(&self.alpha).map(|(y, a)| (y - self.mean) * a).sum();
        -0.5 * (fit + self.factor.log_det() + self.len() as f64 * std::f64::consts::TAU.ln())
    }

    /// Mean and variance (with noise) of each target, predicted from all others, on the scale of the targets.
    ///
    /// ```text
    /// mean_i = y_i - α_i / [A⁻¹]_ii,   var_i = 1 / [A⁻¹]_ii
    /// ```
    ///
    /// Source: Rasmussen & Williams (2006), eq. 5.12.
    #[must_use]
    pub fn leave_one_out(&self) -> Vec<(f64, f64)> {
        let TargetScaling { offset, width } = self.data.targets;
        let one = |((y, a), d): ((&f64, &f64), &f64)| {
            let variance = 1.0 / d;
            (offset + width * (y - a * variance), variance * width * width)
        };
        self.data.y.iter().zip(&self.alpha).zip(self.inverse_diagonal()).map(one).collect()
    }

    /// Diagonal of A⁻¹.
    fn inverse_diagonal(&self) -> &[f64] {
        self.inverse_diagonal.get_or_init(|| {
            let inverse = self.factor.inverse();
            (0..self.len()).map(|i| inverse[(i, i)]).collect()
        })
    }

    /// Changes of the [`leave_one_out`](Self::leave_one_out) means if the targets change by v: `v_i - [A⁻¹ v]_i / [A⁻¹]_ii`. The scale of
    /// the targets and all hyperparameters are fixed. `None` if the number of changes differs from that of the targets.
    #[must_use]
    pub fn leave_one_out_change(&self, change: &[f64]) -> Option<Vec<f64>> {
        if change.len() != self.len() {
            return None;
        }
        let mut solved = change.to_vec();
        self.factor.solve_in_place(&mut solved);
        let one = |((v, s), d): ((&f64, &f64), &f64)| v - s / d;
        Some(change.iter().zip(&solved).zip(self.inverse_diagonal()).map(one).collect())
    }

    /// Calibration of leave-one-out predictions: each target is predicted from all others.
    ///
    /// # Errors
    /// [`CalibrationError`] if a variance overflows or vanishes at extreme scales of the targets.
    pub fn leave_one_out_calibration(&self) -> Result<Calibration, CalibrationError> {
        let (mean, variance): (Vec<f64>, Vec<f64>) = self.leave_one_out().into_iter().unzip();
        Calibration::of(&mean, &variance, &self.targets())
    }

    /// The targets that it was conditioned on.
    #[must_use]
    pub fn targets(&self) -> Vec<f64> {
        let TargetScaling { offset, width } = self.data.targets;
        self.data.y.iter().map(|y| offset + width * y).collect()
    }

    fn scaled(&self, x: PointsRef<'_>) -> Points {
        assert!(x.dim() == self.dim(), "points of dimension {}, the process has {}", x.dim(), self.dim());
        self.data.scale(x)
    }
}

/// True if a point can be predicted: kernels may treat a NaN as a distance of 0 or infinity.
fn is_finite(point: &[f64]) -> bool {
    point.iter().all(|coordinate| coordinate.is_finite())
}

fn factor<K: Kernel>(
    kernel: &K,
    data: &ScaledData,
    noise: f64,
    ladder: &JitterLadder,
) -> Result<Cholesky, GpError> {
    let mut covariance = Matrix::default();
    kernel.forward(data.x.as_ref(), 1.0, &mut KernelWorkspace::default(), &mut covariance);
    for (i, known) in data.noise.iter().enumerate() {
        covariance[(i, i)] += noise + known;
    }
    Ok(Cholesky::new(&covariance, ladder)?)
}

/// Dot product in eight independent sums, so that the processor does not wait for each addition.
#[inline(always)]
#[allow(clippy::inline_always)] // vector loops are compiled for several instruction sets by inlining
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a_chunks, a_rest) = a.as_chunks::<8>();
    let (b_chunks, b_rest) = b.as_chunks::<8>();
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}
