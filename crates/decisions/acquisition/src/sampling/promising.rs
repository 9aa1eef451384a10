//! Points where the minimum may be, by their means and standard deviations alone.

use thrifty_domain::PointsRef;
use thrifty_surrogate::Posterior;

/// Width of an optimistic bound below the mean, in standard deviations.
const WIDTH: f64 = 2.0;

/// Optimistic bounds `μ - 2σ` of the function at points.
pub fn optimistic_bounds(posterior: &dyn Posterior, points: PointsRef<'_>) -> Vec<f64> {
    let (mut bound, mut variance) = (vec![0.0; points.len()], vec![0.0; points.len()]);
    posterior.predict_into(points, &mut bound, &mut variance);
    bound.iter_mut().zip(variance).for_each(|(slot, variance)| *slot -= WIDTH * variance.max(0.0).sqrt());
    bound
}

/// Indices of the `count` points with the lowest [optimistic bounds](optimistic_bounds), in rising order; all if there are no more.
///
/// Bounds need no covariances, so this is cheap even if a joint distribution of all points is not.
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
