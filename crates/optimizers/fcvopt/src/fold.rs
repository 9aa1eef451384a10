//! Selection of the next fold.

use thrifty_hgp::FoldGain;
use thrifty_sampling::Stream;
use thrifty_study::{OptimizerError, TrialId};

use crate::knowledge::FoldKnowledge;
use crate::{FoldAcquisition, FoldRule, FoldSurrogateState, FractionalSettings};

/// Selects the fold to measure among the new folds of a configuration.
pub(crate) fn choose(
    settings: &FractionalSettings,
    belief: &FoldSurrogateState,
    x: &[f64],
    new: &[usize],
    id: TrialId,
    rng: &mut Stream,
) -> Result<usize, OptimizerError> {
    let failed = |error| OptimizerError::failed(format!("choosing the fold of trial {}", id.0), error);
    if settings.acquisition == FoldAcquisition::JointKnowledgeGradient {
        let knowledge = FoldKnowledge::of_folds(belief, new)
            .map_err(|error| OptimizerError::failed(format!("choosing the fold of trial {}", id.0), error))?;
        return Ok(knowledge.best(x).map_or(new[0], |best| best.0));
    }
    let gains = || belief.target().fold_gains(x, new).map_err(failed);
    let least = |gains: Vec<FoldGain>, badness: &dyn Fn(&FoldGain) -> f64| {
        let best = gains.into_iter().reduce(|a, b| if badness(&b) < badness(&a) { b } else { a });
        best.map_or(new[0], |gain| gain.fold)
    };
    Ok(match settings.fold {
        FoldRule::LeastVariance => least(gains()?, &|gain| {
            // By the gain per unit of cost. With equal costs, the order is that of the remaining variance.
            let cost = belief.costs().of_fold(gain.fold).value(x).exp();
            -gain.covariance * gain.covariance / gain.variance.max(f64::MIN_POSITIVE) / cost
        }),
        FoldRule::Package => {
            let prior = belief.target().prior_variance(x).map_err(failed)?;
            least(gains()?, &|gain| (prior - gain.covariance) * -gain.covariance)
        }
        FoldRule::Random => new[rng.index(new.len())],
        FoldRule::RoundRobin => {
            let wanted = (id.0 % settings.all_folds() as u64) as usize;
            new.iter().copied().find(|fold| *fold >= wanted).unwrap_or(new[0])
        }
    })
}
