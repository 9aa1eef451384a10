//! Generations of a history.

use thrifty_domain::Domain;
use thrifty_search::{Rank, same_shape};
use thrifty_space::{Config, Space};
use thrifty_study::{History, Lineage, OptimizerError, Trial, TrialId};

use crate::CmaEsSettings;
use crate::coordinates::Coordinates;
use crate::memos::{AWAITED, GENERATION, Memos, Populations, RECORD};
use crate::run::Run;

/// The generation for which a trial is asked.
pub(crate) struct Current {
    /// Its number.
    pub(crate) number: u64,
    /// Its beginning, where no trial of it was asked before.
    pub(crate) opening: Option<Opening>,
}

/// The beginning of a generation.
pub(crate) struct Opening {
    /// The population that it learned from.
    pub(crate) members: Vec<u64>,
    /// Trials made elsewhere that are running: they may join it, or a later one, when they finish.
    pub(crate) awaited: Vec<u64>,
}

/// State after the populations of a history: a cache.
#[derive(Debug)]
pub(crate) struct Generations {
    lineage: Lineage,
    populations: Populations,
    /// State after the last population.
    pub(crate) run: Run,
}

/// A history with all that is needed to read it.
pub(crate) struct Reader<'a> {
    pub(crate) space: &'a Space,
    pub(crate) domain: &'a Domain,
    pub(crate) coordinates: &'a Coordinates,
    pub(crate) settings: &'a CmaEsSettings,
    /// The memos of the history. The outcomes of all members of its populations are visible.
    pub(crate) memos: &'a Memos,
    pub(crate) history: &'a History<Config>,
}

impl Reader<'_> {
    /// The state of the generation for which the next trial is asked, and that generation.
    ///
    /// The memo of the first trial of a generation lists its population, so that outcomes that arrive later change nothing before.
    ///
    /// # Errors
    /// [`OptimizerError`] names a trial that is not of the space, or whose measurement has another shape than the first.
    pub(crate) fn current(
        &self,
        cached: Option<Generations>,
    ) -> Result<(Generations, Current), OptimizerError> {
        same_shape(self.history.trials())?;
        let recorded = &self.memos.populations;
        if recorded.is_empty() {
            let start = self.start();
            let state = self.started(start.clone())?;
            return Ok((state, Current { number: 0, opening: Some(self.opening(start)) }));
        }
        let state = self.replayed(cached, recorded)?;
        let number = recorded.len() as u64 - 1;
        let Some(members) = self.complete(&state.run, number) else {
            return Ok((state, Current { number, opening: None }));
        };
        let state = self.learned(state, &members)?;
        Ok((state, Current { number: number + 1, opening: Some(self.opening(members)) }))
    }

    fn opening(&self, members: Vec<u64>) -> Opening {
        let running = self.history.pending().filter(|trial| is_foreign(trial));
        Opening { members, awaited: running.map(|trial| trial.id.0).collect() }
    }

    /// The best trial from elsewhere, where the first run starts.
    fn start(&self) -> Vec<u64> {
        self.history.best().map(|(trial, _)| trial.id.0).into_iter().collect()
    }

    fn started(&self, start: Vec<u64>) -> Result<Generations, OptimizerError> {
        let known = start.first().and_then(|id| self.history.get(TrialId(*id)));
        let mean = known.map(|trial| self.latent(trial)).transpose()?;
        let run = Run::first(self.settings, self.coordinates, mean);
        Ok(Generations { lineage: self.history.lineage(), populations: vec![start], run })
    }

    /// The state after some populations, continued from the cache where it is of their beginning.
    fn replayed(
        &self,
        cached: Option<Generations>,
        wanted: &[Vec<u64>],
    ) -> Result<Generations, OptimizerError> {
        let usable = cached.filter(|cached| {
            cached.lineage == self.history.lineage() && wanted.starts_with(&cached.populations)
        });
        let mut state = match usable {
            Some(state) => state,
            None => self.started(wanted.first().cloned().unwrap_or_default())?,
        };
        while let Some(members) = wanted.get(state.populations.len()) {
            state = self.learned(state, members)?;
        }
        Ok(state)
    }

    /// The state after one more population.
    fn learned(&self, mut state: Generations, members: &[u64]) -> Result<Generations, OptimizerError> {
        let generation = state.populations.len() as u64 - 1;
        let mut ranked = self.ranked(members)?;
        ranked.truncate(state.run.population);
        let seed = self.history.seed();
        state.run = state.run.after(self.settings, self.coordinates, seed, generation, &ranked);
        state.populations.push(members.to_vec());
        Ok(state)
    }

    /// Points and ranks of a population, the best first, of equals the earliest.
    fn ranked(&self, members: &[u64]) -> Result<Vec<(Vec<f64>, Rank)>, OptimizerError> {
        let trials = members.iter().filter_map(|id| self.history.get(TrialId(*id)));
        let known = trials.filter_map(|trial| Some((trial, Rank::of(trial)?)));
        let mut ranked = known
            .map(|(trial, rank)| Ok((self.latent(trial)?, rank)))
            .collect::<Result<Vec<_>, OptimizerError>>()?;
        ranked.sort_by(|a, b| a.1.compare(&b.1));
        Ok(ranked)
    }

    fn latent(&self, trial: &Trial<Config>) -> Result<Vec<f64>, OptimizerError> {
        let x = self.space.encode(&trial.query);
        let x = x.map_err(|error| OptimizerError::failed(format!("encoding trial {}", trial.id.0), error))?;
        Ok(self.coordinates.latent(self.domain, &x, trial.memo.get(&RECORD).as_deref()))
    }

    /// The population of the current generation once λ trials of its run have finished and count in no generation before.
    ///
    /// A trial that was made elsewhere joins it where it is better than the last one with a positive weight; the worst then has no
    /// weight.
    fn complete(&self, run: &Run, generation: u64) -> Option<Vec<u64>> {
        let open = self.memos.unused(self.history, run.first);
        let mut ranked: Vec<(u64, Rank)> =
            open.filter_map(|trial| Some((trial.id.0, Rank::of(trial)?))).take(run.population).collect();
        if ranked.len() < run.population {
            return None;
        }
        let mut members: Vec<u64> = ranked.iter().map(|(id, _)| *id).collect();
        ranked.sort_by(|a, b| a.1.compare(&b.1));
        if let Some((id, rank)) = self.foreign(generation)
            && ranked.get(run.parents() - 1).is_some_and(|(_, last)| rank.compare(last).is_lt())
        {
            members.push(id);
        }
        Some(members)
    }

    /// The best trial that was made elsewhere since the current generation began, or was running when it began.
    fn foreign(&self, generation: u64) -> Option<(u64, Rank)> {
        let trials = self.history.trials();
        let began = self.memos.first_of(generation)?;
        let awaited = trials[began].memo.get(&AWAITED).unwrap_or_default();
        let earlier = awaited.iter().filter_map(|id| self.history.get(TrialId(*id as u64)));
        let open = earlier.chain(&trials[began..]).filter(|trial| is_foreign(trial));
        let known = open.filter_map(|trial| Some((trial.id.0, Rank::of(trial)?)));
        known.min_by(|a, b| a.1.compare(&b.1))
    }
}

/// True for a trial that was not drawn from a distribution.
fn is_foreign(trial: &Trial<Config>) -> bool {
    !trial.memo.contains(&GENERATION)
}
