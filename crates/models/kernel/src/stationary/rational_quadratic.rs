//! The rational-quadratic kernel.

use rand_distr::{Distribution, Gamma};
use thrifty_prob::Prior;
use thrifty_sampling::Stream;
use thrifty_simd::{exp_negative, ln_1p_nonnegative};

use super::profile_loop::loops_compiled_here;
use crate::{KernelError, ProfileParam, Stationary, StationaryProfile};

/// Rational quadratic: `k = (1 + q/(2α))^(-α)`, with α learnt within `[1e-2, 1e3]` from 1. Source: Rasmussen & Williams
/// (2006), eq. 4.19.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RationalQuadraticProfile {
    alpha: f64,
}

/// Rational-quadratic kernel with one lengthscale per dimension: squared exponentials of many lengthscales.
///
/// ```text
/// k(x, y) = (1 + q / (2α))^(-α),   q = Σ_d ((x_d - y_d) / ℓ_d)²
/// ```
///
/// The squared exponential is its limit for large α. Parameters: the lengthscales, then `alpha` > 0, log scale.
pub type RationalQuadratic = Stationary<RationalQuadraticProfile>;

impl RationalQuadratic {
    /// Sets the mixture parameter α.
    ///
    /// # Errors
    /// [`KernelError`] when it is not positive and finite.
    pub fn with_alpha(self, alpha: f64) -> Result<Self, KernelError> {
        self.with_profile_param("alpha", alpha)
    }

    /// Replaces the bounds for learning α, which is clamped to them.
    ///
    /// # Errors
    /// [`KernelError`] when a bound is not positive and finite, or they are in the wrong order.
    pub fn with_alpha_bounds(self, low: f64, high: f64) -> Result<Self, KernelError> {
        self.with_profile_bounds("alpha", low, high)
    }

    /// Sets a prior for α.
    #[must_use]
    pub fn with_alpha_prior(self, prior: Prior) -> Self {
        self.with_profile_prior("alpha", prior)
    }
}

impl RationalQuadraticProfile {
    /// `q / (2α)`, kept finite, and the logarithm of one plus it.
    #[inline(always)]
    fn ratio<const FMA: bool>(self, q: f64) -> (f64, f64) {
        let ratio = (q / (2.0 * self.alpha)).min(Self::FAR);
        (ratio, ln_1p_nonnegative::<FMA>(ratio))
    }
}

impl StationaryProfile for RationalQuadraticProfile {
    const NAME: &'static str = "rational_quadratic";
    const PARAMS: &'static [ProfileParam] =
        &[ProfileParam { name: "alpha", start: 1.0, low: 1e-2, high: 1e3 }];
    const FAR: f64 = 1e300;

    fn from_params(values: &[f64]) -> Self {
        Self { alpha: values[0] }
    }

    #[inline(always)]
    fn value_and_slope<const FMA: bool>(&self, q: f64) -> (f64, f64) {
        let (ratio, log) = self.ratio::<FMA>(q);
        let k = exp_negative::<FMA>(-self.alpha * log);
        (k, k / (1.0 + ratio))
    }

    #[inline(always)]
    fn param_slope<const FMA: bool>(&self, _p: usize, q: f64) -> f64 {
        let (ratio, log) = self.ratio::<FMA>(q);
        exp_negative::<FMA>(-self.alpha * log) * (ratio / (1.0 + ratio) - log)
    }

    fn spectral_mixture(&self, rng: &mut Stream) -> f64 {
        let mixture = Gamma::new(self.alpha, 1.0);
        mixture.unwrap_or_else(|_| unreachable!("α is positive and finite")).sample(rng) / self.alpha
    }

    loops_compiled_here!();
}
