//! Belief states after a training, one per outcome.

use crate::{AutoBctError, Controls, State};

/// Belief states after one training, one per outcome: they share their covariances, and their means are linear in the outcome.
///
/// ```text
/// μ_α' = μ_α + z Σ_α φ / s_α,   μ_β' = μ_β + w Σ_β ψ / s_β
/// ```
///
/// An outcome (z, w) is how far score and cost come out from what was expected, in standard deviations: two independent standard normal
/// numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct PosteriorFamily {
    /// The belief after an outcome as expected.
    center: State,
    score_step: Vec<f64>,
    cost_step: Vec<f64>,
}

/// Innovation of score and cost in standard deviations.
pub type Innovation = (f64, f64);

impl PosteriorFamily {
    /// The family of a single belief state.
    #[must_use]
    pub fn still(state: &State) -> Self {
        Self {
            center: state.clone(),
            score_step: vec![0.0; state.score.len()],
            cost_step: vec![0.0; state.cost.len()],
        }
    }

    /// After training at a control.
    ///
    /// # Errors
    /// [`AutoBctError`] for numbers that break down.
    pub fn of_training(state: &State, controls: &Controls, control: usize) -> Result<Self, AutoBctError> {
        let mut center = state.clone();
        let step = |belief: &mut thrifty_linear::Coefficients,
                    functions: &[f64],
                    noise: f64|
         -> Result<_, AutoBctError> {
            let mut step = belief.times(functions);
            let expected = dot(functions, belief.mean());
            let innovation = belief.update(functions, expected, noise)?;
            let std_dev = innovation.variance.sqrt();
            step.iter_mut().for_each(|s| *s /= std_dev);
            Ok(step)
        };
        let score_step = step(&mut center.score, controls.score(control), controls.score_noise(control))?;
        let cost_step = step(&mut center.cost, controls.cost(control), controls.cost_noise(control))?;
        Ok(Self { center, score_step, cost_step })
    }

    /// The belief after an outcome as expected: its covariances are those of every outcome.
    #[must_use]
    pub fn center(&self) -> &State {
        &self.center
    }

    /// Step of the mean of the score's coefficients per standard deviation of its outcome.
    #[must_use]
    pub fn score_step(&self) -> &[f64] {
        &self.score_step
    }

    /// Step of the mean of the cost's coefficients per standard deviation of its outcome.
    #[must_use]
    pub fn cost_step(&self) -> &[f64] {
        &self.cost_step
    }

    /// The belief after an outcome.
    ///
    /// # Errors
    /// [`AutoBctError`] for an outcome that is not finite.
    pub fn state(&self, (z, w): Innovation) -> Result<State, AutoBctError> {
        let moved =
            |mean: &[f64], step: &[f64], by: f64| mean.iter().zip(step).map(|(m, s)| m + by * s).collect();
        let State { score, cost } = &self.center;
        Ok(State {
            score: score.with_mean(moved(score.mean(), &self.score_step, z))?,
            cost: cost.with_mean(moved(cost.mean(), &self.cost_step, w))?,
        })
    }

    /// Expected score at a control: for an outcome as expected, and what a standard deviation adds.
    pub(crate) fn score_line(&self, functions: &[f64]) -> (f64, f64) {
        (dot(functions, self.center.score.mean()), dot(functions, &self.score_step))
    }

    /// Likewise the mean of the cost.
    pub(crate) fn cost_line(&self, functions: &[f64]) -> (f64, f64) {
        (dot(functions, self.center.cost.mean()), dot(functions, &self.cost_step))
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
