use thrifty_acquisition::{Minima, Rule, Schedule, Threshold};

/// What an acquisition is made of; figures show one family at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Mean and deviation at the point.
    Moments,
    /// What is learnt of the minimum.
    Information,
    /// Drawn functions, and means after an observation.
    Ahead,
}

impl Family {
    pub const ALL: [Self; 3] = [Self::Moments, Self::Information, Self::Ahead];

    pub fn name(self) -> &'static str {
        match self {
            Self::Moments => "moments",
            Self::Information => "information",
            Self::Ahead => "ahead",
        }
    }
}

/// An acquisition under the name that tables give it.
pub struct NamedRule {
    pub name: &'static str,
    pub family: Family,
    /// For a function of so many variables.
    pub rule: fn(usize) -> Rule,
}

/// What the others are held against.
pub const DEFAULT: &str = "LogEI";

/// Every rule of the Bayesian optimiser, the default first, the floor (deviation alone) last of its family.
pub const RULES: [NamedRule; 16] = [
    of(DEFAULT, Family::Moments, |_| Rule::LogExpectedImprovement(Threshold::BestObserved)),
    of("EI", Family::Moments, |_| Rule::ExpectedImprovement(Threshold::BestObserved)),
    of("LogPI", Family::Moments, |_| Rule::LogProbabilityOfImprovement(Threshold::BestObserved)),
    of("LCB, β = 4", Family::Moments, |_| Rule::ConfidenceBound(Schedule::Constant { beta: 4.0 })),
    of("LCB, Brochu", Family::Moments, |dim| Rule::ConfidenceBound(Schedule::Brochu { dim, delta: 0.1 })),
    of("mean", Family::Moments, |_| Rule::PosteriorMean),
    of("deviation", Family::Moments, |_| Rule::MaximumDeviation),
    of("MES", Family::Information, |_| Rule::MaxValueEntropySearch(Minima::Sampled { count: 10 })),
    of("MES, Gumbel", Family::Information, |_| Rule::MaxValueEntropySearch(Minima::Gumbel { count: 10 })),
    of("GIBBON", Family::Information, |_| Rule::Gibbon(Minima::Sampled { count: 10 })),
    of("JES", Family::Information, |_| Rule::JointEntropySearch { minimisers: 16 }),
    of("ES", Family::Information, |_| Rule::EntropySearch { representers: 50, draws: 64 }),
    of("PES", Family::Information, |_| Rule::PredictiveEntropySearch { representers: 50, draws: 64 }),
    of("Thompson", Family::Ahead, |_| Rule::Thompson),
    of("LogNEI", Family::Ahead, |_| Rule::LogNoisyExpectedImprovement { draws: 64 }),
    of("LogKG", Family::Ahead, |_| Rule::LogKnowledgeGradient { anchors: 50 }),
];

const fn of(name: &'static str, family: Family, rule: fn(usize) -> Rule) -> NamedRule {
    NamedRule { name, family, rule }
}
