//! Input of acquisition factories.

use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_sampling::Stream;
use thrifty_surrogate::{JointPosterior, Posterior};

use crate::sampling::{SearchArea, minimizers_in};
use crate::{AcquisitionError, Minimizer, PathSearch, most_promising};

/// Predicate on points of the unit cube.
pub type PointPredicate<'r> = dyn Fn(&[f64]) -> bool + Send + Sync + 'r;

/// Input of an [`AcquisitionFactory`](crate::AcquisitionFactory): the posterior, the incumbent and the search domain.
pub struct Context<'a, 'r> {
    /// Posterior of the objective, which is minimised.
    pub posterior: &'a dyn Posterior,
    /// Value τ of the [target](crate::AcquisitionFactory::target); infinite until a feasible point was measured.
    pub target: f64,
    /// Number of this evaluation, from 1.
    pub t: usize,
    /// Domain of the points.
    pub domain: &'r Domain,
    /// Observed points, then running ones.
    pub observed: PointsRef<'r>,
    /// Number of running points.
    pub running: usize,
    /// Largest number of observed points in a joint distribution; its cost grows with the cube of this number.
    pub joint_limit: usize,
    /// True for a point that is allowed and likely to break no constraint; `None` without constraints. Information searches and the
    /// knowledge gradient use the minimum over such points.
    pub is_promising: Option<&'r PointPredicate<'r>>,
    /// Variance of the noise of an observation, on the scale of the posterior.
    pub noise_variance: f64,
    /// Source of random numbers.
    pub rng: &'r mut Stream,
}

impl<'a, 'r> Context<'a, 'r> {
    /// The joint posterior.
    ///
    /// # Errors
    /// [`AcquisitionError::Lacks`] if the posterior has none.
    pub fn joint(&self) -> Result<&'a dyn JointPosterior, AcquisitionError> {
        self.posterior.joint().ok_or(AcquisitionError::Lacks("joint covariances"))
    }

    /// Observed points for joint distributions: all of them up to [`joint_limit`](Self::joint_limit). Beyond it, all running points and as
    /// many others as the limit leaves, in the order of [`most_promising`].
    ///
    /// Cost: none up to the limit; beyond it one prediction per point.
    #[must_use]
    pub fn baseline(&self) -> Points {
        let (count, dim) = (self.observed.len(), self.observed.dim());
        let mut baseline = Points::new(dim);
        let measured = self.observed.slice(0, count.saturating_sub(self.running));
        if count <= self.joint_limit {
            self.observed.rows().for_each(|x| baseline.push(x));
            return baseline;
        }
        let kept = most_promising(self.posterior, measured, self.joint_limit.saturating_sub(self.running));
        kept.into_iter().chain(measured.len()..count).for_each(|i| baseline.push(self.observed.row(i)));
        baseline
    }

    /// The promising ones of `count` Sobol points of the domain, then the [baseline](Self::baseline). If no point is promising and none was
    /// observed, all Sobol points.
    pub fn candidates(&mut self, count: usize) -> Points {
        let baseline = self.baseline();
        SearchArea { known: baseline.as_ref(), ..self.area() }.points(count, self.rng)
    }

    /// `count` Sobol points of the domain, then all observed points, promising or not.
    pub fn pool(&mut self, count: usize) -> Points {
        SearchArea { is_promising: None, ..self.area() }.points(count, self.rng)
    }

    /// Minima of `count` functions drawn from the posterior, by [`minimizers_on`](crate::minimizers_on), over the promising points of the
    /// domain and the observed ones. If the posterior has no paths, at most as many points are used as raw points and
    /// [`joint_limit`](Self::joint_limit) together: the [`most_promising`].
    ///
    /// # Errors
    /// As [`minimizers_on`](crate::minimizers_on).
    pub fn minimizers(
        &mut self,
        search: &PathSearch,
        count: usize,
    ) -> Result<Vec<Minimizer>, AcquisitionError> {
        minimizers_in(self.posterior, &self.area(), search, count, self.rng)
    }

    fn area(&self) -> SearchArea<'r> {
        SearchArea {
            domain: self.domain,
            known: self.observed,
            is_promising: self.is_promising,
            joint_limit: self.joint_limit,
        }
    }
}
