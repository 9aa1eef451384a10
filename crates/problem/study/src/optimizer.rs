//! The optimiser trait: ask and recommend.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{
    Fingerprint, History, Measurement, MeasurementProblem, Memo, MemoKey, MemoValue, OptimizerError,
    StopReason, TrialId,
};

/// Query that can be evaluated; it is stored in the journal and crosses threads.
pub trait Query: Clone + Serialize + DeserializeOwned + Send + Sync {}

impl<T: Clone + Serialize + DeserializeOwned + Send + Sync> Query for T {}

/// Suggested query, with diagnostics and a memo.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion<Q> {
    /// The query to evaluate.
    pub query: Q,
    /// Named numbers for reports: `mean`, `std_dev`, `acquisition`, …. No suggestion and no stop rule depends on them.
    pub diagnostics: BTreeMap<String, f64>,
    /// State for later suggestions: warm starts come from here alone.
    pub memo: Memo,
}

impl<Q> Suggestion<Q> {
    /// A suggestion without diagnostics or memo.
    pub fn new(query: Q) -> Self {
        Self { query, diagnostics: BTreeMap::new(), memo: Memo::default() }
    }

    /// Adds a diagnostic.
    #[must_use]
    pub fn with_diagnostic(mut self, name: &str, value: f64) -> Self {
        self.diagnostics.insert(name.into(), value);
        self
    }

    /// Adds an entry to the memo.
    #[must_use]
    pub fn with_memo<T: MemoValue>(mut self, key: &MemoKey<T>, value: &T) -> Self {
        self.memo.set(key, value);
        self
    }

    /// Adds a number that stop rules read: to the memo, and to the diagnostics under the same name.
    #[must_use]
    pub fn with_outlook(self, key: &MemoKey<f64>, value: f64) -> Self {
        self.with_diagnostic(key.name(), value).with_memo(key, &value)
    }
}

/// The answer to being asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask<Q> {
    /// Evaluate this.
    Evaluate(Suggestion<Q>),
    /// No suggestion before a pending trial ends.
    Wait,
    /// There is nothing left to evaluate.
    Stop(StopReason),
}

/// A method that suggests what to evaluate.
pub trait Optimizer {
    /// Type of the suggested queries.
    type Query: Query;
    /// Type of the final recommendation.
    type Recommendation;

    /// The suggestion for trial `id`: a function of the optimiser's settings, the history with its seed, and the id.
    ///
    /// Random numbers come from [`History::seed`] alone, by named streams. An optimiser is a cache over the history: a new
    /// one in its place makes the same suggestions.
    ///
    /// # Errors
    /// [`OptimizerError`] when no suggestion can be had; the study keeps what it has.
    fn ask(
        &mut self,
        history: &History<Self::Query>,
        id: TrialId,
    ) -> Result<Ask<Self::Query>, OptimizerError>;

    /// Recommendation given the history, if there is one.
    ///
    /// # Errors
    /// As [`Optimizer::ask`].
    fn recommend(
        &mut self,
        history: &History<Self::Query>,
    ) -> Result<Option<Self::Recommendation>, OptimizerError>;

    /// Checks a query that comes from elsewhere: one that is enqueued, with values missing, or one that was evaluated before.
    ///
    /// Without one of its own an optimiser takes every query.
    ///
    /// # Errors
    /// [`OptimizerError`] names what is not of the space, or is missing where `is_whole`.
    fn check(&self, query: &Self::Query, is_whole: bool) -> Result<(), OptimizerError> {
        let _ = (query, is_whole);
        Ok(())
    }

    /// Checks a finite measurement before a study records it: a history that has it once has it for good.
    ///
    /// Without one of its own an optimiser takes every measurement.
    ///
    /// # Errors
    /// [`MeasurementProblem`] names the number without which this optimiser could not go on, as a cost that its settings count.
    fn check_measurement(&self, measurement: &Measurement) -> Result<(), MeasurementProblem> {
        let _ = measurement;
        Ok(())
    }

    /// A query that was evaluated elsewhere with its values as this optimiser suggests them: 16 for 16.0 where that is a choice.
    ///
    /// A query that [`Optimizer::check`] refuses stays as it is. Without one of its own an optimiser keeps every query as it is.
    fn canonical(&self, query: Self::Query) -> Self::Query {
        query
    }

    /// The suggestion for trial `id` that has the values of an enqueued query: what is missing is suggested given the rest.
    ///
    /// The same function of settings, history and id as [`Optimizer::ask`]. Without one of its own an optimiser returns the
    /// query as it is.
    ///
    /// # Errors
    /// As [`Optimizer::ask`] and [`Optimizer::check`].
    fn ask_given(
        &mut self,
        history: &History<Self::Query>,
        id: TrialId,
        given: &Self::Query,
    ) -> Result<Ask<Self::Query>, OptimizerError> {
        let _ = (history, id);
        Ok(Ask::Evaluate(Suggestion::new(given.clone())))
    }

    /// The memo of a suggestion in whose place another query is evaluated, as a wrapper does that explores: what it holds about the
    /// suggested point is not of the other. Without one of its own an optimiser keeps the memo as it is.
    fn moved(&self, memo: Memo) -> Memo {
        memo
    }

    /// Takes the number of trials that a study is planned for, where it is known only after the optimiser was made. A number in its
    /// settings counts more.
    ///
    /// Trials that were asked stay as they are. Of several plans the last one counts. An optimiser whose suggestions do not depend on the
    /// number of trials does nothing.
    fn plan(&mut self, trials: usize) {
        let _ = trials;
    }

    /// Everything besides history and id that suggestions depend on: method, settings, space. The journal keeps
    /// it, beside the seed of the study.
    ///
    /// # Errors
    /// [`OptimizerError`] when a part cannot be written.
    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError>;
}

impl<O: Optimizer + ?Sized> Optimizer for Box<O> {
    type Query = O::Query;
    type Recommendation = O::Recommendation;

    fn ask(
        &mut self,
        history: &History<Self::Query>,
        id: TrialId,
    ) -> Result<Ask<Self::Query>, OptimizerError> {
        (**self).ask(history, id)
    }

    fn recommend(
        &mut self,
        history: &History<Self::Query>,
    ) -> Result<Option<Self::Recommendation>, OptimizerError> {
        (**self).recommend(history)
    }

    fn check(&self, query: &Self::Query, is_whole: bool) -> Result<(), OptimizerError> {
        (**self).check(query, is_whole)
    }

    fn check_measurement(&self, measurement: &Measurement) -> Result<(), MeasurementProblem> {
        (**self).check_measurement(measurement)
    }

    fn canonical(&self, query: Self::Query) -> Self::Query {
        (**self).canonical(query)
    }

    fn ask_given(
        &mut self,
        history: &History<Self::Query>,
        id: TrialId,
        given: &Self::Query,
    ) -> Result<Ask<Self::Query>, OptimizerError> {
        (**self).ask_given(history, id, given)
    }

    fn moved(&self, memo: Memo) -> Memo {
        (**self).moved(memo)
    }

    fn plan(&mut self, trials: usize) {
        (**self).plan(trials);
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        (**self).fingerprint()
    }
}
