//! First points of a new task.

use thrifty_domain::PointsRef;

/// Points nearer than this times √d to a chosen one belong to the same region.
const REGION: f64 = 0.2;

/// Indices of at most `count` candidates that are good for all sources together, best first. No two are near each other.
///
/// ```text
/// next = argmin_c Σ_s min(best_s, m_s(c)),   best_s: the least mean of source s at the points chosen so far
/// ```
///
/// Among equal candidates, the one with the smallest sum of means, then the first. `m_s(c)` is the mean of source s at candidate c; `means`
/// has one row per source.
pub(crate) fn first_points(means: &[Vec<f64>], candidates: PointsRef<'_>, count: usize) -> Vec<usize> {
    let mut best = vec![f64::INFINITY; means.len()];
    let mut chosen: Vec<usize> = Vec::new();
    let distance = |a: usize, b: usize| {
        let squares = candidates.row(a).iter().zip(candidates.row(b)).map(|(a, b)| (a - b).powi(2));
        squares.sum::<f64>().sqrt()
    };
    let least = REGION * (candidates.dim() as f64).sqrt();
    while chosen.len() < count && !means.is_empty() {
        let score = |c: usize| {
            let covered: f64 = means.iter().zip(&best).map(|(m, best)| m[c].min(*best)).sum();
            (covered, means.iter().map(|m| m[c]).sum::<f64>())
        };
        let far = (0..candidates.len()).filter(|c| chosen.iter().all(|other| distance(*c, *other) >= least));
        let scored = far.map(|c| (score(c), c));
        let next = scored.min_by(|(a, _), (b, _)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let Some((_, next)) = next else { break };
        best.iter_mut().zip(means).for_each(|(best, m)| *best = best.min(m[next]));
        chosen.push(next);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use thrifty_domain::Points;

    use super::*;

    /// Two sources with their minima at either end: one point of each, then the better of what is left.
    #[test]
    fn each_source_gets_a_point() {
        let x = Points::from_flat(vec![0.0, 0.05, 0.5, 0.95, 1.0], 1);
        let means = [vec![-2.0, -1.9, 0.0, 1.0, 1.1], vec![1.1, 1.0, 0.1, -1.8, -1.9]];
        assert_eq!(first_points(&means, x.as_ref(), 3), [0, 4, 2]);
        // What is near a chosen point is not chosen.
        assert_eq!(first_points(&means, x.as_ref(), 9), [0, 4, 2]);
        assert_eq!(first_points(&means[..1], x.as_ref(), 2), [0, 2]);
        assert!(first_points(&[], x.as_ref(), 2).is_empty());
        assert!(first_points(&means, Points::new(1).as_ref(), 2).is_empty());
    }

    /// Points nearer than 0.2 √d to a chosen one are of its region; of the rest the best comes next.
    #[test]
    fn regions_reach_a_fifth_of_the_diagonal() {
        for (dim, near, far) in [(1, 0.19, 0.21), (4, 0.39, 0.41), (16, 0.79, 0.81)] {
            let mut x = Points::zeros(3, dim);
            x.row_mut(1)[dim - 1] = near;
            x.row_mut(2)[dim - 1] = far;
            assert_eq!(first_points(&[vec![0.0, 1.0, 2.0]], x.as_ref(), 3), [0, 2], "{dim} columns");
        }
    }
}
