//! Values of the next controls by the plan of the settings.

use thrifty_study::OptimizerError;

use super::AutoBct;
use super::progress::Progress;
use crate::{AutoBctError, BellmanRecursion, Expectation, Plan, Shrunk, ValueFunction, ValueMap, Values};

/// Most evaluations of a look-ahead in one ask: nobody waits for more of them.
const MOST_EVALUATIONS: u64 = 10_000_000_000;

impl AutoBct {
    /// Number of trainings looked ahead, and the level of the map that follows them, if one does; nothing when the horizon is over.
    pub(super) fn ahead(&self, progress: &Progress) -> Option<(usize, Option<usize>)> {
        let top = self.map.as_ref().map(ValueMap::depth);
        match self.settings.plan {
            Plan::Relaxed { depth } => Some((depth, top)),
            Plan::Horizon { horizon } => {
                let left = horizon.checked_sub(progress.done()).filter(|left| *left > 0)?;
                // Two are exact without a map.
                let level = top.filter(|_| left > 2).map(|top| top.min(left - 1));
                Some((left - level.unwrap_or(0), level))
            }
        }
    }

    /// Values of all controls with as many trainings ahead as the plan has, and the same for the trainings after one.
    pub(super) fn values(&self, progress: &Progress) -> Result<Option<Values>, OptimizerError> {
        let Some((depth, level)) = self.ahead(progress) else { return Ok(None) };
        let values = match (level, &self.map) {
            (Some(level), Some(map)) => self.with_level(progress, map, level, depth),
            _ => self.before(progress, depth, None),
        };
        let smoothed = |values: Values| match &self.smoother {
            Some(smoother) => values.smoothed(smoother),
            None => Ok(values),
        };
        let values = values.and_then(smoothed);
        values.map(Some).map_err(|error| OptimizerError::failed("looking ahead", error))
    }

    /// Samples are drawn anew for every training.
    fn expectation(&self, progress: &Progress) -> Expectation {
        match self.settings.earlier {
            Expectation::Sampled { samples, seed } => {
                Expectation::Sampled { samples, seed: seed.child("training", progress.done() as u64) }
            }
            nodes => nodes,
        }
    }

    /// Values before a leaf, or without one.
    ///
    /// # Errors
    /// [`AutoBctError::LookAhead`] instead of an ask that would take hours or for ever.
    fn before(
        &self,
        progress: &Progress,
        depth: usize,
        leaf: Option<&dyn ValueFunction>,
    ) -> Result<Values, AutoBctError> {
        let expectation = self.expectation(progress);
        let recursion = BellmanRecursion::new(&self.decision, depth, leaf, &expectation)?;
        let evaluations = recursion.evaluations(self.decision.controls().len());
        if evaluations > MOST_EVALUATIONS {
            return Err(AutoBctError::LookAhead { depth, evaluations, most: MOST_EVALUATIONS });
        }
        recursion.of_controls(self.decision.controls(), &progress.state)
    }

    fn with_level(
        &self,
        progress: &Progress,
        map: &ValueMap,
        level: usize,
        depth: usize,
    ) -> Result<Values, AutoBctError> {
        let leaf = map.level(level, &self.decision)?;
        let leaf = Shrunk { of: &leaf, epsilon: self.settings.epsilon };
        self.before(progress, depth, Some(&leaf))
    }
}
