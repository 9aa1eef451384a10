//! The profiles of the stationary kernels.

use std::marker::PhantomData;

use rand_distr::{Distribution, StandardNormal};
use thrifty_sampling::Stream;

use crate::Stationary;
use thrifty_simd::{exp_negative, fma};

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

    /// Draws the precision of the Gaussian mixture that the kernel is: `k(q) = E[exp(-τ q / 2)]`.
    fn spectral_mixture(rng: &mut Stream) -> f64;

    /// Its name in files.
    const NAME: &'static str;
}

/// `τ = 2ν / χ²(2ν)`: the spectral density of a Matérn kernel of order ν is a t density with 2ν degrees of
/// freedom. Source: Rasmussen & Williams (2006), eq. 4.15.
fn matern_mixture(twice_order: u32, rng: &mut Stream) -> f64 {
    let squares: f64 = (0..twice_order).map(|_| StandardNormal.sample(rng)).map(|z: f64| z * z).sum();
    f64::from(twice_order) / squares
}

/// Stands for a profile in a file, so that a kernel is not read back as another one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct ProfileName<R>(PhantomData<R>);

impl<R: Radial> serde::Serialize for ProfileName<R> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(R::NAME)
    }
}

impl<'de, R: Radial> serde::Deserialize<'de> for ProfileName<R> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = <String as serde::Deserialize>::deserialize(deserializer)?;
        if found == R::NAME {
            Ok(Self(PhantomData))
        } else {
            let expected = R::NAME;
            Err(serde::de::Error::custom(format!("kernel is {found}, expected {expected}")))
        }
    }
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
    const NAME: &'static str = "squared_exponential";

    fn spectral_mixture(_rng: &mut Stream) -> f64 {
        1.0
    }

    #[inline(always)]
    fn value_and_slope<const FMA: bool>(q: f64) -> (f64, f64) {
        let k = exp_negative::<FMA>(-0.5 * q);
        (k, k)
    }
}

impl Radial for Matern12Profile {
    const NAME: &'static str = "matern12";

    fn spectral_mixture(rng: &mut Stream) -> f64 {
        matern_mixture(1, rng)
    }

    #[inline(always)]
    fn value_and_slope<const FMA: bool>(q: f64) -> (f64, f64) {
        let r = q.sqrt();
        let k = exp_negative::<FMA>(-r);
        (k, if r > 0.0 { k / r } else { 0.0 })
    }
}

impl Radial for Matern32Profile {
    const NAME: &'static str = "matern32";

    fn spectral_mixture(rng: &mut Stream) -> f64 {
        matern_mixture(3, rng)
    }

    #[inline(always)]
    fn value_and_slope<const FMA: bool>(q: f64) -> (f64, f64) {
        let s = (3.0 * q).sqrt();
        let e = exp_negative::<FMA>(-s);
        (fma::<FMA>(s, e, e), 3.0 * e)
    }
}

impl Radial for Matern52Profile {
    const NAME: &'static str = "matern52";

    fn spectral_mixture(rng: &mut Stream) -> f64 {
        matern_mixture(5, rng)
    }

    #[inline(always)]
    fn value_and_slope<const FMA: bool>(q: f64) -> (f64, f64) {
        let s = (5.0 * q).sqrt();
        let e = exp_negative::<FMA>(-s);
        let slope = fma::<FMA>(s, e, e);
        (fma::<FMA>(q * (5.0 / 3.0), e, slope), (5.0 / 3.0) * slope)
    }
}
