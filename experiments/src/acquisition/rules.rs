//! Acquisition functions by name and family.

use thrifty_acquisition::{AcquisitionKind, ImprovementTarget, MinValueSampler, Schedule};

/// Family of an acquisition function; figures show one family at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Mean and deviation at the point.
    Moments,
    /// Information about the minimum.
    Information,
    /// Drawn functions, and means after an observation.
    LookaheadMoments,
}

impl Family {
    pub const ALL: [Self; 3] = [Self::Moments, Self::Information, Self::LookaheadMoments];

    pub fn name(self) -> &'static str {
        match self {
            Self::Moments => "moments",
            Self::Information => "information",
            Self::LookaheadMoments => "ahead",
        }
    }
}

/// An acquisition under the name that tables give it.
pub struct NamedRule {
    pub name: &'static str,
    pub family: Family,
    /// For a function of so many variables.
    pub rule: fn(usize) -> AcquisitionKind,
}

/// Method that the others are compared with.
pub const DEFAULT: &str = "LogEI";

/// Every rule of the Bayesian optimiser, the default first, the floor (deviation alone) last of its family.
pub const RULES: [NamedRule; 16] = [
    of(DEFAULT, Family::Moments, |_| {
        AcquisitionKind::LogExpectedImprovement(ImprovementTarget::BestObserved)
    }),
    of("EI", Family::Moments, |_| AcquisitionKind::ExpectedImprovement(ImprovementTarget::BestObserved)),
    of("LogPI", Family::Moments, |_| {
        AcquisitionKind::LogProbabilityOfImprovement(ImprovementTarget::BestObserved)
    }),
    of("LCB, β = 4", Family::Moments, |_| {
        AcquisitionKind::ConfidenceBound(Schedule::Constant { beta: 4.0 })
    }),
    of("LCB, Brochu", Family::Moments, |dim| {
        AcquisitionKind::ConfidenceBound(Schedule::Brochu { dim, delta: 0.1 })
    }),
    of("mean", Family::Moments, |_| AcquisitionKind::PosteriorMean),
    of("deviation", Family::Moments, |_| AcquisitionKind::MaxStdDev),
    of("MES", Family::Information, |_| {
        AcquisitionKind::MaxValueEntropySearch(MinValueSampler::Sampled { count: 10 })
    }),
    of("MES, Gumbel", Family::Information, |_| {
        AcquisitionKind::MaxValueEntropySearch(MinValueSampler::Gumbel { count: 10 })
    }),
    of("GIBBON", Family::Information, |_| AcquisitionKind::Gibbon(MinValueSampler::Sampled { count: 10 })),
    of("JES", Family::Information, |_| AcquisitionKind::JointEntropySearch { minimizers: 16 }),
    of("ES", Family::Information, |_| AcquisitionKind::EntropySearch { representers: 50, draws: 64 }),
    of("PES", Family::Information, |_| AcquisitionKind::PredictiveEntropySearch {
        representers: 50,
        draws: 64,
    }),
    of("Thompson", Family::LookaheadMoments, |_| AcquisitionKind::Thompson),
    of("LogNEI", Family::LookaheadMoments, |_| AcquisitionKind::LogNoisyExpectedImprovement { draws: 64 }),
    of("LogKG", Family::LookaheadMoments, |_| AcquisitionKind::LogKnowledgeGradient { anchors: 50 }),
];

const fn of(name: &'static str, family: Family, rule: fn(usize) -> AcquisitionKind) -> NamedRule {
    NamedRule { name, family, rule }
}
