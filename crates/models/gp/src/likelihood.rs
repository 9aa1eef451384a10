//! Exact log marginal likelihood and its gradient.

use thrifty_domain::PointsRef;
use thrifty_kernel::{Kernel, KernelWorkspace, WeightedVector};
use thrifty_linalg::{
    LANES, Matrix, Threads, factor_in_place, gram_of_inverse_into, invert_lower_into, lower_times_into,
    solve_lower_in_place,
};
use thrifty_params::{LogLikelihood, Param, Parameterized, Transform};
use thrifty_prob::Prior;
use thrifty_simd::dispatch;

use crate::likelihood_loops::{FoldedWeights, Solves};
use crate::posterior::dot;
use crate::{Mean, Noise};

/// The log marginal likelihood of a Gaussian process, with its gradient.
///
/// ```text
/// log p(y) = -½ rᵀ α - ½ log|A| - ½ n log 2π,   A = K + σ² I + diag(s),   r = y - m,   α = A⁻¹ r
/// ∂/∂θ = Σ_ij W_ij ∂A_ij/∂θ,   W = ½ (α αᵀ - A⁻¹);   ∂/∂m = Σ_i α_i
/// ```
///
/// Parameters: the kernel's; then `noise` (variance) and `mean`, if they are learnt.
/// Cost: n³ flops and 5 n² numbers, allocated once. Source: Rasmussen & Williams (2006), eqs. 2.30 and 5.9.
pub struct ExactLikelihood<'a, K> {
    kernel: &'a mut K,
    x: PointsRef<'a>,
    y: &'a [f64],
    /// Known noise variance of each observation, in addition to the common noise; empty without any.
    known_noise: &'a [f64],
    noise: f64,
    noise_param: Option<Param>,
    mean: f64,
    mean_param: Option<Param>,
    workspace: KernelWorkspace,
    covariance: Matrix,
    inverse: Matrix,
    alpha: Vec<f64>,
}

impl<'a, K: Kernel> ExactLikelihood<'a, K> {
    /// The likelihood of scaled data under a kernel; it modifies the kernel's hyperparameters.
    pub fn new(kernel: &'a mut K, x: PointsRef<'a>, y: &'a [f64], noise: &Noise, mean: Mean) -> Self {
        let (noise, noise_param) = match noise {
            Noise::Fixed(value) => (*value, None),
            Noise::Learned { start, floor, ceiling, prior } => {
                (*start, Some(Param::positive("noise", *start, *floor, *ceiling).with_prior(prior.clone())))
            }
        };
        let (mean, mean_param) = match mean {
            Mean::Zero => (0.0, None),
            Mean::Fixed(value) => (value, None),
            Mean::Learned => (0.0, Some(mean_param(y))),
            Mean::Normal { mean, std_dev } => {
                (0.0, Some(mean_param(y).with_prior(Some(Prior::Normal { mean, sd: std_dev }))))
            }
        };
        Self {
            kernel,
            x,
            y,
            known_noise: &[],
            noise,
            noise_param,
            mean,
            mean_param,
            workspace: KernelWorkspace::default(),
            covariance: Matrix::default(),
            inverse: Matrix::default(),
            alpha: Vec::new(),
        }
    }

    /// Adds a known noise variance per observation to the common one.
    ///
    /// # Panics
    /// If their number differs from that of the targets.
    #[must_use]
    pub fn with_known_noise(mut self, variances: &'a [f64]) -> Self {
        assert_eq!(variances.len(), self.y.len(), "one noise variance a target");
        self.known_noise = variances;
        self
    }

    /// Current noise variance and mean.
    #[must_use]
    pub fn noise_and_mean(&self) -> (f64, f64) {
        (self.noise, self.mean)
    }

    /// Factors the covariance in place and returns half its log determinant, or the pivot at which the factorization fails.
    fn factor(&mut self) -> Result<f64, usize> {
        self.kernel.forward(self.x, 1.0, &mut self.workspace, &mut self.covariance);
        self.covariance.add_to_diagonal(self.noise);
        for (i, variance) in self.known_noise.iter().enumerate() {
            self.covariance[(i, i)] += variance;
        }
        factor_in_place(&mut self.covariance, Threads::One)?;
        Ok((0..self.y.len()).map(|i| self.covariance[(i, i)].ln()).sum())
    }
}

/// Mean parameter, bounded by the range of 0 and all targets, extended by half of it on each side.
fn mean_param(y: &[f64]) -> Param {
    let low = y.iter().fold(0.0, |m: f64, v| m.min(*v));
    let high = y.iter().fold(0.0, |m: f64, v| m.max(*v));
    let margin = 0.5 * (high - low) + f64::MIN_POSITIVE;
    Param {
        name: "mean".into(),
        value: 0.0,
        low: low - margin,
        high: high + margin,
        transform: Transform::Identity,
        prior: None,
    }
}

impl<K: Kernel> Parameterized for ExactLikelihood<'_, K> {
    fn params(&self) -> Vec<Param> {
        let own = [&self.noise_param, &self.mean_param];
        self.kernel.params().into_iter().chain(own.into_iter().flatten().cloned()).collect()
    }

    fn set_params(&mut self, values: &[f64]) {
        let (of_kernel, rest) = values.split_at(self.kernel.num_params());
        self.kernel.set_params(of_kernel);
        let mut rest = rest.iter();
        if self.noise_param.is_some() {
            self.noise = *rest.next().expect("a noise");
        }
        if self.mean_param.is_some() {
            self.mean = *rest.next().expect("a mean");
        }
    }
}

impl<K: Kernel> LogLikelihood for ExactLikelihood<'_, K> {
    /// The pivot at which the covariance is not positive definite.
    type Error = usize;

    fn log_likelihood(&mut self, gradient: &mut [f64]) -> Result<f64, usize> {
        let n = self.y.len();
        let half_log_det = self.factor()?;

        // α = L⁻ᵀ L⁻¹ r through the inverse of the factor, which the gradient needs anyway.
        self.inverse.resize(n, n);
        invert_lower_into(&self.covariance, &mut self.inverse, Threads::One);
        let mut whitened = vec![0.0; n];
        self.alpha.resize(n, 0.0);
        dispatch(Solves {
            inverse: &self.inverse,
            y: self.y,
            mean: self.mean,
            whitened: &mut whitened,
            alpha: &mut self.alpha,
        });
        let fit = dot(&whitened, &whitened);

        // The factor is no longer needed; A⁻¹ takes its memory.
        gram_of_inverse_into(&self.inverse, &mut self.covariance, Threads::One);
        std::mem::swap(&mut self.covariance, &mut self.inverse);
        let trace = dispatch(FoldedWeights { inverse: &mut self.inverse, alpha: &self.alpha });
        gradient.fill(0.0);
        let (of_kernel, rest) = gradient.split_at_mut(self.kernel.num_params());
        self.kernel.pull_back_params(self.x, &mut self.workspace, &self.inverse, 1.0, of_kernel);
        let mut rest = rest.iter_mut();
        if self.noise_param.is_some() {
            *rest.next().expect("a noise") = trace;
        }
        if self.mean_param.is_some() {
            *rest.next().expect("a mean") = self.alpha.iter().sum();
        }
        Ok(normal_log_density(n, fit, half_log_det))
    }

    /// Average information: the mean of the observed and the expected information, without second derivatives of the covariance.
    ///
    /// ```text
    /// I_pq = ½ αᵀ ∂A/∂θ_p A⁻¹ ∂A/∂θ_q α,   I_pm = ½ 1ᵀ A⁻¹ ∂A/∂θ_p α,   I_mm = 1ᵀ A⁻¹ 1
    /// ```
    ///
    /// m is the mean. Cost: n² flops per parameter. Source: Gilmour, Thompson & Cullis (1995). False for a kernel without
    /// [`Kernel::derivatives_times`].
    fn information(&mut self, out: &mut [f64]) -> bool {
        let (n, of_kernel) = (self.y.len(), self.kernel.num_params());
        let count =
            of_kernel + usize::from(self.noise_param.is_some()) + usize::from(self.mean_param.is_some());
        if n == 0 || count == 0 {
            out.fill(0.0);
            return true;
        }
        let padded = n.next_multiple_of(LANES);
        let (mut alpha, mut product) = (self.alpha.clone(), vec![0.0; padded]);
        alpha.resize(padded, 0.0);
        // The columns ∂A/∂θ_p α, followed by a column of ones for the mean.
        let mut products = vec![0.0; of_kernel * padded];
        let by = WeightedVector { weights: None, vector: &alpha, scale: 1.0 };
        let done =
            self.kernel.derivatives_times(self.x, &mut self.workspace, by, &mut products, &mut product);
        if !done {
            return false;
        }
        if self.noise_param.is_some() {
            products.extend(&alpha);
        }
        if self.mean_param.is_some() {
            products.resize(products.len() + padded, 1.0);
        }
        let mut columns = Matrix::zeros(n, count);
        for (p, column) in products.chunks_exact(padded).enumerate() {
            columns.column_mut(p).copy_from_slice(&column[..n]);
        }
        // After the gradient, the memory of the covariance contains L⁻¹.
        let mut whitened = Matrix::default();
        lower_times_into(&self.covariance, &columns, &mut whitened);
        for (at, slot) in out.iter_mut().enumerate() {
            *slot = 0.5 * dot(whitened.column(at / count), whitened.column(at % count));
        }
        if self.mean_param.is_some() {
            out[count * count - 1] *= 2.0;
        }
        true
    }

    /// One factorisation and one solve, n³/3 flops; the gradient also needs the inverse, 2n³/3 more.
    fn log_likelihood_value(&mut self) -> Result<f64, usize> {
        let half_log_det = self.factor()?;
        self.alpha.clear();
        self.alpha.extend(self.y.iter().map(|y| y - self.mean));
        solve_lower_in_place(&self.covariance, &mut self.alpha);
        Ok(normal_log_density(self.y.len(), dot(&self.alpha, &self.alpha), half_log_det))
    }
}

/// Log density of n normal variables, from the squared norm of the standardised variables and half the log determinant of their covariance.
fn normal_log_density(n: usize, squares: f64, half_log_det: f64) -> f64 {
    -0.5 * squares - half_log_det - 0.5 * n as f64 * std::f64::consts::TAU.ln()
}
