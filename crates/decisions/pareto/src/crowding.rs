//! Crowding distances.

use thrifty_domain::PointsRef;

use crate::{ParetoError, check};

/// Crowding distance of each point of one front; larger means more isolated.
///
/// ```text
/// d(i) = Σ_j (f_j(next of i) - f_j(previous of i)) / (max f_j - min f_j),   ∞ at the ends of an objective
/// ```
///
/// An objective in which all points are equal is skipped, including its ends. Equal points keep their order, so the inner ones of a group
/// of duplicates have distance 0. Pass one front, not a whole population.
///
/// Shapes: `front` n×m.   Cost: O(m n log n).   Source: Deb et al. (2002), NSGA-II, section III.B; departure:
/// objectives without range are skipped.
///
/// # Errors
/// [`ParetoError::NonFinite`].
///
/// ```
/// use thrifty_domain::Points;
/// let front = Points::from_flat(vec![0.0, 4.0, 1.0, 1.0, 4.0, 0.0], 2);
/// let room = thrifty_pareto::crowding_distance(front.as_ref())?;
/// assert_eq!(room, [f64::INFINITY, 2.0, f64::INFINITY]);
/// # Ok::<(), thrifty_pareto::ParetoError>(())
/// ```
pub fn crowding_distance(front: PointsRef<'_>) -> Result<Vec<f64>, ParetoError> {
    check::points(front)?;
    let mut room = vec![0.0; front.len()];
    if front.len() <= 2 {
        room.fill(f64::INFINITY);
        return Ok(room);
    }
    for objective in 0..front.dim() {
        let mut order: Vec<(f64, usize)> = front.rows().map(|row| row[objective] + 0.0).zip(0..).collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let (first, last) = (order[0], order[order.len() - 1]);
        // Halved, because the range of finite numbers may overflow.
        let range = 0.5 * last.0 - 0.5 * first.0;
        if range == 0.0 {
            continue;
        }
        room[first.1] = f64::INFINITY;
        room[last.1] = f64::INFINITY;
        for three in order.windows(3) {
            room[three[1].1] += (0.5 * three[2].0 - 0.5 * three[0].0) / range;
        }
    }
    Ok(room)
}
