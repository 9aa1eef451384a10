//! Profiles of stationary kernels.

use thrifty_sampling::Stream;

use super::profile_loop::ProfileLoop;

/// Profile of a stationary kernel: its value as a function of the squared scaled distance `q = Σ_d ((x_d - y_d) / ℓ_d)²`.
///
/// It has unit variance, `k(0) = 1`, and may hold values of parameters of its own.
///
/// [`Stationary`](crate::Stationary) makes a kernel of it, with vector passes, gradients and random features; bounds and priors of the
/// parameters are kept there too. `FMA` says whether fused multiply-add is one instruction.
///
/// ```
/// use thrifty_kernel::{Kernel, StationaryProfile, Stationary};
/// use thrifty_sampling::Stream;
///
/// /// `k = exp(-r²/2)`, written anew.
/// #[derive(Debug, Clone, Copy)]
/// struct Gaussian;
///
/// impl StationaryProfile for Gaussian {
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
pub trait StationaryProfile: Send + Sync + Copy + std::fmt::Debug + 'static {
    /// The name in files.
    const NAME: &'static str;

    /// The parameters of the profile itself: positive, learnt on the log scale.
    const PARAMS: &'static [ProfileParam] = &[];

    /// Squared scaled distances are cut here, so that no profile multiplies infinity by 0. The default is far beyond
    /// where exponentials vanish in double precision; a profile with a longer tail needs more.
    const FAR: f64 = 1e6;

    /// The profile with these values of [`StationaryProfile::PARAMS`].
    fn from_params(values: &[f64]) -> Self;

    /// `k(q)` and the slope `F(q) = -2 dk/dq`, from which all derivatives follow:
    ///
    /// ```text
    /// ∂k/∂ℓ_d = F (x_d - y_d)² / ℓ_d³,   ∂k/∂x_d = -F (x_d - y_d) / ℓ_d²
    /// ```
    ///
    /// Implement with `#[inline(always)]`: it runs inside vector loops.
    fn value_and_slope<const FMA: bool>(&self, q: f64) -> (f64, f64);

    /// `∂k(q)/∂θ_p` of parameter p of [`StationaryProfile::PARAMS`]. Implement with `#[inline(always)]`, as the value.
    ///
    /// # Panics
    /// Unless implemented by a profile that has parameters.
    fn param_slope<const FMA: bool>(&self, p: usize, q: f64) -> f64 {
        let _ = q;
        unreachable!("profile {} has no derivative in parameter {p}", Self::NAME)
    }

    /// Draws the precision τ of the Gaussian mixture that the kernel is: `k(q) = E[exp(-τ q / 2)]`.
    fn spectral_mixture(&self, rng: &mut Stream) -> f64;

    /// Runs a vector loop with the values of this profile. Not to be implemented: it is there so that the loops of our own profiles are
    /// compiled once.
    #[doc(hidden)]
    fn run(self, pass: ProfileLoop<'_>) {
        pass.run(self);
    }
}

/// A positive parameter of a [`StationaryProfile`] profile, before it is given bounds and a prior of one's own.
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
