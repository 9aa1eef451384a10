//! Choice of a point on a surrogate state.

use thrifty_acquisition::{
    Acquisition, Analytic, Average, ExpectedImprovement, LogExpectedImprovement, Masked, Utility,
};
use thrifty_study::OptimizerError;
use thrifty_surrogate::{Posterior, Prediction};

use crate::{Candidate, SurrogateState, feasibilities, weighted_logarithm};

impl SurrogateState<'_> {
    /// The best points of an acquisition, best first. `purpose` names the stream of random numbers.
    ///
    /// The search also looks around the best measured points. These are ranked by constraint violation, then by loss.
    #[must_use]
    pub fn maximize(&self, acquisition: &dyn Acquisition, purpose: &str) -> Vec<Candidate> {
        let mut order: Vec<usize> = (0..self.y.len()).collect();
        let (violations, y) = (&self.violations, &self.y);
        order.sort_by(|&a, &b| violations[a].total_cmp(&violations[b]).then(y[a].total_cmp(&y[b])));
        let anchors: Vec<&[f64]> = order.iter().map(|&i| self.x.row(i)).collect();
        let mut rng = self.seed.stream(purpose, self.id.0);
        let acquisition = Masked::new(acquisition, |x: &[f64]| self.is_allowed(x));
        let acquisition = &acquisition;
        self.settings.maximizer.candidates(self.space.domain(), acquisition, &anchors, &mut rng)
    }

    /// True if a point was suggested before.
    #[must_use]
    pub fn is_known(&self, x: &[f64]) -> bool {
        self.asked.contains(x)
    }

    /// True unless the known constraint forbids a point.
    #[must_use]
    pub fn is_allowed(&self, x: &[f64]) -> bool {
        self.known_constraint.is_none_or(|known| known.allows_point(self.space, x))
    }

    /// The first candidate that is allowed and was not suggested before, else any other allowed new point. When all allowed points were
    /// suggested: the first allowed candidate if the space is repeated, else `None`.
    ///
    /// # Errors
    /// As [`first_allowed`](crate::first_allowed).
    pub fn first_allowed(&self, candidates: Vec<Candidate>) -> Result<Option<Candidate>, OptimizerError> {
        let is_allowed = |x: &[f64]| self.is_allowed(x);
        self.asked.first_allowed(self.space.domain(), is_allowed, candidates, self.seed, self.id)
    }

    /// Expected improvement on a target at a point.
    #[must_use]
    pub fn expected_improvement(&self, x: &[f64], target: f64) -> f64 {
        let of = |posterior: &dyn Posterior| {
            let Prediction { mean, variance } = posterior.predict(x);
            ExpectedImprovement { target }.value(mean, variance.sqrt())
        };
        match self.members() {
            [] => of(self.posterior()),
            members => members.iter().map(|member| member.weight * of(member.fitted.posterior())).sum(),
        }
    }

    /// Converts an expected improvement on a target to units of the loss. The conversion is of first order: it divides by the slope of the
    /// transform at the target.
    #[must_use]
    pub fn in_units_of_loss(&self, improvement: f64, target: f64) -> f64 {
        let Some(transform) = self.transform else { return improvement };
        let slope = transform.slope(transform.invert(target));
        if slope > 0.0 && slope.is_finite() { improvement / slope } else { improvement }
    }

    /// Central 95 % credible interval of the loss for a prediction, in units of the loss. Noise of evaluations is not included.
    ///
    /// The transform is monotone, so it maps the ends of the interval. A mixture is treated as the normal distribution with its mean and variance.
    #[must_use]
    pub fn interval_of_loss(&self, prediction: Prediction) -> (f64, f64) {
        let (low, high) = prediction.interval();
        (self.loss_of(low), self.loss_of(high))
    }

    /// The expected cost of an evaluation at a point; `None` where costs are not modelled.
    #[must_use]
    pub fn expected_cost(&self, x: &[f64]) -> Option<f64> {
        self.weights.expected_cost(x)
    }

    /// Expected improvement on a target at a point, times the probability of being feasible. Where losses tie, it is also multiplied by the
    /// probability that the point is on no known piece. Infinite until a feasible point was measured.
    #[must_use]
    pub fn feasible_improvement(&self, x: &[f64], target: f64) -> f64 {
        let improvement = self.expected_improvement(x, target);
        if !improvement.is_finite() {
            return improvement;
        }
        let tied = self.probability_tied(x).unwrap_or(0.0);
        improvement * self.probability_feasible(x).unwrap_or(1.0) * (1.0 - tied)
    }

    /// The point with the largest [feasible expected improvement](Self::feasible_improvement), and that value. The search maximizes the
    /// logarithm, which has a gradient everywhere. Costs do not count.
    #[must_use]
    pub fn max_expected_improvement(&self, target: f64) -> Option<(Vec<f64>, f64)> {
        let of = |posterior| -> Box<dyn Acquisition + '_> {
            Box::new(Analytic::new(posterior, LogExpectedImprovement { target }))
        };
        let each = self.members().iter().map(|member| (member.weight, of(member.fitted.posterior())));
        // Without members the average is an error; use the single model.
        let improvement: Box<dyn Acquisition + '_> = match Average::weighted(each.collect()) {
            Ok(average) => Box::new(average.in_logarithms()),
            Err(_) => of(self.posterior()),
        };
        let weights = feasibilities(self.weights.constraints()).into_iter().chain(self.log_new_piece());
        let acquisition = weighted_logarithm(Some(improvement), weights.collect());
        let best = self.maximize(&acquisition, "expected improvement").into_iter().next()?;
        let value = self.feasible_improvement(&best.x, target);
        Some((best.x, value))
    }
}
