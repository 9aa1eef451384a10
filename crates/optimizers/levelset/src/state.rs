//! State of level-set estimation before a suggestion.

use std::sync::OnceLock;

use thrifty_acquisition::{
    Acquisition, AcquisitionError, Analytic, ImprovementTarget, LogExpectedImprovement, Straddle, Utility,
    UtilityScale, ZeroLog,
};
use thrifty_domain::Points;
use thrifty_model_based::{Candidate, SurrogateState};
use thrifty_sampling::Seed;
use thrifty_study::{OptimizerError, TrialId};
use thrifty_surrogate::{FittedSurrogate, Posterior};

use crate::cost::{KnownCost, LogInverseKnownCost, PerCost};
use crate::criterion::CriterionContext;
use crate::{Classified, Criterion, Label, LevelSetSettings, diagnostics};

/// The surrogates, the classified domain, and the points of the trials.
pub(crate) struct LevelSetState<'a> {
    pub(crate) surrogates: SurrogateState<'a>,
    pub(crate) classified: Classified,
    pub(crate) pending: Points,
    /// Points without a measurement, for a reason related to them. They add no data and are not asked again.
    pub(crate) failed: Points,
    /// Points that were asked, except failures that are unrelated to them.
    pub(crate) asked: Points,
    pub(crate) cost: Option<&'a KnownCost>,
    /// The surrogate after fantasies of the pending trials, computed on first use.
    pub(crate) imagined: OnceLock<Option<Box<dyn FittedSurrogate>>>,
}

impl LevelSetState<'_> {
    /// The posterior after fantasies of the pending trials at their means.
    pub(crate) fn after(&self) -> &dyn Posterior {
        let imagined = self.imagined.get_or_init(|| self.surrogates.with_fantasies(self.pending.as_ref()));
        imagined.as_ref().map_or(self.surrogates.posterior(), |model| model.posterior())
    }

    /// Expected improvement on the smallest feasible loss, with the weights of a criterion. Pending trials count at their means. Until a
    /// feasible point was measured, only the weights count.
    pub(crate) fn improvement(&self) -> Result<Box<dyn Acquisition + '_>, OptimizerError> {
        let after = self.after();
        let measured = self.surrogates.target(ImprovementTarget::BestObserved);
        let is_likely = |x: &&[f64]| self.surrogates.probability_feasible(x).is_none_or(|p| p >= 0.5);
        let pending = self.pending.rows().filter(is_likely).map(|x| after.predict(x).mean);
        let target = pending.fold(measured, f64::min);
        let improvement: Box<dyn Acquisition + '_> = if measured.is_finite() {
            Box::new(Analytic::new(after, LogExpectedImprovement { target }))
        } else {
            Box::new(ZeroLog)
        };
        let failed = |error| OptimizerError::failed("building the expected improvement", error);
        self.weighted(improvement, UtilityScale::Log).map_err(failed)
    }

    /// The best point of the criterion.
    pub(crate) fn choose(
        &self,
        settings: &LevelSetSettings,
        seed: Seed,
        id: TrialId,
    ) -> Result<Option<Candidate>, OptimizerError> {
        let (now, after) = (self.surrogates.posterior(), self.after());
        let open = self.open(settings);
        if settings.over.is_finite() && open.is_empty() {
            return Ok(None);
        }
        if settings.criterion == Criterion::Random {
            let mut rng = seed.stream("random point", id.0);
            if settings.over.is_finite() {
                let x = open.row(rng.index(open.len())).to_vec();
                return Ok(Some(Candidate { x, value: 0.0 }));
            }
            let space = self.surrogates.space();
            let x = space
                .encode(&space.sample(&mut rng))
                .map_err(|error| OptimizerError::failed("encoding a random point", error))?;
            return self.surrogates.first_allowed(vec![Candidate { x, value: 0.0 }]);
        }
        if settings.criterion == Criterion::Ambiguity {
            return Ok(self.most_ambiguous(settings, after));
        }
        let undecided: Vec<bool> =
            self.classified.labels().iter().map(|label| *label == Label::Undecided).collect();
        let context = CriterionContext {
            now,
            after,
            points: self.classified.points(),
            threshold: self.classified.level().estimate,
            noise: self.surrogates.noise_variance(),
            integration: settings.integration,
            undecided: &undecided,
            beta: self.classified.accuracy().1,
            spread: diagnostics::sample_variance(self.surrogates.losses()).sqrt(),
        };
        let failed = |error| OptimizerError::failed("building the criterion", error);
        let acquisition =
            settings.criterion.on(&context, &mut seed.stream("criterion", id.0)).map_err(failed)?;
        let Some(acquisition) = acquisition else { return Ok(None) };
        let acquisition = self.weighted(acquisition, settings.criterion.scale()).map_err(failed)?;
        if settings.over.is_finite() {
            let shortlist = settings.criterion.looks_ahead().then_some(settings.shortlist);
            return Ok(best_of(&*acquisition, &context, &open, shortlist));
        }
        self.surrogates.first_allowed(self.surrogates.maximize(&*acquisition, "acquisition"))
    }

    /// A utility per unit of known cost, times the probability that all constraints hold.
    fn weighted<'b>(
        &'b self,
        acquisition: Box<dyn Acquisition + 'b>,
        scale: UtilityScale,
    ) -> Result<Box<dyn Acquisition + 'b>, AcquisitionError> {
        let space = self.surrogates.space();
        let (acquisition, more): (_, Vec<Box<dyn Acquisition + 'b>>) = match self.cost {
            Some(cost) if scale == UtilityScale::NonNegative => {
                (Box::new(PerCost { acquisition, cost, space }) as Box<dyn Acquisition + 'b>, Vec::new())
            }
            Some(cost) => (acquisition, vec![Box::new(LogInverseKnownCost { cost, space })]),
            None => (acquisition, Vec::new()),
        };
        self.surrogates.weighted(acquisition, scale, more)
    }

    /// The weight of a point by known cost, measured cost and constraints.
    fn weight(&self, x: &[f64]) -> f64 {
        let per_cost = self.cost.map_or(1.0, |cost| 1.0 / cost.positive(&self.surrogates.space().decode(x)));
        per_cost * self.surrogates.weight(x)
    }

    /// True for a point that is not asked again: a failed one, and any asked one unless points are revisited.
    fn is_closed(&self, settings: &LevelSetSettings, x: &[f64]) -> bool {
        contains(&self.failed, x) || (!settings.revisit && contains(&self.asked, x))
    }

    /// Points that may be evaluated: those not asked, or, if points are revisited, all that did not fail.
    pub(crate) fn open(&self, settings: &LevelSetSettings) -> Points {
        let mut open = Points::new(self.asked.dim());
        let is_open = |x: &&[f64]| self.surrogates.is_allowed(x) && !self.is_closed(settings, x);
        self.classified.points().rows().filter(is_open).for_each(|x| open.push(x));
        open
    }

    /// The most ambiguous point by the classification intervals, restricted by the intervals after pending trials.
    fn most_ambiguous(&self, settings: &LevelSetSettings, after: &dyn Posterior) -> Option<Candidate> {
        let (points, intervals) = (self.classified.points(), self.classified.intervals());
        let (level, width) = (self.classified.level(), self.classified.accuracy().1.sqrt());
        let (mut mean, mut variance) = (vec![0.0; points.len()], vec![0.0; points.len()]);
        after.predict_into(points, &mut mean, &mut variance);
        let implicit = level.pessimistic < level.optimistic;
        // If no undecided point can be evaluated, use any point that can.
        let undecided = (0..points.len()).any(|i| {
            self.classified.labels()[i] == Label::Undecided
                && self.surrogates.is_allowed(points.row(i))
                && !self.is_closed(settings, points.row(i))
        });
        let value = |i: usize| {
            let x = points.row(i);
            let known = self.is_closed(settings, x) || (settings.revisit && contains(&self.pending, x));
            let decided = undecided && self.classified.labels()[i] != Label::Undecided;
            // For an implicit threshold, also points where the maximum may be.
            let may_be_maximum = implicit
                && matches!(settings.threshold, crate::Threshold::Implicit { omega }
                    if omega * intervals.upper[i] >= level.pessimistic);
            if known || !self.surrogates.is_allowed(x) || (decided && !may_be_maximum) {
                return f64::NEG_INFINITY;
            }
            let std_dev = variance[i].sqrt();
            let (lower, upper) = (
                intervals.lower[i].max(mean[i] - width * std_dev),
                intervals.upper[i].min(mean[i] + width * std_dev),
            );
            let ambiguity =
                if implicit { upper - lower } else { (upper - level.estimate).min(level.estimate - lower) };
            if ambiguity > 0.0 { ambiguity * self.weight(x) } else { ambiguity }
        };
        let values: Vec<f64> = (0..points.len()).map(value).collect();
        let best = largest(&values).filter(|i| values[*i] > f64::NEG_INFINITY)?;
        Some(Candidate { x: points.row(best).to_vec(), value: values[best] })
    }
}

/// The best of finitely many points; if all values are equal, the one with the largest variance.
fn best_of(
    acquisition: &dyn Acquisition,
    context: &CriterionContext<'_>,
    open: &Points,
    shortlist: Option<usize>,
) -> Option<Candidate> {
    let (mut mean, mut variance) = (vec![0.0; open.len()], vec![0.0; open.len()]);
    let mut listed: Vec<usize> = (0..open.len()).collect();
    context.after.predict_into(open.as_ref(), &mut mean, &mut variance);
    if let Some(count) = shortlist.filter(|count| *count < open.len()) {
        let straddle = Straddle { threshold: context.threshold, kappa: 1.96 };
        let worth = |i: usize| straddle.value(mean[i], variance[i].sqrt());
        listed.sort_by(|a, b| worth(*b).total_cmp(&worth(*a)));
        listed.truncate(count);
        listed.sort_unstable();
    }
    let mut points = Points::new(open.dim());
    listed.iter().for_each(|i| points.push(open.row(*i)));
    let mut values = vec![0.0; points.len()];
    acquisition.values_into(points.as_ref(), &mut values);
    let mut best = largest(&values)?;
    if values.iter().all(|value| *value == values[best]) {
        let least: Vec<f64> = listed.iter().map(|i| variance[*i]).collect();
        best = largest(&least)?;
    }
    Some(Candidate { x: points.row(best).to_vec(), value: values[best] })
}

pub(crate) fn contains(points: &Points, x: &[f64]) -> bool {
    points.rows().any(|known| known == x)
}

/// The first index of the largest value; NaN is never the largest.
fn largest(values: &[f64]) -> Option<usize> {
    let better = |best: usize, next: usize| {
        if values[next] > values[best] || values[best].is_nan() { next } else { best }
    };
    (0..values.len()).reduce(better)
}
