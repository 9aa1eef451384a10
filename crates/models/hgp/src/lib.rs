//! Hierarchical Gaussian process on (configuration, fold): a true loss and the folds around it.
//!
#![doc = include_str!("../README.md")]
//!
//! ## Overview
//!
//! ```text
//! y_j(x) = f(x) + δ_j(x) + ε:   cov = k_f(x, x') + c(i, j) k_δ(x, x') + σ² on the diagonal
//! c(i, j) = 1 for the same fold, β for two folds
//! ```
//!
//! [`Hgp`] learns the process. [`HgpPosterior`] provides f, any fold and the mean of folds as posteriors, each a [`Component`]. A component
//! computes the variance that an observation of a fold would leave ([`Component::fold_gains`]).
//! Source: `FCVOpt` (Yerramilli & Apley, 2025).

mod component;
mod error;
mod fold_surrogate;
mod gain;
mod lookahead;
mod model;
mod posterior;

pub use component::Component;
pub use error::HgpError;
pub use fold_surrogate::FoldSurrogate;
pub use gain::FoldGain;
pub use lookahead::FoldLookahead;
pub use model::{FoldKernel, Hgp};
pub use posterior::HgpPosterior;
