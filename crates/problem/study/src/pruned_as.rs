//! Policies for pruned trials.

use serde::{Deserialize, Serialize};

use crate::{
    Ask, Fingerprint, History, Lineage, Measurement, MeasurementProblem, Memo, Optimizer, OptimizerError,
    Outcome, Trial, TrialId,
};

/// Policy for pruned trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrunedPolicy {
    /// They are ignored.
    Ignore,
    /// The last intermediate value becomes the objective.
    LastReport,
    /// The largest objective measured so far becomes the objective.
    Worst,
}

/// Wraps any optimiser with a policy for pruned trials.
///
/// Without it, each optimiser has its own treatment. Bayesian optimisation gives them the worst measured loss, by its default policy for
/// failed trials. TPE ranks them behind the measured ones by their last step, CMA-ES ranks them last, and multi-fidelity optimisation learns
/// from their reports.
///
/// Values apply to one objective without constraints. A pruned trial is unchanged if the measured trials have more, if none is measured
/// yet, or if its last value is missing or not finite. Recommendations are based only on measured trials.
///
/// ```
/// # use thrifty_study::{Ask, Fingerprint, History, Optimizer, OptimizerError, Suggestion, TrialId};
/// use thrifty_study::{PrunedAs, PrunedPolicy};
/// # struct Halves;
/// # impl Optimizer for Halves {
/// #     type Query = f64;
/// #     type Recommendation = f64;
/// #     fn ask(&mut self, history: &History<f64>, _: TrialId) -> Result<Ask<f64>, OptimizerError> {
/// #         Ok(Ask::Evaluate(Suggestion::new(0.5_f64.powi(history.len() as i32))))
/// #     }
/// #     fn recommend(&mut self, _: &History<f64>) -> Result<Option<f64>, OptimizerError> { Ok(None) }
/// #     fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> { Ok(Fingerprint::new("halves")) }
/// # }
/// let optimizer = PrunedAs::new(Halves, PrunedPolicy::LastReport);
/// # let _ = optimizer;
/// ```
pub struct PrunedAs<O: Optimizer> {
    optimizer: O,
    policy: PrunedPolicy,
    /// The history with replaced outcomes of pruned trials, and the lineage of the original history.
    view: Option<(Lineage, History<O::Query>)>,
}

impl<O: Optimizer> PrunedAs<O> {
    /// Wraps an optimiser.
    pub fn new(optimizer: O, policy: PrunedPolicy) -> Self {
        Self { optimizer, policy, view: None }
    }

    /// The wrapped optimiser.
    pub fn optimizer(&self) -> &O {
        &self.optimizer
    }

    /// Updates the view and calls the optimiser with it.
    fn with_view<T>(
        &mut self,
        history: &History<O::Query>,
        call: impl FnOnce(&mut O, &History<O::Query>) -> T,
    ) -> T {
        let known = self
            .view
            .take()
            .filter(|(lineage, view)| *lineage == history.lineage() && view.len() <= history.len());
        let (lineage, mut view) = known.unwrap_or_else(|| (history.lineage(), History::new(history.seed())));
        let stand_in = StandIn::of(self.policy, history);
        if stand_in.update(&mut view, history) {
            view.renew();
        }
        let result = call(&mut self.optimizer, &view);
        self.view = Some((lineage, view));
        result
    }
}

/// Replacement outcomes of pruned trials.
enum StandIn {
    /// No replacement: they are unchanged.
    None,
    Unrelated,
    LastReport,
    Value(f64),
}

impl StandIn {
    fn of<Q>(policy: PrunedPolicy, history: &History<Q>) -> Self {
        let measured = || history.trials().iter().filter_map(|trial| trial.outcome.as_ref()?.measurement());
        let is_single = |m: &Measurement| m.objectives.len() == 1 && m.constraints.is_empty();
        match policy {
            PrunedPolicy::Ignore => Self::Unrelated,
            _ if !measured().next().is_some_and(is_single) => Self::None,
            PrunedPolicy::LastReport => Self::LastReport,
            PrunedPolicy::Worst => {
                Self::Value(measured().flat_map(|m| &m.objectives).copied().fold(f64::NEG_INFINITY, f64::max))
            }
        }
    }

    /// Outcome of a trial in the view of the optimiser.
    fn outcome<Q>(&self, trial: &Trial<Q>) -> Option<Outcome> {
        let outcome = trial.outcome.as_ref()?;
        let value = match (outcome, self) {
            (Outcome::Pruned { .. }, Self::LastReport) => trial.reports.last().map(|report| report.1),
            (Outcome::Pruned { .. }, Self::Unrelated) => {
                return Some(Outcome::unrelated("pruned").with_cost(outcome.cost()));
            }
            (Outcome::Pruned { .. }, Self::Value(value)) => Some(*value),
            _ => None,
        };
        let stand_in = |value| Outcome::from(value).with_cost(outcome.cost());
        Some(value.filter(|value| value.is_finite()).map_or_else(|| outcome.clone(), stand_in))
    }

    /// Updates a view; true if one of its outcomes has changed.
    fn update<Q: Clone>(&self, view: &mut History<Q>, history: &History<Q>) -> bool {
        view.queue.clone_from(&history.queue);
        (view.directions, view.comparable) = (history.directions.clone(), history.comparable.clone());
        view.failed_attempts.clone_from(&history.failed_attempts);
        let mut has_changed = false;
        let known = view.trials.len();
        for (ours, theirs) in view.trials.iter_mut().zip(history.trials()) {
            let is_pruned = matches!(theirs.outcome, Some(Outcome::Pruned { .. }));
            if is_pruned || ours.outcome.is_none() || theirs.outcome.is_none() {
                let outcome = self.outcome(theirs);
                has_changed |= ours.outcome.is_some() && ours.outcome != outcome;
                ours.outcome = outcome;
                ours.reports.clone_from(&theirs.reports);
                ours.timing = theirs.timing;
            }
        }
        let new = history.trials()[known..].iter();
        view.trials.extend(new.map(|trial| Trial { outcome: self.outcome(trial), ..trial.clone() }));
        has_changed
    }
}

impl<O: Optimizer> Optimizer for PrunedAs<O> {
    type Query = O::Query;
    type Recommendation = O::Recommendation;

    fn ask(
        &mut self,
        history: &History<Self::Query>,
        id: TrialId,
    ) -> Result<Ask<Self::Query>, OptimizerError> {
        self.with_view(history, |optimizer, view| optimizer.ask(view, id))
    }

    fn recommend(
        &mut self,
        history: &History<Self::Query>,
    ) -> Result<Option<Self::Recommendation>, OptimizerError> {
        self.optimizer.recommend(history)
    }

    fn check(&self, query: &Self::Query, is_whole: bool) -> Result<(), OptimizerError> {
        self.optimizer.check(query, is_whole)
    }

    fn check_measurement(&self, measurement: &Measurement) -> Result<(), MeasurementProblem> {
        self.optimizer.check_measurement(measurement)
    }

    fn canonical(&self, query: Self::Query) -> Self::Query {
        self.optimizer.canonical(query)
    }

    fn ask_given(
        &mut self,
        history: &History<Self::Query>,
        id: TrialId,
        given: &Self::Query,
    ) -> Result<Ask<Self::Query>, OptimizerError> {
        self.with_view(history, |optimizer, view| optimizer.ask_given(view, id, given))
    }

    fn moved(&self, memo: Memo) -> Memo {
        self.optimizer.moved(memo)
    }

    fn plan(&mut self, trials: usize) {
        self.optimizer.plan(trials);
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let inner = self.optimizer.fingerprint()?;
        Ok(Fingerprint::new("pruned as").with("pruned", &self.policy)?.around(inner))
    }
}
