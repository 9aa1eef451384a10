//! Where the defaults of Bayesian optimisation come from.

pub mod ablation;
pub(crate) mod problems;
