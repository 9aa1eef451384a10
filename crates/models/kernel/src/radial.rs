//! The profiles of the stationary kernels.

use crate::Stationary;
use crate::simd::{exp_negative, fma};

/// A stationary kernel as a function of the squared scaled distance `q = Σ_d ((x_d - y_d) / ℓ_d)²`.
///
/// Sealed by what it takes: `FMA` says whether fused multiply-add is one instruction.
pub trait Radial: Send + Sync + Copy + Default + std::fmt::Debug + 'static {
    /// `k(q)` and the slope `F(q) = -2 dk/dq`, from which all derivatives follow:
    ///
    /// ```text
    /// ∂k/∂ℓ_d = F (x_d - y_d)² / ℓ_d³,   ∂k/∂x_d = -F (x_d - y_d) / ℓ_d²
    /// ```
    ///
    /// Implement with `#[inline(always)]`: it runs inside vector loops.
    fn value_and_slope<const FMA: bool>(q: f64) -> (f64, f64);
}

/// Squared exponential: `k = exp(-q/2)`. Source: Rasmussen & Williams (2006), eq. 4.9.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SquaredExponentialProfile;

/// Matérn of order 1/2: `k = exp(-r)`, `r = √q`. Not differentiable in the input where points coincide; the
/// derivative there is taken as 0. Source: Rasmussen & Williams (2006), eq. 4.14 with ν = 1/2.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Matern12Profile;

/// Matérn of order 3/2: `k = (1 + s) exp(-s)`, `s = √(3q)`. Source: Rasmussen & Williams (2006), eq. 4.17.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Matern32Profile;

/// Matérn of order 5/2: `k = (1 + s + s²/3) exp(-s)`, `s = √(5q)`. Source: Rasmussen & Williams (2006), eq. 4.17.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Matern52Profile;

/// Squared-exponential kernel with one lengthscale per dimension: samples are infinitely smooth.
///
/// ```text
/// k(x, y) = exp(-½ Σ_d ((x_d - y_d) / ℓ_d)²)
/// ```
pub type SquaredExponential = Stationary<SquaredExponentialProfile>;

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

impl Radial for SquaredExponentialProfile {
    #[inline(always)]
    fn value_and_slope<const FMA: bool>(q: f64) -> (f64, f64) {
        let k = exp_negative::<FMA>(-0.5 * q);
        (k, k)
    }
}

impl Radial for Matern12Profile {
    #[inline(always)]
    fn value_and_slope<const FMA: bool>(q: f64) -> (f64, f64) {
        let r = q.sqrt();
        let k = exp_negative::<FMA>(-r);
        (k, if r > 0.0 { k / r } else { 0.0 })
    }
}

impl Radial for Matern32Profile {
    #[inline(always)]
    fn value_and_slope<const FMA: bool>(q: f64) -> (f64, f64) {
        let s = (3.0 * q).sqrt();
        let e = exp_negative::<FMA>(-s);
        (fma::<FMA>(s, e, e), 3.0 * e)
    }
}

impl Radial for Matern52Profile {
    #[inline(always)]
    fn value_and_slope<const FMA: bool>(q: f64) -> (f64, f64) {
        let s = (5.0 * q).sqrt();
        let e = exp_negative::<FMA>(-s);
        let slope = fma::<FMA>(s, e, e);
        (fma::<FMA>(q * (5.0 / 3.0), e, slope), (5.0 / 3.0) * slope)
    }
}
