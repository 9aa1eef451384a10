use thrifty_acquisition::{
    Acquisition, AcquisitionError, ExpectedFeasibility, Integrated, IntegratedBernoulli, LogBernoulliEntropy,
    LogBernoulliVariance, MaximumDeviation, MisclassifiedVolume, OfMoments, RandomisedStraddle,
    RanjanImprovement, Straddle, TargetedMeanSquaredError, ThresholdField,
};
use thrifty_domain::PointsRef;
use thrifty_sampling::Stream;
use thrifty_surrogate::Posterior;

use crate::Integration;

/// What makes a point worth evaluating.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    /// [`Straddle`].
    Straddle {
        /// κ ≥ 0.
        kappa: f64,
    },
    /// [`RandomisedStraddle`], β drawn anew for each suggestion; where that is 0 everywhere the largest deviation.
    RandomisedStraddle,
    /// Ambiguity of the classification's own intervals, among undecided points of what is classified: `min(U - h, h - L)`, or for an implicit threshold
    /// the width, among undecided points and those that may be the maximum. Source: Gotovos et al. (2013), algorithms 1 and 2.
    Ambiguity,
    /// [`ExpectedFeasibility`].
    ExpectedFeasibility {
        /// α > 0.
        alpha: f64,
    },
    /// [`RanjanImprovement`].
    Ranjan {
        /// α > 0.
        alpha: f64,
    },
    /// [`TargetedMeanSquaredError`].
    TargetedError {
        /// b ≥ 0.
        bandwidth: f64,
    },
    /// [`BernoulliVariance`](thrifty_acquisition::BernoulliVariance), by its logarithm. Comes back to where it was: for comparison.
    BernoulliVariance,
    /// [`BernoulliEntropy`](thrifty_acquisition::BernoulliEntropy), by its logarithm. Comes back to where it was: for comparison.
    BernoulliEntropy,
    /// [`IntegratedBernoulli`]: stepwise uncertainty reduction.
    IntegratedBernoulli,
    /// [`MisclassifiedVolume`].
    MisclassifiedVolume,
    /// The largest deviation, wherever the threshold is.
    MaximumDeviation,
    /// Any point: the baseline.
    Random,
}

impl Default for Criterion {
    /// Stepwise uncertainty reduction.
    fn default() -> Self {
        Self::IntegratedBernoulli
    }
}

/// What a criterion looks at.
pub(crate) struct Sight<'a> {
    /// Without pending trials: what the field is of.
    pub(crate) now: &'a dyn Posterior,
    /// With them: whose variances count.
    pub(crate) after: &'a dyn Posterior,
    pub(crate) points: PointsRef<'a>,
    pub(crate) threshold: f64,
    pub(crate) noise: f64,
    pub(crate) integration: Integration,
}

impl Criterion {
    /// Whether it looks ahead: dear enough for a shortlist.
    pub(crate) fn looks_ahead(self) -> bool {
        matches!(self, Self::IntegratedBernoulli | Self::MisclassifiedVolume)
    }

    /// The acquisition; nothing for criteria that are none.
    pub(crate) fn on<'a>(
        self,
        sight: &Sight<'a>,
        rng: &mut Stream,
    ) -> Result<Option<Box<dyn Acquisition + 'a>>, AcquisitionError> {
        let (after, threshold) = (sight.after, sight.threshold);
        Ok(Some(match self {
            Self::Straddle { kappa } => Box::new(OfMoments::new(after, Straddle { threshold, kappa })),
            Self::RandomisedStraddle => {
                Box::new(OfMoments::new(after, RandomisedStraddle::drawn(threshold, rng)))
            }
            Self::ExpectedFeasibility { alpha } => {
                Box::new(OfMoments::new(after, ExpectedFeasibility { threshold, alpha }))
            }
            Self::Ranjan { alpha } => Box::new(OfMoments::new(after, RanjanImprovement { threshold, alpha })),
            Self::TargetedError { bandwidth } => {
                Box::new(OfMoments::new(after, TargetedMeanSquaredError { threshold, bandwidth }))
            }
            Self::BernoulliVariance => Box::new(OfMoments::new(after, LogBernoulliVariance { threshold })),
            Self::BernoulliEntropy => Box::new(OfMoments::new(after, LogBernoulliEntropy { threshold })),
            Self::MaximumDeviation => Box::new(OfMoments::new(after, MaximumDeviation)),
            Self::IntegratedBernoulli => {
                let joint = after.joint().ok_or(AcquisitionError::Lacks("joint covariances"))?;
                let gain = IntegratedBernoulli::default();
                Box::new(Integrated::over(&sight.field()?, gain, joint, sight.noise)?)
            }
            Self::MisclassifiedVolume => {
                let joint = after.joint().ok_or(AcquisitionError::Lacks("joint covariances"))?;
                Box::new(Integrated::over(&sight.field()?, MisclassifiedVolume, joint, sight.noise)?)
            }
            Self::Ambiguity | Self::Random => return Ok(None),
        }))
    }
}

impl Sight<'_> {
    fn field(&self) -> Result<ThresholdField, AcquisitionError> {
        let field = ThresholdField::new(self.now, self.points, None, self.threshold)?;
        Ok(field.near(self.integration.limit).thinned(self.integration.points))
    }
}
