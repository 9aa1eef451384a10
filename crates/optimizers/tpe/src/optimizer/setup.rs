//! Choices of a user for an estimator.

use std::collections::{BTreeMap, HashMap};

use thrifty_space::{Config, Space};
use thrifty_study::{History, OptimizerError};

use super::invalid;
use crate::history::row::hash;
use crate::{ParameterPrior, TpeError, TpeSettings};

/// Setup of an estimator over a space, as far as a user chooses it.
#[derive(Default)]
pub(super) struct Setup {
    pub(super) settings: TpeSettings,
    pub(super) priors: BTreeMap<String, ParameterPrior>,
    pub(super) queue: Vec<Config>,
    pub(super) known: Vec<(Config, f64)>,
}

impl Setup {
    pub(super) fn validate(&self, space: &Space) -> Result<(), OptimizerError> {
        self.settings.validate().map_err(invalid)?;
        for (index, config) in self.queue.iter().enumerate() {
            space
                .validate(config)
                .map_err(|error| OptimizerError::failed(format!("queued configuration {index}"), error))?;
        }
        if let Some((index, (_, loss))) = self.known.iter().enumerate().find(|(_, (_, loss))| loss.is_nan()) {
            let error = TpeError::InvalidSetting { name: "loss", value: *loss, expected: "a number" };
            return Err(OptimizerError::failed(format!("known trial {index}"), error));
        }
        Ok(())
    }

    /// The queued configuration that comes next: the first that was asked fewer times than it is in the queue up to there.
    pub(super) fn next_queued(&self, space: &Space, history: &History<Config>) -> Option<Config> {
        if self.queue.is_empty() {
            return None;
        }
        // By value: on a part of the space the queries of others have no point.
        let mut asked: HashMap<u64, Vec<&Config>> = HashMap::new();
        for trial in history.trials() {
            asked.entry(hash(&trial.query)).or_default().push(&trial.query);
        }
        self.queue.iter().map(|queued| space.canonical(queued)).find(|queued| {
            let Some(alike) = asked.get_mut(&hash(queued)) else { return true };
            let same = alike.iter().position(|known| *known == queued);
            same.is_none_or(|at| {
                alike.swap_remove(at);
                false
            })
        })
    }
}
