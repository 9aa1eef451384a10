//! Queries and trials from outside the optimiser: a queue, and trials that were made elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::event::Event;
use crate::history::FailedAttempts;
use crate::replay::Origin;
use crate::{Memo, Optimizer, OptimizerError, Outcome, Query, Study, StudyError, Timing, Trial, TrialId};

impl<O: Optimizer> Study<O> {
    /// Enqueues a query, to be asked before the optimiser chooses again. Missing values are suggested, given the other ones.
    ///
    /// The journal keeps the queue. An equal query is enqueued again; a program that enqueues at its start should use [`Study::with_queue`].
    ///
    /// # Errors
    /// [`StudyError`] for a query that is not of the space, or when the journal fails; nothing is enqueued then.
    pub fn enqueue(&mut self, query: O::Query) -> Result<(), StudyError> {
        self.optimizer.check(&query, false)?;
        self.write(vec![Event::enqueued(query.clone())])?;
        self.history.queue.push(query);
        Ok(())
    }

    /// Enqueues queries that were not enqueued before, so that a restarted program continues with the queue of its journal.
    ///
    /// # Errors
    /// As [`Study::enqueue`].
    pub fn with_queue(mut self, queries: impl IntoIterator<Item = O::Query>) -> Result<Self, StudyError> {
        self.enqueue_missing(queries)?;
        Ok(self)
    }

    /// Enqueues each query unless it was already enqueued as often.
    pub(crate) fn enqueue_missing(
        &mut self,
        queries: impl IntoIterator<Item = O::Query>,
    ) -> Result<(), StudyError> {
        self.not_enqueued(queries)?.into_iter().try_for_each(|query| self.enqueue(query))
    }

    /// The queries that were not already enqueued as often.
    pub(crate) fn not_enqueued(
        &self,
        queries: impl IntoIterator<Item = O::Query>,
    ) -> Result<Vec<O::Query>, StudyError> {
        let mut before = self.history.queue.all().iter().map(json).collect::<Result<Vec<Value>, _>>()?;
        let mut missing = Vec::new();
        for query in queries {
            let value = json(&query)?;
            match before.iter().position(|other| *other == value) {
                Some(at) => drop(before.swap_remove(at)),
                None => missing.push(query),
            }
        }
        Ok(missing)
    }

    /// Starts the study with trials from elsewhere: an earlier study, a table, another program.
    ///
    /// Every optimiser learns from them as from its own. They are trials 0, 1, … with their outcomes and without a time; stop rules count
    /// them. If the study or its journal already starts with these trials, nothing is added. If it has only the first of them, for example
    /// after an interrupted import, the others are added. After an error none is added.
    ///
    /// ```
    /// # use thrifty_study::{Ask, Fingerprint, History, Optimizer, OptimizerError, Suggestion, TrialId};
    /// use thrifty_study::{MaxTrials, Outcome, Study};
    /// # struct Halves;
    /// # impl Optimizer for Halves {
    /// #     type Query = f64;
    /// #     type Recommendation = f64;
    /// #     fn ask(&mut self, history: &History<f64>, _: TrialId) -> Result<Ask<f64>, OptimizerError> {
    /// #         Ok(Ask::Evaluate(Suggestion::new(0.5_f64.powi(history.len() as i32))))
    /// #     }
    /// #     fn recommend(&mut self, history: &History<f64>) -> Result<Option<f64>, OptimizerError> {
    /// #         Ok(history.best().map(|(trial, _)| trial.query))
    /// #     }
    /// #     fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> { Ok(Fingerprint::new("halves")) }
    /// # }
    /// let known = [(0.1, Outcome::from(0.01)), (0.7, Outcome::from(0.49))];
    /// let mut study =
    ///     Study::new(Halves, thrifty_sampling::Seed(0)).with_known(known)?.with_stop(MaxTrials(4));
    /// study.run(|x: &f64, _| x * x)?;
    /// let asked: Vec<f64> = study.history().trials().iter().map(|trial| trial.query).collect();
    /// assert_eq!(asked, [0.1, 0.7, 0.25, 0.125]);
    /// # Ok::<(), thrifty_study::StudyError>(())
    /// ```
    ///
    /// # Errors
    /// [`StudyError`] for a query that is not of the space or lacks a value, a measurement that [`Study::tell`] would reject, or a journal
    /// that fails; [`StudyError::OtherBeginning`] for a study that starts with other trials.
    pub fn with_known(
        mut self,
        trials: impl IntoIterator<Item = (O::Query, Outcome)>,
    ) -> Result<Self, StudyError> {
        let known: Vec<(O::Query, Outcome)> = trials.into_iter().collect();
        let stored = known.iter().map(|(query, outcome)| (query, Some(outcome.clone().checked())));
        let begun = self.begun(stored)?;
        let mut missing = Vec::with_capacity(known.len() - begun);
        for ((query, outcome), id) in known.into_iter().zip(0..).skip(begun) {
            missing.push(self.known_trial(TrialId(id), query, outcome, &missing)?);
        }
        let ids = missing.iter().map(|trial| trial.id).collect();
        self.append_trials(missing, &FailedAttempts::new(), &ids)?;
        Ok(self)
    }

    /// Adds one trial from elsewhere as the next trial.
    ///
    /// # Errors
    /// As [`Study::with_known`].
    pub fn add_known(&mut self, query: O::Query, outcome: impl Into<Outcome>) -> Result<TrialId, StudyError> {
        let id = TrialId(self.history.len() as u64);
        let trial = self.known_trial(id, query, outcome.into(), &[])?;
        self.append_trials(vec![trial], &FailedAttempts::new(), &BTreeSet::from([id]))?;
        Ok(id)
    }

    /// A trial from elsewhere in the form of the journal, after those of the history and others that will be added.
    fn known_trial(
        &self,
        id: TrialId,
        query: O::Query,
        outcome: Outcome,
        before: &[Trial<O::Query>],
    ) -> Result<Trial<O::Query>, StudyError> {
        let named = |error| OptimizerError::failed(format!("known trial {}", id.0), error);
        self.optimizer.check(&query, true).map_err(named)?;
        self.check_with(&outcome, before)
            .map_err(|problem| StudyError::InvalidMeasurement { id, problem })?;
        let (diagnostics, memo, timing) = (BTreeMap::new(), Memo::default(), Timing::default());
        let (reports, outcome) = (Vec::new(), Some(outcome.checked()));
        let query = self.optimizer.canonical(query);
        Ok(Trial { id, query, diagnostics, memo, reports, outcome, timing })
    }

    /// Appends trials and their failed attempts to the journal and the history. The trials in `known` were made elsewhere.
    ///
    /// The first may be the last of the history, which then gets its missing attempts, its reports and its outcome.
    pub(crate) fn append_trials(
        &mut self,
        trials: Vec<Trial<O::Query>>,
        failed_attempts: &FailedAttempts,
        known: &BTreeSet<TrialId>,
    ) -> Result<(), StudyError> {
        let Some(first) = trials.first().map(|trial| trial.id) else { return Ok(()) };
        let is_asked = self.history.get(first).is_some();
        if is_asked && !trials[0].reports.is_empty() {
            // The contents of an interrupted copy are written again.
            self.restart(first)?;
        }
        let attempts_at = |id: TrialId| failed_attempts.get(&id).map_or(&[][..], Vec::as_slice);
        let own = self.history.failed_attempts_at(first);
        let pairs = own.iter().zip(attempts_at(first));
        let kept = pairs.take_while(|(own, other)| own.failure == other.failure).count();
        // The failed attempts follow the ask.
        let events = trials
            .iter()
            .flat_map(|trial| trial.events(Origin::of(known.contains(&trial.id)), attempts_at(trial.id)));
        self.write(events.skip(usize::from(is_asked) + kept).collect())?;
        for (id, attempts) in failed_attempts {
            let missing = attempts.iter().skip(if *id == first { kept } else { 0 });
            self.history.failed_attempts.entry(*id).or_default().extend(missing.cloned());
        }
        let mut trials = trials.into_iter();
        if is_asked && let (Some(own), Some(trial)) = (self.history.trials.last_mut(), trials.next()) {
            own.reports.extend(trial.reports);
            (own.outcome, own.timing.evaluate) = (trial.outcome, trial.timing.evaluate);
        }
        for trial in trials {
            if known.contains(&trial.id) {
                self.history.known.insert(trial.id);
            }
            self.history.trials.push(trial);
        }
        Ok(())
    }

    /// Number of the given trials with which the history already starts. A last trial of the history without its outcome is not counted.
    ///
    /// # Errors
    /// [`StudyError::OtherBeginning`] names the first that differs in query or outcome.
    pub(crate) fn begun<'a>(
        &self,
        beginning: impl Iterator<Item = (&'a O::Query, Option<Outcome>)>,
    ) -> Result<usize, StudyError>
    where
        O::Query: 'a,
    {
        let history = &self.history;
        let mut count = 0;
        for (query, outcome) in beginning {
            let Some(own) = history.trials().get(count) else { break };
            let is_last = count + 1 == history.len();
            let has_ended = is_same(own.outcome.as_ref(), outcome.as_ref());
            if !self.is_same_query(&own.query, query)? || !(has_ended || (is_last && own.outcome.is_none())) {
                return Err(StudyError::OtherBeginning { id: own.id });
            }
            if !has_ended {
                break;
            }
            count += 1;
        }
        Ok(count)
    }

    /// True if two queries are equal. An earlier version kept the values of a known trial in their original form.
    fn is_same_query(&self, own: &O::Query, other: &O::Query) -> Result<bool, OptimizerError> {
        let canonical = |query: &O::Query| json(&self.optimizer.canonical(query.clone()));
        Ok(json(own)? == json(other)? || canonical(own)? == canonical(other)?)
    }
}

/// True if an outcome of the history is that of a known trial.
///
/// An earlier version kept no cost of failed and pruned trials, so a missing cost in the history is not compared.
fn is_same(own: Option<&Outcome>, other: Option<&Outcome>) -> bool {
    own == other
        || own.zip(other).is_some_and(|(own, other)| {
            own.measurement().is_none() && own.cost().is_none() && *own == other.clone().with_cost(None)
        })
}

/// A query in a form that can be compared.
fn json<Q: Query>(query: &Q) -> Result<Value, OptimizerError> {
    serde_json::to_value(query).map_err(|error| OptimizerError::failed("writing a query", error))
}
