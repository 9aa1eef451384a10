//! One-step values of the decision problem.

use thrifty_check::InputError;
use thrifty_linear::SmoothingSpline;
use thrifty_prob::TableOfH;

use crate::lookahead::quadrature::Rule;
use crate::lookahead::two_steps::TwoSteps;
use crate::{
    AutoBctError, BellmanRecursion, Controls, Expectation, Quadrature, State, ValueFunction, expected_cost,
};

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
    /// Controls of the next training.
    now: Controls,
    /// Controls of later trainings in the look ahead.
    later: Controls,
    /// For the outcome of the cost.
    of_cost: Quadrature,
    rule: Rule,
    table: TableOfH,
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
    /// Values from one value per control.
    #[must_use]
    pub fn new(of_controls: Vec<f64>) -> Self {
        let better = |best: usize, i: usize| if of_controls[i] > of_controls[best] { i } else { best };
        let best = (0..of_controls.len()).fold(0, better);
        Self { of_controls, best }
    }

    /// Values of noisy estimates, smoothed over the controls: the last step of Algorithm 2.
    ///
    /// # Errors
    /// [`AutoBctError`] for a spline over another number of points, or values that are not finite.
    pub fn smoothed(&self, spline: &SmoothingSpline) -> Result<Self, AutoBctError> {
        Ok(Self::new(spline.fitted(&self.of_controls)?))
    }

    /// The best value; minus infinity without controls.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.of_controls.get(self.best).copied().unwrap_or(f64::NEG_INFINITY)
    }
}

impl Decision {
    /// A decision with the same controls now and later.
    ///
    /// # Errors
    /// [`AutoBctError`] for a γ that is negative or not finite.
    pub fn new(gamma: f64, controls: Controls, of_cost: Quadrature) -> Result<Self, AutoBctError> {
        Self::with_later(gamma, controls.clone(), controls, of_cost)
    }

    /// A decision with a coarser choice of controls for later trainings in the look ahead.
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
            return Err(InputError::Number { name: "γ", value: gamma, expected }.into());
        }
        Ok(Self { gamma, now, later, rule: of_cost.prepare(), of_cost, table: TableOfH::new() })
    }

    /// γ.
    #[must_use]
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// Controls of the next training.
    #[must_use]
    pub fn controls(&self) -> &Controls {
        &self.now
    }

    /// Controls of later trainings in the look ahead.
    #[must_use]
    pub fn later(&self) -> &Controls {
        &self.later
    }

    pub(crate) fn cost_rule(&self) -> &Rule {
        &self.rule
    }

    /// Name that distinguishes this quadrature from others.
    pub(crate) fn rule_name(&self) -> String {
        format!("{:?}", self.of_cost)
    }

    pub(crate) fn table(&self) -> &TableOfH {
        &self.table
    }

    /// One training and no more: exact.
    #[must_use]
    pub fn one_step(&self, state: &State) -> Values {
        self.one_step_on(&self.now, state)
    }

    pub(crate) fn one_step_on(&self, controls: &Controls, state: &State) -> Values {
        let value = |u| state.score_at(controls, u) - self.gamma * state.cost_at(controls, u);
        Values::new((0..controls.len()).map(value).collect())
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
        TwoSteps(self).of_controls(&self.now, state)
    }

    /// `depth` trainings at most: two steps exactly, those before by an expectation over both outcomes of every control.
    ///
    /// The value never decreases with the horizon, so it is clamped from below by the value at `depth - 1`; this removes
    /// quadrature error near kinks. At a kink the best decision changes, so the score needs more nodes than the cost. Cost: that of the depth below for every
    /// control and outcome.
    ///
    /// # Errors
    /// [`AutoBctError`] for a depth of 0, or numbers that break down.
    pub fn steps(&self, state: &State, depth: usize, earlier: &Expectation) -> Result<Values, AutoBctError> {
        BellmanRecursion::new(self, depth, None, earlier)?.of_controls(&self.now, state)
    }

    /// `depth` trainings before what follows is worth `leaf`: Algorithm 5 of the paper, and for a depth of 1 Algorithm 2.
    ///
    /// With a map of N trainings this is N + `depth` of them.
    ///
    /// # Errors
    /// As [`Decision::steps`], and those of the leaf.
    pub fn on_the_fly(
        &self,
        state: &State,
        depth: usize,
        leaf: &dyn ValueFunction,
        expectation: &Expectation,
    ) -> Result<Values, AutoBctError> {
        BellmanRecursion::new(self, depth, Some(leaf), expectation)?.of_controls(&self.now, state)
    }
}
