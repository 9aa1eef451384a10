use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_sampling::Stream;
use thrifty_surrogate::{JointPosterior, Posterior};

use crate::thompson::spread;
use crate::{
    Acquisition, AcquisitionError, EntropySearch, Gumbel, JointEntropySearch, KnowledgeGradient,
    MinimiserLaw, NoisyExpectedImprovement, OfPath, PathSearch, PredictiveEntropySearch, choose_anchors,
    minima_on, minimisers_on,
};

/// Points of the domain that a rule looks at where it needs finitely many.
const POOL: usize = 256;

/// What a [`Rule`](crate::Rule) may need to know beside the posterior.
pub struct Context<'a, 'r> {
    /// What is believed.
    pub posterior: &'a dyn Posterior,
    /// τ, for rules that have one.
    pub threshold: f64,
    /// The number of this evaluation, from 1.
    pub t: usize,
    /// What the columns of a point mean.
    pub domain: &'r Domain,
    /// Points observed or pending.
    pub observed: PointsRef<'r>,
    /// Variance of the noise of an observation, on the scale of the posterior.
    pub noise: f64,
    /// Where draws come from.
    pub rng: &'r mut Stream,
}

/// How minima are sampled for max-value entropy search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Minima {
    /// [`Gumbel`] quantiles, fitted on 1,000 Sobol points and the observed ones: cheap; places the minimum too low.
    Gumbel {
        /// How many.
        count: usize,
    },
    /// Minima of functions drawn from the posterior, by [`minima_on`].
    Sampled {
        /// How many.
        count: usize,
    },
}

impl<'a> Context<'a, '_> {
    pub(crate) fn joint(&self) -> Result<&'a dyn JointPosterior, AcquisitionError> {
        self.posterior.joint().ok_or(AcquisitionError::Lacks("joint covariances"))
    }

    /// Sobol points of the domain, and the observed ones.
    fn pool(&mut self, count: usize) -> Points {
        let mut pool = spread(self.domain, count, self.rng);
        self.observed.rows().for_each(|x| pool.push(x));
        pool
    }

    pub(crate) fn minima(&mut self, how: Minima) -> Result<Vec<f64>, AcquisitionError> {
        match how {
            Minima::Gumbel { count } => {
                let pool = self.pool(1000);
                Ok(Gumbel::of(self.posterior, pool.as_ref())?.minima(count))
            }
            Minima::Sampled { count } => {
                minima_on(self.posterior, self.domain, self.observed, &PathSearch::default(), count, self.rng)
            }
        }
    }

    pub(crate) fn thompson(&mut self) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        Ok(Box::new(OfPath::drawn(self.posterior, self.rng)?))
    }

    pub(crate) fn joint_entropy(
        &mut self,
        count: usize,
    ) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        let (joint, search) = (self.joint()?, PathSearch::default());
        let minimisers = minimisers_on(self.posterior, self.domain, self.observed, &search, count, self.rng)?;
        Ok(Box::new(JointEntropySearch::on(joint, &minimisers, self.noise)?))
    }

    /// The belief of where the minimum is, on representers that the posterior chooses.
    fn law(&mut self, representers: usize, draws: usize) -> Result<MinimiserLaw<'a>, AcquisitionError> {
        let (joint, pool) = (self.joint()?, self.pool(POOL));
        let chosen = choose_anchors(joint, pool.as_ref(), representers, self.rng)?;
        MinimiserLaw::new(joint, chosen.as_ref(), self.noise, draws, self.rng)
    }

    pub(crate) fn entropy(
        &mut self,
        representers: usize,
        draws: usize,
        predictive: bool,
    ) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        let law = self.law(representers, draws)?;
        Ok(if predictive {
            Box::new(PredictiveEntropySearch::new(law))
        } else {
            Box::new(EntropySearch::new(law))
        })
    }

    pub(crate) fn noisy(&mut self, draws: usize) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        let noisy = NoisyExpectedImprovement::new(self.joint()?, self.observed, draws, self.rng)?;
        Ok(Box::new(noisy.logarithm()))
    }

    pub(crate) fn knowledge(
        &mut self,
        anchors: usize,
    ) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        let (joint, pool) = (self.joint()?, self.pool(POOL));
        let anchors = choose_anchors(joint, pool.as_ref(), anchors, self.rng)?;
        Ok(Box::new(KnowledgeGradient::new(joint, anchors.as_ref(), self.noise)?.logarithm()))
    }
}
