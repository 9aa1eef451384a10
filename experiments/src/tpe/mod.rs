//! The tree-structured Parzen estimator: where its defaults come from, and how it compares.

pub mod ablation;
mod development;
mod formula;
pub mod nnpdf;
pub mod parity;
pub mod quality;
mod runs;
mod scored;
