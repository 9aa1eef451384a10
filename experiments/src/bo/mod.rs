//! Experiments behind the defaults of Bayesian optimisation.

pub mod ablation;
pub mod basins;
pub mod batches;
pub(crate) mod branches;
pub mod choices;
pub mod conditional;
pub mod designs;
pub(crate) mod development;
pub mod dimensions;
pub mod few;
pub(crate) mod functions;
pub mod growth;
pub mod judged;
pub mod losses;
pub mod noise;
pub mod noise_peers;
pub mod outliers;
pub mod pending;
pub(crate) mod problems;
pub mod small;
pub(crate) mod sparse;
pub mod subset;
pub mod transfer;
pub(crate) mod variant;
pub mod wide;
