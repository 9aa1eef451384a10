//! Turn of fractional cross-validation.

use std::collections::BTreeMap;

use thrifty_acquisition::{Acquisition, AcquisitionFactory};
use thrifty_cv::FoldQuery;
use thrifty_domain::Points;
use thrifty_model_based::{Candidate, Modelled, Outlook, first_allowed, random_points, reject_nan};
use thrifty_sampling::Stream;
use thrifty_space::Space;
use thrifty_study::{
    Ask, EXPECTED_COST, EXPECTED_GAIN, EXPECTED_IMPROVEMENT, History, OptimizerError, StopReason, Suggestion,
    TrialId,
};
use thrifty_surrogate::{Posterior, Prediction};

use crate::choice::Choice;
use crate::{FoldSurrogateState, FractionalCv, Incumbent};

/// A turn with fitted surrogates.
pub(crate) struct FoldTurn<'a> {
    optimizer: &'a FractionalCv,
    state: FoldSurrogateState,
    history: &'a History<FoldQuery>,
    id: TrialId,
    /// The optimiser's own choice, computed on first use.
    decision: Option<Decision>,
}

/// The optimiser's own choice and its expected gain.
struct Decision {
    ask: Ask<FoldQuery>,
    outlook: Outlook,
}

impl<'a> FoldTurn<'a> {
    pub(crate) fn new(
        optimizer: &'a FractionalCv,
        state: FoldSurrogateState,
        history: &'a History<FoldQuery>,
        id: TrialId,
    ) -> Self {
        Self { optimizer, state, history, id, decision: None }
    }

    fn decision(&mut self, by: Option<&dyn AcquisitionFactory>) -> Result<Decision, OptimizerError> {
        self.decision.take().map_or_else(|| self.decide(by), Ok)
    }

    /// Maximizes the acquisition function, chooses the fold, suggests.
    fn decide(&self, by: Option<&dyn AcquisitionFactory>) -> Result<Decision, OptimizerError> {
        let Self { optimizer, state, history, id, .. } = self;
        let ranked = state.ranked(Incumbent::BestMean);
        // Infeasible configurations come last and do not count: their losses are irrelevant for configurations that may be chosen.
        let counted = state.baseline().len();
        let means: Vec<f64> = ranked.iter().take(counted).map(|evaluated| evaluated.mean).collect();
        let range = means.iter().copied().fold(f64::NEG_INFINITY, f64::max)
            - means.iter().copied().fold(f64::INFINITY, f64::min);
        // The losses of configurations are posterior means; none is observed.
        let target = optimizer.target_of(by).map_or(ranked[0].mean, |target| target.value(&means, &means));
        let threshold = optimizer.settings.worth * range;
        let anchors: Vec<&[f64]> = ranked.iter().map(|evaluated| evaluated.x).collect();
        let mut rng = history.seed().stream("acquisition", id.0);
        let candidates = {
            let acquisition = optimizer
                .acquisition_on(state, (ranked[0].x, target), by, (history.seed(), *id))
                .map_err(|error| OptimizerError::failed("building the acquisition", error))?;
            optimizer.candidates(&*acquisition, &anchors, &mut rng)
        };
        if let Some(factory) = by.or(optimizer.acquisition.as_deref()) {
            reject_nan(factory, &candidates, *id)?;
        }
        let outlook = |expected| Outlook { expected, range, target: Some(target) };
        let end = |reason| -> Result<Decision, OptimizerError> {
            let ask = optimizer.end_of_search(reason, state, history, *id)?;
            Ok(Decision { ask, outlook: outlook(0.0) })
        };
        let candidates = self.with_new_folds(candidates)?;
        if candidates.is_empty() {
            return end(StopReason::Exhausted);
        }
        let choice = match optimizer.choose(state, candidates, threshold, *id, &mut rng)? {
            Some(choice) => choice,
            None => match optimizer.last_resort(state, &anchors, threshold, &mut rng)? {
                Ok(choice) => choice,
                Err(reason) => return end(reason),
            },
        };
        let gain = choice.gain;
        Ok(Decision { ask: Ask::Evaluate(self.suggestion(choice, ranked[0].mean)?), outlook: outlook(gain) })
    }

    /// The candidates if any of them has a new fold. Otherwise another configuration with a new fold, or none.
    fn with_new_folds(&self, candidates: Vec<Candidate>) -> Result<Vec<Candidate>, OptimizerError> {
        let all = self.optimizer.settings.all_folds();
        let has_new = |x: &[f64]| !self.state.new_folds(x, all).is_empty();
        if candidates.iter().any(|candidate| has_new(&candidate.x)) {
            return Ok(candidates);
        }
        let (domain, seed) = (self.space().domain(), self.history.seed());
        let is_allowed = |x: &[f64]| self.optimizer.is_allowed(x);
        let found = first_allowed(domain, is_allowed, has_new, Vec::new(), seed, self.id);
        // If no random configuration is allowed, an evaluated one may have new folds.
        let mut evaluated = self.state.evaluated().rows();
        match (found, evaluated.find(|x| is_allowed(x) && has_new(x))) {
            (Err(_), Some(x)) => Ok(vec![Candidate { x: x.to_vec(), value: f64::NEG_INFINITY }]),
            (found, _) => Ok(found?.into_iter().collect()),
        }
    }

    /// The suggestion of a configuration and a fold, with its memo.
    fn suggestion(&self, choice: Choice, incumbent: f64) -> Result<Suggestion<FoldQuery>, OptimizerError> {
        let Choice { candidate: chosen, code, gain } = choice;
        let target = self.state.target();
        let Prediction { mean, variance } = target.predict(&chosen.x);
        let gains = target.fold_gains(&chosen.x, &[code]).map_err(|error| {
            OptimizerError::failed(format!("choosing the fold of trial {}", self.id.0), error)
        })?;
        let diagnostics = BTreeMap::from([
            ("acquisition".to_owned(), chosen.value),
            ("mean".to_owned(), mean),
            ("std_dev".to_owned(), variance.sqrt()),
            ("remaining".to_owned(), gains[0].remaining),
            ("incumbent_mean".to_owned(), incumbent),
        ]);
        let query = self.optimizer.query(self.space().decode(&chosen.x), code);
        let suggestion = Suggestion { query, diagnostics, memo: self.state.memo() }
            .with_outlook(&EXPECTED_IMPROVEMENT, gain)
            .with_outlook(&EXPECTED_GAIN, gain);
        Ok(match self.state.costs().expected(&chosen.x, code) {
            Some(cost) => suggestion.with_outlook(&EXPECTED_COST, cost),
            None => suggestion,
        })
    }
}

impl Modelled<FoldQuery> for FoldTurn<'_> {
    fn space(&self) -> &Space {
        &self.optimizer.space
    }

    fn posteriors(&self) -> Vec<&dyn Posterior> {
        vec![self.state.target()]
    }
    fn exploit(&mut self, by: Option<&dyn AcquisitionFactory>) -> Result<Ask<FoldQuery>, OptimizerError> {
        Ok(self.decision(by)?.ask)
    }

    fn outlook(&mut self, by: Option<&dyn AcquisitionFactory>) -> Result<Option<Outlook>, OptimizerError> {
        let decision = self.decision(by)?;
        let outlook = decision.outlook;
        self.decision = Some(decision);
        Ok(Some(outlook))
    }

    fn maximize(&self, acquisition: &dyn Acquisition, purpose: &str) -> Vec<Candidate> {
        let ranked = self.state.ranked(Incumbent::BestMean);
        let anchors: Vec<&[f64]> = ranked.iter().map(|evaluated| evaluated.x).collect();
        let mut rng = self.history.seed().stream(purpose, self.id.0);
        self.optimizer.candidates(acquisition, &anchors, &mut rng)
    }

    fn uniform(&self, count: usize, rng: &mut Stream) -> Points {
        random_points(self.space().domain(), |x| self.optimizer.is_allowed(x), count, rng)
    }

    /// Suggests the first candidate with a new fold, on the fold of the fold rule. If there is none: the most informative pair, else any new pair.
    fn suggest(
        &mut self,
        candidates: Vec<Candidate>,
    ) -> Result<Option<Suggestion<FoldQuery>>, OptimizerError> {
        let mut rng = self.history.seed().stream("explored fold", self.id.0);
        let allowed = |candidate: &Candidate| self.optimizer.is_allowed(&candidate.x);
        let candidates = candidates.into_iter().filter(allowed).collect();
        let any = f64::NEG_INFINITY;
        let ranked = self.state.ranked(Incumbent::BestMean);
        let mut choice = self.optimizer.choose(&self.state, candidates, any, self.id, &mut rng)?;
        if choice.is_none() {
            let anchors: Vec<&[f64]> = ranked.iter().map(|evaluated| evaluated.x).collect();
            choice = self.optimizer.last_resort(&self.state, &anchors, any, &mut rng)?.ok();
        }
        if choice.is_none() {
            let others = self.with_new_folds(Vec::new())?;
            choice = self.optimizer.choose(&self.state, others, any, self.id, &mut rng)?;
        }
        let incumbent = ranked.first().map_or(f64::NAN, |best| best.mean);
        choice.map(|choice| self.suggestion(choice, incumbent)).transpose()
    }
}
