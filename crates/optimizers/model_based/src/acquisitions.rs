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
    /// The acquisition that a factory builds on this state, with its weights.
    ///
    /// It is divided by the expected cost where the settings ask for it, and multiplied by the probability of being feasible where there
    /// are constraints. Where losses tie, it is also multiplied by the probability that the point is on no known piece.
    /// Until a feasible point was measured, the result is the probability of being feasible, divided by the cost where costs count.
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

    /// The negated posterior mean. With weights (constraints, costs or ties) it is instead the logarithm of the improvement on a target,
    /// times the weights:
    ///
    /// ```text
    /// ln(s ln(1 + exp((f* - μ(x))/s))) + Σ_j ln w_j(x)
    /// ```
    ///
    /// This is expected improvement for a known objective with unknown constraints. f* is the target, μ the posterior mean and `w_j` the
    /// weights. The scale s > 0 smooths the improvement: as s vanishes, the first term becomes its logarithm.
    /// The [weighted](Self::weighted) mean takes the spread of all means as its scale. On that scale a small improvement never outweighs
    /// the risk of an infeasible point.
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

    /// The weight of a point: its probability of being feasible, divided by its cost where the settings count costs.
    #[must_use]
    pub fn weight(&self, x: &[f64]) -> f64 {
        self.weights.logarithms().iter().map(|logarithm| logarithm.value(x)).sum::<f64>().exp()
    }

    /// An acquisition times the weights of this state and `more`.
    ///
    /// The weights are the probability of being feasible, the cost where the settings count it, and, where losses tie, the probability that
    /// the point is on no known piece.
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

    /// Logarithm of the probability that a point is on no known piece; `None` where losses do not tie.
    pub(crate) fn log_new_piece(&self) -> Option<Box<dyn Acquisition + '_>> {
        let pieces = self.pieces.as_ref()?;
        Some(Box::new(LogNewPiece(pieces)))
    }

    /// Index of the measured point with the smallest loss: among the feasible points if there is one, else among all.
    fn incumbent(&self) -> usize {
        let any = self.feasible.contains(&true);
        let counted = (0..self.y.len()).filter(|&i| self.feasible[i] || !any);
        counted.reduce(|best, i| if self.y[i] < self.y[best] { i } else { best }).unwrap_or(0)
    }

    /// The probability of being feasible, divided by the cost where costs count. With running trials it is the probability of being the
    /// first feasible point.
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

    /// True if some points are not allowed, or if a measured constraint exists.
    fn has_constraints(&self) -> bool {
        self.known_constraint.is_some_and(KnownConstraint::is_some)
            || self.weights.constraints().next().is_some()
    }

    /// True if a point is allowed and likely to break no constraint.
    fn is_promising(&self, x: &[f64]) -> bool {
        let is_likely = |probability| probability >= LIKELY;
        self.is_allowed(x) && self.probability_feasible(x).is_none_or(is_likely)
    }

    /// Points that the next one should improve on, and how many of them are running trials. Feasible measured points come first, then
    /// running trials that are likely to be feasible. Failed and infeasible trials are left out.
    fn baseline(&self) -> (Points, usize) {
        let mut baseline = Points::new(self.x.dim());
        let feasible = self.x.rows().zip(&self.feasible).filter(|(_, feasible)| **feasible);
        feasible.for_each(|(point, _)| baseline.push(point));
        let running = self.running.likely_points(&self.constraints());
        running.rows().for_each(|point| baseline.push(point));
        (baseline, running.len())
    }

    /// The acquisition of a factory, averaged over the members of a mixture if the factory asks for it.
    fn unweighted(
        &self,
        factory: &dyn AcquisitionFactory,
    ) -> Result<Box<dyn Acquisition + '_>, AcquisitionError> {
        if !factory.is_averaged() || self.members().is_empty() {
            return self.unweighted_on(factory, &*self.objective.fitted, self.running.model(), self.means());
        }
        // Fantasies do not change the order of the members.
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

    /// The acquisition of a factory on one model. `before` is the model without the fantasies of running trials; `means` are the posterior
    /// means at the measured points.
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

    /// Calls `call` with the context of a factory on one model; `before` and `means` are as in [`Self::unweighted_on`].
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
