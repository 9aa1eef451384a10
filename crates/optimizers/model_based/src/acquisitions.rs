//! Acquisition functions on a surrogate state.

use thrifty_acquisition::{
    Acquisition, AcquisitionError, AcquisitionFactory, Average, Context, LogExcess, PosteriorMean,
    UtilityScale, weigh,
};
use thrifty_domain::Points;
use thrifty_space::KnownConstraint;
use thrifty_surrogate::FittedSurrogate;

use crate::first_feasible::LogFirstFeasible;
use crate::running::LIKELY;
use crate::ties::LogNewPiece;
use crate::weights::weighted_logarithm;
use crate::{PendingPolicy, SurrogateState};

impl SurrogateState<'_> {
    /// The acquisition that a factory builds here: per unit of cost where the settings ask for it, times the probability of being
    /// feasible where there are constraints, and that alone until something feasible was measured. Where losses tie it counts times the
    /// probability of another loss.
    ///
    /// # Errors
    /// [`AcquisitionError`] for a setting outside its range, or a model that lacks what the acquisition needs.
    pub fn acquisition(
        &self,
        factory: &dyn AcquisitionFactory,
    ) -> Result<Box<dyn Acquisition + '_>, AcquisitionError> {
        if !self.feasible.contains(&true) {
            return self.first_feasible();
        }
        self.weighted(self.unweighted(factory)?, factory.scale(), Vec::new())
    }

    /// The posterior mean, negated; where constraints are measured or costs count, the logarithm of its improvement on a target times the weights:
    ///
    /// ```text
    /// ln(s ln(1 + exp((f* - μ(x))/s))) + Σ_j ln w_j(x)
    /// ```
    ///
    /// Expected improvement of an objective that is known, beside constraints that are not. The scale s > 0 smooths it: as s vanishes the first term
    /// becomes the logarithm of the improvement. The [weighted](Self::weighted) mean has the spread of all means for a scale, beside which a small
    /// improvement is worth no risk of an infeasible point.
    ///
    /// # Errors
    /// [`AcquisitionError`] for a target that is not finite, and a scale that is not positive.
    pub fn mean_improvement(
        &self,
        target: f64,
        scale: f64,
    ) -> Result<Box<dyn Acquisition + '_>, AcquisitionError> {
        let mean = self.unweighted(&PosteriorMean)?;
        if self.weights.models().next().is_none() && self.pieces.is_none() {
            return Ok(mean);
        }
        let improvement = LogExcess::new(mean, -target, scale)?;
        self.weighted(Box::new(improvement), UtilityScale::Log, Vec::new())
    }

    /// The weight of a point: the probability of being feasible, and one over the cost where the settings count it.
    #[must_use]
    pub fn weight(&self, x: &[f64]) -> f64 {
        self.weights.logarithms().iter().map(|logarithm| logarithm.value(x)).sum::<f64>().exp()
    }

    /// A utility times the weights of this state: the probability of being feasible, the cost where the settings count it, and the probability
    /// of a loss that is not known where losses tie.
    ///
    /// # Errors
    /// As [`weigh`].
    pub fn weighted<'b>(
        &'b self,
        acquisition: Box<dyn Acquisition + 'b>,
        scale: UtilityScale,
        more: Vec<Box<dyn Acquisition + 'b>>,
    ) -> Result<Box<dyn Acquisition + 'b>, AcquisitionError> {
        let weights = self.weights.logarithms().into_iter().chain(self.log_new_piece()).chain(more).collect();
        weigh(acquisition, scale, weights, self.x.row(self.incumbent()), self.x.as_ref())
    }

    /// The logarithm of the weight of a point where losses tie.
    pub(crate) fn log_new_piece(&self) -> Option<Box<dyn Acquisition + '_>> {
        let pieces = self.pieces.as_ref()?;
        Some(Box::new(LogNewPiece(pieces)))
    }

    /// The measured point with the smallest loss among those that break no constraint, else among all.
    fn incumbent(&self) -> usize {
        let any = self.feasible.contains(&true);
        let counted = (0..self.y.len()).filter(|&i| self.feasible[i] || !any);
        counted.reduce(|best, i| if self.y[i] < self.y[best] { i } else { best }).unwrap_or(0)
    }

    /// The probability of being feasible, by cost where costs count; beside running trials that of being the first.
    fn first_feasible(&self) -> Result<Box<dyn Acquisition + '_>, AcquisitionError> {
        if let PendingPolicy::Fantasies { draws } = self.settings.pending {
            let mut rng = self.seed.stream("acquisition draws", self.id.0);
            let first = LogFirstFeasible::new(&self.constraints(), &self.running.points, draws, &mut rng)?;
            if let Some(first) = first {
                let weights = self.weights.log_inverse_cost().into_iter().collect();
                return Ok(Box::new(weighted_logarithm(Some(Box::new(first)), weights)));
            }
        }
        Ok(Box::new(weighted_logarithm(None, self.weights.logarithms())))
    }

    /// True where some points are not allowed, or may break a measured constraint.
    fn has_constraints(&self) -> bool {
        self.known_constraint.is_some_and(KnownConstraint::is_some)
            || self.weights.constraints().next().is_some()
    }

    /// True if a point is allowed and likely to break no constraint.
    fn is_promising(&self, x: &[f64]) -> bool {
        let is_likely = |probability| probability >= LIKELY;
        self.is_allowed(x) && self.probability_feasible(x).is_none_or(is_likely)
    }

    /// Points that the next is to be better than, and how many of them are running: measured ones, then running trials. What failed or
    /// breaks a constraint is nothing to improve on.
    fn baseline(&self) -> (Points, usize) {
        let mut baseline = Points::new(self.x.dim());
        let feasible = self.x.rows().zip(&self.feasible).filter(|(_, feasible)| **feasible);
        feasible.for_each(|(point, _)| baseline.push(point));
        let running = self.running.likely_points(&self.constraints());
        running.rows().for_each(|point| baseline.push(point));
        (baseline, running.len())
    }

    /// The acquisition of a factory, averaged over the members of a mixture where it asks for that.
    fn unweighted(
        &self,
        factory: &dyn AcquisitionFactory,
    ) -> Result<Box<dyn Acquisition + '_>, AcquisitionError> {
        if !factory.is_averaged() || self.members().is_empty() {
            return self.unweighted_on(factory, &*self.objective.fitted, self.running.model(), self.means());
        }
        // Imagined outcomes leave the members in their order.
        let before = self.running.model().map_or(&[][..], FittedSurrogate::members);
        let after = self.members();
        let mixture = &*self.objective.fitted;
        let shared = self.in_context(factory, mixture, self.running.model(), self.means(), |context| {
            factory.for_mixture(context)
        })?;
        let factory = shared.as_deref().unwrap_or(factory);
        let mut each = Vec::with_capacity(after.len());
        for (k, member) in after.iter().enumerate() {
            let mut means = vec![0.0; self.y.len()];
            member.fitted.posterior().mean_into(self.x.as_ref(), &mut means);
            let before = before.get(k).map(|member| &*member.fitted);
            each.push((member.weight, self.unweighted_on(factory, &*member.fitted, before, &means)?));
        }
        let average = Average::weighted(each)?;
        Ok(Box::new(if factory.scale() == UtilityScale::Log { average.in_logarithms() } else { average }))
    }

    /// The acquisition of a factory on one model: `before` is the model without imagined outcomes of running trials, `means` are those at the
    /// measured points.
    fn unweighted_on<'b>(
        &'b self,
        factory: &dyn AcquisitionFactory,
        model: &'b dyn FittedSurrogate,
        before: Option<&'b dyn FittedSurrogate>,
        means: &[f64],
    ) -> Result<Box<dyn Acquisition + 'b>, AcquisitionError> {
        let mut rng = self.seed.stream("acquisition draws", self.id.0);
        let target = |losses: &[f64]| self.target_beside(factory.target(), means, losses);
        if let Some(before) = before
            && let Some(over_draws) =
                self.running.over_draws(before.posterior(), factory, &self.constraints(), target, &mut rng)?
        {
            return Ok(over_draws);
        }
        self.in_context(factory, model, before, means, |context| factory.build(context))
    }

    /// Calls with the context of a factory on one model: `before` and `means` are as in [`Self::unweighted_on`].
    fn in_context<'b, T>(
        &'b self,
        factory: &dyn AcquisitionFactory,
        model: &'b dyn FittedSurrogate,
        before: Option<&'b dyn FittedSurrogate>,
        means: &[f64],
        call: impl FnOnce(Context<'b, '_>) -> T,
    ) -> T {
        let mut rng = self.seed.stream("acquisition draws", self.id.0);
        let posterior = match before {
            Some(before) if factory.handles_pending() => before.posterior(),
            _ => model.posterior(),
        };
        let is_promising = |x: &[f64]| self.is_promising(x);
        let (observed, running) = self.baseline();
        let incumbents = self.running.incumbents(&self.constraints());
        call(Context {
            posterior,
            target: self.target_beside(factory.target(), means, &incumbents),
            t: self.y.len() + 1,
            domain: self.space.domain(),
            observed: observed.as_ref(),
            running,
            joint_limit: model.joint_limit(),
            is_promising: self.has_constraints().then_some(&is_promising),
            noise_variance: model.noise_variance() + self.expected_noise(),
            rng: &mut rng,
        })
    }
}
