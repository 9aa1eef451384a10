//! Turn of Bayesian optimisation with one objective.

use thrifty_acquisition::{Acquisition, AcquisitionFactory, AcquisitionKind};
use thrifty_domain::Points;
use thrifty_model_based::{
    Candidate, LossTransform, Modelled, Outlook, SurrogateState, front_where, random_points, reject_nan,
};
use thrifty_sampling::Stream;
use thrifty_space::{Config, Space};
use thrifty_study::{
    Ask, EXPECTED_COST, EXPECTED_GAIN, EXPECTED_IMPROVEMENT, EXPECTED_IMPROVEMENT_RANGE, History, MemoKey,
    OptimizerError, StopReason, Suggestion, TrialId,
};
use thrifty_surrogate::Posterior;

use crate::optimizer::{current_run, of_run};
use crate::settings::RESOLVED;
use crate::{BayesianOptimizer, Convergence};

/// Marks a trial at the smallest posterior mean, for trials that are asked while it runs.
pub(crate) static POLISHED: MemoKey<f64> = MemoKey::new("polished");

/// Anchors of the knowledge gradient for the last trials. 50 take twice the time, without a measured gain.
const ANCHORS: usize = 20;

/// A turn with fitted surrogates.
pub(crate) struct BoTurn<'a> {
    optimizer: &'a BayesianOptimizer,
    state: SurrogateState<'a>,
    history: &'a History<Config>,
    id: TrialId,
    /// The maximized acquisition function, computed on first use.
    search: Option<Search>,
}

/// Rule for one of the last trials of a plan.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// Expected improvement, as before.
    Improvement,
    /// Smallest posterior mean: only digits of the minimum are left to gain.
    LeastMean,
    /// Knowledge gradient: with noisy measurements, the recommendation is not the best measurement.
    Recommendation,
}

/// A maximized acquisition function.
struct Search {
    candidates: Vec<Candidate>,
    /// The loss to improve on.
    target: f64,
    /// Expected improvement; `None` if the acquisition function is another one.
    improvement: Option<Improvement>,
}

/// Expected improvement on the target, times the probability of being feasible.
#[derive(Clone, Copy)]
struct Improvement {
    largest: f64,
    /// Value at the best candidate. Where costs count, this differs from the point of the largest value.
    at_best: f64,
}

impl<'a> BoTurn<'a> {
    pub(crate) fn new(
        optimizer: &'a BayesianOptimizer,
        state: SurrogateState<'a>,
        history: &'a History<Config>,
        id: TrialId,
    ) -> Self {
        Self { optimizer, state, history, id, search: None }
    }

    /// The maximized acquisition function, which is built once per turn.
    fn search(&mut self, by: Option<&dyn AcquisitionFactory>) -> Result<&mut Search, OptimizerError> {
        let search = self.search.take().map_or_else(|| self.build_search(by), Ok)?;
        Ok(self.search.insert(search))
    }

    /// Builds and maximizes the acquisition function.
    fn build_search(&self, by: Option<&dyn AcquisitionFactory>) -> Result<Search, OptimizerError> {
        let (state, factory) = (&self.state, by.unwrap_or(self.optimizer.acquisition()));
        let acquisition = state
            .acquisition(factory)
            .map_err(|error| OptimizerError::failed("building the acquisition", error))?;
        let candidates = state.maximize(&*acquisition, "acquisition");
        reject_nan(factory, &candidates, self.id)?;
        let target = state.target(factory.target());
        let best = candidates.first().filter(|_| factory.is_expected_improvement());
        let improvement = best.map(|best| {
            let at_best = state.feasible_improvement(&best.x, target);
            let counts_cost = state.expected_cost(&best.x).is_some();
            let largest = if counts_cost { state.max_expected_improvement(target) } else { None };
            Improvement { largest: largest.map_or(at_best, |(_, expected)| expected), at_best }
        });
        Ok(Search { candidates, target, improvement })
    }

    /// True if the largest expected improvement is below this share of the range of the run's losses.
    fn is_converged(
        &mut self,
        epsilon: f64,
        by: Option<&dyn AcquisitionFactory>,
    ) -> Result<bool, OptimizerError> {
        let outlook = self.outlook(by)?;
        Ok(outlook.is_some_and(|outlook| outlook.expected < epsilon * outlook.range))
    }

    /// Rule for a trial among the last ones of a plan. `None` before them, without a continuous parameter, and for an acquisition function
    /// other than expected improvement.
    ///
    /// Only one of the running trials is at the smallest mean, since others would choose the same point. So a last step has as many trials as run.
    fn last(&mut self, by: Option<&dyn AcquisitionFactory>) -> Result<Option<Last>, OptimizerError> {
        let (rule, settings) = (by.unwrap_or(self.optimizer.acquisition()), self.optimizer.settings());
        let is_last = settings.is_ending(self.id, self.history.pending().count())
            && rule.is_expected_improvement()
            && !self.space().domain().is_discrete();
        if !is_last {
            return Ok(None);
        }
        // With running trials the last steps have many trials. Those that are not at the smallest mean may still leave a minimum.
        let is_one_of_the_last = settings.is_ending(self.id, 0);
        // The knowledge gradient needs a joint posterior.
        if self.state.is_noisy(RESOLVED) && self.state.posterior().joint().is_some() {
            return Ok(is_one_of_the_last.then_some(Last::Recommendation));
        }
        let runs = self.history.pending().any(|trial| trial.memo.contains(&POLISHED));
        if !runs && self.is_converged(RESOLVED, by)? {
            return Ok(Some(Last::LeastMean));
        }
        Ok(is_one_of_the_last.then_some(Last::Improvement))
    }

    /// Candidates by the knowledge gradient: the study recommends the smallest posterior mean, and no later trial follows.
    fn for_recommendation(&self) -> Result<Vec<Candidate>, OptimizerError> {
        let rule = AcquisitionKind::LogKnowledgeGradient { anchors: ANCHORS };
        let acquisition = self
            .state
            .acquisition(&rule)
            .map_err(|error| OptimizerError::failed("building the acquisition", error))?;
        let candidates = self.state.maximize(&*acquisition, "acquisition");
        reject_nan(&rule, &candidates, self.id)?;
        Ok(candidates)
    }

    /// Candidates of the smallest mean, or, with weights, of the largest improvement of the mean on the target.
    ///
    /// The smoothing scale is small relative to `expected`, the largest expected improvement. It must stay positive even if `expected` has
    /// vanished in rounding.
    fn polish(&self, target: f64, expected: f64) -> Result<Vec<Candidate>, OptimizerError> {
        let scale = (expected / 100.0).max(1e-12 * self.state.range());
        let acquisition = self
            .state
            .mean_improvement(target, scale)
            .map_err(|error| OptimizerError::failed("building the acquisition", error))?;
        let candidates = self.state.maximize(&*acquisition, "acquisition");
        reject_nan(&AcquisitionKind::PosteriorMean, &candidates, self.id)?;
        Ok(candidates)
    }

    /// Candidates to explore: the front of mean and standard deviation. Points that are probably infeasible are left out, unless all are.
    fn front(&self) -> Vec<Candidate> {
        let mut rng = self.history.seed().stream("convergence", self.id.0);
        let is_likely = |x: &[f64]| self.state.probability_feasible(x).is_none_or(|p| p >= 0.5);
        front_where(self, self.state.posterior(), is_likely, &mut rng)
    }

    /// The suggestion of a point, with its memo.
    fn suggestion(&self, x: &[f64]) -> Suggestion<Config> {
        let prediction = self.state.posterior().predict(x);
        let mut suggestion = Suggestion::new(self.state.space().decode(x))
            .with_diagnostic("mean", prediction.mean)
            .with_diagnostic("std_dev", prediction.variance.sqrt());
        let (low, high) = self.state.interval_of_loss(prediction);
        let median = self.state.loss_of(prediction.mean);
        for (name, loss) in [("predicted_low", low), ("predicted", median), ("predicted_high", high)] {
            suggestion = suggestion.with_diagnostic(name, loss);
        }
        if let Some(probability) = self.state.probability_feasible(x) {
            suggestion = suggestion.with_diagnostic("probability_feasible", probability);
        }
        if let Some(probability) = self.state.probability_tied(x) {
            suggestion = suggestion.with_diagnostic("probability_tied", probability);
        }
        let lost = self.state.lost_members();
        if lost > 0 {
            suggestion = suggestion.with_diagnostic("lost_members", lost as f64);
        }
        if self.optimizer.settings().losses == LossTransform::Chosen {
            let lambda = self.state.transform().map_or(1.0, |transform| transform.lambda);
            suggestion = suggestion.with_diagnostic("lambda", lambda);
        }
        suggestion.memo = self.state.memo();
        if let Some(cost) = self.state.expected_cost(x) {
            suggestion = suggestion.with_outlook(&EXPECTED_COST, cost);
        }
        of_run(suggestion, current_run(self.history).0)
    }
}

impl Modelled<Config> for BoTurn<'_> {
    fn space(&self) -> &Space {
        self.state.space()
    }

    fn posteriors(&self) -> Vec<&dyn Posterior> {
        vec![self.state.posterior()]
    }

    fn exploit(&mut self, by: Option<&dyn AcquisitionFactory>) -> Result<Ask<Config>, OptimizerError> {
        let rule = by.unwrap_or(self.optimizer.acquisition());
        let (is_improvement, last) = (rule.is_expected_improvement(), self.last(by)?);
        let explores = match self.optimizer.settings().convergence {
            // The last trials need neither a new run nor the front.
            _ if last.is_some() => false,
            Convergence::Restart { epsilon } if self.is_converged(epsilon, by)? => {
                return self.optimizer.initial(current_run(self.history).0 + 1, self.history, self.id);
            }
            Convergence::Explore { epsilon } if is_improvement => self.is_converged(epsilon, by)?,
            _ => false,
        };
        let search = self.search(by)?;
        let (target, mut improvement) = (search.target, search.improvement);
        let mut candidates = std::mem::take(&mut search.candidates);
        match last {
            Some(Last::LeastMean) => {
                candidates =
                    self.polish(target, improvement.map_or(0.0, |improvement| improvement.largest))?;
            }
            Some(Last::Recommendation) => candidates = self.for_recommendation()?,
            _ => {}
        }
        if explores {
            // If few points are allowed, the random points of the front may all be forbidden; the candidates of the search are not.
            let is_constrained = self.optimizer.known_constraint().is_some();
            let best = if is_constrained { candidates } else { Vec::new() };
            candidates = [self.front(), best].concat();
        }
        let Some(chosen) = self.state.first_allowed(candidates)? else {
            return Ok(Ask::Stop(StopReason::Exhausted));
        };
        let suggestion = self.suggestion(&chosen.x).with_diagnostic("threshold", target);
        let mut suggestion = match (explores, last) {
            (true, _) => suggestion.with_diagnostic("explored", 1.0),
            (_, Some(Last::LeastMean)) => suggestion.with_outlook(&POLISHED, 1.0),
            (_, Some(Last::Recommendation)) => suggestion
                .with_diagnostic("for_recommendation", 1.0)
                .with_diagnostic("acquisition", chosen.value),
            _ => suggestion.with_diagnostic("acquisition", chosen.value),
        };
        if last.is_some()
            && let Some(improvement) = &mut improvement
        {
            improvement.at_best = self.state.feasible_improvement(&chosen.x, target);
        }
        if let Some(Improvement { largest, at_best }) = improvement {
            suggestion = suggestion
                .with_outlook(&EXPECTED_IMPROVEMENT, largest)
                .with_memo(&EXPECTED_IMPROVEMENT_RANGE, &self.state.range())
                .with_outlook(&EXPECTED_GAIN, self.state.in_units_of_loss(at_best, target));
        }
        Ok(Ask::Evaluate(suggestion))
    }

    fn outlook(&mut self, by: Option<&dyn AcquisitionFactory>) -> Result<Option<Outlook>, OptimizerError> {
        let search = self.search(by)?;
        let (target, improvement) = (search.target, search.improvement);
        let largest = || self.state.max_expected_improvement(target).map(|(_, expected)| expected);
        let expected = improvement.map(|of_rule| of_rule.largest).or_else(largest).unwrap_or(0.0);
        Ok(Some(Outlook { expected, range: self.state.range(), target: Some(target) }))
    }

    fn maximize(&self, acquisition: &dyn Acquisition, purpose: &str) -> Vec<Candidate> {
        self.state.maximize(acquisition, purpose)
    }

    fn uniform(&self, count: usize, rng: &mut Stream) -> Points {
        random_points(self.space().domain(), |x| self.state.is_allowed(x), count, rng)
    }

    fn suggest(
        &mut self,
        mut candidates: Vec<Candidate>,
    ) -> Result<Option<Suggestion<Config>>, OptimizerError> {
        let is_usable = |x: &[f64]| self.state.is_allowed(x) && !self.state.is_known(x);
        if self.optimizer.known_constraint().is_some() && !candidates.iter().any(|one| is_usable(&one.x)) {
            candidates.append(&mut self.search(None)?.candidates);
        }
        Ok(self.state.first_allowed(candidates)?.map(|chosen| self.suggestion(&chosen.x)))
    }
}
