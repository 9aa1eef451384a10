//! Finds good settings of expensive things with few evaluations.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! This crate is the front door: each module is one of the small crates behind it, and [`prelude`] has what most
//! programs need.

pub use thrifty_acquisition as acquisition;
pub use thrifty_autobct as autobct;
pub use thrifty_bo as bo;
pub use thrifty_censored as censored;
pub use thrifty_check as check;
pub use thrifty_cmaes as cmaes;
pub use thrifty_cv as cv;
pub use thrifty_domain as domain;
pub use thrifty_fcvopt as fcvopt;
pub use thrifty_fidelity as fidelity;
pub use thrifty_figures as figures;
pub use thrifty_gp as gp;
pub use thrifty_hgp as hgp;
pub use thrifty_hybrid as hybrid;
pub use thrifty_kernel as kernel;
pub use thrifty_levelset as levelset;
pub use thrifty_linalg as linalg;
pub use thrifty_linear as linear;
pub use thrifty_model_based as model_based;
pub use thrifty_optim as optim;
pub use thrifty_params as params;
pub use thrifty_pareto as pareto;
pub use thrifty_prob as prob;
pub use thrifty_pruning as pruning;
pub use thrifty_results as results;
pub use thrifty_robust as robust;
pub use thrifty_sampling as sampling;
pub use thrifty_search as search;
pub use thrifty_simd as simd;
pub use thrifty_space as space;
pub use thrifty_study as study;
pub use thrifty_surrogate as surrogate;
pub use thrifty_testbed as testbed;
pub use thrifty_tpe as tpe;
pub use thrifty_transfer as transfer;
pub use thrifty_trees as trees;
pub use thrifty_trust_region as trust_region;

/// Names that most programs need.
pub mod prelude {
    pub use thrifty_acquisition::{AcquisitionFactory, AcquisitionKind, ImprovementTarget};
    pub use thrifty_autobct::{AutoBct, AutoBctSettings};
    pub use thrifty_bo::{
        BayesianOptimizer, BoSettings, EarlierStudies, GpSurrogate, InitialDesign, MultiObjectiveOptimizer,
        MultiObjectiveSettings, ParetoSet,
    };
    pub use thrifty_cmaes::{CmaEs, CmaEsSettings};
    pub use thrifty_cv::{AllFolds, FoldQuery};
    pub use thrifty_fcvopt::{FractionalCv, FractionalSettings};
    pub use thrifty_fidelity::{MultiFidelityOptimizer, MultiFidelitySettings};
    pub use thrifty_hybrid::{
        Anticipation, CoinFlip, Exploration, ExplorePoint, Hybrid, HybridSettings, OnConvergence,
    };
    pub use thrifty_levelset::{LevelSetOptimizer, LevelSetSettings};
    pub use thrifty_model_based::ModelBased;
    pub use thrifty_sampling::Seed;
    pub use thrifty_search::{Nsga2, Nsga2Settings, RandomSearch, SobolSearch};
    pub use thrifty_space::{Config, KnownConstraint, Space, SpaceError, Value};
    pub use thrifty_study::{
        Context, History, MaxCost, MaxTrials, Measurement, NoImprovement, Observer, Optimizer, Outcome,
        Patience, Schedule, StopRule, Study, Target, Trial, TrialId, WallTime, WorthItsCost,
    };
    pub use thrifty_surrogate::{Posterior, Prediction};
    pub use thrifty_tpe::{TpeOptimizer, TpeSettings};
    pub use thrifty_trust_region::{TrustRegionOptimizer, TrustRegionSettings};
}
