//! Configurations that may be suggested: none that is a repetition where there is to be none, and none against the known constraint.

use thrifty_sampling::Stream;
use thrifty_search::{random_allowed, random_new};
use thrifty_space::Config;
use thrifty_study::{OptimizerError, TrialId};

use super::{LARGEST_LIST, TpeOptimizer};
use crate::Repeats;

/// Draws from the prior before a finite space is listed.
const DRAWS: usize = 256;

impl TpeOptimizer {
    /// True if values must not be suggested: a repetition where there is to be none, or against the known constraint.
    pub(super) fn is_unusable(&self, values: &[f64]) -> bool {
        self.is_repetition(values) || !self.is_allowed(values)
    }

    /// True unless values are against the known constraint.
    fn is_allowed(&self, values: &[f64]) -> bool {
        self.known_constraint.is_none() || self.known_constraint.allows(&self.coding.decode(values))
    }

    /// True for a repetition where there is to be none.
    fn is_repetition(&self, values: &[f64]) -> bool {
        self.setup.settings.repeats != Repeats::Allowed && self.table.is_repeat(values)
    }

    /// These values, or others where they are not usable. When everything allowed was asked and may be asked again, these if they are
    /// allowed, else some that were asked. Nothing when there is nothing to suggest.
    pub(super) fn or_another(
        &self,
        values: Vec<f64>,
        id: TrialId,
        rng: &mut Stream,
    ) -> Result<Option<Vec<f64>>, OptimizerError> {
        if !self.is_unusable(&values) {
            return Ok(Some(values));
        }
        let new = self.any_new(id, rng)?;
        if new.is_some() || self.setup.settings.repeats == Repeats::Never {
            return Ok(new);
        }
        if self.is_allowed(&values) {
            return Ok(Some(values));
        }
        let asked =
            (0..self.table.len()).map(|row| self.table.columns.iter().map(|c| c.values[row]).collect());
        let has_given = |values: &[f64]| {
            let given = |i: usize| self.coding.given_value(i);
            values.iter().enumerate().all(|(i, value)| given(i).is_none_or(|given| given == *value))
        };
        let repeats = |values: &Vec<f64>| has_given(values) && self.is_allowed(values);
        let mut allowed: Vec<Vec<f64>> = asked.filter(repeats).collect();
        Ok((!allowed.is_empty()).then(|| allowed.swap_remove(rng.index(allowed.len()))))
    }

    /// A configuration that is usable, by chance; of a finite space the last ones by listing. Nothing when everything allowed was asked.
    ///
    /// # Errors
    /// [`OptimizerError`] when nothing allowed is found in a space that is too large to be listed.
    fn any_new(&self, id: TrialId, rng: &mut Stream) -> Result<Option<Vec<f64>>, OptimizerError> {
        let draw = |rng: &mut Stream| {
            let cube: Vec<f64> = (0..self.coding.len()).map(|_| rng.uniform()).collect();
            self.coding.spread(&cube)
        };
        let is_usable = |values: &Vec<f64>| !self.is_unusable(values);
        let is_listed = self.space.domain().cardinality(LARGEST_LIST).is_some();
        let what = || format!("suggesting trial {}", id.0);
        let drawn = if is_listed && self.known_constraint.is_none() {
            (0..DRAWS).map(|_| draw(rng)).find(is_usable)
        } else {
            random_allowed(|_| draw(rng), is_usable, what).ok()
        };
        if drawn.is_some() {
            return Ok(drawn);
        }
        let encode = |config: &Config| {
            let encoded = self.coding.encode(&self.space, config);
            encoded.map_err(|error| OptimizerError::failed(what(), error))
        };
        if let Some(all) = self.space.domain().enumerate(LARGEST_LIST) {
            let all: Result<Vec<_>, _> = all.iter().map(|point| encode(&self.space.decode(point))).collect();
            let mut left: Vec<Vec<f64>> = all?.into_iter().filter(is_usable).collect();
            let any = (!left.is_empty()).then(|| left.swap_remove(rng.index(left.len())));
            return Ok(any);
        }
        // What the prior hardly ever draws is left.
        let is_allowed = |config: &Config| self.known_constraint.allows(config);
        let is_new = |config: &Config| encode(config).is_ok_and(|values| !self.is_repetition(&values));
        let found = random_new(|_| self.space.sample(rng), is_allowed, is_new, what)?;
        found.map(|config| encode(&config)).transpose()
    }
}
