//! Hyperparameters of the last fit, as stored in memos.

use thrifty_study::{Memo, MemoKey, Trial};

/// Hyperparameters of the last fit of an output, and the number of observations that they were learnt from.
#[derive(Debug, Clone, PartialEq)]
pub struct LastFit {
    /// The hyperparameters.
    pub hyperparameters: Vec<f64>,
    /// Number of observations that they were learnt from. `None` for a model that does not report it, and in older memos.
    pub learnt_from: Option<usize>,
}

/// Memo key of the number of observations that hyperparameters were learnt from.
fn learnt_from(name: &str) -> String {
    format!("{name} learnt from")
}

impl LastFit {
    /// The fit of this name in the memo of the last trial that has one.
    #[must_use]
    pub fn of<'a, Q: 'a>(name: &str, trials: impl DoubleEndedIterator<Item = &'a Trial<Q>>) -> Option<Self> {
        let (values, count) = (MemoKey::<Vec<f64>>::named(name), MemoKey::<u64>::named(learnt_from(name)));
        let count = |memo: &Memo| memo.get(&count).and_then(|count| usize::try_from(count).ok());
        trials.rev().find_map(|trial| {
            let hyperparameters = trial.memo.get(&values)?;
            Some(Self { hyperparameters, learnt_from: count(&trial.memo) })
        })
    }

    /// Adds the fit to a memo under a name.
    pub fn remember(&self, name: &str, memo: &mut Memo) {
        memo.set(&MemoKey::named(name), &self.hyperparameters);
        if let Some(count) = self.learnt_from {
            memo.set(&MemoKey::named(learnt_from(name)), &(count as u64));
        }
    }
}
