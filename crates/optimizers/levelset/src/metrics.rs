//! Comparison of a classification with the truth.

/// Number of points of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Confusion {
    /// Above, and classified as above.
    pub true_above: usize,
    /// Below, but classified as above.
    pub false_above: usize,
    /// Below, and classified as below.
    pub true_below: usize,
    /// Above, but classified as below.
    pub false_below: usize,
}

impl Confusion {
    /// Compares a classification with the truth, point by point; `None` if their lengths differ.
    #[must_use]
    pub fn of(truth: &[bool], said: &[bool]) -> Option<Self> {
        (truth.len() == said.len()).then(|| {
            let mut counts = Self::default();
            for (truth, said) in truth.iter().zip(said) {
                *match (truth, said) {
                    (true, true) => &mut counts.true_above,
                    (false, true) => &mut counts.false_above,
                    (false, false) => &mut counts.true_below,
                    (true, false) => &mut counts.false_below,
                } += 1;
            }
            counts
        })
    }

    /// Precision: share of the points classified as above that are above; 1 when there are none.
    #[must_use]
    pub fn precision(&self) -> f64 {
        share(self.true_above, self.true_above + self.false_above)
    }

    /// Recall: share of the points above that are classified as above; 1 when there are none.
    #[must_use]
    pub fn recall(&self) -> f64 {
        share(self.true_above, self.true_above + self.false_below)
    }

    /// `2 TP/(2 TP + FP + FN)`; 1 when no point is above and none is classified as above.
    #[must_use]
    pub fn f1(&self) -> f64 {
        share(2 * self.true_above, 2 * self.true_above + self.false_above + self.false_below)
    }

    /// Intersection over union of the points above and those classified as above: `F1/(2 - F1)`.
    #[must_use]
    pub fn iou(&self) -> f64 {
        share(self.true_above, self.true_above + self.false_above + self.false_below)
    }

    /// Share of misclassified points; on quasi-random points of a domain this is the misclassified volume.
    #[must_use]
    pub fn misclassified(&self) -> f64 {
        let wrong = self.false_above + self.false_below;
        1.0 - share(self.true_above + self.true_below, self.true_above + self.true_below + wrong)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// Largest distance |f - h| of a misclassified point; 0 if there is none. A certificate bounds it by ε.
/// Source: Gotovos et al. (2013), the loss of theorem 1.
#[must_use]
pub fn worst_misclassification(values: &[f64], said: &[bool], threshold: f64) -> f64 {
    let wrong = values.iter().zip(said).filter(|(value, said)| (**value > threshold) != **said);
    wrong.map(|(value, _)| (value - threshold).abs()).fold(0.0, f64::max)
}

/// Midpoints of the grid edges whose ends are on different sides, on the unit cube. The last axis is the fastest, as in
/// [`ClassificationSet::Grid`](crate::ClassificationSet::Grid).
///
/// `None` if the lengths do not match or an axis has fewer than two points.
#[must_use]
pub fn boundary_of_grid(shape: &[usize], above: &[bool]) -> Option<Vec<Vec<f64>>> {
    if shape.iter().any(|count| *count < 2) || shape.iter().product::<usize>() != above.len() {
        return None;
    }
    let mut boundary = Vec::new();
    for (index, side) in above.iter().enumerate() {
        let mut stride = 1;
        for axis in (0..shape.len()).rev() {
            let at = index / stride % shape[axis];
            if at + 1 < shape[axis] && above[index + stride] != *side {
                let mut point = position(shape, index);
                point[axis] += 0.5 / (shape[axis] - 1) as f64;
                boundary.push(point);
            }
            stride *= shape[axis];
        }
    }
    Some(boundary)
}

fn position(shape: &[usize], mut index: usize) -> Vec<f64> {
    let mut point = vec![0.0; shape.len()];
    for axis in (0..shape.len()).rev() {
        point[axis] = (index % shape[axis]) as f64 / (shape[axis] - 1) as f64;
        index /= shape[axis];
    }
    point
}

/// Distance between two boundaries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundaryDistance {
    /// Mean distance of a point of either boundary to the nearest point of the other.
    pub mean: f64,
    /// Hausdorff distance: the largest such distance.
    pub largest: f64,
}

impl BoundaryDistance {
    /// Distance between two sets of points; 0 if both are empty, `None` if one is. Cost: the product of their sizes.
    #[must_use]
    pub fn between(a: &[Vec<f64>], b: &[Vec<f64>]) -> Option<Self> {
        if a.is_empty() && b.is_empty() {
            return Some(Self { mean: 0.0, largest: 0.0 });
        }
        if a.is_empty() || b.is_empty() {
            return None;
        }
        let (mean_a, largest_a) = to_nearest(a, b);
        let (mean_b, largest_b) = to_nearest(b, a);
        Some(Self { mean: 0.5 * (mean_a + mean_b), largest: largest_a.max(largest_b) })
    }
}

fn to_nearest(from: &[Vec<f64>], to: &[Vec<f64>]) -> (f64, f64) {
    let square = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let nearest = |x: &Vec<f64>| to.iter().map(|y| square(x, y)).fold(f64::INFINITY, f64::min).sqrt();
    let distances: Vec<f64> = from.iter().map(nearest).collect();
    let mean = distances.iter().sum::<f64>() / distances.len() as f64;
    (mean, distances.iter().copied().fold(0.0, f64::max))
}
