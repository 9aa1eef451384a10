//! Initial design over configurations and folds.

use thrifty_cv::FoldQuery;
use thrifty_domain::Points;
use thrifty_model_based::Designer;
use thrifty_study::{Ask, History, OptimizerError, StopReason, Suggestion, TrialId};

/// Chooses the points of an initial design: one fold of each configuration, without repeated pairs. All folds are of the first repeat.
pub(crate) struct FoldDesign<'a> {
    pub(crate) designer: Designer<'a>,
    pub(crate) history: &'a History<FoldQuery>,
    /// Folds of a repeat.
    pub(crate) folds: usize,
}

impl FoldDesign<'_> {
    /// The next given configuration, or that of the trial's number, on a fold. If it is not allowed or the pair was asked, another new
    /// configuration, or a given one on another fold. `None` if all were asked.
    pub(crate) fn query(&self, id: TrialId, fold: usize) -> Result<Option<FoldQuery>, OptimizerError> {
        let query = |config| FoldQuery { config, repeat: 0, fold };
        let Designer { design, space, seed, run, known_constraint } = &self.designer;
        if known_constraint.is_none() {
            let configs = self.history.trials().iter().map(|trial| &trial.query.config);
            let index = design.next_given(space, *run, configs);
            let index = index.unwrap_or_else(|| self.designer.index(id));
            let designed = design.config(space, *seed, *run, index).map(query).map_err(|error| {
                OptimizerError::failed(format!("initial design, configuration {index}"), error)
            })?;
            if self.is_new(&designed) {
                return Ok(Some(designed));
            }
        }
        let mut asked = Points::new(space.dim());
        for trial in self.history.trials() {
            let point = space.encode(&trial.query.config);
            let named = |error| OptimizerError::failed(format!("encoding trial {}", trial.id.0), error);
            asked.push(&point.map_err(named)?);
        }
        let Some(config) = self.designer.config(&asked, id)? else { return Ok(None) };
        // A repeated given configuration uses its other folds.
        let folds = std::iter::once(fold).chain(0..self.folds);
        let mut queries = folds.map(|fold| FoldQuery { config: config.clone(), repeat: 0, fold });
        Ok(queries.find(|query| self.is_new(query)))
    }

    /// The answer if every configuration was asked and none is measured: another fold, after the running trials have ended.
    pub(crate) fn beyond(&self) -> Ask<FoldQuery> {
        if self.history.pending().next().is_some() {
            return Ask::Wait;
        }
        let configs = self.history.trials().iter().map(|trial| &trial.query.config);
        let mut queries = configs.flat_map(|config| {
            (0..self.folds).map(move |fold| FoldQuery { config: config.clone(), repeat: 0, fold })
        });
        let open = queries.find(|query| self.is_new(query));
        open.map_or(Ask::Stop(StopReason::Exhausted), |query| Ask::Evaluate(Suggestion::new(query)))
    }

    fn is_new(&self, query: &FoldQuery) -> bool {
        self.history.trials().iter().all(|trial| trial.query != *query)
    }
}
