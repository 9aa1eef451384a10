//! Staircases: sorted non-dominated points of a plane.

mod tree;

pub(crate) use tree::TreeStaircase;

/// Non-dominated points of a plane, from left to right and hence from high to low.
///
/// A sorted vector: binary search finds an index, and on typical fronts few steps move.
#[derive(Debug, Clone)]
pub(crate) struct Staircase {
    steps: Vec<[f64; 2]>,
    corner: [f64; 2],
}

impl Staircase {
    /// An empty staircase, below and left of a corner.
    pub(crate) fn new(corner: [f64; 2]) -> Self {
        Self { steps: Vec::new(), corner }
    }

    /// Removes every step.
    pub(crate) fn reset(&mut self, corner: [f64; 2]) {
        self.steps.clear();
        self.corner = corner;
    }

    /// True if a step is nowhere larger than `(x, y)`.
    #[inline]
    pub(crate) fn covers(&self, x: f64, y: f64) -> bool {
        let at = self.steps.partition_point(|step| step[0] <= x);
        at > 0 && self.steps[at - 1][1] <= y
    }

    /// Adds a point left of and below the corner. Returns the area between staircase and corner that only it dominates.
    #[inline]
    pub(crate) fn insert(&mut self, x: f64, y: f64) -> f64 {
        let at = self.place(x);
        let mut height = if at > 0 { self.steps[at - 1][1] } else { self.corner[1] };
        if height <= y || self.steps.get(at).is_some_and(|step| step[0] == x && step[1] <= y) {
            return 0.0;
        }
        let (mut left, mut end, mut gain) = (x, at, 0.0);
        while let Some(&step) = self.steps.get(end).filter(|step| step[1] >= y) {
            gain += (step[0] - left) * (height - y);
            [left, height] = step;
            end += 1;
        }
        let right = self.steps.get(end).map_or(self.corner[0], |step| step[0]);
        gain += (right - left) * (height - y);
        self.replace(at, end, [x, y]);
        gain
    }

    /// The first step that is not left of `x`.
    #[inline]
    fn place(&self, x: f64) -> usize {
        /// Number of steps up to which counting is faster than a binary search, since it has no unpredictable branch.
        const FEW: usize = 16;
        if self.steps.len() <= FEW {
            self.steps.iter().map(|step| usize::from(step[0] < x)).sum()
        } else {
            self.steps.partition_point(|step| step[0] < x)
        }
    }

    /// Replaces the steps `from..to` by one step.
    #[inline]
    fn replace(&mut self, from: usize, to: usize, step: [f64; 2]) {
        if from == to {
            self.steps.insert(from, step);
        } else {
            self.steps[from] = step;
            if to > from + 1 {
                self.steps.copy_within(to.., from + 1);
                self.steps.truncate(self.steps.len() - (to - from - 1));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_add_up_and_covered_points_add_nothing() {
        let mut stairs = Staircase::new([4.0, 4.0]);
        assert_eq!(stairs.insert(1.0, 2.0), 6.0);
        assert_eq!(stairs.insert(2.0, 1.0), 2.0);
        assert_eq!(stairs.insert(2.0, 1.0), 0.0);
        assert_eq!(stairs.insert(2.0, 3.0), 0.0);
        assert_eq!(stairs.insert(2.0, 0.0), 2.0);
        assert!(stairs.covers(2.0, 0.0) && stairs.covers(1.5, 2.0) && !stairs.covers(0.5, 3.0));
        assert_eq!(stairs.insert(0.0, 0.0), 16.0 - 10.0);
        assert_eq!(stairs.steps, [[0.0, 0.0]]);
    }
}
