//! Confidence intervals and their intersections.

use thrifty_domain::Points;
use thrifty_surrogate::Posterior;

/// Confidence intervals `[L, U]` of the function at each point.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Intervals {
    /// L.
    pub lower: Vec<f64>,
    /// U.
    pub upper: Vec<f64>,
    /// Number of times that a new interval did not overlap the previous ones and replaced them. This indicates a wrong model or β.
    pub contradictions: usize,
}

impl Intervals {
    /// `μ ± √β σ`.
    #[must_use]
    pub fn of(mean: &[f64], std_dev: &[f64], beta: f64) -> Self {
        let width = beta.sqrt();
        Self {
            lower: mean.iter().zip(std_dev).map(|(m, s)| m - width * s).collect(),
            upper: mean.iter().zip(std_dev).map(|(m, s)| m + width * s).collect(),
            contradictions: 0,
        }
    }

    /// Intersects with later intervals: `C_t = C_{t-1} ∩ Q_t`. Source: Gotovos et al. (2013), algorithm 1.
    pub fn intersect(&mut self, later: &Self) {
        let bounds = self.lower.iter_mut().zip(&mut self.upper);
        for ((lower, upper), (from, to)) in bounds.zip(later.lower.iter().zip(&later.upper)) {
            let (low, high) = (lower.max(*from), upper.min(*to));
            if low <= high {
                (*lower, *upper) = (low, high);
            } else {
                (*lower, *upper) = (*from, *to);
                self.contradictions += 1;
            }
        }
    }
}

/// Means and standard deviations at points.
pub(crate) fn moments(posterior: &dyn Posterior, points: &Points) -> (Vec<f64>, Vec<f64>) {
    let (mut mean, mut std_dev) = (vec![0.0; points.len()], vec![0.0; points.len()]);
    posterior.predict_into(points.as_ref(), &mut mean, &mut std_dev);
    std_dev.iter_mut().for_each(|variance| *variance = variance.sqrt());
    (mean, std_dev)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_contradicts_takes_the_place() {
        let mut all = Intervals::of(&[0.0, 0.0], &[1.0, 1.0], 4.0);
        assert_eq!((all.lower[0], all.upper[0]), (-2.0, 2.0));
        all.intersect(&Intervals::of(&[1.0, 9.0], &[1.0, 0.5], 4.0));
        assert_eq!((all.lower[0], all.upper[0]), (-1.0, 2.0));
        assert_eq!((all.lower[1], all.upper[1], all.contradictions), (8.0, 10.0, 1));
    }
}
