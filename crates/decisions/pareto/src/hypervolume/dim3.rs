//! Hypervolume of three objectives.

use crate::staircase::{Staircase, TreeStaircase};

/// Number of points below which a vector of steps is faster, even at its largest length.
const MANY: usize = 10_000;

/// Hypervolume in three dimensions by a sweep along the third; sorts the points.
///
/// A point adds the area that it gains over the staircase of the points below it, times its distance to the top. Source: Beume et al.
/// (2009). Every term is positive, so nothing cancels.
pub(super) fn volume(points: &mut [[f64; 3]], reference: [f64; 3]) -> f64 {
    points.sort_unstable_by(|a, b| a[2].total_cmp(&b[2]));
    let corner = [reference[0], reference[1]];
    let volume: f64 = if points.len() <= MANY {
        let mut stairs = Staircase::new(corner);
        points.iter().map(|&[x, y, z]| stairs.insert(x, y) * (reference[2] - z)).sum()
    } else {
        let mut stairs = TreeStaircase::new(corner);
        points.iter().map(|&[x, y, z]| stairs.insert(x, y) * (reference[2] - z)).sum()
    };
    // An empty sum is -0.
    volume + 0.0
}
