//! Choice of a configuration and a fold among the candidates of an acquisition.

use thrifty_acquisition::{Acquisition, AcquisitionError, Masked, UtilityScale, weigh};
use thrifty_model_based::Candidate;
use thrifty_sampling::Stream;
use thrifty_study::{OptimizerError, StopReason, TrialId};

use crate::{FoldKnowledge, FoldSurrogateState, FractionalCv, fold};

impl FractionalCv {
    pub(crate) fn is_allowed(&self, x: &[f64]) -> bool {
        self.known_constraint.allows_point(&self.space, x)
    }

    /// The best allowed points of an acquisition function, best first.
    pub(crate) fn candidates(
        &self,
        acquisition: &dyn Acquisition,
        anchors: &[&[f64]],
        rng: &mut Stream,
    ) -> Vec<Candidate> {
        let masked = Masked::new(acquisition, |x: &[f64]| self.is_allowed(x));
        let mut found = self.settings.maximizer.candidates(self.space.domain(), &masked, anchors, rng);
        found.retain(|candidate| self.is_allowed(&candidate.x));
        found
    }

    /// The first candidate with a new fold whose expected gain reaches `threshold`. Returned with that fold and the expected decrease of
    /// the best mean.
    pub(crate) fn choose(
        &self,
        belief: &FoldSurrogateState,
        candidates: Vec<Candidate>,
        threshold: f64,
        id: TrialId,
        rng: &mut Stream,
    ) -> Result<Option<Choice>, OptimizerError> {
        let all = self.settings.all_folds();
        let mut considered = 0;
        for candidate in candidates {
            let new = belief.new_folds(&candidate.x, all);
            if new.is_empty() {
                continue;
            }
            let code = fold::choose(&self.settings, belief, &candidate.x, &new, id, rng)?;
            let gain = feasible_gain(belief, &candidate.x, code)?;
            if gain >= threshold {
                return Ok(Some(Choice { candidate, code, gain }));
            }
            considered += 1;
            if considered == CONSIDERED {
                break;
            }
        }
        Ok(None)
    }

    /// The knowledge gradient over configuration and fold, times the weights of constraints and failures.
    fn feasible_knowledge<'a>(
        &self,
        belief: &'a FoldSurrogateState,
    ) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        let knowledge = FoldKnowledge::new(belief, self.settings.folds, self.settings.repeats)?;
        let weights = belief.constraints().log_weights();
        let baseline = belief.baseline();
        weigh(Box::new(knowledge), UtilityScale::Log, weights, baseline.row(0), baseline)
    }

    /// Last resort when no candidate is worth a fit: the most valuable pair of configuration and fold, or a reason to stop.
    pub(crate) fn last_resort(
        &self,
        belief: &FoldSurrogateState,
        anchors: &[&[f64]],
        threshold: f64,
        rng: &mut Stream,
    ) -> Result<Result<Choice, StopReason>, OptimizerError> {
        let building = |error| OptimizerError::failed("building the acquisition", error);
        let knowledge = self.feasible_knowledge(belief).map_err(building)?;
        let candidates = self.candidates(&*knowledge, anchors, rng);
        let mut expected = 0.0;
        for candidate in candidates.into_iter().take(CONSIDERED) {
            let new = belief.new_folds(&candidate.x, self.settings.all_folds());
            let options = FoldKnowledge::of_folds(belief, &new).map_err(building)?;
            let Some((code, _)) = options.best(&candidate.x) else { continue };
            let gain = feasible_gain(belief, &candidate.x, code)?;
            if gain >= threshold {
                return Ok(Ok(Choice { candidate, code, gain }));
            }
            expected = gain.max(expected);
        }
        Ok(Err(StopReason::NoImprovement { expected, threshold }))
    }
}

/// Expected decrease of the best mean by a fold of a configuration, times the probability that the configuration is feasible. Infinite
/// while no evaluated configuration is probably feasible: the first such configuration is worth any fit.
fn feasible_gain(belief: &FoldSurrogateState, x: &[f64], code: usize) -> Result<f64, OptimizerError> {
    if !belief.has_feasible() {
        return Ok(f64::INFINITY);
    }
    let knowledge = FoldKnowledge::of_folds(belief, &[code])
        .map_err(|error| OptimizerError::failed("weighing a fold", error))?;
    Ok(knowledge.gain(x) * belief.probability_feasible(x))
}

/// Number of candidates that are tried before the search for the most valuable pair.
const CONSIDERED: usize = 8;

/// Choice of a configuration and a fold.
pub(crate) struct Choice {
    pub(crate) candidate: Candidate,
    pub(crate) code: usize,
    /// Expected decrease of the best mean among the feasible configurations.
    pub(crate) gain: f64,
}
