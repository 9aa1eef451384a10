//! Fractional cross-validation: Bayesian optimisation that evaluates one fold at a time.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! [`FractionalCv`] asks for one fold of a configuration. It learns the true loss from such folds by the hierarchical process of
//! [`thrifty_hgp`], and recommends the configuration with the smallest posterior mean of the true loss. A full cross-validation costs K
//! model fits per configuration; this costs one.
//! [`MultiTaskCv`] treats the folds as correlated tasks instead.
//! Source: `FCVOpt` (Yerramilli & Apley, 2025).

mod choice;
mod constraints;
mod costs;
mod design;
mod evidence;
mod fold;
mod knowledge;
mod learning;
mod multi_task;
mod optimizer;
mod settings;
mod surrogate_state;
mod turn;
mod verification;
mod verify;
mod weighted;

pub use knowledge::FoldKnowledge;
pub use multi_task::{MultiTaskCv, MultiTaskSettings, TaskCovariance};
pub use optimizer::FractionalCv;
pub use settings::{
    FoldAcquisition, FoldCosts, FoldFailures, FoldRule, FractionalSettings, FractionalSettingsError,
    Incumbent, InitialFolds, LossTarget,
};
pub use surrogate_state::{Evaluated, FoldSurrogateState};
