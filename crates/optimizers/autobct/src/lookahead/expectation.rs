//! Expectations over the outcomes of a training.

use std::borrow::Cow;

use rand_distr::{Distribution, StandardNormal};
use thrifty_prob::pdf;
use thrifty_sampling::Seed;

use crate::Quadrature;
use crate::lookahead::posterior_family::Innovation;

/// Method for expectations over the outcomes of a training.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expectation {
    /// Nodes of a product of two rules.
    Quadrature {
        /// For the score.
        of_score: Quadrature,
        /// For the cost.
        of_cost: Quadrature,
    },
    /// A natural cubic spline of the continuation value through outcomes of the score in equal steps over ±4.5 standard deviations, and the better of it and stopping is
    /// integrated finely: where one gives way to the other, a kink that costs rules of few nodes their accuracy, is where the spline places it.
    Interpolated {
        /// Outcomes of the score, at least 3.
        of_score: usize,
        /// For the cost.
        of_cost: Quadrature,
    },
    /// Means of samples, drawn anew for every control: Algorithm 2 of the paper.
    Sampled {
        /// Draws a control.
        samples: usize,
        /// Seed of the draws.
        seed: Seed,
    },
}

impl Expectation {
    /// Thirteen outcomes of the score, seven of the cost: three steps are off by 6e-4.
    pub const DEFAULT: Self = Self::Interpolated { of_score: 13, of_cost: Quadrature::Hermite(7) };

    pub(crate) fn rule(&self) -> Rule {
        match *self {
            Self::Quadrature { of_score, of_cost } => {
                let of_cost = of_cost.rule();
                let nodes = of_score.rule().into_iter().flat_map(|(z, a)| {
                    of_cost.iter().map(move |(w, b)| ((z, *w), a * b)).collect::<Vec<_>>()
                });
                let (outcomes, weights) = nodes.unzip();
                Rule::Nodes { outcomes, weights }
            }
            Self::Interpolated { of_score, of_cost } => {
                let (spline, of_cost) = (Spline::new(of_score.max(3)), of_cost.rule());
                let at = |w: f64| spline.nodes().map(move |z| (z, w)).collect::<Vec<Innovation>>();
                let outcomes = of_cost.iter().flat_map(|(w, _)| at(*w)).collect();
                Rule::Lines {
                    spline,
                    outcomes,
                    weights: of_cost.into_iter().map(|(_, share)| share).collect(),
                }
            }
            Self::Sampled { samples, seed } => Rule::Sampled { samples: samples.max(1), seed },
        }
    }
}

/// An expectation worked out as far as it can be.
pub(crate) enum Rule {
    Nodes {
        outcomes: Vec<Innovation>,
        weights: Vec<f64>,
    },
    /// A line of outcomes of the score for each of the cost, which have the weights.
    Lines {
        spline: Spline,
        outcomes: Vec<Innovation>,
        weights: Vec<f64>,
    },
    Sampled {
        samples: usize,
        seed: Seed,
    },
}

impl Rule {
    /// Outcomes that are looked at for a control.
    pub(crate) fn outcomes(&self, control: usize) -> Cow<'_, [Innovation]> {
        match self {
            Self::Nodes { outcomes, .. } | Self::Lines { outcomes, .. } => Cow::Borrowed(outcomes),
            Self::Sampled { samples, seed } => {
                let mut rng = seed.stream("outcomes", control as u64);
                let draw = |_| (StandardNormal.sample(&mut rng), StandardNormal.sample(&mut rng));
                Cow::Owned((0..*samples).map(draw).collect())
            }
        }
    }

    /// `E[max(stop + by z, go on)]`, of what going on is worth at the outcomes.
    pub(crate) fn expected(&self, outcomes: &[Innovation], (stop, by): (f64, f64), go_on: &[f64]) -> f64 {
        let better = |(outcome, go_on): (&Innovation, &f64)| (stop + by * outcome.0).max(*go_on);
        match self {
            Self::Nodes { weights, .. } => weights
                .iter()
                .zip(outcomes.iter().zip(go_on).map(better))
                .map(|(weight, value)| weight * value)
                .sum(),
            Self::Lines { spline, weights, .. } => {
                let lines = go_on.chunks_exact(spline.count);
                let gains =
                    weights.iter().zip(lines).map(|(weight, line)| weight * spline.gain(line, (stop, by)));
                stop + gains.sum::<f64>()
            }
            Self::Sampled { samples, .. } => {
                outcomes.iter().zip(go_on).map(better).sum::<f64>() / *samples as f64
            }
        }
    }
}

/// Natural cubic splines through values at equal steps over ±[`REACH`], integrated against the normal density.
pub(crate) struct Spline {
    count: usize,
    /// Fine steps: the node to the left, what is left of it and right of it counts, and as much of both curvatures; the point; its weight.
    fine: Vec<Fine>,
    /// Diagonal after elimination in the tridiagonal system for curvatures.
    eliminated: Vec<f64>,
    step: f64,
}

struct Fine {
    left: usize,
    values: (f64, f64),
    curvatures: (f64, f64),
    z: f64,
    weight: f64,
}

/// Beyond it there is 7e-6 of the mass.
const REACH: f64 = 4.5;
/// Fine points between two nodes.
const BETWEEN: usize = 24;

impl Spline {
    fn new(count: usize) -> Self {
        let step = 2.0 * REACH / (count - 1) as f64;
        let mut fine = Vec::with_capacity((count - 1) * BETWEEN);
        for left in 0..count - 1 {
            for k in 0..BETWEEN {
                let b = (k as f64 + 0.5) / BETWEEN as f64;
                let a = 1.0 - b;
                let z = -REACH + (left as f64 + b) * step;
                let bend = |t: f64| (t * t * t - t) * step * step / 6.0;
                fine.push(Fine { left, values: (a, b), curvatures: (bend(a), bend(b)), z, weight: pdf(z) });
            }
        }
        let total: f64 = fine.iter().map(|f| f.weight).sum();
        fine.iter_mut().for_each(|f| f.weight /= total);
        // 1, 4, 1 on the inner nodes.
        let mut eliminated = Vec::with_capacity(count);
        for i in 0..count.saturating_sub(2) {
            let before: f64 = if i == 0 { 0.0 } else { eliminated[i - 1] };
            eliminated.push(1.0 / (4.0 - before));
        }
        Self { count, fine, eliminated, step }
    }

    fn nodes(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.count).map(|i| -REACH + i as f64 * self.step)
    }

    /// `E[max(by Z, f(Z) - stop)]` for the spline f through these values.
    fn gain(&self, values: &[f64], (stop, by): (f64, f64)) -> f64 {
        let n = self.count;
        let mut curvatures = vec![0.0; n];
        for i in 1..n - 1 {
            let right = 6.0 * (values[i - 1] - 2.0 * values[i] + values[i + 1]) / (self.step * self.step);
            let before = curvatures[i - 1];
            curvatures[i] = (right - before) * self.eliminated[i - 1];
        }
        for i in (1..n - 1).rev() {
            let after = curvatures[i + 1];
            curvatures[i] -= self.eliminated[i - 1] * after;
        }
        let at = |f: &Fine| {
            let (i, j) = (f.left, f.left + 1);
            let value = f.values.0 * values[i]
                + f.values.1 * values[j]
                + f.curvatures.0 * curvatures[i]
                + f.curvatures.1 * curvatures[j];
            f.weight * (value - stop).max(by * f.z)
        };
        self.fine.iter().map(at).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expected_cost;

    #[test]
    fn splines_find_where_one_gives_way_to_the_other() {
        // Going on is worth 0.3 - 0.5 z + 0.1 z², stopping z: by many nodes.
        let go_on = |z: f64| 0.3 - 0.5 * z + 0.1 * z * z;
        let truth: f64 = Quadrature::Composite { panels: 4000, nodes: 3 }
            .rule()
            .iter()
            .map(|(z, weight)| weight * go_on(*z).max(*z))
            .sum();
        let value = |expectation: Expectation| {
            let rule = expectation.rule();
            let outcomes = rule.outcomes(0);
            let go_on: Vec<f64> = outcomes.iter().map(|outcome| go_on(outcome.0)).collect();
            rule.expected(&outcomes, (0.0, 1.0), &go_on)
        };
        let of_cost = Quadrature::Hermite(3);
        let spline = value(Expectation::Interpolated { of_score: 11, of_cost });
        let nodes = value(Expectation::Quadrature { of_score: Quadrature::Hermite(11), of_cost });
        assert!((spline - truth).abs() < 3e-4, "{spline} {truth}");
        assert!((nodes - truth).abs() > 3.0 * (spline - truth).abs(), "{nodes} {truth}");
        // A straight line is itself: E[max(Z, c)] = c + Υ(-c, 1).
        let rule = Expectation::Interpolated { of_score: 3, of_cost }.rule();
        let found = rule.expected(&rule.outcomes(0), (0.0, 1.0), &[0.4; 9]);
        assert!((found - 0.4 - expected_cost(-0.4, 1.0)).abs() < 1e-3, "{found}");
    }

    #[test]
    fn splines_go_through_their_values() {
        let spline = Spline::new(9);
        let values: Vec<f64> = spline.nodes().map(f64::sin).collect();
        // Far above stopping: what is left is the mean, 0 for an odd function.
        assert!((spline.gain(&values, (-50.0, 0.0)) - 50.0).abs() < 1e-9);
        let square: Vec<f64> = spline.nodes().map(f64::cos).collect();
        assert!((spline.gain(&square, (-50.0, 0.0)) - 50.0 - (-0.5_f64).exp()).abs() < 5e-3);
    }

    #[test]
    fn the_default_has_thirteen_outcomes_of_the_score_and_seven_of_the_cost() {
        let expected = Expectation::Interpolated { of_score: 13, of_cost: Quadrature::Hermite(7) };
        assert_eq!(Expectation::DEFAULT, expected);
        assert_eq!(expected.rule().outcomes(3).len(), 91);
    }

    /// Draws: so many, at least one, the same for a control and others for another; their mean is the expectation.
    #[test]
    fn samples_are_as_many_as_asked_and_anew_for_each_control() {
        for (samples, count) in [(0, 1), (1, 1), (7, 7)] {
            let rule = Expectation::Sampled { samples, seed: Seed(4) }.rule();
            let drawn = rule.outcomes(2);
            assert_eq!(drawn.len(), count);
            assert_eq!(drawn, rule.outcomes(2));
            assert_ne!(drawn, rule.outcomes(3));
            let go_on: Vec<f64> = (0..count).map(|i| 0.1 * i as f64 - 0.2).collect();
            let better = drawn.iter().zip(&go_on).map(|((z, _), go_on)| (0.05 + 0.3 * z).max(*go_on));
            let mean = better.sum::<f64>() / count as f64;
            assert!((rule.expected(&drawn, (0.05, 0.3), &go_on) - mean).abs() < 1e-15);
        }
        let other = Expectation::Sampled { samples: 3, seed: Seed(5) }.rule();
        assert_ne!(other.outcomes(0), Expectation::Sampled { samples: 3, seed: Seed(4) }.rule().outcomes(0));
        let many = Expectation::Sampled { samples: 4000, seed: Seed(1) }.rule();
        let drawn = many.outcomes(0);
        let moment = |of: &dyn Fn(&Innovation) -> f64| drawn.iter().map(of).sum::<f64>() / 4000.0;
        assert!(moment(&|o| o.0).abs() < 0.08 && moment(&|o| o.1).abs() < 0.08);
        assert!((moment(&|o| o.0 * o.0) - 1.0).abs() < 0.12 && moment(&|o| o.0 * o.1).abs() < 0.08);
    }

    /// A product of two rules: E[Z⁴ W²] = 3, whatever is far above stopping.
    #[test]
    fn products_have_the_moments_of_two_numbers() {
        let (of_score, of_cost) = (Quadrature::Hermite(3), Quadrature::Hermite(2));
        let rule = Expectation::Quadrature { of_score, of_cost }.rule();
        let outcomes = rule.outcomes(0);
        assert_eq!(outcomes.len(), 6);
        let go_on: Vec<f64> = outcomes.iter().map(|(z, w)| z.powi(4) * w * w).collect();
        assert!((rule.expected(&outcomes, (-100.0, 0.0), &go_on) - 3.0).abs() < 1e-12);
        // Far below it stopping is left: stop + by E[Z].
        assert!((rule.expected(&outcomes, (7.0, 0.5), &[-100.0; 6]) - 7.0).abs() < 1e-12);
    }

    /// Lines have the weights of their outcomes of the cost: E[W²] = 1, E[W] = 0.
    #[test]
    fn lines_are_weighted_by_the_outcome_of_the_cost() {
        let rule = Expectation::Interpolated { of_score: 2, of_cost: Quadrature::Hermite(5) }.rule();
        let outcomes = rule.outcomes(0);
        assert_eq!(outcomes.len(), 15);
        assert_eq!([outcomes[0].0, outcomes[1].0, outcomes[2].0], [-4.5, 0.0, 4.5]);
        let of = |f: &dyn Fn(f64) -> f64| {
            let go_on: Vec<f64> = outcomes.iter().map(|(_, w)| f(*w)).collect();
            rule.expected(&outcomes, (-60.0, 0.0), &go_on)
        };
        assert!((of(&|w| 2.0 * w * w) - 2.0).abs() < 1e-12 && of(&|w| w).abs() < 1e-12);
    }

    /// Natural splines with their second derivatives M written out: 4 M₁ = -12/h² through (0, 1, 0); through (0, 1, 0, 0)
    /// 4 M₁ + M₂ = -12/h² and M₁ + 4 M₂ = 6/h².
    #[test]
    fn splines_are_natural_and_cubic() {
        for (values, curvatures) in [
            (vec![0.0, 1.0, 0.0], vec![0.0, -3.0, 0.0]),
            (vec![0.0, 1.0, 0.0, 0.0], vec![0.0, -3.6, 2.4, 0.0]),
        ] {
            let spline = Spline::new(values.len());
            let step = 9.0 / (values.len() - 1) as f64;
            assert!((spline.step - step).abs() < 1e-15);
            let at = |z: f64| {
                let place = ((z + 4.5) / step).clamp(0.0, (values.len() - 1) as f64 - 1e-12);
                let (i, b) = (place as usize, place.fract());
                let a = 1.0 - b;
                // h² cancels against the curvatures'.
                a * values[i]
                    + b * values[i + 1]
                    + ((a.powi(3) - a) * curvatures[i] + (b.powi(3) - b) * curvatures[i + 1]) / 6.0
            };
            // The midpoint rule, fine enough that its error is below 1e-7.
            let n = 20_000;
            let nodes: Vec<f64> = (0..n).map(|k| -4.5 + 9.0 * (f64::from(k) + 0.5) / f64::from(n)).collect();
            let mass: f64 = nodes.iter().map(|z| pdf(*z)).sum();
            for (stop, by) in [(-50.0, 0.0), (0.2, 0.0), (0.1, 0.4), (0.3, -0.2)] {
                let value = |z: &f64| pdf(*z) * (at(*z) - stop).max(by * z);
                let expected = nodes.iter().map(value).sum::<f64>() / mass;
                let found = spline.gain(&values, (stop, by));
                assert!(
                    (found - expected).abs() < 2e-3 * expected.abs().max(0.1),
                    "{stop} {by}: {found} {expected}"
                );
                if stop == -50.0 {
                    assert!((found - expected).abs() < 1e-5, "{found} {expected}");
                }
            }
        }
    }
}
