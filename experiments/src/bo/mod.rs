//! Where the defaults of Bayesian optimisation come from.

pub mod ablation;
mod problems;
