//! Choice of a point on a surrogate state.

use thrifty_acquisition::{
    Acquisition, Analytic, Average, ExpectedImprovement, LogExpectedImprovement, Masked, Utility,
};
use thrifty_study::OptimizerError;
use thrifty_surrogate::{Posterior, Prediction};

use crate::{Candidate, SurrogateState, feasibilities, weighted_logarithm};

impl SurrogateState<'_> {
    /// The best points of an acquisition, best first; `purpose` names the stream of random numbers. The search looks around the best
    /// measured points: feasible ones by their losses, then those that break the least.
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

    /// True if a point was asked before.
    #[must_use]
    pub fn is_known(&self, x: &[f64]) -> bool {
        self.asked.contains(x)
    }

    /// True if a point is not known to be forbidden.
    #[must_use]
    pub fn is_allowed(&self, x: &[f64]) -> bool {
        self.known_constraint.is_none_or(|known| known.allows_point(self.space, x))
    }

    /// The first candidate that is allowed and was not asked before, else any such point. When everything allowed was asked: the first that is
    /// allowed where the space is repeated, else nothing.
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

    /// An expected improvement on a target in units of the loss: to first order, by the slope of the transform there.
    #[must_use]
    pub fn in_units_of_loss(&self, improvement: f64, target: f64) -> f64 {
        let Some(transform) = self.transform else { return improvement };
        let slope = transform.slope(transform.invert(target));
        if slope > 0.0 && slope.is_finite() { improvement / slope } else { improvement }
    }

    /// Central 95 % credible interval of the loss of a prediction, without noise of evaluations, in units of the loss. The transform is monotone,
    /// so it maps the ends. A mixture counts as the normal distribution of its mean and variance.
    #[must_use]
    pub fn interval_of_loss(&self, prediction: Prediction) -> (f64, f64) {
        let (low, high) = prediction.interval();
        (self.loss_of(low), self.loss_of(high))
    }

    /// The cost that is expected of an evaluation at a point; nothing where costs are not modelled.
    #[must_use]
    pub fn expected_cost(&self, x: &[f64]) -> Option<f64> {
        self.weights.expected_cost(x)
    }

    /// Expected improvement on a target at a point, times the probability of being feasible there and, where losses tie, of another loss than
    /// those that are known; infinite while nothing feasible was measured.
    #[must_use]
    pub fn feasible_improvement(&self, x: &[f64], target: f64) -> f64 {
        let improvement = self.expected_improvement(x, target);
        if !improvement.is_finite() {
            return improvement;
        }
        let tied = self.probability_tied(x).unwrap_or(0.0);
        improvement * self.probability_feasible(x).unwrap_or(1.0) * (1.0 - tied)
    }

    /// The largest [expected improvement on a target that is feasible](Self::feasible_improvement), and where: by the logarithm, which
    /// has slopes everywhere. Costs do not count.
    #[must_use]
    pub fn max_expected_improvement(&self, target: f64) -> Option<(Vec<f64>, f64)> {
        let of = |posterior| -> Box<dyn Acquisition + '_> {
            Box::new(Analytic::new(posterior, LogExpectedImprovement { target }))
        };
        let each = self.members().iter().map(|member| (member.weight, of(member.fitted.posterior())));
        // Without members there is nothing to average.
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
