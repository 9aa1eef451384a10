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
    let volume: f64 = if points.len() <= MANY {
        let mut stairs = Staircase::new(corner);
        points.iter().map(|&[x, y, z]| stairs.insert(x, y) * (reference[2] - z)).sum()
    } else {
        let mut stairs = TreeStaircase::new(corner);
        points.iter().map(|&[x, y, z]| stairs.insert(x, y) * (reference[2] - z)).sum()
    };
    // The sum of no numbers is -0.
    volume + 0.0
}
