//! Turn of level-set estimation.

use std::collections::BTreeMap;

use thrifty_acquisition::{Acquisition, AcquisitionFactory};
use thrifty_domain::Points;
use thrifty_model_based::{Candidate, Modelled, Outlook, random_points};
use thrifty_sampling::{Seed, Stream};
use thrifty_space::{Config, Space};
use thrifty_study::{Ask, OptimizerError, StopReason, Suggestion, TrialId};
use thrifty_surrogate::{Posterior, Prediction};

use crate::LevelSetSettings;
use crate::diagnostics::{self, ABOVE};
use crate::state::LevelSetState;

/// A turn with a fitted surrogate and a classified domain.
pub(crate) struct LevelSetTurn<'a> {
    pub(crate) settings: LevelSetSettings,
    pub(crate) state: LevelSetState<'a>,
    /// Diagnostics of the state.
    pub(crate) numbers: BTreeMap<String, f64>,
    pub(crate) seed: Seed,
    pub(crate) id: TrialId,
}

impl LevelSetTurn<'_> {
    /// The suggestion by expected improvement instead of the criterion; `None` if everything was asked.
    pub(crate) fn improve(&mut self) -> Result<Option<Suggestion<Config>>, OptimizerError> {
        let candidates = self.maximize(&*self.state.improvement()?, "acquisition");
        self.suggest(candidates)
    }

    /// The suggestion of a point, with its memo.
    fn suggestion(&self, chosen: &Candidate) -> Suggestion<Config> {
        let surrogates = &self.state.surrogates;
        let Prediction { mean, variance } = surrogates.posterior().predict(&chosen.x);
        let mut suggestion = Suggestion::new(surrogates.space().decode(&chosen.x))
            .with_diagnostic("acquisition", chosen.value)
            .with_diagnostic("mean", mean)
            .with_diagnostic("std_dev", variance.sqrt());
        if let Some(probability) = surrogates.probability_feasible(&chosen.x) {
            suggestion = suggestion.with_diagnostic("probability_feasible", probability);
        }
        suggestion.diagnostics.extend(self.numbers.clone());
        suggestion.memo = surrogates.memo();
        suggestion.with_memo(&ABOVE, &diagnostics::packed(&self.state.classified.predicted_above()))
    }
}

impl Modelled<Config> for LevelSetTurn<'_> {
    fn space(&self) -> &Space {
        self.state.surrogates.space()
    }

    fn posteriors(&self) -> Vec<&dyn Posterior> {
        vec![self.state.after()]
    }

    fn takes_acquisition(&self) -> bool {
        false
    }

    fn exploit(&mut self, by: Option<&dyn AcquisitionFactory>) -> Result<Ask<Config>, OptimizerError> {
        if by.is_some() {
            let error = "a level set has no loss to improve on";
            return Err(OptimizerError::failed("exploiting by another acquisition function", error));
        }
        let Some(chosen) = self.state.choose(&self.settings, self.seed, self.id)? else {
            let waits = !self.state.pending.is_empty();
            return Ok(if waits { Ask::Wait } else { Ask::Stop(StopReason::Exhausted) });
        };
        Ok(Ask::Evaluate(self.suggestion(&chosen)))
    }

    /// `None`: a level set has no loss to improve on.
    fn outlook(&mut self, _: Option<&dyn AcquisitionFactory>) -> Result<Option<Outlook>, OptimizerError> {
        Ok(None)
    }

    fn maximize(&self, acquisition: &dyn Acquisition, purpose: &str) -> Vec<Candidate> {
        if !self.settings.over.is_finite() {
            return self.state.surrogates.maximize(acquisition, purpose);
        }
        let open = self.state.open(&self.settings);
        let mut values = vec![0.0; open.len()];
        acquisition.values_into(open.as_ref(), &mut values);
        let mut found: Vec<Candidate> =
            open.rows().zip(&values).map(|(x, &value)| Candidate { x: x.to_vec(), value }).collect();
        found.sort_by(|a, b| b.value.total_cmp(&a.value));
        found
    }

    /// Random points that may be evaluated; on a finite set, points of that set.
    fn uniform(&self, count: usize, rng: &mut Stream) -> Points {
        let surrogates = &self.state.surrogates;
        if !self.settings.over.is_finite() {
            return random_points(self.space().domain(), |x| surrogates.is_allowed(x), count, rng);
        }
        let open = self.state.open(&self.settings);
        let mut points = Points::new(self.space().dim());
        if !open.is_empty() {
            (0..count).for_each(|_| points.push(open.row(rng.index(open.len()))));
        }
        points
    }

    /// Suggests the first candidate that may be evaluated; if there is none, the choice of the criterion.
    fn suggest(&mut self, candidates: Vec<Candidate>) -> Result<Option<Suggestion<Config>>, OptimizerError> {
        let surrogates = &self.state.surrogates;
        let open = self.settings.over.is_finite().then(|| self.state.open(&self.settings));
        let is_usable = |candidate: &Candidate| match &open {
            Some(open) => crate::state::contains(open, &candidate.x),
            None => surrogates.is_allowed(&candidate.x) && !surrogates.is_known(&candidate.x),
        };
        let chosen = match candidates.into_iter().find(is_usable) {
            Some(chosen) => Some(chosen),
            None => self.state.choose(&self.settings, self.seed, self.id)?,
        };
        Ok(chosen.map(|chosen| self.suggestion(&chosen)))
    }
}
