//! Two-step value function.

use thrifty_prob::SlopedLines;

use crate::lookahead::posterior_family::{Innovation, PosteriorFamily, dot};
use crate::{AutoBctError, Controls, Decision, State, ValueFunction, Values, expected_cost};

/// Two trainings at most, as a value function: exact in the outcome of the first score.
///
/// All outcomes of a training have the same covariances, so that the slopes of the lines are worked out and sorted once for all of them.
#[derive(Debug, Clone, Copy)]
pub struct TwoSteps<'a>(pub &'a Decision);

/// Moments after one first control, for given covariances.
struct First {
    /// In the outcome of its score: one line for each second control, and the last for stopping.
    lines: SlopedLines,
    /// By rank of the slope.
    terms: Vec<Term>,
    /// Standard deviation of its cost.
    spread: f64,
    /// Remaining uncertainty of its cost after payment, in these standard deviations.
    bend: f64,
}

/// A line of [`First`]: a second control and what its cost does, nothing for stopping.
struct Term {
    later: Option<usize>,
    /// Step of the mean of the second cost per standard deviation of the first.
    shift: f64,
    std_dev: f64,
    inverse: f64,
}

/// Means at the second controls.
struct Means {
    score: Vec<f64>,
    cost: Vec<f64>,
}

impl TwoSteps<'_> {
    pub(crate) fn of_controls(self, first: &Controls, state: &State) -> Values {
        let later = self.0.later();
        let means = Means {
            score: (0..later.len()).map(|v| dot(later.score(v), state.score.mean())).collect(),
            cost: (0..later.len()).map(|v| dot(later.cost(v), state.cost.mean())).collect(),
        };
        let variances = self.cost_variances(state);
        let value = |u: usize| {
            let stop = dot(first.score(u), state.score.mean());
            let cost = dot(first.cost(u), state.cost.mean());
            self.of_first(&mut self.first(first, u, state, &variances), stop, cost, &means)
        };
        Values::new((0..first.len()).map(value).collect())
    }

    fn cost_variances(self, state: &State) -> Vec<f64> {
        let later = self.0.later();
        (0..later.len()).map(|v| state.cost.moments(later.cost(v)).1).collect()
    }

    /// Needs the covariances of the state alone.
    fn first(self, controls: &Controls, u: usize, state: &State, cost_variances: &[f64]) -> First {
        let later = self.0.later();
        let (phi, psi) = (controls.score(u), controls.cost(u));
        let (of_score, of_cost) = (state.score.times(phi), state.cost.times(psi));
        let known = dot(phi, &of_score).max(0.0);
        let std_dev = (known + state.score_noise(controls, u)).sqrt();
        let noise = state.cost_noise(controls, u);
        let spread = (dot(psi, &of_cost).max(0.0) + noise).sqrt();
        let k = later.len();
        let mut slopes: Vec<f64> = (0..k).map(|v| dot(later.score(v), &of_score) / std_dev).collect();
        slopes.push(known / std_dev);
        let lines = SlopedLines::new(&slopes);
        let term = |line: usize| {
            if line == k {
                return Term { later: None, shift: 0.0, std_dev: 0.0, inverse: 0.0 };
            }
            let shift = dot(later.cost(line), &of_cost) / spread;
            let left = (cost_variances[line] - shift * shift).max(0.0);
            let std_dev = (left + later.cost_noise(line)).sqrt();
            Term { later: Some(line), shift, std_dev, inverse: 1.0 / std_dev }
        };
        let terms = lines.order().map(term).collect();
        let paid = (spread * spread - noise).max(0.0);
        // What is left of the variance and the noise, against what the outcome moves the mean by.
        let left = (paid * noise / (paid + noise) + noise).sqrt();
        let bend = left * spread / paid.max(f64::MIN_POSITIVE);
        First { lines, terms, spread, bend }
    }

    /// Value of a first control with this expected score and mean cost.
    fn of_first(self, first: &mut First, stop: f64, cost: f64, means: &Means) -> f64 {
        let (gamma, table) = (self.0.gamma(), self.0.table());
        let terms = &first.terms;
        // The steepest bend is where the same control would cost nothing a second time.
        let bend = (-cost / first.spread, first.bend);
        let lines = &mut first.lines;
        let expected = self.0.cost_rule().expectation(bend, stop, |w| {
            let intercept = |rank: usize| {
                let term = &terms[rank];
                term.later.map_or(stop, |v| {
                    let mean = means.cost[v] + term.shift * w;
                    means.score[v] - gamma * term.std_dev * table.at(mean * term.inverse)
                })
            };
            lines.expected_maximum_in_order(intercept, table)
        });
        expected - gamma * expected_cost(cost, first.spread * first.spread)
    }
}

impl ValueFunction for TwoSteps<'_> {
    /// Both trainings at the later controls.
    fn after(&self, fan: &PosteriorFamily, outcomes: &[Innovation]) -> Result<Vec<f64>, AutoBctError> {
        let later = self.0.later();
        let all = || 0..later.len();
        let scores: Vec<(f64, f64)> = all().map(|v| fan.score_line(later.score(v))).collect();
        let costs: Vec<(f64, f64)> = all().map(|v| fan.cost_line(later.cost(v))).collect();
        let at = |lines: &[(f64, f64)], by: f64| lines.iter().map(|(mean, step)| mean + by * step).collect();
        let means: Vec<Means> =
            outcomes.iter().map(|&(z, w)| Means { score: at(&scores, z), cost: at(&costs, w) }).collect();
        let variances = self.cost_variances(fan.center());
        let mut values = vec![f64::NEG_INFINITY; outcomes.len()];
        for u in all() {
            let mut first = self.first(later, u, fan.center(), &variances);
            for (value, means) in values.iter_mut().zip(&means) {
                *value = value.max(self.of_first(&mut first, means.score[u], means.cost[u], means));
            }
        }
        Ok(values)
    }
}
