//! Places and values of the optima of an instance.

use super::random;

/// Offset of seeds by which the second set of random numbers of an instance is made.
pub(super) const SECOND: u64 = 1_000_000;

/// Seed of an instance of a function.
pub(super) fn seed(function: u64, instance: u32) -> u64 {
    function + 10_000 * u64::from(instance)
}

/// Place of the optimum: uniform in [-4, 4] to four digits.
pub(super) fn optimizer(seed: u64, dim: usize) -> Vec<f64> {
    let place = |u: f64| 8.0 * (1e4 * u).floor() / 1e4 - 4.0;
    let apart = |x: f64| if x == 0.0 { -1e-5 } else { x };
    random::uniform(dim, seed).into_iter().map(|u| apart(place(u))).collect()
}

/// Value of the optimum: the ratio of two normal numbers, times 100 and rounded to two digits, in [-1000, 1000].
pub(super) fn optimum(seed: u64) -> f64 {
    let ratio = random::normal(1, seed)[0] / random::normal(1, seed + 1)[0];
    ((1e4 * ratio + 0.5).floor() / 100.0).clamp(-1000.0, 1000.0)
}
