//! Catalogue of acquisition functions by name.

use thrifty_check::{InputError, number};
use thrifty_surrogate::Description;

use crate::analytic::{ImprovementFactory, MaxStdDev, PosteriorMean, Schedule};
use crate::factory::described;
use crate::information::{
    EntropySearchFactory, GibbonFactory, JointEntropySearchFactory, MaxValueEntropySearchFactory,
    PredictiveEntropySearchFactory,
};
use crate::lookahead::KnowledgeGradientFactory;
use crate::sampling::{NoisyExpectedImprovementFactory, ThompsonSampling};
use crate::{
    Acquisition, AcquisitionError, AcquisitionFactory, Context, ImprovementTarget, MinValueSampler, Utility,
    UtilityScale,
};

/// Acquisition functions by name, as in settings.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AcquisitionKind {
    /// [`ProbabilityOfImprovement`](crate::ProbabilityOfImprovement).
    ProbabilityOfImprovement(ImprovementTarget),
    /// [`LogProbabilityOfImprovement`](crate::LogProbabilityOfImprovement).
    LogProbabilityOfImprovement(ImprovementTarget),
    /// [`ExpectedImprovement`](crate::ExpectedImprovement).
    ExpectedImprovement(ImprovementTarget),
    /// [`LogExpectedImprovement`](crate::LogExpectedImprovement).
    LogExpectedImprovement(ImprovementTarget),
    /// [`ConfidenceBound`](crate::ConfidenceBound).
    ConfidenceBound(Schedule),
    /// [`PosteriorMean`].
    PosteriorMean,
    /// [`MaxStdDev`].
    #[serde(rename = "maximum_deviation", alias = "max_std_dev")]
    MaxStdDev,
    /// Thompson sampling: [`ThompsonPath`](crate::ThompsonPath).
    Thompson,
    /// [`MaxValueEntropySearch`](crate::MaxValueEntropySearch).
    MaxValueEntropySearch(MinValueSampler),
    /// [`Gibbon`](crate::Gibbon).
    Gibbon(MinValueSampler),
    /// [`JointEntropySearch`](crate::JointEntropySearch).
    JointEntropySearch {
        /// Number of sampled minimisers.
        #[serde(rename = "minimisers", alias = "minimizers")]
        minimizers: usize,
    },
    /// [`EntropySearch`](crate::EntropySearch).
    EntropySearch {
        /// Number of representer points.
        representers: usize,
        /// Number of joint draws.
        draws: usize,
    },
    /// [`PredictiveEntropySearch`](crate::PredictiveEntropySearch).
    PredictiveEntropySearch {
        /// Number of representer points.
        representers: usize,
        /// Number of joint draws.
        draws: usize,
    },
    /// Logarithm of [`NoisyExpectedImprovement`](crate::NoisyExpectedImprovement) over the observed points.
    LogNoisyExpectedImprovement {
        /// Number of joint draws.
        draws: usize,
    },
    /// Logarithm of [`KnowledgeGradient`](crate::KnowledgeGradient) on anchors chosen from the posterior.
    LogKnowledgeGradient {
        /// Number of anchors.
        anchors: usize,
    },
}

impl Default for AcquisitionKind {
    /// Log expected improvement over the best observed value.
    fn default() -> Self {
        Self::LogExpectedImprovement(ImprovementTarget::BestObserved)
    }
}

impl AcquisitionKind {
    /// The improvement target if it is a fixed number.
    pub fn fixed_target_mut(&mut self) -> Option<&mut f64> {
        match self {
            Self::ProbabilityOfImprovement(ImprovementTarget::Fixed(value))
            | Self::LogProbabilityOfImprovement(ImprovementTarget::Fixed(value))
            | Self::ExpectedImprovement(ImprovementTarget::Fixed(value))
            | Self::LogExpectedImprovement(ImprovementTarget::Fixed(value)) => Some(value),
            _ => None,
        }
    }

    /// Checks the settings: counts, margins and schedules.
    ///
    /// # Errors
    /// [`InputError`] names the first that is out of its range.
    pub fn validate(&self) -> Result<(), InputError> {
        let count = |name, count: usize| number(name, count as f64, count > 0, "at least 1").map(drop);
        match *self {
            Self::ProbabilityOfImprovement(target)
            | Self::LogProbabilityOfImprovement(target)
            | Self::ExpectedImprovement(target)
            | Self::LogExpectedImprovement(target) => target.validate(),
            Self::ConfidenceBound(schedule) => schedule.beta(1).map(drop),
            Self::PosteriorMean | Self::MaxStdDev | Self::Thompson => Ok(()),
            Self::MaxValueEntropySearch(minima) | Self::Gibbon(minima) => count("count", minima.count()),
            Self::JointEntropySearch { minimizers } => count("minimisers", minimizers),
            Self::EntropySearch { representers, draws }
            | Self::PredictiveEntropySearch { representers, draws } => {
                count("representers", representers)?;
                count("draws", draws)
            }
            Self::LogNoisyExpectedImprovement { draws } => count("draws", draws),
            Self::LogKnowledgeGradient { anchors } => count("anchors", anchors),
        }
    }

    /// The factory of that name.
    #[must_use]
    pub fn factory(&self) -> Box<dyn AcquisitionFactory> {
        match *self {
            Self::ProbabilityOfImprovement(target) => Box::new(ImprovementFactory::probability(target)),
            Self::LogProbabilityOfImprovement(target) => {
                Box::new(ImprovementFactory::log_probability(target))
            }
            Self::ExpectedImprovement(target) => Box::new(ImprovementFactory::expected(target)),
            Self::LogExpectedImprovement(target) => Box::new(ImprovementFactory::log_expected(target)),
            Self::ConfidenceBound(schedule) => Box::new(schedule),
            Self::PosteriorMean => Box::new(PosteriorMean),
            Self::MaxStdDev => Box::new(MaxStdDev),
            Self::Thompson => Box::new(ThompsonSampling),
            Self::MaxValueEntropySearch(minima) => Box::new(MaxValueEntropySearchFactory { minima }),
            Self::Gibbon(minima) => Box::new(GibbonFactory { minima }),
            Self::JointEntropySearch { minimizers } => Box::new(JointEntropySearchFactory { minimizers }),
            Self::EntropySearch { representers, draws } => {
                Box::new(EntropySearchFactory { representers, draws })
            }
            Self::PredictiveEntropySearch { representers, draws } => {
                Box::new(PredictiveEntropySearchFactory { representers, draws })
            }
            Self::LogNoisyExpectedImprovement { draws } => {
                Box::new(NoisyExpectedImprovementFactory { draws })
            }
            Self::LogKnowledgeGradient { anchors } => Box::new(KnowledgeGradientFactory { anchors }),
        }
    }
}

impl AcquisitionFactory for AcquisitionKind {
    fn build<'a>(&self, context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        self.factory().build(context)
    }

    fn scale(&self) -> UtilityScale {
        self.factory().scale()
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        described("acquisition", self)
    }

    fn target(&self) -> ImprovementTarget {
        self.factory().target()
    }

    fn improvement(&self, target: f64) -> Option<Box<dyn Utility>> {
        self.factory().improvement(target)
    }

    fn handles_pending(&self) -> bool {
        self.factory().handles_pending()
    }

    fn is_averaged(&self) -> bool {
        self.factory().is_averaged()
    }

    fn for_mixture(
        &self,
        context: Context<'_, '_>,
    ) -> Result<Option<Box<dyn AcquisitionFactory>>, AcquisitionError> {
        self.factory().for_mixture(context)
    }

    fn is_expected_improvement(&self) -> bool {
        self.factory().is_expected_improvement()
    }
}
