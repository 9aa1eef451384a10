//! Experiments behind the defaults of Bayesian optimisation.

pub mod ablation;
pub mod batches;
pub(crate) mod problems;
