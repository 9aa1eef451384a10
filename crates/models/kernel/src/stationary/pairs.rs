//! Vector loops over the pairs of many points with one, in one dimension: the same bits as pair by pair.
//!
//! Terms are computed several at once. Sums are taken in order, because another order would be other last digits.

use thrifty_simd::fma;

use crate::StationaryProfile;

/// Covariances of points with one.
pub(super) struct EvalPairs<'a> {
    pub(super) x: &'a [f64],
    pub(super) y: f64,
    pub(super) lengthscale: f64,
    pub(super) out: &'a mut [f64],
}

/// Squared scaled distance of two numbers, as `Stationary::eval` computes it.
#[inline(always)]
fn squared_distance<R: StationaryProfile>(x: f64, y: f64, lengthscale: f64) -> f64 {
    let z = (x - y) / lengthscale;
    f64::min(z * z, R::FAR)
}

impl EvalPairs<'_> {
    /// A single value is computed without fused operations, so these are too.
    #[inline(always)]
    pub(super) fn run<R: StationaryProfile, const FMA: bool>(self, profile: R) {
        let Self { x, y, lengthscale, out } = self;
        for (slot, x) in out.iter_mut().zip(x) {
            *slot = profile.value_and_slope::<false>(squared_distance::<R>(*x, y, lengthscale)).0;
        }
    }
}

/// Terms that are computed before they are added up.
const BLOCK: usize = 64;

/// Derivative in the lengthscale of a weighted sum of covariances.
pub(super) struct PullBackPair<'a> {
    pub(super) x: &'a [f64],
    pub(super) y: f64,
    pub(super) lengthscale: f64,
    pub(super) weights: &'a [f64],
    pub(super) grad: &'a mut f64,
}

impl PullBackPair<'_> {
    #[inline(always)]
    pub(super) fn run<R: StationaryProfile, const FMA: bool>(self, profile: R) {
        let Self { x, y, lengthscale, weights, grad } = self;
        let mut terms = [0.0; BLOCK];
        for (x, weights) in x.chunks(BLOCK).zip(weights.chunks(BLOCK)) {
            for ((term, x), weight) in terms.iter_mut().zip(x).zip(weights) {
                let slope = profile.value_and_slope::<false>(squared_distance::<R>(*x, y, lengthscale)).1;
                let z = (x - y) / lengthscale;
                *term = weight * slope * z * z / lengthscale;
            }
            terms[..x.len()].iter().for_each(|term| *grad += term);
        }
    }
}

/// Derivative in the one point of a weighted sum of covariances.
pub(super) struct PullBackPairInput<'a> {
    pub(super) x: f64,
    pub(super) y: &'a [f64],
    pub(super) lengthscale: f64,
    pub(super) weights: &'a [f64],
    pub(super) grad: &'a mut f64,
}

impl PullBackPairInput<'_> {
    /// A single derivative goes through the loop for many points, with fused operations where there are some.
    #[inline(always)]
    pub(super) fn run<R: StationaryProfile, const FMA: bool>(self, profile: R) {
        let Self { x, y, lengthscale, weights, grad } = self;
        let point = x / lengthscale;
        let mut terms = [0.0; BLOCK];
        for (y, weights) in y.chunks(BLOCK).zip(weights.chunks(BLOCK)) {
            for ((term, y), weight) in terms.iter_mut().zip(y).zip(weights) {
                let difference = y / lengthscale - point;
                let squared = fma::<FMA>(difference, difference, 0.0).min(R::FAR);
                let slope = profile.value_and_slope::<FMA>(squared).1;
                *term = slope * weight * difference / lengthscale;
            }
            terms[..y.len()].iter().for_each(|term| *grad += term);
        }
    }
}
