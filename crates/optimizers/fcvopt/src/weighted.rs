//! The acquisition function on the target, weighted by cost and constraints.

use thrifty_acquisition::{
    Acquisition, AcquisitionError, AcquisitionFactory, Context, ImprovementTarget, KnowledgeGradient,
    UtilityScale, ZeroLog, weigh,
};
use thrifty_sampling::Seed;
use thrifty_study::TrialId;
use thrifty_surrogate::JOINT_LIMIT;

use crate::{FoldAcquisition, FoldKnowledge, FoldSurrogateState, FractionalCv};

impl FractionalCv {
    /// Improvement target of the acquisition function; `None` for a knowledge gradient.
    pub(crate) fn target_of(&self, by: Option<&dyn AcquisitionFactory>) -> Option<ImprovementTarget> {
        match (by.or(self.acquisition.as_deref()), self.settings.acquisition) {
            (Some(own), _) => Some(own.target()),
            (None, FoldAcquisition::OfLoss(kind)) => Some(kind.target()),
            (None, _) => None,
        }
    }

    /// The acquisition function with the weights of cost and constraints. `incumbent` is the best configuration, `target_loss` the loss to
    /// improve on.
    pub(crate) fn acquisition_on<'a>(
        &self,
        state: &'a FoldSurrogateState,
        (incumbent, target_loss): (&'a [f64], f64),
        by: Option<&dyn AcquisitionFactory>,
        (seed, id): (Seed, TrialId),
    ) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        // Until a configuration is probably feasible, only feasibility is searched; costs already count.
        let feasible = state.is_probably_feasible(incumbent);
        let target = state.target();
        let (acquisition, scale, counts_cost): (Box<dyn Acquisition + 'a>, _, _) =
            match (by.or(self.acquisition.as_deref()), self.settings.acquisition) {
                _ if !feasible => (Box::new(ZeroLog), UtilityScale::Log, false),
                (None, FoldAcquisition::KnowledgeGradient) => {
                    let noise = target.noise_variance();
                    let gain = KnowledgeGradient::new(target, state.baseline(), noise)?.logarithm();
                    (Box::new(gain), UtilityScale::Log, false)
                }
                (None, FoldAcquisition::JointKnowledgeGradient) => {
                    let gain = FoldKnowledge::new(state, self.settings.folds, self.settings.repeats)?;
                    (Box::new(gain), UtilityScale::Log, true)
                }
                (None, FoldAcquisition::OfLoss(kind)) => {
                    (self.on_target(&kind, state, target_loss, (seed, id))?, kind.scale(), false)
                }
                (Some(own), _) => (self.on_target(own, state, target_loss, (seed, id))?, own.scale(), false),
            };
        let mut weights = state.constraints().log_weights();
        if let Some(cost) = state.costs().log_inverse().filter(|_| !counts_cost) {
            weights.push(Box::new(cost));
        }
        weigh(acquisition, scale, weights, incumbent, state.evaluated())
    }

    /// An acquisition function on the posterior of the target.
    fn on_target<'a>(
        &self,
        factory: &dyn AcquisitionFactory,
        state: &'a FoldSurrogateState,
        target_loss: f64,
        (seed, id): (Seed, TrialId),
    ) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        let has_constraints = self.known_constraint.is_some() || state.constraints().any();
        let is_promising = |x: &[f64]| self.is_allowed(x) && state.is_probably_feasible(x);
        factory.build(Context {
            posterior: state.target(),
            target: target_loss,
            t: state.observations() + 1,
            domain: self.space.domain(),
            observed: state.baseline(),
            running: 0,
            joint_limit: JOINT_LIMIT,
            is_promising: has_constraints.then_some(&is_promising),
            noise_variance: state.target().noise_variance(),
            rng: &mut seed.stream("acquisition draws", id.0),
        })
    }
}
