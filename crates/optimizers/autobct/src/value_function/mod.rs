//! Value functions learnt from samples of belief states.

mod build;
mod features;
mod file;
mod settings;
mod unfinished;

pub use build::{MapBuild, MapProgress};
pub use settings::{Baseline, Features, MapSettings, Regressor};

use thrifty_check::InputError;
use thrifty_trees::{Boosting, Forest, GroupedRows};

use self::file::Key;
use crate::lookahead::bellman_recursion::OneStep;
use crate::lookahead::posterior_family::{Innovation, PosteriorFamily};
use crate::lookahead::two_steps::TwoSteps;
use crate::{AutoBctError, Decision, ValueFunction};

/// Value functions of up to N trainings, learnt over samples of beliefs (`cironis2022`, Algorithm 3).
///
/// A map holds for every problem with the same price, controls, functions and noise, whatever score and cost stand for: one that was
/// built can be written, read and used again. [`ValueMap::level`] holds it against the decision it is to be used for.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueMap {
    key: Key,
    settings: MapSettings,
    /// Learnt parts of `V₁` to `V_N`: nothing where it is exact.
    levels: Vec<Option<Learnt>>,
}

/// The learnt part of one depth.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum Learnt {
    Forest(Forest),
    Boosting(Boosting),
}

impl Learnt {
    /// Beliefs after a training are a group: they share their covariances.
    fn predict(&self, rows: &GroupedRows) -> Result<Vec<f64>, AutoBctError> {
        Ok(match self {
            Self::Forest(forest) => forest.predict_groups(rows)?,
            Self::Boosting(boosting) => boosting.predict_groups(rows)?,
        })
    }
}

impl ValueMap {
    /// N.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Settings that it was built with.
    #[must_use]
    pub fn settings(&self) -> &MapSettings {
        &self.settings
    }

    /// Number of beliefs that it was learnt on.
    #[must_use]
    pub fn beliefs(&self) -> usize {
        self.key.cloud.len()
    }

    /// Number of controls between which it chooses.
    #[must_use]
    pub fn controls(&self) -> usize {
        self.key.controls.len()
    }

    /// Value function of `depth` trainings, for a decision whose later controls are those of the map.
    ///
    /// # Errors
    /// [`AutoBctError::Map`] names what does not agree; [`InputError::Number`] for a depth that the map does not have.
    pub fn level<'a>(&'a self, depth: usize, decision: &'a Decision) -> Result<Level<'a>, AutoBctError> {
        self.key.check(decision)?;
        self.unchecked(depth, decision)
    }

    fn unchecked<'a>(&'a self, depth: usize, decision: &'a Decision) -> Result<Level<'a>, AutoBctError> {
        if depth == 0 || depth > self.depth() {
            let expected = "at least 1 and no more than the map has";
            return Err(InputError::Number { name: "depth of a map", value: depth as f64, expected }.into());
        }
        Ok(Level { learnt: self.levels[depth - 1].as_ref(), settings: &self.settings, decision, depth })
    }
}

/// One of the value functions of a map.
#[derive(Debug, Clone, Copy)]
pub struct Level<'a> {
    learnt: Option<&'a Learnt>,
    settings: &'a MapSettings,
    decision: &'a Decision,
    depth: usize,
}

impl Level<'_> {
    /// The baseline: the part that is known without learning.
    fn baseline(&self, fan: &PosteriorFamily, outcomes: &[Innovation]) -> Result<Vec<f64>, AutoBctError> {
        match self.settings.baseline.depth().min(self.depth) {
            0 => Ok(vec![0.0; outcomes.len()]),
            1 => OneStep(self.decision).after(fan, outcomes),
            _ => TwoSteps(self.decision).after(fan, outcomes),
        }
    }
}

impl ValueFunction for Level<'_> {
    fn after(&self, fan: &PosteriorFamily, outcomes: &[Innovation]) -> Result<Vec<f64>, AutoBctError> {
        Ok(self.after_each(std::slice::from_ref(fan), &[outcomes])?.remove(0))
    }

    /// Trees are asked once for all, while they are in the cache.
    fn after_each(
        &self,
        fans: &[PosteriorFamily],
        outcomes: &[&[Innovation]],
    ) -> Result<Vec<Vec<f64>>, AutoBctError> {
        let mut values: Vec<Vec<f64>> = (fans.iter().zip(outcomes))
            .map(|(fan, outcomes)| self.baseline(fan, outcomes))
            .collect::<Result<_, _>>()?;
        if let (Some(learnt), Some(fan)) = (self.learnt, fans.first()) {
            let mut rows = GroupedRows::new(features::count(self.settings.features, fan.center()));
            for ((fan, outcomes), known) in fans.iter().zip(outcomes).zip(&values) {
                features::append(self.settings.features, self.decision, fan, outcomes, known, &mut rows)?;
            }
            // A file may hold trees of other features than its settings say.
            let steps = learnt.predict(&rows).map_err(|error| AutoBctError::File {
                reason: format!("its trees take other features: {error}"),
            })?;
            let floor = if self.settings.clip && self.settings.baseline != Baseline::Nothing {
                0.0
            } else {
                f64::NEG_INFINITY
            };
            values.iter_mut().flatten().zip(steps).for_each(|(value, step)| *value += step.max(floor));
        }
        Ok(values)
    }
}
