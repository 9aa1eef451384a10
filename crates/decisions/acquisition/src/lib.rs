//! Utilities of a posterior: how much is a point worth evaluating?
//!
//! An [`Acquisition`] has a value at every point, higher is better, and a gradient if its posterior has one.
//! The objective is minimised throughout: [`ProbabilityOfImprovement`] and its kin look for values below a
//! threshold. Most are functions of mean and standard deviation alone, a [`Utility`], of which [`OfMoments`] makes an
//! acquisition. [`KnowledgeGradient`], [`JointEntropySearch`], [`NoisyExpectedImprovement`] and [`GibbonBatch`] look at how an
//! observation varies with the function elsewhere, a [`LookaheadUtility`]; [`EntropySearch`] and [`PredictiveEntropySearch`] at
//! what it does to the belief of where the minimum is. [`Weighted`] and [`Average`] combine them.
//!
//! ```
//! use thrifty_acquisition::{ExpectedImprovement, Utility};
//! // A mean of 1 against a threshold of 0 with deviation 1: h(-1) = φ(1) - Φ(-1).
//! let utility = ExpectedImprovement { threshold: 0.0 };
//! assert!((utility.value(1.0, 1.0) - 0.083_315_470_587_686_3).abs() < 1e-15);
//! ```

mod acquisition;
mod ahead;
mod anchors;
mod average;
mod bound;
mod context;
mod cost;
mod error;
mod expected_utility;
mod feasibility;
mod given_draws;
mod gumbel;
mod improvement;
mod information;
mod joint_law;
mod knowledge_gradient;
mod known;
mod level_set;
mod moments;
mod noisy;
mod one_shot;
mod over_draws;
mod penalty;
mod rule;
mod thompson;
mod threshold;
mod weighted;

pub use acquisition::{Acquisition, OfMoments, Utility};
pub use ahead::{Ahead, AheadSlopes, LookaheadUtility, OfLookahead};
pub use anchors::{choose_anchors, contenders};
pub use average::{Average, fantasies};
pub use bound::{ConfidenceBound, Schedule};
pub use context::{Context, Minima};
pub use cost::LogInverseCost;
pub use error::AcquisitionError;
pub use expected_utility::ExpectedUtility;
pub use feasibility::LogFeasibility;
pub use given_draws::{GivenDraws, Remainder};
pub use gumbel::Gumbel;
pub use improvement::{
    ExpectedImprovement, LogExpectedImprovement, LogProbabilityOfImprovement, ProbabilityOfImprovement,
};
pub use information::{
    EntropySearch, Gibbon, GibbonBatch, JointEntropySearch, MaxValueEntropySearch, MinimiserLaw,
    PredictiveEntropySearch,
};
pub use knowledge_gradient::KnowledgeGradient;
pub use known::Where;
pub use level_set::{
    BernoulliEntropy, BernoulliVariance, BoundaryInformation, ExpectedFeasibility, Gain, Integrated,
    IntegratedBernoulli, LogBernoulliEntropy, LogBernoulliVariance, MisclassifiedVolume, RandomisedStraddle,
    RanjanImprovement, Robust, Seen, Straddle, SuperlevelVolume, TargetedMeanSquaredError, TargetedVariance,
    ThresholdField, TruncatedVariance,
};
pub use moments::{MaximumDeviation, PosteriorMean};
pub use noisy::NoisyExpectedImprovement;
pub use one_shot::OneShotKnowledgeGradient;
pub use over_draws::OverDraws;
pub use penalty::{LocalPenalties, lipschitz_constant};
pub use rule::Rule;
pub use thompson::{Minimiser, OfPath, PathSearch, minima_among, minima_on, minimisers_on, thompson_among};
pub use threshold::Threshold;
pub use weighted::Weighted;
