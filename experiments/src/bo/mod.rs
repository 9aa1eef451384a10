//! Where the defaults of Bayesian optimisation come from.

pub mod ablation;
pub mod batches;
pub(crate) mod problems;
