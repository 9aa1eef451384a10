//! One type for all optimisers of a query.

use std::any::Any;

use crate::{
    Ask, Fingerprint, History, Measurement, MeasurementProblem, Memo, Optimizer, OptimizerError, Query,
    TrialId,
};

/// Type-erased optimiser: one type for all methods of a query, for every type of recommendation.
///
/// The recommendation is a `Box<dyn Any>`; downcast it to that of the method.
///
/// ```
/// use thrifty_study::{AnyOptimizer, MaxTrials, Study};
/// # use thrifty_study::{Ask, Fingerprint, History, Optimizer, OptimizerError, Suggestion, TrialId};
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
/// let methods: Vec<AnyOptimizer<f64>> = vec![AnyOptimizer::new(Halves)];
/// for method in methods {
///     let mut study = Study::new(method, thrifty_sampling::Seed(0)).with_stop(MaxTrials(5));
///     study.run(|x: &f64, _| x * x)?;
///     let best = study.recommend()?.expect("five trials");
///     assert_eq!(best.downcast_ref::<f64>(), Some(&0.0625));
/// }
/// # Ok::<(), thrifty_study::StudyError>(())
/// ```
pub struct AnyOptimizer<Q>(Box<dyn Erased<Q> + Send>);

/// An [`Optimizer`] without the type of its recommendation.
trait Erased<Q> {
    fn ask(&mut self, history: &History<Q>, id: TrialId) -> Result<Ask<Q>, OptimizerError>;
    fn recommend(&mut self, history: &History<Q>) -> Result<Option<Box<dyn Any>>, OptimizerError>;
    fn check(&self, query: &Q, is_whole: bool) -> Result<(), OptimizerError>;
    fn check_measurement(&self, measurement: &Measurement) -> Result<(), MeasurementProblem>;
    fn canonical(&self, query: Q) -> Q;
    fn ask_given(&mut self, history: &History<Q>, id: TrialId, given: &Q) -> Result<Ask<Q>, OptimizerError>;
    fn moved(&self, memo: Memo) -> Memo;
    fn plan(&mut self, trials: usize);
    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError>;
}

impl<O: Optimizer<Recommendation: 'static>> Erased<O::Query> for O {
    fn ask(&mut self, history: &History<O::Query>, id: TrialId) -> Result<Ask<O::Query>, OptimizerError> {
        Optimizer::ask(self, history, id)
    }

    fn recommend(&mut self, history: &History<O::Query>) -> Result<Option<Box<dyn Any>>, OptimizerError> {
        Ok(Optimizer::recommend(self, history)?.map(|found| Box::new(found) as Box<dyn Any>))
    }

    fn check(&self, query: &O::Query, is_whole: bool) -> Result<(), OptimizerError> {
        Optimizer::check(self, query, is_whole)
    }

    fn check_measurement(&self, measurement: &Measurement) -> Result<(), MeasurementProblem> {
        Optimizer::check_measurement(self, measurement)
    }

    fn canonical(&self, query: O::Query) -> O::Query {
        Optimizer::canonical(self, query)
    }

    fn ask_given(
        &mut self,
        history: &History<O::Query>,
        id: TrialId,
        given: &O::Query,
    ) -> Result<Ask<O::Query>, OptimizerError> {
        Optimizer::ask_given(self, history, id, given)
    }

    fn moved(&self, memo: Memo) -> Memo {
        Optimizer::moved(self, memo)
    }

    fn plan(&mut self, trials: usize) {
        Optimizer::plan(self, trials);
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Optimizer::fingerprint(self)
    }
}

impl<Q: Query> AnyOptimizer<Q> {
    /// Boxes an optimiser.
    pub fn new<O>(optimizer: O) -> Self
    where
        O: Optimizer<Query = Q, Recommendation: 'static> + Send + 'static,
    {
        Self(Box::new(optimizer))
    }
}

impl<Q: Query> Optimizer for AnyOptimizer<Q> {
    type Query = Q;
    type Recommendation = Box<dyn Any>;

    fn ask(&mut self, history: &History<Q>, id: TrialId) -> Result<Ask<Q>, OptimizerError> {
        self.0.ask(history, id)
    }

    fn recommend(&mut self, history: &History<Q>) -> Result<Option<Box<dyn Any>>, OptimizerError> {
        self.0.recommend(history)
    }

    fn check(&self, query: &Q, is_whole: bool) -> Result<(), OptimizerError> {
        self.0.check(query, is_whole)
    }

    fn check_measurement(&self, measurement: &Measurement) -> Result<(), MeasurementProblem> {
        self.0.check_measurement(measurement)
    }

    fn canonical(&self, query: Q) -> Q {
        self.0.canonical(query)
    }

    fn ask_given(&mut self, history: &History<Q>, id: TrialId, given: &Q) -> Result<Ask<Q>, OptimizerError> {
        self.0.ask_given(history, id, given)
    }

    fn moved(&self, memo: Memo) -> Memo {
        self.0.moved(memo)
    }

    fn plan(&mut self, trials: usize) {
        self.0.plan(trials);
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        self.0.fingerprint()
    }
}
