use thrifty_prob::SlopedLines;

use crate::cost::CostTable;
use crate::{AutoBctError, Controls, Quadrature, State, expected_cost};

/// The decision problem: score is worth 1 a unit, cost γ.
///
/// ```text
/// V₁(x) = max_u m_α(u) - γ Υ(m_β(u), s_β(u)²)
/// V_N(x) = max_u -γ Υ(m_β(u), s_β(u)²) + E[max(m_α(u, x₁), V_{N-1}(x₁))]
/// ```
///
/// `m_α(u, x)` is the expected score of what u trains, `x₁` the belief after that training: stop there, or go on.
/// `AutoBCT` estimates the expectation from samples and regresses it over controls; here it is exact or by quadrature.
/// Source: `AutoBCT`, (2.12) and (2.13).
#[derive(Debug, Clone)]
pub struct Decision {
    gamma: f64,
    /// What can be trained now.
    now: Controls,
    /// What is thought of as trained later.
    later: Controls,
    /// Nodes and weights for the outcome of the cost.
    of_cost: Vec<(f64, f64)>,
    table: CostTable,
}

/// Values of all controls, and the best of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// One a control.
    pub of_controls: Vec<f64>,
    /// The first of the best.
    pub best: usize,
}

impl Values {
    fn new(of_controls: Vec<f64>) -> Self {
        let better = |best: usize, i: usize| if of_controls[i] > of_controls[best] { i } else { best };
        let best = (0..of_controls.len()).fold(0, better);
        Self { of_controls, best }
    }

    /// The best value.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.of_controls[self.best]
    }
}

impl Decision {
    /// With the same controls now and later.
    ///
    /// # Errors
    /// [`AutoBctError`] for a γ that is negative or not finite.
    pub fn new(gamma: f64, controls: Controls, of_cost: Quadrature) -> Result<Self, AutoBctError> {
        Self::with_later(gamma, controls.clone(), controls, of_cost)
    }

    /// With a coarser choice of controls for what is thought of as trained later.
    ///
    /// # Errors
    /// As [`Decision::new`].
    pub fn with_later(
        gamma: f64,
        now: Controls,
        later: Controls,
        of_cost: Quadrature,
    ) -> Result<Self, AutoBctError> {
        if !(gamma >= 0.0 && gamma.is_finite()) {
            let expected = "a finite number from 0";
            return Err(AutoBctError::Number { what: "γ", value: gamma, expected });
        }
        Ok(Self { gamma, now, later, of_cost: of_cost.rule(), table: CostTable::new() })
    }

    /// γ.
    #[must_use]
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// What can be trained now.
    #[must_use]
    pub fn controls(&self) -> &Controls {
        &self.now
    }

    /// One training and no more: exact.
    #[must_use]
    pub fn one_step(&self, state: &State) -> Values {
        let value = |u| state.score_at(&self.now, u) - self.gamma * state.cost_at(&self.now, u);
        Values::new((0..self.now.len()).map(value).collect())
    }

    /// One training, then what it came to or a constant, whichever is more: exact.
    ///
    /// ```text
    /// E[max(m_α(u, x₁), c)] = c + Υ(m_α(u) - c, k²),   k² = v² / (v + σ_H²),   v = φᵀ Σ_α φ
    /// ```
    #[must_use]
    pub fn one_step_or(&self, state: &State, constant: f64) -> Values {
        let value = |u: usize| {
            let (mean, variance) = state.score.moments(self.now.score(u));
            let moved = variance * variance / (variance + self.now.score_noise(u));
            constant + expected_cost(mean - constant, moved) - self.gamma * state.cost_at(&self.now, u)
        };
        Values::new((0..self.now.len()).map(value).collect())
    }

    /// Two trainings at most. Exact in the outcome of the first score, where the better of stopping and every second
    /// control is an envelope of lines; by quadrature in the outcome of the first cost.
    ///
    /// Cost for g controls now, k later and q nodes: g (k J + q k).
    #[must_use]
    pub fn two_steps(&self, state: &State) -> Values {
        let later = Later::new(self, state);
        Values::new((0..self.now.len()).map(|u| self.two_steps_from(state, &later, u)).collect())
    }

    fn two_steps_from(&self, state: &State, later: &Later, u: usize) -> f64 {
        let (phi, psi) = (self.now.score(u), self.now.cost(u));
        let (of_score, of_cost) = (state.score.times(phi), state.cost.times(psi));
        let known = dot(phi, &of_score).max(0.0);
        let deviation = (known + self.now.score_noise(u)).sqrt();
        let spread = (dot(psi, &of_cost).max(0.0) + self.now.cost_noise(u)).sqrt();
        let k = self.later.len();
        // Slopes in the outcome of the score; the last line is to stop.
        let mut slopes: Vec<f64> = (0..k).map(|v| dot(self.later.score(v), &of_score) / deviation).collect();
        slopes.push(known / deviation);
        let mut lines = SlopedLines::new(&slopes);
        let shifts: Vec<f64> = (0..k).map(|v| dot(self.later.cost(v), &of_cost) / spread).collect();
        let deviations: Vec<(f64, f64)> = (0..k)
            .map(|v| {
                let known = (later.cost_variance[v] - shifts[v] * shifts[v]).max(0.0);
                let deviation = (known + self.later.cost_noise(v)).sqrt();
                (deviation, 1.0 / deviation)
            })
            .collect();
        let mut intercepts = vec![0.0; k + 1];
        intercepts[k] = dot(phi, state.score.mean());
        let mut expected = 0.0;
        for (z, weight) in &self.of_cost {
            for v in 0..k {
                let (mean, (deviation, inverse)) = (later.cost_mean[v] + shifts[v] * z, deviations[v]);
                intercepts[v] =
                    later.score_mean[v] - self.gamma * self.table.expected(mean, deviation, inverse);
            }
            expected += weight * lines.expected_maximum(&intercepts);
        }
        let mean = dot(psi, state.cost.mean());
        expected - self.gamma * expected_cost(mean, spread * spread)
    }

    /// `depth` trainings at most: two steps exactly, those before by quadrature over both outcomes of every control.
    ///
    /// A kink is where one decision gives way to another, so that score needs more nodes than cost. Cost: that of the
    /// depth below for every control and pair of nodes.
    ///
    /// # Errors
    /// [`AutoBctError`] for a depth of 0, or numbers that break down.
    pub fn steps(
        &self,
        state: &State,
        depth: usize,
        of_score: Quadrature,
        of_cost: Quadrature,
    ) -> Result<Values, AutoBctError> {
        match depth {
            0 => Err(AutoBctError::Number { what: "depth", value: 0.0, expected: "at least 1" }),
            1 => Ok(self.one_step(state)),
            2 => Ok(self.two_steps(state)),
            _ => {
                let (score_rule, cost_rule) = (of_score.rule(), of_cost.rule());
                // A training more is worth no less: what the quadrature misses at a kink must not say otherwise.
                let fewer = self.steps(state, depth - 1, of_score, of_cost)?.of_controls;
                let value = |u: usize| -> Result<f64, AutoBctError> {
                    let (score_mean, score_variance) = state.score.moments(self.now.score(u));
                    let (cost_mean, cost_variance) = state.cost.moments(self.now.cost(u));
                    let deviation = (score_variance + self.now.score_noise(u)).sqrt();
                    let spread = (cost_variance + self.now.cost_noise(u)).sqrt();
                    let mut expected = 0.0;
                    for (z, weight) in &score_rule {
                        let mut after = state.clone();
                        let score = score_mean + deviation * z;
                        after.score.update(self.now.score(u), score, self.now.score_noise(u))?;
                        let stop = after.score_at(&self.now, u);
                        for (t, share) in &cost_rule {
                            let mut after = after.clone();
                            let cost = cost_mean + spread * t;
                            after.cost.update(self.now.cost(u), cost, self.now.cost_noise(u))?;
                            let go_on = self.steps(&after, depth - 1, of_score, of_cost)?.value();
                            expected += weight * share * stop.max(go_on);
                        }
                    }
                    Ok((expected - self.gamma * expected_cost(cost_mean, spread * spread)).max(fewer[u]))
                };
                Ok(Values::new((0..self.now.len()).map(value).collect::<Result<_, _>>()?))
            }
        }
    }
}

/// What does not depend on what is trained first.
struct Later {
    score_mean: Vec<f64>,
    cost_mean: Vec<f64>,
    cost_variance: Vec<f64>,
}

impl Later {
    fn new(decision: &Decision, state: &State) -> Self {
        let controls = &decision.later;
        let all = || 0..controls.len();
        let cost: Vec<(f64, f64)> = all().map(|v| state.cost.moments(controls.cost(v))).collect();
        Self {
            score_mean: all().map(|v| state.score_at(controls, v)).collect(),
            cost_mean: cost.iter().map(|c| c.0).collect(),
            cost_variance: cost.iter().map(|c| c.1).collect(),
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
