//! Values of the next controls by the plan of the settings.

use thrifty_study::OptimizerError;

use super::AutoBct;
use super::progress::Progress;
use crate::{AutoBctError, BellmanRecursion, Expectation, Plan, Shrunk, ValueFunction, ValueMap, Values};

/// Most evaluations of a look-ahead in one ask: nobody waits for more of them.
const MOST_EVALUATIONS: u64 = 10_000_000_000;

impl AutoBct {
    /// Values of all controls with as many trainings ahead as the plan has, and the same for the trainings after one.
    pub(super) fn values(&self, progress: &Progress) -> Result<Option<Values>, OptimizerError> {
        let done = progress.trained.len() + progress.failed.len();
        let values = match (self.settings.plan, &self.map) {
            (Plan::Horizon { horizon }, _) if done >= horizon => return Ok(None),
            (Plan::Relaxed { depth }, None) => self.without_map(progress, depth),
            (Plan::Horizon { horizon }, None) => self.without_map(progress, horizon - done),
            (Plan::Relaxed { depth }, Some(map)) => self.with_level(progress, map, map.depth(), depth),
            (Plan::Horizon { horizon }, Some(map)) => {
                let left = horizon - done;
                // Two are exact without a map.
                if left <= 2 {
                    self.without_map(progress, left)
                } else {
                    let level = map.depth().min(left - 1);
                    self.with_level(progress, map, level, left - level)
                }
            }
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
                let done = progress.trained.len() + progress.failed.len();
                Expectation::Sampled { samples, seed: seed.child("training", done as u64) }
            }
            nodes => nodes,
        }
    }

    fn without_map(&self, progress: &Progress, depth: usize) -> Result<Values, AutoBctError> {
        self.ahead(progress, depth, None)
    }

    /// Values before a leaf, or without one.
    ///
    /// # Errors
    /// [`AutoBctError::LookAhead`] instead of an ask that would take hours or for ever.
    fn ahead(
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
        self.ahead(progress, depth, Some(&leaf))
    }
}
