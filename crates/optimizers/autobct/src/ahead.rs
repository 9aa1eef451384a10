use std::borrow::Cow;

use rand_distr::{Distribution, StandardNormal};
use thrifty_sampling::Seed;

use crate::fan::{Fan, Outcome};
use crate::two_steps::TwoSteps;
use crate::{AutoBctError, Controls, Decision, Quadrature, State, Values};

/// What going on is worth, as a function of beliefs: what a look ahead ends with.
pub trait ValueFunction: Send + Sync {
    /// After every one of these outcomes of a training.
    ///
    /// # Errors
    /// [`AutoBctError`] for beliefs it was not made for, or numbers that break down.
    fn after(&self, fan: &Fan, outcomes: &[Outcome]) -> Result<Vec<f64>, AutoBctError>;

    /// Of several trainings at once, for what is faster so.
    ///
    /// # Errors
    /// As [`ValueFunction::after`].
    fn after_each(&self, fans: &[Fan], outcomes: &[&[Outcome]]) -> Result<Vec<Vec<f64>>, AutoBctError> {
        fans.iter().zip(outcomes).map(|(fan, outcomes)| self.after(fan, outcomes)).collect()
    }

    /// Of one belief.
    ///
    /// # Errors
    /// As [`ValueFunction::after`].
    fn value(&self, state: &State) -> Result<f64, AutoBctError> {
        Ok(self.after(&Fan::still(state), &[(0.0, 0.0)])?[0])
    }
}

/// One training at most, as a value function: V₁ at the later controls of a decision.
#[derive(Debug, Clone, Copy)]
pub struct OneStep<'a>(pub &'a Decision);

impl ValueFunction for OneStep<'_> {
    fn after(&self, fan: &Fan, outcomes: &[Outcome]) -> Result<Vec<f64>, AutoBctError> {
        let (later, table) = (self.0.later(), self.0.table());
        let mut values = vec![f64::NEG_INFINITY; outcomes.len()];
        for v in 0..later.len() {
            let (score, by) = fan.score_line(later.score(v));
            let (cost, shift) = fan.cost_line(later.cost(v));
            let variance = fan.centre().cost.moments(later.cost(v)).1 + later.cost_noise(v);
            let deviation = variance.sqrt();
            let (scale, inverse) = (self.0.gamma() * deviation, 1.0 / deviation);
            for (value, (z, w)) in values.iter_mut().zip(outcomes) {
                let worth = score + by * z - scale * table.at((cost + shift * w) * inverse);
                *value = value.max(worth);
            }
        }
        Ok(values)
    }
}

/// A value less a share of its size, `V - ε|V|`: caution against values that are too high. Source: `AutoBCT`, (3.18), which has
/// `(1 - ε) V` and so rises where V is negative.
pub struct Cautious<'a> {
    /// What is too high perhaps.
    pub of: &'a dyn ValueFunction,
    /// ε.
    pub epsilon: f64,
}

impl ValueFunction for Cautious<'_> {
    fn after(&self, fan: &Fan, outcomes: &[Outcome]) -> Result<Vec<f64>, AutoBctError> {
        Ok(self.after_each(std::slice::from_ref(fan), &[outcomes])?.remove(0))
    }

    fn after_each(&self, fans: &[Fan], outcomes: &[&[Outcome]]) -> Result<Vec<Vec<f64>>, AutoBctError> {
        let mut values = self.of.after_each(fans, outcomes)?;
        values.iter_mut().flatten().for_each(|value| *value -= self.epsilon * value.abs());
        Ok(values)
    }
}

/// How expectations over the outcomes of a training are computed.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expectation {
    /// Nodes of a product of two rules.
    Quadrature {
        /// For the score, where kinks are.
        of_score: Quadrature,
        /// For the cost.
        of_cost: Quadrature,
    },
    /// Means of samples, drawn anew for every control: Algorithm 2 of the paper.
    Sampled {
        /// Draws a control.
        samples: usize,
        /// Of the draws.
        seed: Seed,
    },
}

impl Expectation {
    /// Seven nodes for the score and five for the cost, Gauss–Hermite.
    pub const DEFAULT: Self =
        Self::Quadrature { of_score: Quadrature::Hermite(7), of_cost: Quadrature::Hermite(5) };

    fn rule(&self) -> Rule {
        match *self {
            Self::Quadrature { of_score, of_cost } => {
                let of_cost = of_cost.rule();
                let nodes = of_score.rule().into_iter().flat_map(|(z, a)| {
                    of_cost.iter().map(move |(w, b)| ((z, *w), a * b)).collect::<Vec<_>>()
                });
                let (outcomes, weights) = nodes.unzip();
                Rule::Nodes { outcomes, weights }
            }
            Self::Sampled { samples, seed } => Rule::Sampled { samples: samples.max(1), seed },
        }
    }
}

enum Rule {
    Nodes { outcomes: Vec<Outcome>, weights: Vec<f64> },
    Sampled { samples: usize, seed: Seed },
}

impl Rule {
    /// Outcomes for a control and their weights.
    fn of(&self, control: usize) -> (Cow<'_, [Outcome]>, Cow<'_, [f64]>) {
        match self {
            Self::Nodes { outcomes, weights } => (Cow::Borrowed(outcomes), Cow::Borrowed(weights)),
            Self::Sampled { samples, seed } => {
                let mut rng = seed.stream("outcomes", control as u64);
                let draw = |_| (StandardNormal.sample(&mut rng), StandardNormal.sample(&mut rng));
                let outcomes: Vec<Outcome> = (0..*samples).map(draw).collect();
                (Cow::Owned(outcomes), Cow::Owned(vec![1.0 / *samples as f64; *samples]))
            }
        }
    }
}

/// So many trainings before what follows is worth a leaf. Without a leaf nothing follows: the last two trainings are exact then.
pub struct LookAhead<'a> {
    decision: &'a Decision,
    depth: usize,
    leaf: Option<&'a dyn ValueFunction>,
    rule: Rule,
}

impl<'a> LookAhead<'a> {
    /// # Errors
    /// [`AutoBctError`] for a depth of 0.
    pub fn new(
        decision: &'a Decision,
        depth: usize,
        leaf: Option<&'a dyn ValueFunction>,
        expectation: &Expectation,
    ) -> Result<Self, AutoBctError> {
        if depth == 0 {
            return Err(AutoBctError::Number { what: "depth", value: 0.0, expected: "at least 1" });
        }
        Ok(Self { decision, depth, leaf, rule: expectation.rule() })
    }

    /// What these controls are worth.
    ///
    /// # Errors
    /// [`AutoBctError`] for numbers that break down.
    pub fn of_controls(&self, controls: &Controls, state: &State) -> Result<Values, AutoBctError> {
        self.values(self.depth, controls, state)
    }

    fn values(&self, depth: usize, controls: &Controls, state: &State) -> Result<Values, AutoBctError> {
        match (depth, self.leaf) {
            (1, None) => Ok(self.decision.one_step_on(controls, state)),
            (2, None) => Ok(TwoSteps(self.decision).of_controls(controls, state)),
            (1, Some(leaf)) => self.lambda(controls, state, leaf),
            (3, None) => self.at_least(depth, controls, state, &TwoSteps(self.decision)),
            (_, None) => self.at_least(depth, controls, state, &Below { ahead: self, depth: depth - 1 }),
            (_, Some(_)) => self.lambda(controls, state, &Below { ahead: self, depth: depth - 1 }),
        }
    }

    /// No less than with a training less.
    fn at_least(
        &self,
        depth: usize,
        controls: &Controls,
        state: &State,
        next: &dyn ValueFunction,
    ) -> Result<Values, AutoBctError> {
        let fewer = self.values(depth - 1, controls, state)?.of_controls;
        let values = self.lambda(controls, state, next)?.of_controls;
        Ok(Values::new(values.iter().zip(&fewer).map(|(a, b)| a.max(*b)).collect()))
    }

    /// One training, then its score or `next`, whichever is more.
    fn lambda(
        &self,
        controls: &Controls,
        state: &State,
        next: &dyn ValueFunction,
    ) -> Result<Values, AutoBctError> {
        let all = || 0..controls.len();
        let fans: Vec<Fan> = all().map(|u| Fan::of_training(state, controls, u)).collect::<Result<_, _>>()?;
        let rules: Vec<_> = all().map(|u| self.rule.of(u)).collect();
        let outcomes: Vec<&[Outcome]> = rules.iter().map(|(outcomes, _)| outcomes.as_ref()).collect();
        let go_on = next.after_each(&fans, &outcomes)?;
        let value = |u: usize| {
            let (stop, by) = fans[u].score_line(controls.score(u));
            let expected: f64 = (rules[u].0.iter().zip(rules[u].1.iter()).zip(&go_on[u]))
                .map(|((outcome, weight), go_on)| weight * (stop + by * outcome.0).max(*go_on))
                .sum();
            expected - self.decision.gamma() * state.cost_at(controls, u)
        };
        Ok(Values::new(all().map(value).collect()))
    }
}

/// The levels below the first.
struct Below<'a> {
    ahead: &'a LookAhead<'a>,
    depth: usize,
}

impl ValueFunction for Below<'_> {
    fn after(&self, fan: &Fan, outcomes: &[Outcome]) -> Result<Vec<f64>, AutoBctError> {
        let later = self.ahead.decision.later();
        let value =
            |outcome: &Outcome| Ok(self.ahead.values(self.depth, later, &fan.state(*outcome)?)?.value());
        outcomes.iter().map(value).collect()
    }
}
