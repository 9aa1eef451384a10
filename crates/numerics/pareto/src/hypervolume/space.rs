use crate::staircase::Staircase;

/// Hypervolume in three dimensions by a sweep along the third; sorts the points.
///
/// A point adds the area that it wins from the staircase of those below it, times its distance to the top.
/// Source: Beume et al. (2009). Every term is positive, so that nothing cancels.
pub(super) fn volume(points: &mut [[f64; 3]], reference: [f64; 3], stairs: &mut Staircase) -> f64 {
    points.sort_unstable_by(|a, b| a[2].total_cmp(&b[2]));
    stairs.reset([reference[0], reference[1]]);
    points.iter().map(|&[x, y, z]| stairs.insert(x, y) * (reference[2] - z)).sum()
}

/// The volume that a point adds to others sorted by the third coordinate; `None` if one of them dominates it weakly.
///
/// ```text
/// ∫ (area right of and above (x, y) that no other at or below z' covers) dz'   from z to the top
/// ```
///
/// It ends where a point covers the whole area, which is soon.
pub(super) fn exclusive(
    others: &[[f64; 3]],
    point: [f64; 3],
    reference: [f64; 3],
    stairs: &mut Staircase,
) -> Option<f64> {
    let [x, y, mut level] = point;
    stairs.reset([reference[0], reference[1]]);
    let mut free = (reference[0] - x) * (reference[1] - y);
    let mut total = 0.0;
    for other in others {
        if other[2] > level {
            total += free * (other[2] - level);
            level = other[2];
        }
        if other[0] <= x && other[1] <= y {
            return (level > point[2]).then_some(total);
        }
        free = (free - stairs.insert(other[0].max(x), other[1].max(y))).max(0.0);
    }
    Some(total + free * (reference[2] - level))
}
