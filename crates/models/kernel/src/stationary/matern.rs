//! The Matérn kernels.

use rand_distr::{Distribution, StandardNormal};
use thrifty_sampling::Stream;
use thrifty_simd::{exp_negative, fma};

use super::profile_loop::loops_compiled_here;
use crate::{Stationary, StationaryProfile};

/// Matérn kernel of order 1/2 with one lengthscale per dimension: samples are continuous, nowhere smooth.
///
/// ```text
/// k(x, y) = exp(-r),   r = ‖(x - y) / ℓ‖
/// ```
pub type Matern12 = Stationary<Matern12Profile>;

/// Matérn kernel of order 3/2 with one lengthscale per dimension: samples are once differentiable.
///
/// ```text
/// k(x, y) = (1 + s) exp(-s),   s = √3 · ‖(x - y) / ℓ‖
/// ```
pub type Matern32 = Stationary<Matern32Profile>;

/// Matérn kernel of order 5/2 with one lengthscale per dimension: samples are twice differentiable.
///
/// ```text
/// k(x, y) = (1 + s + s²/3) exp(-s),   s = √5 · ‖(x - y) / ℓ‖
/// ```
pub type Matern52 = Stationary<Matern52Profile>;

/// Matérn of order 1/2: `k = exp(-r)`, `r = √q`. Not differentiable in the input where points coincide; the
/// derivative there is taken as 0. Source: Rasmussen & Williams (2006), eq. 4.14 with ν = 1/2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Matern12Profile;

/// Matérn of order 3/2: `k = (1 + s) exp(-s)`, `s = √(3q)`. Source: Rasmussen & Williams (2006), eq. 4.17.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Matern32Profile;

/// Matérn of order 5/2: `k = (1 + s + s²/3) exp(-s)`, `s = √(5q)`. Source: Rasmussen & Williams (2006), eq. 4.17.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Matern52Profile;

impl StationaryProfile for Matern12Profile {
    const NAME: &'static str = "matern12";

    fn from_params(_values: &[f64]) -> Self {
        Self
    }

    fn spectral_mixture(&self, rng: &mut Stream) -> f64 {
        matern_mixture(1, rng)
    }

    #[inline(always)]
    fn value_and_slope<const FMA: bool>(&self, q: f64) -> (f64, f64) {
        let r = q.sqrt();
        let k = exp_negative::<FMA>(-r);
        (k, if r > 0.0 { k / r } else { 0.0 })
    }

    loops_compiled_here!();
}

impl StationaryProfile for Matern32Profile {
    const NAME: &'static str = "matern32";

    fn from_params(_values: &[f64]) -> Self {
        Self
    }

    fn spectral_mixture(&self, rng: &mut Stream) -> f64 {
        matern_mixture(3, rng)
    }

    #[inline(always)]
    fn value_and_slope<const FMA: bool>(&self, q: f64) -> (f64, f64) {
        let s = (3.0 * q).sqrt();
        let e = exp_negative::<FMA>(-s);
        (fma::<FMA>(s, e, e), 3.0 * e)
    }

    loops_compiled_here!();
}

impl StationaryProfile for Matern52Profile {
    const NAME: &'static str = "matern52";

    fn from_params(_values: &[f64]) -> Self {
        Self
    }

    fn spectral_mixture(&self, rng: &mut Stream) -> f64 {
        matern_mixture(5, rng)
    }

    #[inline(always)]
    fn value_and_slope<const FMA: bool>(&self, q: f64) -> (f64, f64) {
        let s = (5.0 * q).sqrt();
        let e = exp_negative::<FMA>(-s);
        let slope = fma::<FMA>(s, e, e);
        (fma::<FMA>(q * (5.0 / 3.0), e, slope), (5.0 / 3.0) * slope)
    }

    loops_compiled_here!();
}

/// `τ = 2ν / χ²(2ν)`: the spectral density of a Matérn kernel of order ν is a t density with 2ν degrees of
/// freedom. Source: Rasmussen & Williams (2006), eq. 4.15.
fn matern_mixture(twice_order: u32, rng: &mut Stream) -> f64 {
    let squares: f64 = (0..twice_order).map(|_| StandardNormal.sample(rng)).map(|z: f64| z * z).sum();
    f64::from(twice_order) / squares
}
