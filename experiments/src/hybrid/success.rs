//! When a run on a known function has succeeded.

use thrifty_gp::Noise;
use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::{History, MaxTrials, Trial};
use thrifty_testbed::{Problem, TestFunction};

use super::methods::{Method, Setting};
use crate::error::ExperimentError;
use crate::harness::replicate::{Run, study_with_history};

/// No noise: these functions have none. What is left keeps the covariance regular.
pub fn noise() -> Noise {
    Noise::Fixed(1e-8)
}

/// Largest less smallest value, on a fine grid.
pub fn range(problem: &TestFunction) -> f64 {
    let (low, high) = problem.bounds()[0];
    let values = (0..=100_000).map(|i| problem.value(&[low + (high - low) * f64::from(i) / 1e5]));
    values.fold(f64::NEG_INFINITY, f64::max) - problem.optimum()
}

/// A run with the turn of each trial; skipped turns count.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Turns {
    #[serde(flatten)]
    pub run: Run,
    /// By trial, where the method counts turns.
    pub turns: Vec<Option<usize>>,
}

impl AsMut<Run> for Turns {
    fn as_mut(&mut self) -> &mut Run {
        &mut self.run
    }
}

impl Turns {
    /// Runs one study to its end; beside the turns, the trials.
    pub fn study(
        method: &Method,
        problem: &TestFunction,
        setting: &Setting<'_>,
        seed: Seed,
        replication: usize,
    ) -> Result<(Self, History<Config>), ExperimentError> {
        let optimizer = method.optimizer(setting)?;
        let stop = MaxTrials(setting.initial.len() + setting.turns);
        let (run, history) =
            study_with_history(&method.label(), problem, optimizer, seed, replication, stop)?;
        let turn = |trial: &Trial<Config>| trial.diagnostics.get("turns").map(|turns| *turns as usize);
        let turns = history.trials().iter().map(turn).collect();
        Ok((Self { run, turns }, history))
    }

    /// The turn, from 1 after the initial design, at which the run first was close; 0 where the design was.
    pub fn hit(&self, initial: usize, limit: f64) -> Option<usize> {
        let at = self.run.regret.iter().position(|regret| *regret <= limit)?;
        if at < initial {
            return Some(0);
        }
        Some(self.turns[at].unwrap_or(at + 1 - initial))
    }
}
