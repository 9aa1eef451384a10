//! Memos of a history: generations of its trials, and the trials that each generation learned from.

use std::collections::BTreeSet;

use thrifty_space::Config;
use thrifty_study::{History, Lineage, MemoKey, Trial};

/// Generation from whose distribution a trial was drawn.
pub(crate) static GENERATION: MemoKey<u64> = MemoKey::new("cmaes_generation");
/// Trials that the distribution of the trial's generation learned from last, at the first trial of each generation.
pub(crate) static MEMBERS: MemoKey<Vec<f64>> = MemoKey::new("cmaes_members");
/// Trials made elsewhere that were running when the trial's generation began, at the first trial of each generation; nothing for none.
pub(crate) static AWAITED: MemoKey<Vec<f64>> = MemoKey::new("cmaes_awaited");
/// Coordinates that the configuration does not determine.
pub(crate) static RECORD: MemoKey<Vec<f64>> = MemoKey::new("cmaes_coordinates");

/// The trials that each generation learned from: at 0 the start, at g + 1 the population of generation g.
pub(crate) type Populations = Vec<Vec<u64>>;

/// Memos of a history, read once per trial: a cache.
#[derive(Debug, Default)]
pub(crate) struct Memos {
    lineage: Option<Lineage>,
    /// Generation of each trial; nothing for a trial that was made elsewhere.
    generations: Vec<Option<u64>>,
    /// The recorded populations.
    pub(crate) populations: Populations,
    /// Members of the populations, the start apart.
    members: BTreeSet<u64>,
}

impl Memos {
    /// Reads the memos of the trials that were appended, or of all trials of another history.
    pub(crate) fn follow(&mut self, history: &History<Config>) {
        if self.lineage != Some(history.lineage()) {
            *self = Self { lineage: Some(history.lineage()), ..Self::default() };
        }
        for trial in history.trials().iter().skip(self.generations.len()) {
            let generation = trial.memo.get(&GENERATION);
            if generation == Some(self.populations.len() as u64)
                && let Some(members) = trial.memo.get(&MEMBERS)
            {
                // Ids are below 2^53; others name no trial.
                let members: Vec<u64> = members.iter().map(|id| *id as u64).collect();
                if !self.populations.is_empty() {
                    self.members.extend(&members);
                }
                self.populations.push(members);
            }
            self.generations.push(generation);
        }
    }

    /// True if the outcome of a member of a population is not visible. A schedule may show fewer outcomes than an earlier ask by hand saw.
    pub(crate) fn hides_a_member(&self, history: &History<Config>) -> bool {
        history.pending().any(|trial| self.members.contains(&trial.id.0))
    }

    /// Trials from generation `first` on that are in no population.
    pub(crate) fn unused<'a>(
        &'a self,
        history: &'a History<Config>,
        first: u64,
    ) -> impl Iterator<Item = &'a Trial<Config>> {
        let trials = history.trials().iter().zip(&self.generations);
        trials.filter_map(move |(trial, generation)| {
            let is_open = generation.is_some_and(|generation| generation >= first);
            (is_open && !self.members.contains(&trial.id.0)).then_some(trial)
        })
    }

    /// Index of the first trial of a generation.
    pub(crate) fn first_of(&self, generation: u64) -> Option<usize> {
        self.generations.iter().position(|other| *other == Some(generation))
    }
}
