//! State of the Markov decision process.

use thrifty_domain::Points;
use thrifty_linear::{Basis, Coefficients};

use crate::{AutoBctError, Controls, NoiseStdDev, expected_cost};

/// State of the decision problem: distributions of the coefficients of score and cost.
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

    /// Variance of the score of what a control trains, without noise.
    #[must_use]
    pub fn score_variance_at(&self, controls: &Controls, control: usize) -> f64 {
        self.score.moments(controls.score(control)).1
    }

    /// Variance of the noise of the score at a control, as a training teaches it: no less than rounding leaves room for.
    pub(crate) fn score_noise(&self, controls: &Controls, control: usize) -> f64 {
        controls.score_noise(control).max(self.score.noise_floor(controls.score(control)))
    }

    /// Variance of the noise of the cost, likewise.
    pub(crate) fn cost_noise(&self, controls: &Controls, control: usize) -> f64 {
        controls.cost_noise(control).max(self.cost.noise_floor(controls.cost(control)))
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
    /// [`AutoBctError`] for a score or cost that is not finite, or numbers that overflow; the state is as before then.
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

/// One training of an earlier task, on the scale of the model.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Record {
    /// u.
    pub control: Vec<f64>,
    /// h.
    pub score: f64,
    /// t.
    pub cost: f64,
}

impl State {
    /// Prior of the next task, from trainings of earlier ones. Each task is learnt alone from the same vague start;
    /// the next is expected to be as they are on average, in doubt by how little each is known and by how much tasks differ:
    ///
    /// ```text
    /// μ = Σ_k μ_k / K,   Σ = Σ_k Σ_k / K + (Σ_k (μ_k - μ)(μ_k - μ)ᵀ + Σ₀) / (K + 1)
    /// ```
    ///
    /// The start's covariance stands for one task more, so that few tasks that happen to agree do not make it certain. Without
    /// tasks it is the start. An empty task is none.
    ///
    /// # Errors
    /// [`AutoBctError`] for a control outside of the unit cube, or numbers that are not finite.
    pub fn from_tasks(
        score: &dyn Basis,
        cost: &dyn Basis,
        start: &Self,
        tasks: &[Vec<Record>],
        noise: NoiseStdDev,
    ) -> Result<Self, AutoBctError> {
        let mut states = Vec::new();
        for task in tasks.iter().filter(|task| !task.is_empty()) {
            let mut points = Points::new(score.dim());
            for (index, record) in task.iter().enumerate() {
                if record.control.len() != score.dim() {
                    let control = record.control.clone();
                    return Err(AutoBctError::Control { index, control, dim: score.dim() });
                }
                points.push(&record.control);
            }
            let controls = Controls::new(points.as_ref(), score, cost, |_| noise)?;
            let mut state = start.clone();
            for (index, record) in task.iter().enumerate() {
                state.learn(&controls, index, record.score, record.cost)?;
            }
            states.push(state);
        }
        if states.is_empty() {
            return Ok(start.clone());
        }
        let next = |of: fn(&Self) -> &Coefficients| {
            expected_of_next(of(start), &states.iter().map(of).collect::<Vec<_>>())
        };
        Ok(Self { score: next(|state| &state.score)?, cost: next(|state| &state.cost)? })
    }
}

/// The formula of [`State::from_tasks`].
fn expected_of_next(start: &Coefficients, tasks: &[&Coefficients]) -> Result<Coefficients, AutoBctError> {
    let (n, count) = (start.len(), tasks.len() as f64);
    let mean: Vec<f64> =
        (0..n).map(|i| tasks.iter().map(|task| task.mean()[i]).sum::<f64>() / count).collect();
    let entry = |at: usize| {
        let (i, j) = (at / n, at % n);
        let known: f64 = tasks.iter().map(|task| task.covariance()[at]).sum();
        let differ: f64 =
            tasks.iter().map(|task| (task.mean()[i] - mean[i]) * (task.mean()[j] - mean[j])).sum();
        known / count + (differ + start.covariance()[at]) / (count + 1.0)
    };
    let covariance = (0..n * n).map(entry).collect();
    Ok(Coefficients::new(mean, covariance)?)
}
