//! Knowledge gradient at the target fidelity.

use std::collections::HashSet;

use thrifty_acquisition::{
    Acquisition, AcquisitionError, AcquisitionFactory, Analytic, Context, Description, KnowledgeGradient,
    Masked, PosteriorMean, UtilityScale, choose_anchors, most_promising,
};
use thrifty_domain::Points;
use thrifty_model_based::Maximizer;

use crate::lookahead::at_target;
use crate::reached::key;
use crate::{FidelityAxis, TargetLookahead};

/// Factory of the log knowledge gradient at the target fidelity: the expected decrease of the best posterior mean at the target, after an
/// evaluation of a configuration at some fidelity.
///
/// Anchors are at the target: the minimizer of the posterior mean, and points chosen from the posterior ([`choose_anchors`]). With the
/// minimizer among them, a point is valued by its information, not because it may be recommended afterwards. Otherwise the cheapest
/// evaluation of the best mean would always win.
///
/// With constraints, both are searched among promising points. An infeasible point may have the smallest mean, and no evaluation of a
/// feasible point would lower it.
/// Source: Wu et al. (2020), section 3; departures: exact on anchors, value of the last observation only.
#[derive(Debug, Clone)]
pub struct TargetKnowledgeGradient<'s> {
    /// The fidelity.
    pub axis: &'s FidelityAxis,
    /// Number of anchors; fewer than 2 count as 2.
    pub anchors: usize,
    /// Maximizer that finds the minimizer of the posterior mean.
    pub maximizer: &'s Maximizer,
}

/// Sobol points among which anchors are chosen.
const CANDIDATES: usize = 128;

impl TargetKnowledgeGradient<'_> {
    /// The anchors of a context.
    ///
    /// # Errors
    /// [`AcquisitionError`] for a posterior without joint covariances, or a covariance that cannot be factored.
    pub fn anchors(&self, context: &mut Context<'_, '_>) -> Result<Points, AcquisitionError> {
        let joint = context.joint()?;
        let (all, is_promising) = (context.pool(CANDIDATES), context.is_promising);
        let all = at_target(self.axis, all.as_ref());
        // Constraints are checked at the target. If no point is promising, all points are candidates.
        let is_promising = |x: &[f64]| is_promising.is_none_or(|is_promising| is_promising(x));
        let any = all.rows().any(is_promising);
        // A configuration at several fidelities is one point at the target.
        let mut known = HashSet::new();
        let is_new = |row: &&[f64]| known.insert(key(row));
        let rows = all.rows().filter(|row| !any || is_promising(row)).filter(is_new);
        let mut distinct = Points::new(context.domain.dim());
        rows.for_each(|row| distinct.push(row));
        let limit = context.joint_limit.saturating_add(CANDIDATES);
        let mut pool = Points::new(context.domain.dim());
        for i in most_promising(context.posterior, distinct.as_ref(), limit) {
            pool.push(distinct.row(i));
        }
        let mut anchors = choose_anchors(joint, pool.as_ref(), self.anchors.max(2) - 1, context.rng)?;
        let mut at = vec![0.5; context.domain.dim()];
        self.axis.move_to_target(&mut at);
        let domain = context.domain.clone().pinned(&[self.axis.index()], &at);
        let is_allowed = |x: &[f64]| !any || is_promising(x);
        let mean = Masked::new(Analytic::new(context.posterior, PosteriorMean), is_allowed);
        let starts: Vec<&[f64]> = pool.rows().collect();
        let found = self.maximizer.candidates(&domain, &mean, &best_first(&mean, &starts), context.rng);
        if let Some(best) = found.first().filter(|best| is_allowed(&best.x)) {
            anchors.push(&best.x);
        }
        Ok(anchors)
    }
}

/// Points by their value, best first.
fn best_first<'p>(acquisition: &dyn Acquisition, points: &[&'p [f64]]) -> Vec<&'p [f64]> {
    let mut ranked: Vec<(f64, &[f64])> = points.iter().map(|x| (acquisition.value(x), *x)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked.into_iter().map(|(_, x)| x).collect()
}

/// The logarithm of the knowledge gradient at the target on given anchors.
///
/// # Errors
/// [`AcquisitionError`] for no anchors.
pub fn target_knowledge_gradient(
    lookahead: TargetLookahead<'_>,
) -> Result<KnowledgeGradient<'_>, AcquisitionError> {
    Ok(KnowledgeGradient::of(Box::new(lookahead))?.logarithm())
}

impl AcquisitionFactory for TargetKnowledgeGradient<'_> {
    fn build<'a>(&self, mut context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        let anchors = self.anchors(&mut context)?;
        let lookahead =
            TargetLookahead::new(context.joint()?, self.axis, anchors.as_ref(), context.noise_variance);
        Ok(Box::new(target_knowledge_gradient(lookahead)?))
    }

    fn scale(&self) -> UtilityScale {
        UtilityScale::Log
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        Ok(Description::without_settings("knowledge gradient at the target fidelity"))
    }

    fn is_averaged(&self) -> bool {
        false
    }
}
