//! The optimiser trait: ask and recommend.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{
    Fingerprint, History, Measurement, MeasurementProblem, Memo, MemoKey, MemoValue, OptimizerError,
    StopReason, TrialId,
};

/// Query that can be evaluated; it is stored in the journal and sent between threads.
pub trait Query: Clone + Serialize + DeserializeOwned + Send + Sync {}

impl<T: Clone + Serialize + DeserializeOwned + Send + Sync> Query for T {}

/// Suggested query, with diagnostics and a memo.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion<Q> {
    /// The query to evaluate.
    pub query: Q,
    /// Named numbers for reports: `mean`, `std_dev`, `acquisition`, …. Suggestions and stop rules never depend on them.
    pub diagnostics: BTreeMap<String, f64>,
    /// State for later suggestions; the only source of warm starts.
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

    /// Adds a number for stop rules: to the memo, and to the diagnostics under the same name.
    #[must_use]
    pub fn with_outlook(self, key: &MemoKey<f64>, value: f64) -> Self {
        self.with_diagnostic(key.name(), value).with_memo(key, &value)
    }
}

/// Answer of an optimiser to an ask.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask<Q> {
    /// Evaluate this.
    Evaluate(Suggestion<Q>),
    /// No suggestion until a pending trial ends.
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
    /// Random numbers derive only from [`History::seed`], by named streams. An optimiser is a cache over the history: a new one in its
    /// place makes the same suggestions.
    ///
    /// # Errors
    /// [`OptimizerError`] if no suggestion is possible; the study keeps its history.
    fn ask(
        &mut self,
        history: &History<Self::Query>,
        id: TrialId,
    ) -> Result<Ask<Self::Query>, OptimizerError>;

    /// Recommendation given the history; `None` if there is none.
    ///
    /// # Errors
    /// As [`Optimizer::ask`].
    fn recommend(
        &mut self,
        history: &History<Self::Query>,
    ) -> Result<Option<Self::Recommendation>, OptimizerError>;

    /// Checks an external query: an enqueued one, which may lack values, or one that was already evaluated.
    ///
    /// The default implementation accepts every query.
    ///
    /// # Errors
    /// [`OptimizerError`] names the part that is not of the space, or that is missing although `is_whole`.
    fn check(&self, query: &Self::Query, is_whole: bool) -> Result<(), OptimizerError> {
        let _ = (query, is_whole);
        Ok(())
    }

    /// Checks a finite measurement before a study records it: recorded measurements are never removed.
    ///
    /// The default implementation accepts every measurement.
    ///
    /// # Errors
    /// [`MeasurementProblem`] names a number that this optimiser needs, such as a cost if its settings count costs.
    fn check_measurement(&self, measurement: &Measurement) -> Result<(), MeasurementProblem> {
        let _ = measurement;
        Ok(())
    }

    /// An externally evaluated query with values in the form of this optimiser: 16 for 16.0 if that is a choice.
    ///
    /// A query that [`Optimizer::check`] rejects is returned unchanged. The default implementation returns every query unchanged.
    fn canonical(&self, query: Self::Query) -> Self::Query {
        query
    }

    /// The suggestion for trial `id` with the values of an enqueued query. Missing values are suggested, given the other ones.
    ///
    /// Like [`Optimizer::ask`] it is a function of settings, history and id. The default implementation returns the query unchanged.
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

    /// The memo of a suggestion whose query is replaced by another one, for example by a wrapper that explores. Entries about the suggested
    /// point must be removed. The default implementation returns the memo unchanged.
    fn moved(&self, memo: Memo) -> Memo {
        memo
    }

    /// Sets the number of trials that a study is planned for, if it is known only after the optimiser was created. A number in its settings
    /// takes precedence.
    ///
    /// Earlier trials are unchanged. The last of several plans counts. An optimiser whose suggestions do not depend on the number of trials
    /// ignores it.
    fn plan(&mut self, trials: usize) {
        let _ = trials;
    }

    /// Everything that suggestions depend on, except history and id: method, settings, space. The journal keeps it together with the seed
    /// of the study.
    ///
    /// # Errors
    /// [`OptimizerError`] if a part cannot be serialized.
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
