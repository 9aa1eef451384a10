//! Input of acquisition factories.

use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_sampling::Stream;
use thrifty_surrogate::{JointPosterior, Posterior};

use crate::AcquisitionError;
use crate::sampling::feasible_sobol;

/// Input of an [`AcquisitionFactory`](crate::AcquisitionFactory): the posterior, the incumbent and the search domain.
pub struct Context<'a, 'r> {
    /// Posterior of the objective, which is minimised.
    pub posterior: &'a dyn Posterior,
    /// Value of the [target](crate::AcquisitionFactory::target), τ; infinite while nothing feasible was measured.
    pub target: f64,
    /// Number of this evaluation, from 1.
    pub t: usize,
    /// Columns of the points.
    pub domain: &'r Domain,
    /// Points observed or running.
    pub observed: PointsRef<'r>,
    /// Variance of the noise of an observation, on the scale of the posterior.
    pub noise_variance: f64,
    /// Source of random numbers.
    pub rng: &'r mut Stream,
}

impl<'a> Context<'a, '_> {
    /// The joint posterior.
    ///
    /// # Errors
    /// [`AcquisitionError::Lacks`] when the posterior has none.
    pub fn joint(&self) -> Result<&'a dyn JointPosterior, AcquisitionError> {
        self.posterior.joint().ok_or(AcquisitionError::Lacks("joint covariances"))
    }

    /// `count` Sobol points of the domain, then the observed points.
    pub fn candidates(&mut self, count: usize) -> Points {
        let mut candidates = feasible_sobol(self.domain, count, self.rng);
        self.observed.rows().for_each(|x| candidates.push(x));
        candidates
    }
}
