//! Acquisition functions: utilities of a posterior that decide which point to evaluate next.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! An [`Acquisition`] has a value at every point, higher is better, and a gradient if its posterior has one. An
//! [`AcquisitionFactory`] builds it for an optimiser; [`AcquisitionKind`] is the catalogue of factories, and one of your own is
//! one `impl`.
//! The objective is minimised throughout: [`ProbabilityOfImprovement`] and its kin look for values below a
//! threshold. Most are functions of mean and standard deviation alone, a [`Utility`], of which [`Analytic`] makes an
//! acquisition. [`KnowledgeGradient`], [`JointEntropySearch`], [`NoisyExpectedImprovement`] and [`GibbonBatch`] look at how an
//! observation varies with the function elsewhere, a [`LookaheadUtility`]; [`EntropySearch`] and [`PredictiveEntropySearch`] at
//! what it does to the distribution of the minimizer. [`Weighted`] and [`Average`] combine them.

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
