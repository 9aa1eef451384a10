use thrifty_linear::Coefficients;

use crate::{AutoBctError, Controls, expected_cost};

/// What is believed of score and cost: the state of the decision problem.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct State {
    /// Coefficients of the score.
    pub score: Coefficients,
    /// Coefficients of the cost.
    pub cost: Coefficients,
}

impl State {
    /// Expected score of what a control trains.
    #[must_use]
    pub fn score_at(&self, controls: &Controls, control: usize) -> f64 {
        controls.score(control).iter().zip(self.score.mean()).map(|(f, a)| f * a).sum()
    }

    /// Expected cost of training at a control, negative costs counting as nothing.
    #[must_use]
    pub fn cost_at(&self, controls: &Controls, control: usize) -> f64 {
        let (mean, variance) = self.cost.moments(controls.cost(control));
        expected_cost(mean, variance + controls.cost_noise(control))
    }

    /// Learns from a training run at a control.
    ///
    /// # Errors
    /// [`AutoBctError`] for a score or cost that is not finite; the state is as before then.
    pub fn learn(
        &mut self,
        controls: &Controls,
        control: usize,
        score: f64,
        cost: f64,
    ) -> Result<(), AutoBctError> {
        let mut next = self.clone();
        next.score.update(controls.score(control), score, controls.score_noise(control))?;
        next.cost.update(controls.cost(control), cost, controls.cost_noise(control))?;
        *self = next;
        Ok(())
    }
}
