use thrifty_surrogate::Posterior;

use crate::{
    Acquisition, AcquisitionError, ConfidenceBound, ExpectedImprovement, LogExpectedImprovement,
    LogProbabilityOfImprovement, MaximumDeviation, OfMoments, PosteriorMean, ProbabilityOfImprovement,
    Schedule, Threshold,
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

    /// The acquisition on a posterior, for the threshold's value τ and evaluation number t (from 1).
    ///
    /// # Errors
    /// [`AcquisitionError`] for a schedule that makes no sense.
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
        })
    }
}
