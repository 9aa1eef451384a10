//! Laws that every kernel obeys, to be called from the tests of a crate that implements one.
//!
//! [`check`] runs all of them and returns the first [`Violation`], which names the law, the quantity and the points
//! that show it; the other functions run some of them and panic with the same message. Run them on many random points,
//! some of which coincide, and at several values of the parameters.
//!
//! ```
//! use thrifty_domain::Points;
//! use thrifty_kernel::{Linear, Matern52, contract};
//! use thrifty_sampling::Seed;
//! let kernel = 0.7 * Matern52::new(vec![0.5, 0.8])? + Linear::new(vec![1.0, 2.0])?;
//! let x = Points::from_flat((0..40).map(|i| (f64::from(i) * 0.618).fract()).collect(), 2);
//! contract::check(&kernel, x.as_ref(), &mut Seed(1).stream("features", 0)).unwrap();
//! # Ok::<(), thrifty_kernel::KernelError>(())
//! ```

mod covariance;
mod features;
mod gradients;
mod parameters;
mod sequences;
mod violation;

use thrifty_domain::PointsRef;
use thrifty_sampling::Stream;

use crate::Kernel;
pub use violation::{Law, Violation};

/// Checks every law on at least one point, gradients to 1e-6 relative to the size of the terms. Random features are
/// drawn with `rng`, 4000 of them.
///
/// # Errors
/// The first [`Violation`], simple laws first: a kernel that is not symmetric is not blamed for its gradients.
///
/// # Panics
/// For no points.
pub fn check(kernel: &dyn Kernel, x: PointsRef<'_>, rng: &mut Stream) -> Result<(), Violation> {
    assert!(!x.is_empty(), "at least one point");
    parameters::law(kernel)?;
    covariance::laws(kernel, x)?;
    gradients::laws(kernel, x, 1e-6)?;
    sequences::law(kernel, x)?;
    features::law(kernel, x, rng)
}

/// The parameters are as many as announced, of different names, within their bounds, and set as they are given.
///
/// # Panics
/// When the law does not hold.
pub fn parameters_are_consistent(kernel: &dyn Kernel) {
    hold(parameters::law(kernel));
}

/// The kernel is finite and symmetric, its matrices equal its pairs, and they are positive definite to a jitter of 1e-9.
///
/// # Panics
/// When the law does not hold.
pub fn covariance_is_consistent(kernel: &dyn Kernel, x: PointsRef<'_>) {
    hold(covariance::laws(kernel, x));
}

/// The pullbacks equal central differences of weighted sums of covariances, to `tolerance` relative to the
/// size of the sum's terms.
///
/// # Panics
/// When the law does not hold.
pub fn gradients_match(kernel: &dyn Kernel, x: PointsRef<'_>, tolerance: f64) {
    hold(gradients::laws(kernel, x, tolerance));
}

/// Lists of pairs have the same bits as one pair after the other, for values and for gradients.
///
/// # Panics
/// When the law does not hold.
pub fn lists_equal_pairs(kernel: &dyn Kernel, x: PointsRef<'_>) {
    hold(sequences::law(kernel, x));
}

/// Random features, if the kernel has them, multiply to the kernel on average (within 5 standard deviations of the mean
/// over 4000 of them), and their pullback equals central differences.
///
/// # Panics
/// When the law does not hold.
pub fn features_match(kernel: &dyn Kernel, x: PointsRef<'_>, rng: &mut Stream) {
    hold(features::law(kernel, x, rng));
}

fn hold(law: Result<(), Violation>) {
    if let Err(violation) = law {
        panic!("{violation}");
    }
}
