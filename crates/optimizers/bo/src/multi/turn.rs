//! Turn of Bayesian optimisation with several objectives.

use std::sync::OnceLock;

use thrifty_acquisition::{Acquisition, AcquisitionFactory, Masked};
use thrifty_domain::Points;
use thrifty_model_based::{
    Candidate, CostData, Modelled, Outlook, OutputModel, Weights, feasibilities, probability_feasible,
    random_points, weighted_logarithm,
};
use thrifty_pareto::{Duplicates, ReferenceOrigin, non_dominated};
use thrifty_sampling::Stream;
use thrifty_space::{Config, Space};
use thrifty_study::{Ask, EXPECTED_COST, OptimizerError, StopReason, Suggestion};
use thrifty_surrogate::{FittedSurrogate, Posterior};

use super::reference::REFERENCE;
use super::state::State;
use crate::{MultiObjectiveOptimizer, MultiObjectiveRule};

/// A turn with fitted surrogates.
pub(crate) struct MultiTurn<'a> {
    optimizer: &'a MultiObjectiveOptimizer,
    state: State<'a>,
    rule: MultiObjectiveRule,
    /// Surrogates of the objectives, or of a weighted sum of them.
    models: Vec<OutputModel>,
    weights: Weights,
    /// The best candidates of the acquisition function, after it was maximized.
    found: Option<Vec<Candidate>>,
    /// Joint surrogates after fantasies of the running trials, computed on first use.
    imagined: OnceLock<Vec<Option<Box<dyn FittedSurrogate>>>>,
}

impl<'a> MultiTurn<'a> {
    /// Fits the surrogates.
    ///
    /// # Errors
    /// [`OptimizerError`] names the output whose fit fails.
    pub(crate) fn new(
        optimizer: &'a MultiObjectiveOptimizer,
        state: State<'a>,
    ) -> Result<Self, OptimizerError> {
        let rule = optimizer.rule(state.observed.objectives);
        let models = state.objectives(rule)?;
        let (x, without_loss) = (&state.observed.x, &state.observed.without_loss);
        let costs = CostData { spent: Some(state.history.spent()), ..CostData::default() };
        let weights =
            Weights::fit_with(&state.fitter, &optimizer.settings().state(), x, without_loss, costs)?;
        Ok(Self { optimizer, state, rule, models, weights, found: None, imagined: OnceLock::new() })
    }

    /// The best candidates of the acquisition function, which is built once per turn.
    fn search(&mut self) -> Result<&mut Vec<Candidate>, OptimizerError> {
        let found =
            self.found.take().map_or_else(|| self.build_search(self.weights.log_inverse_cost()), Ok)?;
        Ok(self.found.insert(found))
    }

    /// Builds and maximizes the acquisition function, with a weight by cost if there is one.
    fn build_search(
        &self,
        per_cost: Option<Box<dyn Acquisition + '_>>,
    ) -> Result<Vec<Candidate>, OptimizerError> {
        let Self { state, weights, models, rule, .. } = self;
        let constraints = weights.constraint_models();
        let utility = state.acquisition(*rule, models, constraints)?;
        let first = if utility.is_none() { state.first_feasible(constraints)? } else { None };
        let mut log_weights = if first.is_none() { feasibilities(weights.constraints()) } else { Vec::new() };
        log_weights.extend(per_cost);
        let acquisition = weighted_logarithm(first.or(utility), log_weights);
        Ok(self.maximize(&acquisition, "acquisition"))
    }

    fn suggestion(&self, x: &[f64]) -> Suggestion<Config> {
        let mut suggestion = Suggestion::new(self.space().decode(x));
        for (name, value) in self.state.progress() {
            suggestion = suggestion.with_diagnostic(name, value);
        }
        if !self.weights.constraint_models().is_empty() {
            let probability = probability_feasible(self.weights.constraints(), x);
            suggestion = suggestion.with_diagnostic("probability_feasible", probability);
        }
        if let Some(cost) = self.weights.expected_cost(x) {
            suggestion = suggestion.with_outlook(&EXPECTED_COST, cost);
        }
        for model in self.models.iter().chain(self.weights.models()) {
            model.remember(&mut suggestion.memo);
        }
        match &self.state.reference {
            Some(reference) if reference.origin() == ReferenceOrigin::Inferred => {
                suggestion.with_memo(&REFERENCE, &reference.values().to_vec())
            }
            _ => suggestion,
        }
    }

    fn is_allowed(&self, x: &[f64]) -> bool {
        self.optimizer.known_constraint().allows_point(self.space(), x)
    }

    fn first_allowed(&self, candidates: Vec<Candidate>) -> Result<Option<Candidate>, OptimizerError> {
        let (domain, fitter) = (self.space().domain(), &self.state.fitter);
        self.state.asked.first_allowed(domain, |x| self.is_allowed(x), candidates, fitter.seed, fitter.id)
    }
}

impl Modelled<Config> for MultiTurn<'_> {
    fn space(&self) -> &Space {
        self.optimizer.space()
    }

    fn posteriors(&self) -> Vec<&dyn Posterior> {
        // If all models are joint, the acquisition function draws the outcomes of running trials. Otherwise the models have fantasies of them.
        let is_joint = self.models.iter().all(|model| model.joint().is_some());
        if !is_joint {
            return self.models.iter().map(OutputModel::posterior).collect();
        }
        let pending = self.state.observed.pending.as_ref();
        let imagined =
            self.imagined.get_or_init(|| self.models.iter().map(|m| m.fantasized(pending)).collect());
        let each = self.models.iter().zip(imagined);
        each.map(|(model, imagined)| imagined.as_ref().map_or(model.posterior(), |m| m.posterior())).collect()
    }

    fn takes_acquisition(&self) -> bool {
        false
    }

    fn exploit(&mut self, by: Option<&dyn AcquisitionFactory>) -> Result<Ask<Config>, OptimizerError> {
        if by.is_some() {
            let error = "several objectives have no acquisition function of one posterior";
            return Err(OptimizerError::failed("exploiting by another acquisition function", error));
        }
        let candidates = std::mem::take(self.search()?);
        let Some(chosen) = self.first_allowed(candidates)? else {
            return Ok(Ask::Stop(StopReason::Exhausted));
        };
        Ok(Ask::Evaluate(self.suggestion(&chosen.x).with_diagnostic("acquisition", chosen.value)))
    }

    /// Expected hypervolume improvement relative to the current hypervolume; `None` for weighted sums, and before a reference point exists.
    fn outlook(&mut self, by: Option<&dyn AcquisitionFactory>) -> Result<Option<Outlook>, OptimizerError> {
        let Some(reference) = self.state.reference.clone().filter(|_| by.is_none()) else { return Ok(None) };
        if matches!(self.rule, MultiObjectiveRule::Chebyshev { .. }) {
            return Ok(None);
        }
        // The best point per unit of cost may differ from the best point.
        let counts_cost = self.weights.log_inverse_cost().is_some();
        let best = if counts_cost {
            self.build_search(None)?.first().cloned()
        } else {
            self.search()?.first().cloned()
        };
        let Some(best) = best else { return Ok(None) };
        let scaled = self.state.data.scaled(reference.values());
        let Some(range) = self.state.scaled_hypervolume(&scaled) else { return Ok(None) };
        Ok(Some(Outlook { expected: best.value.exp(), range, target: None }))
    }

    fn maximize(&self, acquisition: &dyn Acquisition, purpose: &str) -> Vec<Candidate> {
        let State { observed, feasible, fitter, .. } = &self.state;
        let mut rng = fitter.seed.stream(purpose, fitter.id.0);
        // The search looks around some points of the front, which change with the trial. Without a front it looks around the points with
        // the smallest violations.
        let losses = observed.losses(feasible);
        let mut front = non_dominated(losses.as_ref(), Duplicates::First).unwrap_or_default();
        rng.shuffle(&mut front);
        let around: Vec<usize> = if feasible.is_empty() {
            observed.by_violation()
        } else {
            front.iter().map(|&i| feasible[i]).collect()
        };
        let anchors: Vec<&[f64]> = around.iter().map(|&i| observed.x.row(i)).collect();
        let acquisition = Masked::new(acquisition, |x: &[f64]| self.is_allowed(x));
        let maximizer = &self.optimizer.settings().maximizer;
        maximizer.candidates(self.space().domain(), &acquisition, &anchors, &mut rng)
    }

    fn uniform(&self, count: usize, rng: &mut Stream) -> Points {
        random_points(self.space().domain(), |x| self.is_allowed(x), count, rng)
    }

    fn suggest(
        &mut self,
        mut candidates: Vec<Candidate>,
    ) -> Result<Option<Suggestion<Config>>, OptimizerError> {
        let is_usable = |one: &Candidate| self.is_allowed(&one.x) && !self.state.asked.contains(&one.x);
        if self.optimizer.known_constraint().is_some() && !candidates.iter().any(is_usable) {
            candidates.append(self.search()?);
        }
        Ok(self.first_allowed(candidates)?.map(|chosen| self.suggestion(&chosen.x)))
    }
}
