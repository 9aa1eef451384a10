//! Classifications of points by a threshold.

use thrifty_domain::{Points, PointsRef};
use thrifty_prob::cdf;
use thrifty_space::{Config, Space};

use crate::{Intervals, Level};

/// Side of the threshold on which a point is classified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    /// Its interval is above h - ε.
    Above,
    /// Its interval is below h + ε.
    Below,
    /// Its interval still contains the threshold.
    Undecided,
}

/// A classified domain: the recommendation of a level-set study.
#[derive(Debug, Clone, PartialEq)]
pub struct Classified {
    points: Points,
    level: Level,
    epsilon: f64,
    beta: f64,
    mean: Vec<f64>,
    std_dev: Vec<f64>,
    intervals: Intervals,
    labels: Vec<Label>,
}

impl Classified {
    pub(crate) fn new(
        points: Points,
        (mean, std_dev): (Vec<f64>, Vec<f64>),
        intervals: Intervals,
        level: Level,
        (epsilon, beta): (f64, f64),
    ) -> Self {
        // Above: L + ε > h. Source: Gotovos et al. (2013); for an implicit threshold, h is replaced by its bounds.
        let one = |(lower, upper): (&f64, &f64)| {
            let above = lower + epsilon > level.optimistic;
            let below = upper - epsilon <= level.pessimistic;
            match (above, below) {
                // If both hold within ε, the side of the interval's midpoint counts.
                (true, true) if 0.5 * (lower + upper) > level.estimate => Label::Above,
                (_, true) => Label::Below,
                (true, false) => Label::Above,
                (false, false) => Label::Undecided,
            }
        };
        let labels = intervals.lower.iter().zip(&intervals.upper).map(one).collect();
        Self { points, level, epsilon, beta, mean, std_dev, intervals, labels }
    }

    /// The points, on the unit cube.
    #[must_use]
    pub fn points(&self) -> PointsRef<'_> {
        self.points.as_ref()
    }

    /// The points as configurations.
    #[must_use]
    pub fn configs(&self, space: &Space) -> Vec<Config> {
        self.points.rows().map(|x| space.decode(x)).collect()
    }

    /// Number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// True if there are no points: never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Bounds and estimate of the threshold.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// ε and β of the labels. Each label is right within ε if the function lies within √β standard deviations of its mean.
    #[must_use]
    pub fn accuracy(&self) -> (f64, f64) {
        (self.epsilon, self.beta)
    }

    /// Labels, one per point.
    #[must_use]
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// Posterior means.
    #[must_use]
    pub fn means(&self) -> &[f64] {
        &self.mean
    }

    /// Posterior standard deviations.
    #[must_use]
    pub fn std_devs(&self) -> &[f64] {
        &self.std_dev
    }

    /// The intervals that determine the labels.
    #[must_use]
    pub fn intervals(&self) -> &Intervals {
        &self.intervals
    }

    /// Probability that the function is above the threshold at a point.
    #[must_use]
    pub fn probability(&self, index: usize) -> f64 {
        let margin = self.mean[index] - self.level.estimate;
        match self.std_dev[index] {
            std_dev if std_dev > 0.0 => cdf(margin / std_dev),
            _ if margin > 0.0 => 1.0,
            _ => 0.0,
        }
    }

    /// True for each point with the mean above the threshold. This classifies every point, decided or not.
    #[must_use]
    pub fn predicted_above(&self) -> Vec<bool> {
        self.mean.iter().map(|mean| *mean > self.level.estimate).collect()
    }

    /// Share of the points that have a label.
    #[must_use]
    pub fn share(&self, label: Label) -> f64 {
        let count = self.labels.iter().filter(|found| **found == label).count();
        count as f64 / self.labels.len().max(1) as f64
    }

    /// True if every point is decided.
    #[must_use]
    pub fn is_certified(&self) -> bool {
        !self.labels.contains(&Label::Undecided)
    }

    /// Expected share of misclassified points: mean of `min(p, 1 - p)`.
    #[must_use]
    pub fn misclassified(&self) -> f64 {
        let wrong = (0..self.len()).map(|i| self.probability(i)).map(|p| p.min(1.0 - p));
        wrong.sum::<f64>() / self.len().max(1) as f64
    }
}
