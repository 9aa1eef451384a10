//! Full cross-validation under any optimiser of configurations.

use thrifty_space::Config;
use thrifty_study::{
    Ask, Fingerprint, History, Measurement, MeasurementProblem, Optimizer, OptimizerError, Outcome,
    Suggestion, Timing, Trial, TrialId,
};

use crate::FoldQuery;

/// Full cross-validation by an optimiser of configurations, one fold at a time.
///
/// Trials i K to i K + K - 1 are the folds of configuration i, all of repeat 0. The optimiser sees a configuration once all its
/// folds are measured: with the means of their objectives and constraints, the sum of their costs, and the noise variance of a mean, each where all
/// folds have it. If one of them failed the configuration has; if none failed for a reason of the configuration, the failure is
/// [unrelated](Outcome::unrelated). So every method is charged in the same unit, one model fit.
#[derive(Debug, Clone)]
pub struct AllFolds<O> {
    optimizer: O,
    folds: usize,
}

impl<O> AllFolds<O> {
    /// The optimiser over `folds` folds.
    ///
    /// # Errors
    /// [`OptimizerError`] for no folds.
    pub fn new(optimizer: O, folds: usize) -> Result<Self, OptimizerError> {
        if folds == 0 {
            let error = crate::SplitError::FoldCount { folds, rows: 0 };
            return Err(OptimizerError::failed("full cross-validation", error));
        }
        Ok(Self { optimizer, folds })
    }

    /// Whole configurations of a history of folds.
    fn configurations(&self, history: &History<FoldQuery>) -> History<Config> {
        let whole = |(i, folds): (usize, &[Trial<FoldQuery>])| Trial {
            id: TrialId(i as u64),
            query: folds[0].query.config.clone(),
            diagnostics: folds[0].diagnostics.clone(),
            memo: folds[0].memo.clone(),
            reports: Vec::new(),
            outcome: self.outcome(folds),
            timing: Timing {
                ask: folds.iter().map(|fold| fold.timing.ask).sum(),
                evaluate: folds.iter().map(|fold| fold.timing.evaluate).sum(),
            },
        };
        let trials = history.trials().chunks(self.folds).enumerate().map(whole).collect();
        history.view(trials, |fold| TrialId(fold.0 / self.folds as u64))
    }

    fn outcome(&self, folds: &[Trial<FoldQuery>]) -> Option<Outcome> {
        if folds.len() < self.folds {
            return None;
        }
        let outcomes = folds.iter().map(|fold| fold.outcome.as_ref()).collect::<Option<Vec<_>>>()?;
        let lacks_loss = |outcome: &&Outcome| outcome.objective().is_none();
        let cost: Option<f64> = outcomes.iter().map(|outcome| outcome.cost()).sum();
        if let Some(at) = outcomes.iter().position(|outcome| lacks_loss(outcome) && !outcome.is_unrelated()) {
            return Some(Outcome::failed(format!("fold {at} has no loss")).with_cost(cost));
        }
        if let Some(at) = outcomes.iter().position(lacks_loss) {
            return Some(Outcome::unrelated(format!("fold {at} has no loss")).with_cost(cost));
        }
        let measured: Vec<&Measurement> = outcomes.iter().filter_map(|o| o.measurement()).collect();
        let k = self.folds as f64;
        let means = |of: fn(&Measurement) -> &[f64]| -> Vec<f64> {
            (0..of(measured[0]).len()).map(|j| measured.iter().map(|m| of(m)[j]).sum::<f64>() / k).collect()
        };
        Some(Outcome::from(Measurement {
            objectives: means(|m| &m.objectives),
            constraints: means(|m| &m.constraints),
            cost,
            // Of a mean of independent noises.
            noise_variance: measured
                .iter()
                .map(|m| m.noise_variance)
                .sum::<Option<f64>>()
                .map(|sum| sum / (k * k)),
        }))
    }
}

impl<O> Optimizer for AllFolds<O>
where
    O: Optimizer<Query = Config>,
{
    type Query = FoldQuery;
    type Recommendation = O::Recommendation;

    fn ask(&mut self, history: &History<FoldQuery>, id: TrialId) -> Result<Ask<FoldQuery>, OptimizerError> {
        let folds = self.folds as u64;
        let (configuration, fold) = (id.0 / folds, (id.0 % folds) as usize);
        let query = |config| FoldQuery { config, repeat: 0, fold };
        if fold > 0
            && let Some(first) = history.get(TrialId(configuration * folds))
        {
            return Ok(Ask::Evaluate(Suggestion::new(query(first.query.config.clone()))));
        }
        let asked = self.optimizer.ask(&self.configurations(history), TrialId(configuration))?;
        Ok(match asked {
            Ask::Evaluate(Suggestion { query: config, diagnostics, memo }) => {
                Ask::Evaluate(Suggestion { query: query(config), diagnostics, memo })
            }
            Ask::Wait => Ask::Wait,
            Ask::Stop(reason) => Ask::Stop(reason),
        })
    }

    fn recommend(
        &mut self,
        history: &History<FoldQuery>,
    ) -> Result<Option<O::Recommendation>, OptimizerError> {
        self.optimizer.recommend(&self.configurations(history))
    }

    /// No query comes from elsewhere: the folds of a configuration are asked one after the other.
    fn check(&self, _: &FoldQuery, _: bool) -> Result<(), OptimizerError> {
        let error = "all folds of a configuration are asked in turn; begin with an initial design instead";
        Err(OptimizerError::failed("a query from elsewhere", error))
    }

    /// The cost of a configuration is that of its folds, so each has to have what the optimiser asks of a measurement.
    fn check_measurement(&self, measurement: &Measurement) -> Result<(), MeasurementProblem> {
        self.optimizer.check_measurement(measurement)
    }

    /// Plans for the number of configurations whose folds are all among so many trials, at least one.
    fn plan(&mut self, trials: usize) {
        self.optimizer.plan((trials / self.folds).max(1));
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        let inner = self.optimizer.fingerprint()?;
        let trials = inner.budget().map(|configurations| self.folds.saturating_mul(configurations));
        Ok(Fingerprint::new("all folds").with("folds", &self.folds)?.with_budget(trials).around(inner))
    }
}
