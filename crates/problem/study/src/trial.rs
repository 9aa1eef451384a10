//! Trials: one query each, with its outcome.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Memo, Outcome};

/// Number of a trial, from 0 in the order of asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TrialId(pub u64);

/// Wall-clock seconds. Suggestions must not depend on them.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Timing {
    /// Time of the optimiser for the suggestion.
    pub ask: f64,
    /// Time of the evaluator.
    pub evaluate: f64,
}

/// One query with its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial<Q> {
    /// Its number.
    pub id: TrialId,
    /// The evaluated query.
    pub query: Q,
    /// Named numbers about the suggestion, for reports.
    pub diagnostics: BTreeMap<String, f64>,
    /// State of the optimiser for later suggestions.
    pub memo: Memo,
    /// Intermediate values: step and value.
    pub reports: Vec<(u64, f64)>,
    /// Outcome; `None` while the trial runs.
    pub outcome: Option<Outcome>,
    /// Time spent on the trial.
    pub timing: Timing,
}

impl<Q> Trial<Q> {
    /// A trial without diagnostics, memo and reports; without an outcome it is running.
    #[must_use]
    pub fn new(id: TrialId, query: Q, outcome: Option<Outcome>) -> Self {
        Self {
            id,
            query,
            diagnostics: BTreeMap::new(),
            memo: Memo::default(),
            reports: Vec::new(),
            outcome,
            timing: Timing::default(),
        }
    }

    /// State in one word: `running`, `measured`, `failed` or `pruned`.
    #[must_use]
    pub fn state(&self) -> &'static str {
        match &self.outcome {
            None => "running",
            Some(Outcome::Measured(_)) => "measured",
            Some(Outcome::Failed(_)) => "failed",
            Some(Outcome::Pruned { .. }) => "pruned",
        }
    }
}
