use thrifty_surrogate::Posterior;

use crate::{
    Acquisition, AcquisitionError, ConfidenceBound, Context, ExpectedImprovement, Gibbon,
    LogExpectedImprovement, LogProbabilityOfImprovement, MaxValueEntropySearch, MaximumDeviation, Minima,
    OfMoments, PosteriorMean, ProbabilityOfImprovement, Schedule, Threshold, Utility, Weighted,
};

/// An acquisition by name: what is left to choose before there is a posterior.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// [`ProbabilityOfImprovement`].
    ProbabilityOfImprovement(Threshold),
    /// [`LogProbabilityOfImprovement`].
    LogProbabilityOfImprovement(Threshold),
    /// [`ExpectedImprovement`].
    ExpectedImprovement(Threshold),
    /// [`LogExpectedImprovement`].
    LogExpectedImprovement(Threshold),
    /// [`ConfidenceBound`].
    ConfidenceBound(Schedule),
    /// [`PosteriorMean`].
    PosteriorMean,
    /// [`MaximumDeviation`].
    MaximumDeviation,
    /// The minimiser of one drawn function: [`OfPath`](crate::OfPath).
    Thompson,
    /// [`MaxValueEntropySearch`].
    MaxValueEntropySearch(Minima),
    /// [`Gibbon`].
    Gibbon(Minima),
    /// [`JointEntropySearch`](crate::JointEntropySearch).
    JointEntropySearch {
        /// How many minimisers are sampled.
        minimisers: usize,
    },
    /// [`EntropySearch`](crate::EntropySearch).
    EntropySearch {
        /// How many representers are chosen.
        representers: usize,
        /// How many joint draws.
        draws: usize,
    },
    /// [`PredictiveEntropySearch`](crate::PredictiveEntropySearch).
    PredictiveEntropySearch {
        /// How many representers are chosen.
        representers: usize,
        /// How many joint draws.
        draws: usize,
    },
    /// Logarithm of [`NoisyExpectedImprovement`](crate::NoisyExpectedImprovement) on the observed points.
    LogNoisyExpectedImprovement {
        /// How many joint draws.
        draws: usize,
    },
    /// Logarithm of [`KnowledgeGradient`](crate::KnowledgeGradient) on anchors that the posterior chooses.
    LogKnowledgeGradient {
        /// How many anchors.
        anchors: usize,
    },
}

impl Default for Rule {
    /// Log expected improvement on the best observed value.
    fn default() -> Self {
        Self::LogExpectedImprovement(Threshold::BestObserved)
    }
}

impl Rule {
    /// The threshold that the rule works with, if it has one.
    #[must_use]
    pub fn threshold(&self) -> Option<Threshold> {
        match *self {
            Self::ProbabilityOfImprovement(threshold)
            | Self::LogProbabilityOfImprovement(threshold)
            | Self::ExpectedImprovement(threshold)
            | Self::LogExpectedImprovement(threshold) => Some(threshold),
            _ => None,
        }
    }

    /// The improvement on a threshold τ that the rule is the mean or the logarithm of, if it is one; with it whether it is a
    /// logarithm.
    #[must_use]
    pub fn improvement(&self, threshold: f64) -> Option<(Box<dyn Utility>, bool)> {
        Some(match self {
            Self::ProbabilityOfImprovement(_) => (Box::new(ProbabilityOfImprovement { threshold }), false),
            Self::LogProbabilityOfImprovement(_) => {
                (Box::new(LogProbabilityOfImprovement { threshold }), true)
            }
            Self::ExpectedImprovement(_) => (Box::new(ExpectedImprovement { threshold }), false),
            Self::LogExpectedImprovement(_) => (Box::new(LogExpectedImprovement { threshold }), true),
            _ => return None,
        })
    }

    /// The rule's acquisition ready for weights: of cost, of feasibility.
    ///
    /// # Errors
    /// [`AcquisitionError::Unweighable`] for a confidence bound, a mean or a path, which may be negative.
    pub fn weighted<'a>(
        &self,
        acquisition: Box<dyn Acquisition + 'a>,
    ) -> Result<Weighted<'a>, AcquisitionError> {
        match self {
            Self::LogProbabilityOfImprovement(_)
            | Self::LogExpectedImprovement(_)
            | Self::LogNoisyExpectedImprovement { .. }
            | Self::LogKnowledgeGradient { .. } => Ok(Weighted::log_utility(acquisition)),
            Self::ConfidenceBound(_) => Err(AcquisitionError::Unweighable("a confidence bound")),
            Self::PosteriorMean => Err(AcquisitionError::Unweighable("a mean")),
            Self::Thompson => Err(AcquisitionError::Unweighable("a drawn function")),
            _ => Ok(Weighted::utility(acquisition)),
        }
    }

    /// The acquisition on a posterior, for the threshold's value τ and evaluation number t (from 1).
    ///
    /// # Errors
    /// [`AcquisitionError`] for a schedule that makes no sense, or a rule that needs more: see [`Rule::within`].
    pub fn on<'a>(
        &self,
        posterior: &'a dyn Posterior,
        threshold: f64,
        t: usize,
    ) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        Ok(match self {
            Self::ProbabilityOfImprovement(_) => {
                Box::new(OfMoments::new(posterior, ProbabilityOfImprovement { threshold }))
            }
            Self::LogProbabilityOfImprovement(_) => {
                Box::new(OfMoments::new(posterior, LogProbabilityOfImprovement { threshold }))
            }
            Self::ExpectedImprovement(_) => {
                Box::new(OfMoments::new(posterior, ExpectedImprovement { threshold }))
            }
            Self::LogExpectedImprovement(_) => {
                Box::new(OfMoments::new(posterior, LogExpectedImprovement { threshold }))
            }
            Self::ConfidenceBound(schedule) => {
                Box::new(OfMoments::new(posterior, ConfidenceBound { beta: schedule.beta(t)? }))
            }
            Self::PosteriorMean => Box::new(OfMoments::new(posterior, PosteriorMean)),
            Self::MaximumDeviation => Box::new(OfMoments::new(posterior, MaximumDeviation)),
            _ => return Err(AcquisitionError::NeedsContext),
        })
    }

    /// The acquisition of any rule, where also the domain, the observed points and the noise are known.
    ///
    /// # Errors
    /// [`AcquisitionError`] for a setting that makes no sense, a posterior that lacks what the rule is made of, or a
    /// covariance that cannot be factored.
    pub fn within<'a>(
        &self,
        mut context: Context<'a, '_>,
    ) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        let posterior = context.posterior;
        match *self {
            Self::Thompson => context.thompson(),
            Self::MaxValueEntropySearch(minima) => {
                let utility = MaxValueEntropySearch::new(context.minima(minima)?)?;
                Ok(Box::new(OfMoments::new(posterior, utility)))
            }
            Self::Gibbon(minima) => {
                let utility = Gibbon::new(context.minima(minima)?, context.noise)?;
                Ok(Box::new(OfMoments::new(posterior, utility)))
            }
            Self::JointEntropySearch { minimisers } => context.joint_entropy(minimisers),
            Self::EntropySearch { representers, draws } => context.entropy(representers, draws, false),
            Self::PredictiveEntropySearch { representers, draws } => {
                context.entropy(representers, draws, true)
            }
            Self::LogNoisyExpectedImprovement { draws } => context.noisy(draws),
            Self::LogKnowledgeGradient { anchors } => context.knowledge(anchors),
            _ => self.on(posterior, context.threshold, context.t),
        }
    }
}
