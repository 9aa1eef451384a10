//! Points that the minimum may be at, by their means and standard deviations alone.

use thrifty_domain::PointsRef;
use thrifty_surrogate::Posterior;

/// Standard deviations below the mean of an optimistic bound.
const WIDTH: f64 = 2.0;

/// Optimistic bounds `μ - 2σ` of the function at points.
pub fn optimistic_bounds(posterior: &dyn Posterior, points: PointsRef<'_>) -> Vec<f64> {
    let (mut bound, mut variance) = (vec![0.0; points.len()], vec![0.0; points.len()]);
    posterior.predict_into(points, &mut bound, &mut variance);
    bound.iter_mut().zip(variance).for_each(|(slot, variance)| *slot -= WIDTH * variance.max(0.0).sqrt());
    bound
}

/// The `count` points with the lowest [optimistic bounds](optimistic_bounds), as rising positions; all if there are no more.
///
/// Bounds need no covariances, so the choice is cheap where a joint distribution of all points would not be.
pub fn most_promising(posterior: &dyn Posterior, points: PointsRef<'_>, count: usize) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..points.len()).collect();
    if points.len() > count {
        let bounds = optimistic_bounds(posterior, points);
        kept.sort_by(|a, b| bounds[*a].total_cmp(&bounds[*b]));
        kept.truncate(count);
        kept.sort_unstable();
    }
    kept
}
