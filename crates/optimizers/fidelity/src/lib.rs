//! Multi-fidelity Bayesian optimisation: a budget parameter as an input of the model.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! An evaluation with few epochs, rows or trees is cheap and informative about the loss with all of them. [`MultiFidelityOptimizer`]
//! chooses a configuration together with its fidelity. It maximizes the expected information about the best loss at the target, per unit of
//! cost.

mod axis;
mod best;
mod cost;
mod evidence;
mod kernel;
mod knowledge_gradient;
mod lookahead;
mod optimizer;
mod reached;
mod settings;
mod turn;

pub use axis::FidelityAxis;
pub use best::FidelityBest;
pub use cost::ProportionalCost;
pub use kernel::multi_fidelity_kernel;
pub use knowledge_gradient::{TargetKnowledgeGradient, target_knowledge_gradient};
pub use lookahead::TargetLookahead;
pub use optimizer::MultiFidelityOptimizer;
pub use settings::{FidelityCost, MultiFidelitySettings};
