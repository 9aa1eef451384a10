//! Configurations that may be suggested: none that is a repetition where there is to be none, and none against the known constraint.

use thrifty_sampling::Stream;
use thrifty_space::Config;
use thrifty_study::{Ask, OptimizerError, StopReason, TrialId};

use super::{LARGEST_LIST, TpeOptimizer};
use crate::Repeats;

/// Draws from the prior before a finite space is listed.
const DRAWS: usize = 256;
/// Draws from the prior where a known constraint may rule most of them out.
const CONSTRAINED_DRAWS: usize = 10_000;

impl TpeOptimizer {
    /// True if values must not be suggested: a repetition where there is to be none, or against the known constraint.
    pub(super) fn is_unusable(&self, values: &[f64]) -> bool {
        (self.setup.settings.repeats != Repeats::Allowed && self.table.is_repeat(values))
            || (self.known_constraint.is_some() && !self.known_constraint.allows(&self.coding.decode(values)))
    }

    /// The end of a search that found nothing to suggest.
    ///
    /// # Errors
    /// [`OptimizerError`] when nothing allowed was found and not everything was asked.
    pub(super) fn nothing_new(&self, id: TrialId) -> Result<Ask<Config>, OptimizerError> {
        if self.known_constraint.is_none() || self.size.is_some() {
            return Ok(Ask::Stop(StopReason::Exhausted));
        }
        let error = format!("none of {CONSTRAINED_DRAWS} random configurations is allowed");
        Err(OptimizerError::failed(format!("suggesting trial {}", id.0), error))
    }

    /// A configuration that is usable, by chance; of a finite space the last ones by listing. Nothing when none is found.
    pub(super) fn any_new(&self, rng: &mut Stream) -> Option<Vec<f64>> {
        let draw = |rng: &mut Stream| {
            let cube: Vec<f64> = (0..self.coding.len()).map(|_| rng.uniform()).collect();
            self.coding.spread(&cube)
        };
        let draws = if self.known_constraint.is_some() { CONSTRAINED_DRAWS } else { DRAWS };
        let drawn = (0..draws).map(|_| draw(rng)).find(|values| !self.is_unusable(values));
        if drawn.is_some() {
            return drawn;
        }
        let all = self.space.domain().enumerate(LARGEST_LIST)?;
        let mut left: Vec<Vec<f64>> = all
            .iter()
            .filter_map(|point| self.coding.encode(&self.space, &self.space.decode(point)).ok())
            .filter(|values| !self.is_unusable(values))
            .collect();
        if left.is_empty() { None } else { Some(left.swap_remove(rng.index(left.len()))) }
    }
}
