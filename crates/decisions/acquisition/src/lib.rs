//! Acquisition functions: utilities of a posterior that determine the next point to evaluate.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! An [`Acquisition`] has a value at every point, higher is better, and a gradient if its posterior has one. An [`AcquisitionFactory`]
//! builds it for an optimiser. [`AcquisitionKind`] is the catalogue of factories; a user-defined one needs a single `impl`.
//! The objective is minimised throughout: [`ProbabilityOfImprovement`] and similar functions search for values below a threshold. Most are
//! functions of mean and standard deviation alone: a [`Utility`], which [`Analytic`] turns into an acquisition.
//! [`KnowledgeGradient`], [`JointEntropySearch`], [`NoisyExpectedImprovement`] and [`GibbonBatch`] use the covariance of an observation
//! with the function elsewhere: a [`LookaheadUtility`]. [`EntropySearch`] and [`PredictiveEntropySearch`] use its effect on the
//! distribution of the minimizer. [`Weighted`] and [`Average`] combine acquisitions.

mod acquisition;
mod analytic;
mod context;
pub mod contract;
mod error;
mod factory;
mod improvement_target;
mod information;
mod kind;
mod level_set;
mod lookahead;
mod sampling;
mod weights;

pub use acquisition::Acquisition;
pub use analytic::{
    Analytic, ConfidenceBound, ExpectedImprovement, ExpectedUtility, ExpectedUtilityFactory,
    ImprovementFactory, LogExpectedImprovement, LogProbabilityOfImprovement, MaxStdDev, PosteriorMean,
    ProbabilityOfImprovement, Schedule, Utility,
};
pub use context::{Context, PointPredicate};
pub use error::AcquisitionError;
pub use factory::{AcquisitionFactory, UtilityScale};
pub use improvement_target::ImprovementTarget;
pub use information::{
    EntropySearch, EntropySearchFactory, Gibbon, GibbonBatch, GibbonFactory, JointEntropySearch,
    JointEntropySearchFactory, MaxValueEntropySearch, MaxValueEntropySearchFactory, MinimizerDistribution,
    PredictiveEntropySearch, PredictiveEntropySearchFactory,
};
pub use kind::AcquisitionKind;
pub use level_set::{
    BernoulliEntropy, BernoulliVariance, BoundaryInformation, ExpectedFeasibility, ExpectedReduction,
    Integrated, IntegratedBernoulli, LogBernoulliEntropy, LogBernoulliVariance, MisclassifiedVolume,
    PointState, RandomizedStraddle, RanjanImprovement, Robust, Straddle, SuperlevelVolume,
    TargetedMeanSquaredError, TargetedVariance, ThresholdField, TruncatedVariance,
};
pub use lookahead::{
    KnowledgeGradient, KnowledgeGradientFactory, LookaheadAcquisition, LookaheadGradient, LookaheadMoments,
    LookaheadUtility, OneShotKnowledgeGradient, choose_anchors, prune_baseline,
};
pub use sampling::{
    Average, ConditionalDraws, Gumbel, MinValueSampler, Minimizer, NoisyExpectedImprovement,
    NoisyExpectedImprovementFactory, OverDraws, PathSearch, ResidualMoments, ThompsonPath, ThompsonSampling,
    fantasies, minima_among, minima_on, minimizers_on, most_promising, optimistic_bounds, thompson_among,
};
pub use thrifty_surrogate::Description;
pub use weights::{
    LocalPenalties, LogExcess, LogFeasibility, LogInverseCost, Masked, Weighted, ZeroLog, lipschitz_constant,
    weigh,
};
