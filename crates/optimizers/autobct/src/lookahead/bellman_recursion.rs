//! Bellman recursion over the remaining trainings.

use crate::lookahead::expectation::Rule;
use crate::lookahead::posterior_family::{Innovation, PosteriorFamily};
use crate::lookahead::two_steps::TwoSteps;
use crate::{AutoBctError, Controls, Decision, Expectation, State, Values};
use thrifty_check::InputError;

/// Value function: the value of going on, as a function of the state. A look ahead ends with one.
pub trait ValueFunction: Send + Sync {
    /// After every one of these outcomes of a training.
    ///
    /// # Errors
    /// [`AutoBctError`] for beliefs it was not made for, or numbers that break down.
    fn after(&self, fan: &PosteriorFamily, outcomes: &[Innovation]) -> Result<Vec<f64>, AutoBctError>;

    /// Values after each of several outcomes, for value functions that are faster so.
    ///
    /// # Errors
    /// As [`ValueFunction::after`].
    fn after_each(
        &self,
        fans: &[PosteriorFamily],
        outcomes: &[&[Innovation]],
    ) -> Result<Vec<Vec<f64>>, AutoBctError> {
        fans.iter().zip(outcomes).map(|(fan, outcomes)| self.after(fan, outcomes)).collect()
    }

    /// Value of one state.
    ///
    /// # Errors
    /// As [`ValueFunction::after`].
    fn value(&self, state: &State) -> Result<f64, AutoBctError> {
        Ok(self.after(&PosteriorFamily::still(state), &[(0.0, 0.0)])?[0])
    }
}

/// One training at most, as a value function: V₁ at the later controls of a decision.
#[derive(Debug, Clone, Copy)]
pub struct OneStep<'a>(pub &'a Decision);

impl ValueFunction for OneStep<'_> {
    fn after(&self, fan: &PosteriorFamily, outcomes: &[Innovation]) -> Result<Vec<f64>, AutoBctError> {
        let (later, table) = (self.0.later(), self.0.table());
        let mut values = vec![f64::NEG_INFINITY; outcomes.len()];
        for v in 0..later.len() {
            let (score, by) = fan.score_line(later.score(v));
            let (cost, shift) = fan.cost_line(later.cost(v));
            let variance = fan.center().cost.moments(later.cost(v)).1 + later.cost_noise(v);
            let std_dev = variance.sqrt();
            let (scale, inverse) = (self.0.gamma() * std_dev, 1.0 / std_dev);
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
pub struct Shrunk<'a> {
    /// Value function that may be too high.
    pub of: &'a dyn ValueFunction,
    /// ε.
    pub epsilon: f64,
}

impl ValueFunction for Shrunk<'_> {
    fn after(&self, fan: &PosteriorFamily, outcomes: &[Innovation]) -> Result<Vec<f64>, AutoBctError> {
        Ok(self.after_each(std::slice::from_ref(fan), &[outcomes])?.remove(0))
    }

    fn after_each(
        &self,
        fans: &[PosteriorFamily],
        outcomes: &[&[Innovation]],
    ) -> Result<Vec<Vec<f64>>, AutoBctError> {
        let mut values = self.of.after_each(fans, outcomes)?;
        values.iter_mut().flatten().for_each(|value| *value -= self.epsilon * value.abs());
        Ok(values)
    }
}

/// Bellman recursion over `depth` trainings, after which the value is that of `leaf`. Without a leaf nothing follows, and the last two trainings are exact.
pub struct BellmanRecursion<'a> {
    decision: &'a Decision,
    depth: usize,
    leaf: Option<&'a dyn ValueFunction>,
    rule: Rule,
}

impl<'a> BellmanRecursion<'a> {
    /// # Errors
    /// [`AutoBctError`] for a depth of 0.
    pub fn new(
        decision: &'a Decision,
        depth: usize,
        leaf: Option<&'a dyn ValueFunction>,
        expectation: &Expectation,
    ) -> Result<Self, AutoBctError> {
        if depth == 0 {
            return Err(InputError::Number { name: "depth", value: 0.0, expected: "at least 1" }.into());
        }
        Ok(Self { decision, depth, leaf, rule: expectation.rule() })
    }

    /// Number of evaluations, before any is made: values of the leaf that are asked for; without a leaf, expected maxima of lines, about 10 ns for
    /// each later control. Every training more multiplies it by later controls and outcomes.
    #[must_use]
    pub fn evaluations(&self, controls: usize) -> u64 {
        let outcomes = self.rule.outcomes(0).len() as u64;
        let (last, rest) = match (self.depth, self.leaf) {
            (1, None) => (1, 0),
            (depth, None) => (self.decision.cost_rule().around(None).len() as u64, depth - 2),
            (depth, Some(_)) => (outcomes, depth - 1),
        };
        let further = outcomes.saturating_mul(self.decision.later().len() as u64);
        let rest = u32::try_from(rest).unwrap_or(u32::MAX);
        (controls as u64).saturating_mul(last).saturating_mul(further.saturating_pow(rest))
    }

    /// Values of some controls.
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
        let fans: Vec<PosteriorFamily> =
            all().map(|u| PosteriorFamily::of_training(state, controls, u)).collect::<Result<_, _>>()?;
        let drawn: Vec<_> = all().map(|u| self.rule.outcomes(u)).collect();
        let outcomes: Vec<&[Innovation]> = drawn.iter().map(AsRef::as_ref).collect();
        let go_on = next.after_each(&fans, &outcomes)?;
        let value = |u: usize| {
            let expected = self.rule.expected(outcomes[u], fans[u].score_line(controls.score(u)), &go_on[u]);
            expected - self.decision.gamma() * state.cost_at(controls, u)
        };
        Ok(Values::new(all().map(value).collect()))
    }
}

/// The levels below the first.
struct Below<'a> {
    ahead: &'a BellmanRecursion<'a>,
    depth: usize,
}

impl ValueFunction for Below<'_> {
    fn after(&self, fan: &PosteriorFamily, outcomes: &[Innovation]) -> Result<Vec<f64>, AutoBctError> {
        let later = self.ahead.decision.later();
        let value =
            |outcome: &Innovation| Ok(self.ahead.values(self.depth, later, &fan.state(*outcome)?)?.value());
        outcomes.iter().map(value).collect()
    }
}
