//! A curve through the published scores.

use rand_distr::{Distribution, StandardNormal};
use thrifty_sampling::Seed;

use super::problem::{Problem, Trained};
use crate::autobct::paper::RUNS;
use crate::error::ExperimentError;

/// Scores of the published trainings by number of trees, each number once, in rising order and never falling: straight in the
/// logarithm between them.
pub struct Curve(Vec<(f64, f64)>);

impl Curve {
    pub fn published() -> Self {
        let mut points: Vec<(f64, f64)> = RUNS[..3]
            .iter()
            .flat_map(|run| run.rows)
            .map(|row| ((1.0 + 99.0 * row.control).floor(), row.score))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut pooled: Vec<(f64, f64, f64)> = Vec::new();
        for (trees, score) in points {
            pooled.push((trees, score, 1.0));
            // The same number, or a fall: neighbours are averaged.
            while let [.., before, last] = pooled[..]
                && (before.0 == last.0 || before.1 > last.1)
            {
                let weight = before.2 + last.2;
                let mean = |a: f64, b: f64| (before.2 * a + last.2 * b) / weight;
                let merged = (mean(before.0, last.0), mean(before.1, last.1), weight);
                pooled.truncate(pooled.len() - 2);
                pooled.push(merged);
            }
        }
        Self(pooled.into_iter().map(|(trees, score, _)| (trees, score)).collect())
    }

    fn score(&self, trees: f64) -> f64 {
        let curve = &self.0;
        let after = curve.partition_point(|point| point.0 < trees);
        if after == 0 || after == curve.len() {
            return curve[after.min(curve.len() - 1)].1;
        }
        let ((low, from), (high, to)) = (curve[after - 1], curve[after]);
        from + (to - from) * (trees / low).ln() / (high / low).ln()
    }
}

impl Problem for Curve {
    /// Score with a deviation of 0.008, cost with one of 0.05 around the line through the published costs.
    fn train(&self, control: f64, seed: Seed) -> Result<Trained, ExperimentError> {
        let mut rng = seed.stream("training", 0);
        let (z, w): (f64, f64) = (StandardNormal.sample(&mut rng), StandardNormal.sample(&mut rng));
        let cost = (0.06 + 0.67 * control + 0.05 * w).max(0.0);
        Ok(Trained { score: self.truth(control) + 0.008 * z, cost })
    }

    fn truth(&self, control: f64) -> f64 {
        self.score((1.0 + 99.0 * control).floor())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_rises_through_the_published_points() {
        let curve = Curve::published();
        assert!(
            curve.0.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1),
            "{:?}",
            curve.0
        );
        assert!((curve.score(1.0) - 0.5537).abs() < 1e-3 && curve.score(100.0) > 0.98);
        assert!((curve.score(6.0) - 0.734).abs() < 1e-9);
    }
}
