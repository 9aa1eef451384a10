//! Bayesian optimisation: surrogate × acquisition × maximizer = optimiser.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! [`BayesianOptimizer`] minimises the first objective. It fits a [`Surrogate`](thrifty_surrogate::Surrogate) to the measured losses;
//! failed and running trials enter by a policy ([`SurrogateState`]). A [`Maximizer`] then finds the best point of an acquisition function.
//! [`MultiObjectiveOptimizer`] searches for the Pareto front of several objectives.

mod multi;
mod optimizer;
mod settings;
mod turn;

pub use multi::{
    LogExpectedHypervolume, LogNoisyExpectedHypervolume, MultiObjectiveError, MultiObjectiveOptimizer,
    MultiObjectiveRule, MultiObjectiveSettings, UncertainFront, augmented_chebyshev,
};
pub use optimizer::BayesianOptimizer;
pub use settings::{BoSettings, Convergence};
pub use thrifty_model_based::{
    Candidate, CostAwareness, EarlierStudies, EarlierStudyError, FailurePolicy, GpSurrogate, InitialDesign,
    KernelFamily, LeftOut, LossTransform, Maximizer, ParetoMember, ParetoSet, PendingPolicy, Repeats,
    SurrogateState, TiePolicy, TransferError, TransferSettings, TransferSurrogate,
};
