//! Staircases in a balanced tree.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Staircase in a balanced tree: slower by a factor on usual fronts, but never quadratic.
///
/// If points lie on one line in two of three objectives, there are as many steps as points. Moving them in a vector would then dominate the cost.
pub(crate) struct TreeStaircase {
    steps: BTreeMap<Place, f64>,
    corner: [f64; 2],
}

/// A finite number with a total order.
#[derive(Clone, Copy, PartialEq)]
struct Place(f64);

impl Eq for Place {}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Place {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.partial_cmp(&other.0).unwrap_or(Ordering::Equal)
    }
}

impl TreeStaircase {
    pub(crate) fn new(corner: [f64; 2]) -> Self {
        Self { steps: BTreeMap::new(), corner }
    }

    /// Adds a point and returns the area that only it dominates; see [`Staircase`](super::Staircase).
    pub(crate) fn insert(&mut self, x: f64, y: f64) -> f64 {
        if self.steps.range(..=Place(x)).next_back().is_some_and(|(_, below)| *below <= y) {
            return 0.0;
        }
        let before = self.steps.range(..Place(x)).next_back();
        let (mut left, mut height, mut gain) = (x, before.map_or(self.corner[1], |(_, below)| *below), 0.0);
        loop {
            let next = self.steps.range(Place(x)..).next().map(|(place, below)| (*place, *below));
            let right = next.map_or(self.corner[0], |(place, _)| place.0);
            gain += (right - left) * (height - y);
            match next.filter(|(_, below)| *below >= y) {
                None => break,
                Some((place, below)) => {
                    self.steps.remove(&place);
                    (left, height) = (place.0, below);
                }
            }
        }
        self.steps.insert(Place(x), y);
        gain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::staircase::Staircase;

    #[test]
    fn tree_and_vector_agree() {
        let mut stream = thrifty_sampling::Seed(5).stream("test", 0);
        for levels in [4, 20, 1000] {
            let (mut tree, mut vector) = (TreeStaircase::new([1.5, 1.0]), Staircase::new([1.5, 1.0]));
            for _ in 0..2000 {
                let mut value = || stream.index(levels) as f64 / levels as f64;
                let (x, y) = (value(), value());
                assert!((tree.insert(x, y) - vector.insert(x, y)).abs() < 1e-15);
            }
        }
    }
}
