//! The squared-exponential kernel.

use thrifty_sampling::Stream;
use thrifty_simd::exp_negative;

use super::profile_loop::loops_compiled_here;
use crate::{Stationary, StationaryProfile};

/// Squared-exponential kernel with one lengthscale per dimension: samples are infinitely smooth.
///
/// ```text
/// k(x, y) = exp(-½ Σ_d ((x_d - y_d) / ℓ_d)²)
/// ```
pub type SquaredExponential = Stationary<SquaredExponentialProfile>;

/// Squared exponential: `k = exp(-q/2)`. Source: Rasmussen & Williams (2006), eq. 4.9.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SquaredExponentialProfile;

impl StationaryProfile for SquaredExponentialProfile {
    const NAME: &'static str = "squared_exponential";

    fn from_params(_values: &[f64]) -> Self {
        Self
    }

    fn spectral_mixture(&self, _rng: &mut Stream) -> f64 {
        1.0
    }

    #[inline(always)]
    fn value_and_slope<const FMA: bool>(&self, q: f64) -> (f64, f64) {
        let k = exp_negative::<FMA>(-0.5 * q);
        (k, k)
    }

    loops_compiled_here!();
}
