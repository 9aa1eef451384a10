//! Success of a run on a known function.

use thrifty_gp::Noise;
use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::{History, MaxTrials, Study, Trial};
use thrifty_testbed::{Problem, TestFunction};

use super::methods::{Method, Setting};
use crate::error::ExperimentError;
use crate::harness::replicate::{Run, study_with_history};

/// No noise: these functions have none. What is left keeps the covariance regular.
pub fn noise() -> Noise {
    Noise::Fixed(1e-8)
}

/// Largest less smallest value on a fine grid, of a function of one or two variables.
pub fn range(problem: &TestFunction) -> f64 {
    let steps = if problem.bounds().len() == 1 { 100_000 } else { 1_000 };
    let at = |(low, high): (f64, f64), i: u32| low + (high - low) * f64::from(i) / f64::from(steps);
    let value = |i: u32, j: u32| match problem.bounds() {
        [one] => problem.value(&[at(*one, i)]),
        bounds => problem.value(&[at(bounds[0], i), at(bounds[1], j)]),
    };
    let second = if problem.bounds().len() == 1 { 0 } else { steps };
    let values = (0..=steps).flat_map(|i| (0..=second).map(move |j| (i, j)));
    values.map(|(i, j)| value(i, j)).fold(f64::NEG_INFINITY, f64::max) - problem.optimum()
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
        let study = Study::new(optimizer, seed).with_stop(stop);
        let (run, history) = study_with_history(&method.label(), problem, study, replication)?;
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
