mod predict;

use thrifty_domain::{Points, PointsRef};
use thrifty_kernel::{Kernel, KernelWorkspace};
use thrifty_linalg::{Cholesky, JitterLadder, Matrix};
use thrifty_params::Param;
use thrifty_surrogate::Posterior;

use crate::fit::{Learnt, Restart, ScaledData};
use crate::{GpError, GpSettings, TargetScaling};

/// A Gaussian process after data.
///
/// ```text
/// mean(x) = m + k(x)ᵀ α,   var(x) = k(x, x) - ‖L⁻¹ k(x)‖²,   L Lᵀ = K + σ² I,   α = L⁻ᵀ L⁻¹ (y - m)
/// ```
///
/// Predictions are on the scale of the targets and of the latent function: without noise. Variances lost in
/// rounding are 0. Cost: O(n³) to make, O(n d + n²) a point. Source: Rasmussen & Williams (2006), alg. 2.1.
#[derive(Debug, Clone)]
pub struct GpPosterior<K> {
    kernel: K,
    data: ScaledData,
    noise: f64,
    mean: f64,
    factor: Cholesky,
    alpha: Vec<f64>,
    params: Vec<Param>,
    restarts: Vec<Restart>,
}

impl<K: Kernel> GpPosterior<K> {
    pub(crate) fn new(
        learnt: Learnt<K>,
        data: ScaledData,
        settings: &GpSettings,
        restarts: Vec<Restart>,
    ) -> Result<Self, GpError> {
        let Learnt { kernel, noise, mean, params } = learnt;
        let factor = factor(&kernel, data.x.as_ref(), noise, &settings.jitter)?;
        let mut posterior = Self { kernel, data, noise, mean, factor, alpha: Vec::new(), params, restarts };
        posterior.solve();
        Ok(posterior)
    }

    fn solve(&mut self) {
        self.alpha = self.data.y.iter().map(|y| y - self.mean).collect();
        self.factor.solve_in_place(&mut self.alpha);
    }

    /// The posterior after one more observation with the same hyperparameters and scaling. Cost: n² flops.
    ///
    /// # Errors
    /// [`GpError`] for another dimension, anything not finite, or a point so close to another that the
    /// covariance is no longer positive definite without more jitter.
    pub fn with_observation(&self, x: &[f64], y: f64) -> Result<Self, GpError>
    where
        K: Clone,
    {
        if x.len() != self.dim() {
            return Err(GpError::DimensionMismatch { found: x.len(), expected: self.dim() });
        }
        PointsRef::single(x).require_finite()?;
        if !y.is_finite() {
            return Err(GpError::NonFiniteTarget { index: self.alpha.len(), value: y });
        }
        let mut next = self.clone();
        let point = self.scaled(PointsRef::single(x));
        let mut row = Matrix::default();
        self.kernel.cov_into(self.data.x.as_ref(), point.as_ref(), &mut row);
        let own = self.kernel.eval(point.row(0), point.row(0)) + self.noise;
        next.factor.append(row.column(0), own)?;
        next.data.x.push(point.row(0));
        next.data.y.extend(self.data.targets.apply(&[y]));
        next.solve();
        Ok(next)
    }

    /// Number of observations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.alpha.len()
    }

    /// Whether there are no observations: never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.alpha.is_empty()
    }

    /// The kernel with its learnt hyperparameters, on scaled inputs and targets.
    #[must_use]
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// All hyperparameters that were open to learning, with their values.
    #[must_use]
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// The values alone: what [`Gp::warm_started`](crate::Gp::warm_started) takes.
    #[must_use]
    pub fn hyperparameters(&self) -> Vec<f64> {
        self.params.iter().map(|p| p.value).collect()
    }

    /// Noise variance on the scale of the targets.
    #[must_use]
    pub fn noise_variance(&self) -> f64 {
        self.noise * self.data.targets.width.powi(2)
    }

    /// How the targets were scaled.
    #[must_use]
    pub fn target_scaling(&self) -> TargetScaling {
        self.data.targets
    }

    /// What was added to the diagonal of the covariance beside the noise, on scaled targets; 0 when nothing was.
    #[must_use]
    pub fn jitter(&self) -> f64 {
        self.factor.jitter()
    }

    /// What every start of the fit came to; empty after conditioning alone.
    #[must_use]
    pub fn restarts(&self) -> &[Restart] {
        &self.restarts
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
        let inverse = self.factor.inverse();
        let TargetScaling { offset, width } = self.data.targets;
        let one = |(i, (y, a)): (usize, (&f64, &f64))| {
            let variance = 1.0 / inverse[(i, i)];
            (offset + width * (y - a * variance), variance * width * width)
        };
        self.data.y.iter().zip(&self.alpha).enumerate().map(one).collect()
    }

    fn scaled(&self, x: PointsRef<'_>) -> Points {
        assert_eq!(x.dim(), self.dim(), "points of another dimension");
        self.data.inputs.as_ref().map_or_else(|| x.to_owned(), |scaling| scaling.apply(x))
    }
}

fn factor<K: Kernel>(
    kernel: &K,
    x: PointsRef<'_>,
    noise: f64,
    jitter: &JitterLadder,
) -> Result<Cholesky, GpError> {
    let mut covariance = Matrix::default();
    kernel.forward(x, 1.0, &mut KernelWorkspace::default(), &mut covariance);
    covariance.add_to_diagonal(noise);
    Ok(Cholesky::new(&covariance, jitter)?)
}

/// A dot product in eight independent sums, so that the processor need not wait for each addition.
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
