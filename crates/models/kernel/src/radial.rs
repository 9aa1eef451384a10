//! The profiles of the stationary kernels.

use rand_distr::{Distribution, StandardNormal};
use thrifty_sampling::Stream;
use thrifty_simd::{exp_negative, fma};

use crate::Stationary;

/// A stationary kernel of unit variance as a function of the squared scaled distance `q = Σ_d ((x_d - y_d) / ℓ_d)²`,
/// with the values of its own parameters, if it has any.
///
/// [`Stationary`] makes a kernel of it, with vector passes, gradients and random features; bounds and priors of the
/// parameters are kept there too. `FMA` says whether fused multiply-add is one instruction.
///
/// ```
/// use thrifty_kernel::{Kernel, Radial, Stationary};
/// use thrifty_sampling::Stream;
///
/// /// `k = exp(-r²/2)`, written anew.
/// #[derive(Debug, Clone, Copy)]
/// struct Gaussian;
///
/// impl Radial for Gaussian {
///     const NAME: &'static str = "gaussian";
///     fn from_params(_values: &[f64]) -> Self {
///         Self
///     }
///     #[inline(always)]
///     fn value_and_slope<const FMA: bool>(&self, q: f64) -> (f64, f64) {
///         let k = (-0.5 * q).exp();
///         (k, k)
///     }
///     fn spectral_mixture(&self, _rng: &mut Stream) -> f64 {
///         1.0
///     }
/// }
///
/// let kernel = Stationary::<Gaussian>::new(vec![0.5])?;
/// assert_eq!(kernel.eval(&[0.0], &[1.0]), (-2_f64).exp());
/// # Ok::<(), thrifty_kernel::KernelError>(())
/// ```
pub trait Radial: Send + Sync + Copy + std::fmt::Debug + 'static {
    /// The name in files.
    const NAME: &'static str;

    /// The parameters of the profile itself: positive, learnt on the log scale.
    const PARAMS: &'static [ProfileParam] = &[];

    /// Squared scaled distances are cut here, so that no profile multiplies infinity by 0. The default is far beyond
    /// where exponentials vanish in double precision; a profile with a longer tail needs more.
    const FAR: f64 = 1e6;

    /// The profile with these values of [`Radial::PARAMS`].
    fn from_params(values: &[f64]) -> Self;

    /// `k(q)` and the slope `F(q) = -2 dk/dq`, from which all derivatives follow:
    ///
    /// ```text
    /// ∂k/∂ℓ_d = F (x_d - y_d)² / ℓ_d³,   ∂k/∂x_d = -F (x_d - y_d) / ℓ_d²
    /// ```
    ///
    /// Implement with `#[inline(always)]`: it runs inside vector loops.
    fn value_and_slope<const FMA: bool>(&self, q: f64) -> (f64, f64);

    /// `∂k(q)/∂θ_p` of parameter p of [`Radial::PARAMS`]. Implement with `#[inline(always)]`, as the value.
    ///
    /// # Panics
    /// Unless implemented by a profile that has parameters.
    fn param_slope<const FMA: bool>(&self, p: usize, q: f64) -> f64 {
        let _ = q;
        unreachable!("profile {} has no derivative in parameter {p}", Self::NAME)
    }

    /// Draws the precision τ of the Gaussian mixture that the kernel is: `k(q) = E[exp(-τ q / 2)]`.
    fn spectral_mixture(&self, rng: &mut Stream) -> f64;
}

/// A positive parameter of a [`Radial`] profile, before it is given bounds and a prior of one's own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProfileParam {
    /// The name.
    pub name: &'static str,
    /// The value where learning starts.
    pub start: f64,
    /// The smallest value.
    pub low: f64,
    /// The largest value.
    pub high: f64,
}

/// `τ = 2ν / χ²(2ν)`: the spectral density of a Matérn kernel of order ν is a t density with 2ν degrees of
/// freedom. Source: Rasmussen & Williams (2006), eq. 4.15.
fn matern_mixture(twice_order: u32, rng: &mut Stream) -> f64 {
    let squares: f64 = (0..twice_order).map(|_| StandardNormal.sample(rng)).map(|z: f64| z * z).sum();
    f64::from(twice_order) / squares
}

/// Squared exponential: `k = exp(-q/2)`. Source: Rasmussen & Williams (2006), eq. 4.9.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SquaredExponentialProfile;

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
}

impl Radial for Matern12Profile {
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
}

impl Radial for Matern32Profile {
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
}

impl Radial for Matern52Profile {
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
}
