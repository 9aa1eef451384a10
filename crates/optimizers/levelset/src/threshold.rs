//! Explicit and implicit thresholds.

use thrifty_acquisition::{Analytic, Utility};
use thrifty_domain::{Domain, Points};
use thrifty_model_based::Maximizer;
use thrifty_sampling::Stream;
use thrifty_surrogate::Posterior;

use crate::Intervals;
use crate::intervals::moments;

/// Threshold h of the level set f > h.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Threshold {
    /// A known number h.
    Fixed(f64),
    /// A share of the unknown maximum, `h = ω max f`, if that is positive. Source: Gotovos et al. (2013).
    ///
    /// The maximum is taken over the candidates or the grid. Over a domain it is taken over all points; local search from several starts
    /// finds the largest upper bound.
    Implicit {
        /// ω in (0, 1).
        omega: f64,
    },
}

/// Bounds and estimate of h.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Level {
    /// Lower bound of h while intervals hold: ω times the largest lower bound.
    pub pessimistic: f64,
    /// Value of h in criteria and probabilities: ω times the largest mean.
    pub estimate: f64,
    /// Upper bound of h while intervals hold: ω times the largest upper bound.
    pub optimistic: f64,
}

/// Upper confidence bound `μ + wσ`.
struct UpperBound(f64);

impl Utility for UpperBound {
    fn value(&self, mean: f64, std_dev: f64) -> f64 {
        mean + self.0 * std_dev
    }

    fn value_and_slopes(&self, mean: f64, std_dev: f64) -> (f64, f64, f64) {
        (self.value(mean, std_dev), 1.0, self.0)
    }

    fn has_unit(&self) -> bool {
        true
    }
}

/// A domain that is classified at some of its points, with its posterior.
pub(crate) struct WholeDomain<'a> {
    pub(crate) domain: &'a Domain,
    pub(crate) posterior: &'a dyn Posterior,
    /// Points that were asked.
    pub(crate) asked: &'a Points,
    pub(crate) maximizer: &'a Maximizer,
    pub(crate) beta: f64,
}

impl WholeDomain<'_> {
    /// Means and intervals at points where the maximum may be: the asked points, and those with the largest upper bound and the largest mean.
    fn beyond(&self, classified: &Points, rng: &mut Stream) -> (Vec<f64>, Intervals) {
        let mut known = self.asked.clone();
        classified.rows().for_each(|x| known.push(x));
        let (_, bounds) = self.intervals(&known);
        let mut order: Vec<usize> = (0..known.len()).collect();
        order.sort_by(|a, b| bounds.upper[*b].total_cmp(&bounds.upper[*a]));
        let anchors: Vec<&[f64]> = order.iter().map(|i| known.row(*i)).collect();
        let mut points = self.asked.clone();
        for width in [self.beta.sqrt(), 0.0] {
            let bound = Analytic::new(self.posterior, UpperBound(width));
            let found = self.maximizer.candidates(self.domain, &bound, &anchors, rng);
            found.iter().take(1).for_each(|best| points.push(&best.x));
        }
        self.intervals(&points)
    }

    fn intervals(&self, points: &Points) -> (Vec<f64>, Intervals) {
        let (mean, std_dev) = moments(self.posterior, points);
        let intervals = Intervals::of(&mean, &std_dev, self.beta);
        (mean, intervals)
    }
}

impl Threshold {
    /// The level for the maximum over a domain.
    pub(crate) fn level_over(
        self,
        whole: &WholeDomain<'_>,
        classified: &Points,
        (mean, intervals): (&[f64], &Intervals),
        rng: &mut Stream,
    ) -> Level {
        if matches!(self, Self::Fixed(_)) {
            return self.level(mean, intervals);
        }
        let (more_mean, more) = whole.beyond(classified, rng);
        let all = |classified: &[f64], more: Vec<f64>| [classified, &more].concat();
        let (lower, upper) = (all(&intervals.lower, more.lower), all(&intervals.upper, more.upper));
        self.level(&all(mean, more_mean), &Intervals { lower, upper, contradictions: 0 })
    }

    pub(crate) fn level(self, mean: &[f64], intervals: &Intervals) -> Level {
        match self {
            Self::Fixed(h) => Level { pessimistic: h, estimate: h, optimistic: h },
            Self::Implicit { omega } => {
                let largest = |v: &[f64]| omega * v.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                Level {
                    pessimistic: largest(&intervals.lower),
                    estimate: largest(mean),
                    optimistic: largest(&intervals.upper),
                }
            }
        }
    }
}
