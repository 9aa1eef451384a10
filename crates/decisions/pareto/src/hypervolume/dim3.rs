//! Hypervolume of three objectives.

use crate::staircase::{Staircase, TreeStaircase};

/// Below this many points a vector of steps is faster even where it is as long as can be.
const MANY: usize = 10_000;

/// Hypervolume in three dimensions by a sweep along the third; sorts the points.
///
/// A point adds the area that it wins from the staircase of those below it, times its distance to the top.
/// Source: Beume et al. (2009). Every term is positive, so that nothing cancels.
pub(super) fn volume(points: &mut [[f64; 3]], reference: [f64; 3]) -> f64 {
    points.sort_unstable_by(|a, b| a[2].total_cmp(&b[2]));
    let corner = [reference[0], reference[1]];
    if points.len() <= MANY {
        let mut stairs = Staircase::new(corner);
        points.iter().map(|&[x, y, z]| stairs.insert(x, y) * (reference[2] - z)).sum()
    } else {
        let mut stairs = TreeStaircase::new(corner);
        points.iter().map(|&[x, y, z]| stairs.insert(x, y) * (reference[2] - z)).sum()
    }
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
    let [x, y, z] = point;
    let above = others.partition_point(|other| other[2] <= z);
    // What lies left of the point, and below it, cuts the area to a rectangle; few of the others reach into that.
    let [mut right, mut top, _] = reference;
    for other in &others[..above] {
        top = if other[0] <= x && other[1] < top { other[1] } else { top };
        right = if other[1] <= y && other[0] < right { other[0] } else { right };
    }
    if top <= y {
        return None;
    }
    stairs.reset([right, top]);
    let mut free = (right - x) * (top - y);
    // From the top down: the nearest cover most, and what is covered costs least.
    for other in others[..above].iter().rev() {
        if other[0] > x && other[0] < right && other[1] > y && other[1] < top {
            free -= stairs.insert(other[0], other[1]);
        }
    }
    let (mut level, mut total) = (z, 0.0);
    for other in &others[above..] {
        total += free.max(0.0) * (other[2] - level);
        level = other[2];
        if other[0] <= x && other[1] <= y {
            return Some(total);
        }
        if other[0] < right && other[1] < top {
            free -= stairs.insert(other[0].max(x), other[1].max(y));
        }
    }
    Some(total + free.max(0.0) * (reference[2] - level))
}
