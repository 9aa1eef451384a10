//! Settings of training under a budget.

use crate::{AutoBctError, Expectation, NoiseStdDev, Quadrature, Scale};
use thrifty_check::InputError;
use thrifty_sampling::Seed;

/// Horizon of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Plan {
    /// Receding horizon: `depth` more trainings are assumed, anew after every one. Source: `cironis2022`.
    Relaxed {
        /// At least 1.
        depth: usize,
    },
    /// `horizon` trainings and no more: the optimal policy for that many. Without a value map that is a matter of small grids or of 3
    /// trainings: each further one multiplies the time by later controls and outcomes, and an ask of more than 10¹⁰ evaluations is an
    /// error.
    Horizon {
        /// At least 1.
        horizon: usize,
    },
}

/// Settings of training under a budget.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AutoBctSettings {
    /// Price of a unit of cost, in units of score.
    pub gamma: f64,
    /// Standard deviations of the observation noise, the same everywhere.
    #[serde(rename = "noise", alias = "noise_std_dev")]
    pub noise_std_dev: NoiseStdDev,
    /// Scale from the first objective to the score: a loss has its bad value at 0.
    pub score: Scale,
    /// Scale from the reported cost to that of the model.
    pub cost: Scale,
    /// Horizon.
    pub plan: Plan,
    /// Share of the value that is taken off before going on: caution against a value that is too high. Where the look-ahead ends with a map
    /// it is taken off the map's values.
    pub epsilon: f64,
    /// Controls of each number to choose from.
    pub grid: usize,
    /// Controls of each number that are thought of later.
    pub later_grid: usize,
    /// Nodes for the outcome of a cost two steps before the end.
    pub of_cost: Quadrature,
    /// Over the outcomes of score and cost earlier than that, or before a map.
    pub earlier: Expectation,
    /// Smooth values over the controls, at most 3000, before the best is taken: for expectations from samples.
    pub smooth: bool,
    /// Trainings at most.
    pub max_epochs: usize,
    /// Cost at most, in units of the model: no training once it is spent. `null` in JSON, which has no infinity, is no limit.
    #[serde(deserialize_with = "infinite_if_null")]
    pub max_cost: f64,
    /// Recommend what has the best expected score of all that was trained; otherwise what was trained last, as in the
    /// theory, which has no way back.
    pub recall_best: bool,
}

fn infinite_if_null<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let number: Option<f64> = serde::Deserialize::deserialize(deserializer)?;
    Ok(number.unwrap_or(f64::INFINITY))
}

impl Default for AutoBctSettings {
    /// The paper's for one control: γ = 0.16, noise of 0.05 and 0.1, 101 controls; two trainings ahead, exactly.
    fn default() -> Self {
        Self {
            gamma: 0.16,
            noise_std_dev: NoiseStdDev { score: 0.05, cost: 0.1 },
            score: Scale::Identity,
            cost: Scale::Identity,
            plan: Plan::Relaxed { depth: 2 },
            epsilon: 0.0,
            grid: 101,
            later_grid: 101,
            of_cost: Quadrature::ACCURATE,
            earlier: Expectation::DEFAULT,
            smooth: false,
            max_epochs: 100,
            max_cost: f64::INFINITY,
            recall_best: false,
        }
    }
}

impl AutoBctSettings {
    /// The look-ahead of `cironis2022`: Algorithm 4, one training from samples before a value function.
    ///
    /// | setting | value | source |
    /// |---|---|---|
    /// | `gamma` | 0.16 | section 4 |
    /// | `noise_std_dev` | 0.05 and 0.1 | Appendix D.1; D.2 to D.4 and D.6 to D.8 have 0.15 for the score |
    /// | `grid` | 0, 0.01, …, 1 | section 4.1 |
    /// | `earlier` | means of `samples` outcomes for each control | Algorithm 2; 1000 on the fly, more than 100 before a map |
    /// | `smooth` | a smoothing spline over the controls | Appendix D, method of fitting Λ̃ |
    /// | `epsilon` | taken off the value function | (3.18); 0 in section 4.1, 0.02 in tables 6 to 12 |
    /// | `recall_best` | no | Algorithm 4 keeps the last training |
    ///
    /// Readings: a choice among the controls of the grid; `epsilon` takes `ε |V|` off, so that it is caution where V < 0
    /// as well; at most 100 trainings, where the source has no guard. The value function is given to
    /// [`AutoBct::paper`](crate::AutoBct::paper).
    #[must_use]
    pub fn paper(samples: usize, epsilon: f64, seed: Seed) -> Self {
        Self {
            plan: Plan::Relaxed { depth: 1 },
            epsilon,
            earlier: Expectation::Sampled { samples, seed },
            smooth: true,
            ..Self::default()
        }
    }

    /// True if every setting makes sense.
    ///
    /// # Errors
    /// [`AutoBctError`] names the first that does not.
    pub fn validate(&self) -> Result<(), AutoBctError> {
        let need = |what, value: f64, holds: bool, expected| {
            if holds { Ok(()) } else { Err(InputError::Number { name: what, value, expected }.into()) }
        };
        self.score.validate()?;
        self.cost.validate()?;
        let depth = match self.plan {
            Plan::Relaxed { depth } => depth,
            Plan::Horizon { horizon } => horizon,
        };
        need("trainings looked ahead", depth as f64, depth >= 1, "at least 1")?;
        need("epsilon", self.epsilon, (0.0..1.0).contains(&self.epsilon), "from 0 to below 1")?;
        need("controls of each number", self.grid as f64, self.grid >= 2, "at least 2")?;
        need("later controls of each number", self.later_grid as f64, self.later_grid >= 2, "at least 2")?;
        need("trainings at most", self.max_epochs as f64, self.max_epochs >= 1, "at least 1")?;
        need("cost at most", self.max_cost, self.max_cost > 0.0, "a positive number")
    }
}
