//! A method over trials that another library keeps: for samplers.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::PyList;
use thrifty::sampling::Seed;
use thrifty::space::{Config, Space};
use thrifty::study::{
    AnyOptimizer, Ask, Directions, History, Memo, Optimizer as _, Outcome, Suggestion, Timing, Trial, TrialId,
};

use crate::boundary::{
    Shared, caught, failed, guarded, invalid, optimizer as refused, study as refused_study,
};
use crate::method::{Keywords, optimizer};
use crate::outcome::{Told, directions};
use crate::trials::{Columns, Finished, Read};
use crate::values::{Number, Numbers, config, numbers, space};

struct Inner {
    space: Space,
    optimizer: AnyOptimizer<Config>,
    history: History<Config>,
    /// Numbers of the trials in the other library, rising.
    places: Vec<u64>,
}

/// A method and the trials of one search space. A suggestion depends on the seed, the trials and the number that is asked alone.
#[pyclass(frozen, module = "thrifty._thrifty")]
pub(crate) struct Engine {
    inner: Shared<Inner>,
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (method, space_json, seed, settings_json=None, direction_names=Vec::new()))]
    fn new(
        py: Python<'_>,
        method: &str,
        space_json: &str,
        seed: u64,
        settings_json: Option<&str>,
        direction_names: Vec<String>,
    ) -> PyResult<Self> {
        guarded(py, || {
            let space = space(space_json)?;
            let keywords = Keywords::read(method, settings_json)?;
            // Of the settings alone: outcomes are recorded as losses.
            let directions = directions(&direction_names)?;
            let optimizer = optimizer(method, space.clone(), keywords, &directions)?;
            let (history, places) = (History::new(Seed(seed)), Vec::new());
            Ok(Self { inner: Shared::new(Inner { space, optimizer, history, places }) })
        })
    }

    /// Records a trial as it is now; false, and forgotten, if its values are not of the space.
    #[pyo3(signature = (number, values, told, reports=Vec::new(), memo_json=None))]
    fn record(
        &self,
        py: Python<'_>,
        number: u64,
        values: Numbers,
        told: Told,
        reports: Vec<(u64, f64)>,
        memo_json: Option<&str>,
    ) -> PyResult<bool> {
        self.inner.with(py, |inner| {
            let outcome = told.outcome(&Directions::default())?;
            inner.record(number, &values, outcome, reports, memo_json)
        })
    }

    /// Forgets a trial, if it was recorded: of one that ended without all its parameters nothing is known.
    fn forget(&self, py: Python<'_>, number: u64) -> PyResult<()> {
        self.inner.with(py, |inner| {
            inner.forget(number);
            Ok(())
        })
    }

    /// Records finished trials of a list from place `from` on, as [`Columns`] reads them; the place of the first that it does not read.
    fn read(
        &self,
        trials: &Bound<'_, PyList>,
        from: usize,
        to: usize,
        current: u64,
        columns: &Columns,
    ) -> PyResult<usize> {
        caught(|| {
            for at in from..to {
                let trial = trials.get_item(at)?;
                if at as u64 == current {
                    return Ok(at);
                }
                let finished = match columns.read(&trial)? {
                    Read::Unusual => return Ok(at),
                    Read::Foreign(number) => {
                        self.inner.lock().forget(number);
                        continue;
                    }
                    Read::Finished(finished) => finished,
                };
                let Finished { number, numbers, outcome, reports, memo } = finished;
                // Not over the reading: comparing choices may run code of Python, which may let another thread in.
                let inner = &mut *self.inner.lock();
                inner.record(number, &numbers, Some(outcome), reports, memo.as_deref())?;
            }
            Ok(to)
        })
    }

    /// Values and memo for the trial of this number; none where a finite space is exhausted. Values that are given stay.
    #[pyo3(signature = (number, given=None))]
    fn ask(
        &self,
        py: Python<'_>,
        number: u64,
        given: Option<Numbers>,
    ) -> PyResult<Option<(Numbers, String)>> {
        self.inner.with(py, |Inner { space, optimizer, history, .. }| {
            let id = TrialId(number);
            let asked = match given {
                Some(values) => optimizer.ask_given(history, id, &config(space, &values)?),
                None => optimizer.ask(history, id),
            };
            match asked.map_err(refused)? {
                Ask::Evaluate(Suggestion { query, memo, .. }) => {
                    Ok(Some((numbers(space, &query), serde_json::to_string(&memo).map_err(failed)?)))
                }
                Ask::Wait | Ask::Stop(_) => Ok(None),
            }
        })
    }

    /// A random configuration for the trial of this number.
    fn random(&self, py: Python<'_>, number: u64) -> PyResult<Numbers> {
        self.inner.with(py, |Inner { space, history, .. }| {
            Ok(numbers(space, &space.sample(&mut history.seed().stream("python random", number))))
        })
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.inner.with(py, |Inner { history, .. }| Ok(history.len()))
    }
}

impl Inner {
    /// Records a trial; false, and forgotten, if its values are not of the space.
    fn record(
        &mut self,
        number: u64,
        values: &[Option<Number>],
        outcome: Option<Outcome>,
        reports: Vec<(u64, f64)>,
        memo_json: Option<&str>,
    ) -> PyResult<bool> {
        let query = config(&self.space, values).ok().filter(|query| self.space.validate(query).is_ok());
        let Some(query) = query else {
            self.forget(number);
            return Ok(false);
        };
        let memo: Memo = match memo_json {
            Some(json) => serde_json::from_str(json).map_err(invalid)?,
            None => Memo::default(),
        };
        let (diagnostics, timing) = (BTreeMap::new(), Timing::default());
        self.place(number, Trial { id: TrialId(0), query, diagnostics, memo, reports, outcome, timing })?;
        Ok(true)
    }

    /// Takes a trial out, as if it had never run.
    fn forget(&mut self, number: u64) {
        if let Ok(at) = self.places.binary_search(&number) {
            self.places.remove(at);
            let mut trials = self.history.trials().to_vec();
            trials.remove(at);
            self.history = History::from_trials(trials, self.history.seed());
        }
    }

    /// Puts a trial where its number belongs. Appending, and ending a trial that ran, keep the optimiser's caches.
    fn place(&mut self, number: u64, mut trial: Trial<Config>) -> PyResult<()> {
        let at = match self.places.binary_search(&number) {
            Err(at) if at == self.places.len() => {
                self.places.push(number);
                self.history.push(trial);
                return Ok(());
            }
            Ok(at) => {
                let id = TrialId(at as u64);
                trial.id = id;
                let known = &self.history.trials()[at];
                let same = known.query == trial.query && known.reports == trial.reports;
                if same && known.memo == trial.memo {
                    match (&known.outcome, trial.outcome) {
                        (None, Some(outcome)) => {
                            return self.history.tell(id, outcome).map_err(refused_study);
                        }
                        (before, now) if *before == now => return Ok(()),
                        (_, now) => trial.outcome = now,
                    }
                }
                Ok(at)
            }
            Err(at) => Err(at),
        };
        let mut trials = self.history.trials().to_vec();
        match at {
            Ok(at) => trials[at] = trial,
            Err(at) => {
                trials.insert(at, trial);
                self.places.insert(at, number);
            }
        }
        self.history = History::from_trials(trials, self.history.seed());
        Ok(())
    }
}
